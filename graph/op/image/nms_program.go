package image

import (
	"math/bits"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// The program of a NonMaxSuppression. Classes are computed in parallel: what passes the threshold becomes a heap, whose
// greatest key is the box of the highest score, the first of equals. Boxes are taken from it one by one. One is chosen
// unless it overlaps one that was, which is found for 16 of these at a time.

// suppressLanes is how many chosen boxes a vector has.
const suppressLanes = 16

// popped is how many boxes are taken from a heap before it is asked whether there are enough.
const popped = 64

// An nmsFunc writes the function of a NonMaxSuppression.
type nmsFunc struct {
	*nms
	n                  *graph.Node
	boxes, scores      *tir.Buffer
	overlap, threshold tir.Expr // the second may be nil
	limit              tir.Expr // boxes that a class may have
	y, extents         *tir.Buffer

	selected, counts *tir.Buffer // boxes of each class, and how many
	class            tir.Expr    // number of batch and class

	keys         *tir.Buffer // the heap
	size, chosen *tir.Buffer
	kept         *tir.Buffer // bounds and areas of chosen boxes
	box          *tir.Buffer // those of the box in question
	place, key   *tir.Buffer // in the heap, and what goes there
	lanes        *tir.Buffer // whether a chosen box overlaps it
}

func opaqueNMS(n *graph.Node) (*tir.Func, error) {
	s, err := nmsOf(n)
	if err != nil {
		return nil, err
	}
	f := &nmsFunc{nms: s, n: n, boxes: Parameter("boxes", n.Inputs[0]), scores: Parameter("scores", n.Inputs[1])}
	params := []*tir.Buffer{f.boxes, f.scores}
	scalar := func(name string, i int) tir.Expr {
		v := n.Input(i)
		if v == nil {
			return nil
		}
		b := &tir.Buffer{Name: name, Type: v.Type, Shape: []int64{1}}
		params = append(params, b)
		return Load(b, Zero)
	}
	most, overlap, threshold := scalar("most", 2), scalar("overlap", 3), scalar("threshold", 4)
	if overlap == nil {
		overlap = tir.Float(tir.F32, 0)
	}
	f.overlap, f.threshold = overlap, threshold
	f.limit = MinOf(MaxOf(most, Zero), tir.Int(s.most))
	f.y = Parameter("selected", n.Outputs[0])
	f.extents = &tir.Buffer{Name: "extents", Type: tir.I64, Shape: []int64{2}}
	classes := s.batch * s.classes
	f.selected, f.counts = Scratch("boxes_of", tir.I64, classes, s.most), Scratch("counts", tir.I64, classes)
	fault := ErrorFlag()
	fits := And(Ge(overlap, Num(overlap, 0)), Le(overlap, Num(overlap, 1)))
	body := Seq(ClearFault(fault), &tir.If{Cond: Not(fits), Then: SetFault(fault)},
		Nest([]int64{classes}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
			f.class = at[0]
			return f.choose()
		}), f.results())
	return NewFunc("non_max_suppression", 3, Allocs(body, f.selected, f.counts), append(params, f.y, f.extents, fault)...),
		nil
}

// results writes what was chosen. What is behind the true extents is written too.
func (f *nmsFunc) results() tir.Stmt {
	row := Load(f.extents, Zero)
	list := []tir.Stmt{Store(f.extents, Zero, Zero), Store(f.extents, tir.Int(3), tir.Int(1))}
	list = append(list, Loop("class", f.counts.Elems(), func(class tir.Expr) tir.Stmt {
		return UpToExpr("k", Load(f.counts, class), func(k tir.Expr) tir.Stmt {
			return Seq(Store(f.y, Floordiv(class, f.classes), row, Zero),
				Store(f.y, Floormod(class, f.classes), row, tir.Int(1)),
				Store(f.y, Load(f.selected, class, k), row, tir.Int(2)), Store(f.extents, Plus(row, 1), Zero))
		})
	}))
	rest := UpToExpr("rest", Sub(tir.Int(f.y.Shape[0]), row), func(k tir.Expr) tir.Stmt {
		var zeros []tir.Stmt
		for d := range int64(3) {
			zeros = append(zeros, Store(f.y, Zero, Add(row, k), tir.Int(d)))
		}
		return Seq(zeros...)
	})
	return Seq(append(list, rest)...)
}

// choose chooses the boxes of a class.
func (f *nmsFunc) choose() tir.Stmt {
	rounded := (f.most + suppressLanes - 1) / suppressLanes * suppressLanes
	f.keys, f.size, f.chosen = Scratch("keys", tir.I64, f.nms.boxes), Scratch("size", tir.I64, 1),
		Scratch("chosen", tir.I64, 1)
	f.kept, f.box = Scratch("kept", tir.F32, 5, rounded), Scratch("box", tir.F32, 5)
	f.place, f.key = Scratch("place", tir.I64, 1), Scratch("key", tir.I64, 1)
	f.lanes = Scratch("lanes", tir.I32, suppressLanes)
	before := Scratch("candidates", tir.I64, 1)
	size, chosen := Load(f.size, Zero), Load(f.chosen, Zero)
	more := Lt(chosen, f.limit)
	candidates := MinOf(Load(before, Zero), tir.Int(f.nms.boxes))
	rounds := UpToExpr("round", Floordiv(Plus(candidates, popped-1), popped), func(tir.Expr) tir.Stmt {
		return &tir.If{Cond: more, Then: Loop("pop", popped, func(tir.Expr) tir.Stmt {
			return &tir.If{Cond: And(more, Gt(size, Zero)), Then: f.take()}
		})}
	})
	return Allocs(Seq(Store(f.size, Zero, Zero), Store(f.chosen, Zero, Zero), f.candidates(), Store(before, size, Zero),
		f.heap(), rounds, Store(f.counts, chosen, f.class)),
		f.keys, f.size, f.chosen, f.kept, f.box, f.place, f.key, f.lanes, before)
}

// candidates lists the keys of what passes the threshold. A key has the score above, as an integer that is ordered as
// floats are, and below it what is greater for the first of equals.
func (f *nmsFunc) candidates() tir.Stmt {
	size := Load(f.size, Zero)
	batch, class := Floordiv(f.class, f.classes), Floormod(f.class, f.classes)
	return Loop("i", f.nms.boxes, func(i tir.Expr) tir.Stmt {
		score := Cast(Load(f.scores, batch, class, i), tir.F32)
		raw := &tir.Bitcast{X: score, To: tir.I32}
		negative := tir.Bin(tir.BitXor, raw, Num32(1<<31-1))
		ordered := Sel(Eq(score, Num(score, 0)), Num32(0), Sel(Lt(raw, Num32(0)), negative, raw))
		key := Add(Mul(Cast(ordered, tir.I64), tir.Int(1<<32)), Sub(tir.Int(1<<32-1), i))
		passes := tir.Expr(tir.Int(1))
		if f.threshold != nil {
			passes = Cast(Gt(score, Cast(f.threshold, tir.F32)), tir.I64)
		}
		return Seq(Store(f.keys, key, size), Store(f.size, Add(size, passes), Zero))
	})
}

// heap orders the keys: none is less than those at twice its place plus 1 and plus 2. Levels are ordered from below.
func (f *nmsFunc) heap() tir.Stmt {
	levels := int64(bits.Len64(uint64(f.nms.boxes)))
	return Loop("level", levels, func(l tir.Expr) tir.Stmt {
		width := tir.Bin(tir.Shl, tir.Int(1), Sub(tir.Int(levels-1), l))
		parents := Sub(Floordiv(Load(f.size, Zero), 2), Plus(width, -1))
		return UpToExpr("p", MinOf(width, parents), func(p tir.Expr) tir.Stmt {
			at := Add(Plus(width, -1), p)
			return Seq(Store(f.key, Load(f.keys, at), Zero), Store(f.place, at, Zero), f.sink(Plus(l, 1)))
		})
	})
}

// sink moves the place downward while one of the two below has a greater key, so many levels at most, and stores the
// key there.
func (f *nmsFunc) sink(levels tir.Expr) tir.Stmt {
	place, key, size := Load(f.place, Zero), Load(f.key, Zero), Load(f.size, Zero)
	left := Plus(Times(place, 2), 1)
	last := tir.Int(f.nms.boxes - 1)
	right := MinOf(Plus(left, 1), MaxOf(Plus(size, -1), Zero))
	child := Scratch("child", tir.I64, 1)
	below := Load(f.keys, MinOf(Load(child, Zero), last))
	return Alloc(child, Seq(UpToExpr("down", levels, func(tir.Expr) tir.Stmt {
		return &tir.If{Cond: Lt(left, size), Then: Seq(
			Store(child, Sel(Gt(Load(f.keys, right), Load(f.keys, MinOf(left, last))), right, left), Zero),
			&tir.If{Cond: Gt(below, key), Then: Seq(Store(f.keys, below, place), Store(f.place, Load(child, Zero), Zero))})}
	}), Store(f.keys, key, place)))
}

// take takes the box of the greatest key from the heap, and chooses it unless one that was chosen overlaps it.
func (f *nmsFunc) take() tir.Stmt {
	size := Load(f.size, Zero)
	taken := Scratch("taken", tir.I64, 1)
	i := Within(Sub(tir.Int(1<<32-1), tir.Bin(tir.BitAnd, Load(taken, Zero), tir.Int(1<<32-1))), f.nms.boxes)
	struck := Scratch("struck", tir.I32, 1)
	return Allocs(Seq(Store(taken, Load(f.keys, Zero), Zero), Store(f.size, Plus(size, -1), Zero),
		Store(f.key, Load(f.keys, size), Zero), Store(f.place, Zero, Zero),
		f.sink(tir.Int(int64(bits.Len64(uint64(f.nms.boxes))))),
		f.measure(i), f.compare(struck),
		&tir.If{Cond: Eq(Load(struck, Zero), Num32(0)), Then: f.keep(i)}), taken, struck)
}

// measure stores the bounds of a box in both dimensions, and its area.
func (f *nmsFunc) measure(i tir.Expr) tir.Stmt {
	batch := Floordiv(f.class, f.classes)
	var list []tir.Stmt
	for d := range int64(2) {
		x, y := Cast(Load(f.boxes, batch, i, tir.Int(d)), tir.F32), Cast(Load(f.boxes, batch, i, tir.Int(d+2)), tir.F32)
		lo, hi := MinOf(x, y), MaxOf(x, y)
		if f.n.Int("center_point_box", 0) != 0 {
			half := Mul(y, Num(y, 0.5))
			lo, hi = Sub(x, half), Add(x, half)
		}
		list = append(list, Store(f.box, lo, tir.Int(2*d)), Store(f.box, hi, tir.Int(2*d+1)))
	}
	part := func(k int64) tir.Expr { return Load(f.box, tir.Int(k)) }
	area := Mul(Sub(part(1), part(0)), Sub(part(3), part(2)))
	return Seq(append(list, Store(f.box, area, tir.Int(4)))...)
}

// compare sets struck to 1 if a chosen box overlaps the one in question too much.
func (f *nmsFunc) compare(struck *tir.Buffer) tir.Stmt {
	zero := tir.Float(tir.F32, 0)
	vectors := Floordiv(Plus(MinOf(Load(f.chosen, Zero), tir.Int(f.most)), suppressLanes-1), suppressLanes)
	clear := Vector("clear", suppressLanes, func(l tir.Expr) tir.Stmt { return Store(f.lanes, Num32(0), l) })
	look := UpToExpr("v", vectors, func(v tir.Expr) tir.Stmt {
		return Vector("k", suppressLanes, func(l tir.Expr) tir.Stmt {
			of := func(k int64) (other, own tir.Expr) {
				return Load(f.kept, tir.Int(k), Add(Times(v, suppressLanes), l)), Load(f.box, tir.Int(k))
			}
			shared := tir.Expr(nil)
			for d := range int64(2) {
				lo1, lo2 := of(2 * d)
				hi1, hi2 := of(2*d + 1)
				length := MaxOf(zero, Sub(MinOf(hi1, hi2), MaxOf(lo1, lo2)))
				if shared == nil {
					shared = length
				} else {
					shared = Mul(shared, length)
				}
			}
			area1, area2 := of(4)
			some := And(Gt(shared, zero), And(Gt(area1, zero), Gt(area2, zero)))
			part := Sel(some, Quo(shared, Sub(Add(area1, area2), shared)), zero)
			return Store(f.lanes, tir.Bin(tir.BitOr, Load(f.lanes, l), Cast(Gt(part, Cast(f.overlap, tir.F32)), tir.I32)), l)
		})
	})
	join := Loop("l", suppressLanes, func(l tir.Expr) tir.Stmt {
		return Store(struck, tir.Bin(tir.BitOr, Load(struck, Zero), Load(f.lanes, l)), Zero)
	})
	return Seq(clear, look, Store(struck, Num32(0), Zero), join)
}

// keep chooses a box. The first one of a vector clears those behind it, which overlap nothing then.
func (f *nmsFunc) keep(i tir.Expr) tir.Stmt {
	chosen := Load(f.chosen, Zero)
	clear := Loop("part", 5, func(k tir.Expr) tir.Stmt {
		return Vector("clear", suppressLanes, func(l tir.Expr) tir.Stmt {
			return Store(f.kept, tir.Float(tir.F32, 0), k, Add(Times(Floordiv(chosen, suppressLanes), suppressLanes), l))
		})
	})
	return Seq(&tir.If{Cond: Eq(Floormod(chosen, suppressLanes), Zero), Then: clear},
		Loop("part", 5, func(k tir.Expr) tir.Stmt { return Store(f.kept, Load(f.box, k), k, chosen) }),
		Store(f.selected, i, f.class, chosen), Store(f.chosen, Plus(chosen, 1), Zero))
}
