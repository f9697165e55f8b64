// Package image has the operators that resize and sample images, pool their regions, and suppress boxes.
package image

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/dag"
	"github.com/wmtune/wmtune/tir"
)

// Resizes has the operators that interpolate between elements. wmtune.ResizeAxis resizes one dimension. Its weights are
// constants, or wmtune.ResizeTaps computes them from operands that are data.
var Resizes = []op.Row{
	{Op: "Upsample", Since: 7, In: "T:A | 9 T:A -:F", Class: op.Injective, Infer: op.InferBy(resizeOf, inferResize),
		Eval:      op.EvalBy(resizeOf, evalResize),
		Decompose: decomposeResize},
	{Op: "Resize", Since: 10, In: "T:A -:F | 11 T1:A T2:F -:F -:L? | 13 T1:A T2:F? -:F? -:L?", Class: op.Injective,
		Infer: op.InferBy(resizeOf, inferResize), Eval: op.EvalBy(resizeOf, evalResize), Decompose: decomposeResize},
	{Op: "wmtune.ResizeAxis", Class: op.Injective, Infer: inferResizeAxis, Eval: evalResizeAxis, Body: bodyResizeAxis},
	{Op: "wmtune.ResizeTaps", Class: op.Opaque, Infer: op.InferBy(resizeOf, inferResizeTaps),
		Eval:   op.EvalBy(resizeOf, evalResizeTaps),
		Opaque: &op.Function{Make: dag.Claim(claimResizeTaps).Function}},
}

// A resize has the attributes of a Resize, whatever its version. Before version 11 nothing says which element is the
// nearest: as in ONNX Runtime, it is the one below, or, if the scale is less than 1, the one above.
type resize struct {
	mode, nearest, transform, policy string  // nearest is "" before version 11
	cubic                            float64 // coefficient a
	antialias, exclude               bool
	extrapolation                    float64
	axes                             []int
	roi, scales, sizes               int // inputs, -1 without
	shape                            []int64
}

func resizeOf(n *graph.Node) (*resize, error) {
	r := &resize{mode: n.Str("mode", "nearest"), transform: "asymmetric", policy: "stretch", roi: -1, scales: 1,
		sizes: -1}
	if r.shape = n.Ints("shape"); r.shape == nil {
		r.shape = n.Inputs[0].Shape
	}
	if n.Op == "Upsample" && n.Version < 9 {
		r.scales = -1
	}
	if n.Op != "Upsample" && n.Version >= 11 {
		r.nearest, r.transform = n.Str("nearest_mode", "round_prefer_floor"), n.Str("coordinate_transformation_mode",
			"half_pixel")
		r.policy = n.Str("keep_aspect_ratio_policy", "stretch")
		r.cubic, r.extrapolation = n.Float("cubic_coeff_a", -0.75), n.Float("extrapolation_value", 0)
		r.antialias, r.exclude = n.Int("antialias", 0) != 0, n.Int("exclude_outside", 0) != 0
		r.exclude = r.exclude && r.mode != "nearest"
		r.roi, r.scales, r.sizes = 1, 2, 3
	}
	for _, i := range []*int{&r.roi, &r.scales, &r.sizes} {
		if *i >= 0 && (n.Input(*i) == nil || n.Input(*i).Elems() == 0) {
			*i = -1
		} else if *i >= 0 && len(n.Inputs[*i].Shape) != 1 {
			return nil, fmt.Errorf("input %d is %s: it must be a list", *i, n.Inputs[*i])
		}
	}
	for _, a := range []struct{ name, value, known string }{
		{"mode", r.mode, "nearest linear bilinear cubic"},
		{"nearest_mode", r.nearest, "round_prefer_floor round_prefer_ceil floor ceil"},
		{"keep_aspect_ratio_policy", r.policy, "stretch not_larger not_smaller"},
		{"coordinate_transformation_mode", r.transform, "half_pixel half_pixel_symmetric pytorch_half_pixel " +
			"align_corners asymmetric tf_crop_and_resize tf_half_pixel_for_nn"},
	} {
		if n.Has(a.name) && !slices.Contains(strings.Fields(a.known), a.value) {
			return nil, fmt.Errorf("attribute %s is %q: known are %s", a.name, a.value, a.known)
		}
	}
	if r.mode == "bilinear" {
		r.mode = "linear"
	}
	for _, a := range n.Ints("axes") {
		d, err := array.Axis(a, len(r.shape))
		if err != nil {
			return nil, err
		}
		r.axes = append(r.axes, d)
	}
	if !n.Has("axes") {
		for d := range r.shape {
			r.axes = append(r.axes, d)
		}
	}
	return r, nil
}

// A resizeAxis says how a dimension is resized.
type resizeAxis struct {
	dim        int
	in, out    int64
	scale      float64
	start, end float64 // region of interest
}

// plan returns how each axis is resized, with the elements of the operands, nil for one that is left out.
func (r *resize) plan(shape []int64, roi, scales []float64, sizes []int64) ([]resizeAxis, error) {
	k := len(r.axes)
	if scales != nil && len(scales) != k || sizes != nil && len(sizes) != k || (scales == nil) == (sizes == nil) {
		return nil, fmt.Errorf("%d scales and %d sizes for %d axes: one of the two must be given", len(scales),
			len(sizes), k)
	}
	if r.transform == "tf_crop_and_resize" && len(roi) != 2*k {
		return nil, fmt.Errorf("a region of interest of %d numbers for %d axes", len(roi), k)
	}
	list := make([]resizeAxis, k)
	least, most := math.Inf(1), math.Inf(-1)
	for i, d := range r.axes {
		a := resizeAxis{dim: d, in: shape[d], end: 1}
		if r.transform == "tf_crop_and_resize" {
			a.start, a.end = roi[i], roi[k+i]
		}
		if sizes != nil {
			a.out, a.scale = sizes[i], float64(sizes[i])/float64(a.in)
			least, most = min(least, a.scale), max(most, a.scale)
		} else {
			a.scale = scales[i]
			a.out = scaledLength(a)
		}
		if a.in == 0 && a.out > 0 {
			return nil, fmt.Errorf("dimension %d has no elements: it cannot become one of %d", d, a.out)
		}
		list[i] = a
	}
	if sizes != nil && r.policy != "stretch" {
		scale := least
		if r.policy == "not_smaller" {
			scale = most
		}
		for i := range list {
			list[i].scale, list[i].out = scale, int64(math.Floor(scale*float64(list[i].in)+0.5))
		}
	}
	for _, a := range list {
		if !(a.scale > 0) && a.in > 0 || a.out < 0 || a.out > 1<<31 {
			return nil, fmt.Errorf("axis %d: a scale of %v makes %d elements of %d", a.dim, a.scale, a.out, a.in)
		}
	}
	return list, nil
}

// scaledLength is the length that a scale makes. The product is in float32, as ONNX Runtime has it: exporters write the
// quotient of two lengths as a scale, and a product in float64 is often less than the length that they mean. A region
// of interest does not count, as in ONNX Runtime and in ONNX's shape inference.
func scaledLength(a resizeAxis) int64 {
	return int64(math.Floor(float64(float32(a.in) * float32(a.scale))))
}

// same reports whether an axis stays as it is, whatever the coordinate transformation.
func (a resizeAxis) same() bool {
	return a.scale == 1 && a.in == a.out && a.start == 0 && a.end == 1
}

// source returns the position that output position o is at, by the coordinate transformation. It computes in float32,
// as ONNX Runtime does: positions halfway between elements then come out as such.
func (r *resize) source(a resizeAxis, o int64) float64 {
	x, in, out, scale := float32(o), float32(a.in), float32(a.out), float32(a.scale)
	start, end := float32(a.start), float32(a.end)
	width := scale * in
	at := (x+0.5)/scale - 0.5
	switch r.transform {
	case "align_corners":
		at = 0
		if width != 1 {
			at = x * (in - 1) / (width - 1)
		}
	case "asymmetric":
		at = x / scale
	case "tf_half_pixel_for_nn":
		at = (x + 0.5) / scale
	case "tf_crop_and_resize":
		if width == 1 {
			at = (end - start) * (in - 1) / 2
		} else {
			at = x * (end - start) * (in - 1) / (width - 1)
		}
		at += float32(start * (in - 1)) // rounded before the sum
	case "pytorch_half_pixel":
		if a.out == 1 {
			at = 0
		}
	case "half_pixel_symmetric":
		at += float32(in / 2 * (1 - out/width))
	}
	return float64(at)
}

// Taps are the elements of an axis that make the outputs: output o is the sum of weights[o][k] times the element at
// first[o]+k, or the nearest one where there is none, plus extra[o].
type taps struct {
	first   []int64
	weights [][]float64
	extra   []float64
}

// taps returns those of an axis.
func (r *resize) taps(a resizeAxis) taps {
	t := taps{}
	for o := range a.out {
		x := r.source(a, o)
		lower := math.Ceil(x) - 1
		weights := r.weights(x-lower, a.scale)
		first := int64(lower) - int64(len(weights)/2) + 1
		if r.mode == "nearest" {
			k := slices.Index(weights, 1)
			first, weights = first+int64(k), weights[k:k+1]
		}
		if r.exclude {
			for k := range weights {
				if i := first + int64(k); i < 0 || i >= a.in {
					weights[k] = 0
				}
			}
			normalize(weights)
		}
		extra := 0.0
		if r.transform == "tf_crop_and_resize" && (x < 0 || x > float64(a.in-1)) {
			clear(weights)
			extra = r.extrapolation
		}
		t.first, t.weights, t.extra = append(t.first, first), append(t.weights, weights), append(t.extra, extra)
	}
	return t
}

// normalize makes the sum of weights 1, unless it is 0.
func normalize(weights []float64) {
	if sum := array.SumOf(weights); sum != 0 {
		for k := range weights {
			weights[k] /= sum
		}
	}
}

// weights returns the weights of the elements around a position: ratio is how far it is from the element below, more
// than 0 and at most 1.
func (r *resize) weights(ratio, scale float64) []float64 {
	stretch := 1.0
	if r.antialias {
		stretch = min(scale, 1)
	}
	switch r.mode {
	case "nearest":
		upper := map[string]bool{"round_prefer_floor": ratio > 0.5, "round_prefer_ceil": ratio >= 0.5,
			"ceil": true, "": scale < 1}[r.nearest]
		if upper || ratio == 1 {
			return []float64{0, 1}
		}
		return []float64{1, 0}
	case "linear":
		return filter(ratio, stretch, 1, func(x float64) float64 { return max(0, 1-x) })
	}
	a := r.cubic
	return filter(ratio, stretch, 2, func(x float64) float64 {
		switch {
		case x <= 1:
			return (a+2)*x*x*x - (a+3)*x*x + 1
		case x < 2:
			return a*x*x*x - 5*a*x*x + 8*a*x - 4*a
		}
		return 0
	})
}

// filter returns the values of a function of the distance, which is 0 from reach on, scaled by stretch; their sum is 1.
func filter(ratio, stretch, reach float64, f func(x float64) float64) []float64 {
	begin := int64(math.Floor(-reach/stretch)) + 1
	var list []float64
	for i := begin; i < 2-begin; i++ {
		list = append(list, f(math.Abs(stretch*(float64(i)-ratio))))
	}
	if stretch < 1 {
		normalize(list)
	}
	return list
}

// resizeOperands returns the elements of roi, scales and sizes, or an *OpenError if one that is needed is not constant.
func (r *resize) operands(n *graph.Node) (roi, scales []float64, sizes []int64, err error) {
	floats := func(i int) []float64 {
		switch {
		case i < 0:
			return nil
		case n.Inputs[i].Const == nil:
			err = &op.OpenError{Input: i}
			return nil
		}
		return n.Inputs[i].Const.Tensor().F
	}
	if r.transform == "tf_crop_and_resize" {
		roi = floats(r.roi)
	}
	if scales = floats(r.scales); r.scales < 0 {
		scales = n.Floats("scales")
	}
	if r.sizes >= 0 {
		scales = nil
		if v := n.Inputs[r.sizes]; v.Const != nil {
			sizes = v.Const.Tensor().I
		} else {
			err = &op.OpenError{Input: r.sizes}
		}
	}
	return roi, scales, sizes, err
}

func inferResize(r *resize, n *graph.Node) ([]op.Type, error) {
	roi, scales, sizes, err := r.operands(n)
	if err != nil {
		return nil, cmp.Or(op.DeclaredLike(n, n.Inputs[0]), err)
	}
	x := n.Inputs[0]
	list, err := r.plan(x.Shape, roi, scales, sizes)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(x.Shape)
	for _, a := range list {
		shape[a.dim] = a.out
	}
	return []op.Type{{DType: x.Type, Shape: shape}}, nil
}

// planOf is plan with the operands that are in.
func (r *resize) planOf(n *graph.Node, in []*graph.Tensor) ([]resizeAxis, error) {
	var roi, scales []float64
	var sizes []int64
	if r.roi >= 0 {
		roi = in[r.roi].F
	}
	if scales = n.Floats("scales"); r.scales >= 0 {
		scales = in[r.scales].F
	}
	if r.sizes >= 0 {
		scales, sizes = nil, in[r.sizes].I
	}
	return r.plan(r.shape, roi, scales, sizes)
}

// evalResize is the reference of Resize and Upsample.
func evalResize(r *resize, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	list, err := r.planOf(n, in)
	if err != nil {
		return nil, err
	}
	x := array.Convert(in[0], tir.F64)
	for _, a := range list {
		if a.same() {
			continue
		}
		if x, err = r.taps(a).apply(call, x, a.dim); err != nil {
			return nil, err
		}
	}
	y := &graph.Tensor{Type: in[0].Type, Shape: x.Shape, F: x.F}
	if !y.Type.IsFloat() {
		for i, v := range x.F {
			x.F[i] = math.RoundToEven(v)
		}
		y = array.Convert(x, in[0].Type)
	}
	return []*graph.Tensor{y}, nil
}

// apply resizes a dimension of x.
func (t taps) apply(call *graph.Call, x *graph.Tensor, dim int) (*graph.Tensor, error) {
	shape := slices.Clone(x.Shape)
	n, out := shape[dim], int64(len(t.first))
	shape[dim] = out
	y := graph.NewTensor(x.Type, shape...)
	inner := graph.Elems(shape[dim+1:])
	err := array.Parallel(call.Context, int(graph.Elems(shape[:dim])*out), func(i int) {
		o, plane := int64(i)%out, int64(i)/out
		row := y.F[int64(i)*inner:][:inner]
		for k, w := range t.weights[o] {
			if w == 0 {
				continue
			}
			at := min(max(t.first[o]+int64(k), 0), n-1)
			for j, v := range x.F[(plane*n+at)*inner:][:inner] {
				row[j] += w * v
			}
		}
		for j := range row {
			row[j] += t.extra[o]
		}
	})
	return y, err
}
