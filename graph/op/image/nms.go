package image

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
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

// inferImageDecoder says why there is no ImageDecoder.
func inferImageDecoder(*graph.Node) ([]op.Type, error) {
	return nil, op.Unsupported("ImageDecoder (decoding of JPEG, PNG and other files: decode images before the model runs)")
}

func evalImageDecoder(*graph.Call, *graph.Node, []*graph.Tensor) ([]*graph.Tensor, error) {
	_, err := inferImageDecoder(nil)
	return nil, err
}
