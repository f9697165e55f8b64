package image

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Suppressions has NonMaxSuppression, which selects boxes of high scores that do not overlap too much, by batch and
// class.
var Suppressions = []op.Row{
	{Op: "NonMaxSuppression", Since: 10, In: "-:S -:S -:L? -:S? -:S?", Class: op.Opaque,
		Infer: op.InferBy(nmsOf, inferNMS), Eval: op.EvalBy(nmsOf, evalNMS),
		Opaque: &op.Function{Make: opaqueNMS,
			Fault: func(*graph.Node) string { return "iou_threshold is not from 0 to 1" }}},
	{Op: "ImageDecoder", Since: 20, In: "T1:I", Class: op.Opaque, Infer: inferImageDecoder, Eval: evalImageDecoder},
}

// An nms has the sizes of a NonMaxSuppression.
type nms struct {
	batch, classes, boxes int64
	most                  int64 // that a class may have, as far as it is known
}

func nmsOf(n *graph.Node) (*nms, error) {
	boxes, scores := n.Inputs[0].Shape, n.Inputs[1].Shape
	if len(boxes) != 3 || boxes[2] != 4 || len(scores) != 3 || scores[0] != boxes[0] || scores[2] != boxes[1] {
		return nil, fmt.Errorf("boxes of shape %v and scores of shape %v do not fit each other", boxes, scores)
	}
	for i, v := range n.Inputs[2:] {
		if v != nil && v.Elems() != 1 {
			return nil, fmt.Errorf("input %d has shape %v: it must have one element", i+2, v.Shape)
		}
	}
	s := &nms{batch: boxes[0], classes: scores[1], boxes: boxes[1], most: boxes[1]}
	if v := n.Input(2); v == nil {
		s.most = 0
	} else if v.Const != nil {
		s.most = min(s.most, max(0, v.Const.Tensor().I[0]))
	}
	return s, nil
}

func inferNMS(s *nms, n *graph.Node) ([]op.Type, error) {
	most := s.batch * s.classes * s.most
	return []op.Type{{DType: tir.I64, Shape: []int64{most, 3}, Bounded: most > 0}}, nil
}

// evalNMS is the reference of NonMaxSuppression.
func evalNMS(s *nms, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	most, overlap := int64(0), float32(0)
	if v := array.Argument(in, 2); v != nil {
		most = v.I[0]
	}
	if v := array.Argument(in, 3); v != nil {
		if overlap = float32(v.F[0]); !(overlap >= 0 && overlap <= 1) {
			return nil, fmt.Errorf("iou_threshold is %v: it must be from 0 to 1", overlap)
		}
	}
	var list []int64
	for b := range s.batch {
		for c := range s.classes {
			scores := in[1].F[(b*s.classes+c)*s.boxes:][:s.boxes]
			var order, chosen []int64
			for i := range s.boxes {
				if t := array.Argument(in, 4); t == nil || scores[i] > t.F[0] {
					order = append(order, i)
				}
			}
			slices.SortStableFunc(order, func(i, j int64) int {
				switch {
				case scores[i] > scores[j]:
					return -1
				case scores[i] < scores[j]:
					return 1
				}
				return 0
			})
			for _, i := range order {
				if int64(len(chosen)) >= most {
					break
				}
				box := func(k int64) []float64 { return in[0].F[(b*s.boxes+k)*4:][:4] }
				if !slices.ContainsFunc(chosen, func(k int64) bool { return overlaps(n, box(i), box(k)) > overlap }) {
					chosen = append(chosen, i)
					list = append(list, b, c, i)
				}
			}
		}
	}
	return []*graph.Tensor{{Type: tir.I64, Shape: []int64{int64(len(list) / 3), 3}, I: list}}, nil
}

// overlaps returns the area that two boxes share, as a part of that which either covers; in float32, the type of the
// threshold that it is compared with.
func overlaps(n *graph.Node, a, b []float64) float32 {
	bounds := func(box []float64, d int) (lo, hi float32) {
		x, y := float32(box[d]), float32(box[d+2])
		if n.Int("center_point_box", 0) != 0 {
			return x - y/2, x + y/2
		}
		return min(x, y), max(x, y)
	}
	shared, areaA, areaB := float32(1), float32(1), float32(1)
	for d := range 2 {
		lo1, hi1 := bounds(a, d)
		lo2, hi2 := bounds(b, d)
		shared *= max(0, min(hi1, hi2)-max(lo1, lo2))
		areaA *= hi1 - lo1
		areaB *= hi2 - lo2
	}
	if shared <= 0 || areaA <= 0 || areaB <= 0 {
		return 0
	}
	return shared / (areaA + areaB - shared)
}

// opaqueNMS chooses, class by class, the box of the highest score of those that are left, the first of equals, and
// strikes out those that overlap it.
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
		return Load(b, tir.Int(0))
	}
	most, overlap, threshold := scalar("most", 2), scalar("overlap", 3), scalar("threshold", 4)
	if overlap == nil {
		overlap = tir.Float(tir.F32, 0)
	}
	f.overlap, f.threshold = overlap, threshold
	f.y = Parameter("selected", n.Outputs[0])
	f.extents = &tir.Buffer{Name: "extents", Type: tir.I64, Shape: []int64{2}}
	f.left = &tir.Buffer{Name: "left", Type: tir.Bool, Shape: []int64{f.nms.boxes}}
	f.best = &tir.Buffer{Name: "best", Type: tir.I64, Shape: []int64{1}}
	zero := tir.Int(0)
	rounds := MinOf(MaxOf(most, zero), tir.Int(s.most))
	fault := ErrorFlag()
	fits := And(Ge(overlap, Num(overlap, 0)), Le(overlap, Num(overlap, 1)))
	body := Seq(ClearFault(fault), &tir.If{Cond: Not(fits), Then: SetFault(fault)},
		Store(f.extents, zero, zero), Store(f.extents, tir.Int(3), tir.Int(1)),
		// What is behind the true extents is written too.
		Nest(f.y.Shape, tir.Serial, func(at []tir.Expr) tir.Stmt { return Store(f.y, zero, at...) }),
		Nest([]int64{s.batch, s.classes}, tir.Serial, func(at []tir.Expr) tir.Stmt {
			round := tir.NewVar("round")
			return Seq(f.begin(at[0], at[1]), &tir.For{Var: round, Extent: rounds, Body: f.round(at[0], at[1])})
		}))
	return NewFunc("non_max_suppression", 3, Alloc(f.left, Alloc(f.best, body)),
		append(params, f.y, f.extents, fault)...), nil
}

// An nmsFunc writes the function of a NonMaxSuppression.
type nmsFunc struct {
	*nms
	n                  *graph.Node
	boxes, scores      *tir.Buffer
	overlap, threshold tir.Expr // the second may be nil
	y, extents         *tir.Buffer
	left, best         *tir.Buffer // boxes that are left, and the best one, or -1
}

// begin says which boxes there are to choose from.
func (f *nmsFunc) begin(b, c tir.Expr) tir.Stmt {
	return Loop("i", f.nms.boxes, func(i tir.Expr) tir.Stmt {
		v := tir.Expr(tir.BoolImm(true))
		if f.threshold != nil {
			v = Gt(Load(f.scores, b, c, i), f.threshold)
		}
		return Store(f.left, v, i)
	})
}

// round chooses a box, if one is left.
func (f *nmsFunc) round(b, c tir.Expr) tir.Stmt {
	zero := tir.Int(0)
	best := Load(f.best, zero)
	known := MaxOf(best, zero)
	row := Load(f.extents, zero)
	return Seq(Store(f.best, tir.Int(-1), zero),
		Loop("i", f.nms.boxes, func(i tir.Expr) tir.Stmt {
			better := Or(Lt(best, zero), Gt(Load(f.scores, b, c, i), Load(f.scores, b, c, known)))
			return &tir.If{Cond: And(Load(f.left, i), better), Then: Store(f.best, i, zero)}
		}),
		&tir.If{Cond: Ge(best, zero), Then: Seq(
			Store(f.y, b, row, zero), Store(f.y, c, row, tir.Int(1)), Store(f.y, known, row, tir.Int(2)),
			Loop("i", f.nms.boxes, func(i tir.Expr) tir.Stmt {
				strike := Or(Eq(i, best), Gt(f.overlaps(b, i, known), f.overlap))
				return &tir.If{Cond: strike, Then: Store(f.left, tir.BoolImm(false), i)}
			}),
			Store(f.extents, Plus(row, 1), zero))})
}

// overlaps is the part that two boxes share, as an expression.
func (f *nmsFunc) overlaps(b, i, k tir.Expr) tir.Expr {
	bounds := func(box tir.Expr, d int64) (lo, hi tir.Expr) {
		x, y := Load(f.boxes, b, box, tir.Int(d)), Load(f.boxes, b, box, tir.Int(d+2))
		if f.n.Int("center_point_box", 0) != 0 {
			half := Mul(y, Num(y, 0.5))
			return Sub(x, half), Add(x, half)
		}
		return MinOf(x, y), MaxOf(x, y)
	}
	one := tir.Float(tir.F32, 1)
	zero := Num(one, 0)
	var shared, areaI, areaK tir.Expr = one, one, one
	for d := range int64(2) {
		lo1, hi1 := bounds(i, d)
		lo2, hi2 := bounds(k, d)
		shared = Mul(shared, MaxOf(zero, Sub(MinOf(hi1, hi2), MaxOf(lo1, lo2))))
		areaI, areaK = Mul(areaI, Sub(hi1, lo1)), Mul(areaK, Sub(hi2, lo2))
	}
	some := And(Gt(shared, zero), And(Gt(areaI, zero), Gt(areaK, zero)))
	return Sel(some, Quo(shared, Sub(Add(areaI, areaK), shared)), zero)
}

// inferImageDecoder says why there is no ImageDecoder.
func inferImageDecoder(*graph.Node) ([]op.Type, error) {
	return nil, op.Unsupported("ImageDecoder (decoding of JPEG, PNG and other files: decode images before the model runs)")
}

func evalImageDecoder(*graph.Call, *graph.Node, []*graph.Tensor) ([]*graph.Tensor, error) {
	_, err := inferImageDecoder(nil)
	return nil, err
}
