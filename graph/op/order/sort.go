package order

import (
	"math"
	"math/bits"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// comesBefore reports whether element i of t is less than element j. NaN is greater than every number, and equal to
// itself.
func comesBefore(t *graph.Tensor, i, j int64) bool {
	switch {
	case t.F != nil:
		return t.F[i] < t.F[j] || math.IsNaN(t.F[j]) && !math.IsNaN(t.F[i])
	case t.Type == tir.U64:
		return uint64(t.I[i]) < uint64(t.I[j])
	}
	return t.I[i] < t.I[j]
}

// below is x < y as comesBefore has it, for numbers of one type, bools included.
func below(x, y tir.Expr) tir.Expr {
	t := Register(x.DType())
	if t == tir.Bool {
		t = tir.I32
	}
	x, y = Cast(x, t), Cast(y, t)
	if !t.IsFloat() {
		return Lt(x, y)
	}
	return Or(Lt(x, y), And(Ne(y, y), Eq(x, x)))
}

// mergeSort sorts 0..n-1 into order; equals keep their order. N is at most most. Compare sets after[0], an int32, to 1
// if item j comes before item i, else to 0 or -1.
func mergeSort(n tir.Expr, most int64, order *tir.Buffer, compare func(i, j tir.Expr, after *tir.Buffer) tir.Stmt,
) tir.Stmt {
	spare, after := Scratch("spare", tir.I64, most), Scratch("after", tir.I32, 1)
	width, left, right := Scratch("width", tir.I64, 1), Scratch("left", tir.I64, 1), Scratch("right", tir.I64, 1)
	w, l, r := Load(width, Zero), Load(left, Zero), Load(right, Zero)
	merge := func(block tir.Expr) tir.Stmt {
		low := Mul(block, Times(w, 2))
		middle, high := MinOf(Add(low, w), n), MinOf(Add(low, Times(w, 2)), n)
		return Seq(Store(left, low, Zero), Store(right, middle, Zero),
			UpToExpr("k", Sub(high, low), func(k tir.Expr) tir.Stmt {
				last := MinOf(Plus(n, -1), tir.Int(most-1))
				i, j := Load(order, MinOf(l, last)), Load(order, MinOf(r, last))
				return Seq(compare(i, j, after), &tir.If{
					Cond: And(Lt(l, middle), Or(Ge(r, high), Le(Load(after, Zero), Num32(0)))),
					Then: Seq(Store(spare, i, Add(low, k)), Store(left, Plus(l, 1), Zero)),
					Else: Seq(Store(spare, j, Add(low, k)), Store(right, Plus(r, 1), Zero)),
				})
			}))
	}
	passes := int64(bits.Len64(uint64(most - 1)))
	return Allocs(Seq(
		UpToExpr("i", n, func(i tir.Expr) tir.Stmt { return Store(order, i, i) }),
		Store(width, tir.Int(1), Zero),
		Loop("pass", passes, func(tir.Expr) tir.Stmt {
			return &tir.If{Cond: Lt(w, n), Then: Seq(
				UpToExpr("block", tir.Bin(tir.FloorDiv, Plus(Add(Times(w, 2), n), -1), MaxOf(Times(w, 2), tir.Int(1))), merge),
				UpToExpr("i", n, func(i tir.Expr) tir.Stmt { return Store(order, Load(spare, i), i) }),
				Store(width, Times(w, 2), Zero))}
		})), spare, after, width, left, right)
}
