package tensor

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// gathersRows reports whether the program of a GatherElements checks its indices and reads with them at once: rows of
// indices must be as long as a vector, and known at run time only.
func gathersRows(n *graph.Node) bool {
	x, index := n.Inputs[0], n.Inputs[1]
	rank := len(index.Shape)
	return index.Const == nil && x.Const == nil && rank > 0 && index.Shape[rank-1] >= vectorLanes && index.Elems() > 0
}

// gatheredBlock is how many elements a thread gathers at a time, at least, and gatheredPiece those of a row of which it
// has the places first.
const (
	gatheredBlock = 4096
	gatheredPiece = 512
)

// A gatherer writes the function of a GatherElements. For each row of the result it makes
//
//	places[j] = where x[..., index[..., j]] lies       in vectors; of an index that is out of range, of element 0
//	out[..., j] = x[places[j]]
//
// A gather of 16 elements in one instruction is slower, where x is not in a cache: processors fetch ahead for loads
// only. Blocks of rows are parallel, and each notes whether it has an index that is out of range.
type gatherer struct {
	along         int     // the axis
	shape         []int64 // of the result
	strides       []int64 // of x
	limit         int64   // of indices
	x, index, out *tir.Buffer
	lanes         *tir.Buffer // of which one is not 0 if an index of the block is out of range
}

func opaqueGatherElements(n *graph.Node) (*tir.Func, error) {
	along, err := operands(n)
	if err != nil {
		return nil, err
	}
	g := &gatherer{along: along, shape: n.Inputs[1].Shape, strides: array.Strides(n.Inputs[0].Shape),
		limit: n.Inputs[0].Shape[along], x: Flat("x", n.Inputs[0]), index: Flat("index", n.Inputs[1]),
		out: Flat("out", n.Outputs[0]), lanes: Scratch("lanes", tir.I32, vectorLanes)}
	last := len(g.shape) - 1
	rows := graph.Elems(g.shape[:last])
	each := min((gatheredBlock+g.shape[last]-1)/g.shape[last], rows)
	blocks := (rows + each - 1) / each
	fault, bad := ErrorFlag(), Scratch("bad", tir.I32, blocks)
	body := Nest([]int64{blocks}, tir.Parallel, func(b []tir.Expr) tir.Stmt {
		first := Times(b[0], each)
		return Alloc(g.lanes, Seq(
			Vector("clear", vectorLanes, func(l tir.Expr) tir.Stmt { return Store(g.lanes, Num32(0), l) }),
			UpToExpr("row", MinOf(tir.Int(each), Sub(tir.Int(rows), first)), func(r tir.Expr) tir.Stmt {
				return g.row(Add(first, r))
			}),
			noted(bad, b[0], g.lanes)))
	})
	return NewFunc("gather_elements", 2, Alloc(bad, Seq(body, anyBad(bad, fault))), g.x, g.index, g.out, fault), nil
}

// row gathers a row, piece by piece.
func (g *gatherer) row(r tir.Expr) tir.Stmt {
	last := len(g.shape) - 1
	width := g.shape[last]
	from, rest := tir.Expr(tir.Int(0)), r // from is where the row's element 0 along the axis lies
	for d := last - 1; d >= 0; d-- {
		at := rest
		if d > 0 {
			at, rest = Floormod(rest, g.shape[d]), Floordiv(rest, g.shape[d])
		}
		if d != g.along {
			from = Add(from, Times(at, g.strides[d]))
		}
	}
	line := Times(r, width)
	var list []tir.Stmt
	if whole := width / gatheredPiece; whole > 0 {
		list = append(list, Loop("piece", whole, func(i tir.Expr) tir.Stmt {
			return g.piece(from, line, Times(i, gatheredPiece), gatheredPiece)
		}))
	}
	if rest := width % gatheredPiece; rest > 0 {
		list = append(list, g.piece(from, line, tir.Int(width-rest), rest))
	}
	return Seq(list...)
}

// piece gathers count elements of the row that begins at line, from first on.
func (g *gatherer) piece(from, line, first tir.Expr, count int64) tir.Stmt {
	t := tir.I64
	if g.x.Elems() <= math.MaxInt32 {
		t = tir.I32
	}
	last := len(g.shape) - 1
	places := Scratch("places", t, count)
	return Alloc(places, Seq(
		Chunks("j", count, func(base tir.Expr, width int64) tir.Stmt {
			return Vector("j", width, func(lane tir.Expr) tir.Stmt {
				j := Add(base, lane)
				k, ok := counted(Cast(Load(g.index, Add(line, Add(first, j))), tir.Index), g.limit)
				place := Add(from, Times(k, g.strides[g.along]))
				if g.along != last {
					place = Add(place, Times(Add(first, j), g.strides[last]))
				}
				return Seq(Store(places, Cast(place, t), j),
					Store(g.lanes, tir.Bin(tir.BitOr, Load(g.lanes, lane), Cast(Not(ok), tir.I32)), lane))
			})
		}),
		Unrolled("s", count, func(j tir.Expr) tir.Stmt {
			return Store(g.out, Load(g.x, Cast(Load(places, j), tir.Index)), Add(line, Add(first, j)))
		})))
}

// counted returns an index counted from the beginning, 0 if it is out of range, and whether it is in range.
func counted(at tir.Expr, limit int64) (begin, ok tir.Expr) {
	begin = Sel(Lt(at, tir.Int(0)), Plus(at, limit), at)
	ok = And(Ge(begin, tir.Int(0)), Lt(begin, tir.Int(limit)))
	return Sel(ok, begin, tir.Int(0)), ok
}

// noted stores whether one of the lanes of a block is not 0.
func noted(bad *tir.Buffer, block tir.Expr, lanes *tir.Buffer) tir.Stmt {
	return Seq(Store(bad, Num32(0), block), Loop("l", vectorLanes, func(l tir.Expr) tir.Stmt {
		return Store(bad, tir.Bin(tir.BitOr, Load(bad, block), Load(lanes, l)), block)
	}))
}

// anyBad sets the error if a block noted one.
func anyBad(bad, fault *tir.Buffer) tir.Stmt {
	return Seq(ClearFault(fault), Loop("i", bad.Shape[0], func(i tir.Expr) tir.Stmt {
		return &tir.If{Cond: Ne(Load(bad, i), Num32(0)), Then: SetFault(fault)}
	}))
}
