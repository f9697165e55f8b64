package compile

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A Difference is how far an output is from the reference.
type Difference struct {
	Output   string
	Relative float64 // largest difference, divided by the largest element of the reference as scaleOf has it
	At       int     // element with the largest difference
	Got      float64
	Want     float64
	Wrong    int // integers that differ; elements that are NaN or infinite in one of both
	Overflow int // elements that are NaN or infinite since the type ends, and not by the reference
	Flips    int // integers that differ within the slack
}

// tolerance is the largest relative difference of a float output that is right.
var tolerance = map[tir.DType]float64{tir.F64: 1e-9, tir.F32: 1e-4, tir.F16: 2e-2, tir.BF16: 1e-1}

// noiseFactor is how much further from the reference a bundle may be than a reference that rounds each value: kernels
// also round inside of nodes, each step of a sum. Measured: 28 for a norm of 512 nearly equal numbers by mean squares.
// What it allows is at most mostNoise: beyond that, inputs say nothing about the bundle.
const (
	noiseFactor = 64
	mostNoise   = 1e-2
)

// Integers that floats decide, such as the place of the largest of nearly equal ones, may differ where rounding does.
// Where a reference that rounds has another number, that is right, too. Of other numbers there may be flipShare of the
// elements, or noiseFactor times as many as rounding changes, and at most mostFlips of them.
const (
	flipShare = 1e-3
	mostFlips = 1e-2
)

// A slack is what a difference may be besides the tolerance of its type.
type slack struct {
	noise   float64       // of floats, in parts of the largest element
	flips   int           // integers that differ
	rounded *graph.Tensor // the reference with each value rounded to its type, or nil: its overflows and integers pass
}

// flipsOf returns how many of n integers that floats decide may differ if so many do in a reference that rounds.
func flipsOf(n, rounded int) int {
	return min(max(noiseFactor*rounded, int(math.Ceil(flipShare*float64(n)))), int(mostFlips*float64(n)))
}

// decidedByFloats reports of each output of g, whose types are known, whether it depends on floats that are not
// constant.
func decidedByFloats(g *graph.Graph) []bool {
	made, known := g.Producers(), map[*graph.Value]bool{}
	var depends func(v *graph.Value) bool
	depends = func(v *graph.Value) bool {
		if d, ok := known[v]; ok || v == nil || v.Const != nil {
			return d
		}
		n := made[v]
		known[v] = v.Type.IsFloat() || n != nil && (computesFloats(n) || slices.ContainsFunc(n.Reads(), depends))
		return known[v]
	}
	list := make([]bool, len(g.Outputs))
	for i, v := range g.Outputs {
		list[i] = depends(v)
	}
	return list
}

// computesFloats reports whether the graphs of a node compute floats.
func computesFloats(n *graph.Node) bool {
	float := func(v *graph.Value) bool { return v != nil && v.Const == nil && v.Type.IsFloat() }
	for _, a := range n.Attrs {
		for _, g := range a.Graphs {
			for _, k := range g.Nodes {
				if slices.ContainsFunc(k.Outputs, float) || computesFloats(k) {
					return true
				}
			}
		}
	}
	return false
}

// same reports whether elements that are one float64 are one number: int64 has more digits.
func same(x, y *graph.Tensor, i int) bool { return x.I == nil || y.I == nil || x.I[i] == y.I[i] }

// compare compares an output with the reference.
func compare(name string, got, want *graph.Tensor, s slack) (Difference, error) {
	d := Difference{Output: name}
	if !slices.Equal(got.Shape, want.Shape) {
		return d, fmt.Errorf("output %s has the shape %v, and %v by the reference", name, got.Shape, want.Shape)
	}
	scale, mark := scaleOf(want)
	worst := -1.0
	for i := range want.Len() {
		g, w := got.At(i), want.At(i)
		switch diff := math.Abs(g - w); {
		case g == w && same(got, want, i) || math.IsNaN(g) && math.IsNaN(w):
		case alike(s.rounded, want) && overflows(g, s.rounded.At(i)):
			d.Overflow++
		case alike(s.rounded, want) && !want.Type.IsFloat() && g == s.rounded.At(i):
			d.Flips++
		case math.IsNaN(diff) || math.IsInf(diff, 0) || !want.Type.IsFloat():
			if d.Wrong == 0 {
				d.At, d.Got, d.Want, worst = i, g, w, math.Inf(1)
			}
			d.Wrong++
		default:
			by := scale
			if math.Abs(w) >= mark {
				by = math.Abs(w)
			}
			if diff/by > worst {
				d.At, d.Got, d.Want, worst = i, g, w, diff/by
			}
		}
		if !math.IsInf(worst, 0) {
			d.Relative = max(worst, 0)
		}
	}
	if !want.Type.IsFloat() && d.Wrong <= s.flips {
		d.Flips, d.Wrong = d.Flips+d.Wrong, 0
	}
	if d.Wrong > 0 || d.Relative > max(tolerance[want.Type], s.noise) && want.Type.IsFloat() {
		how := fmt.Sprintf("they differ by %.2g of the largest element", d.Relative)
		if d.Wrong > 0 {
			how = fmt.Sprintf("elements that are wrong: %d", d.Wrong)
		}
		return d, fmt.Errorf("output %s, element %d: got %v, the reference has %v; %s", name, d.At, d.Got, d.Want, how)
	}
	return d, nil
}

// A mask puts numbers such as -3.4e38 where nothing is. Divided by these, any difference of another element is small.
// So the other elements have a scale of their own, if the largest element is leastMark or more and none is between
// maskedRange and markRange of it. (Numbers that were computed come in all sizes.)
const (
	leastMark   = 1e30
	markRange   = 1e-3
	maskedRange = 1e-6
)

// scaleOf returns what differences of an output are divided by: the largest element of the reference, or 1 if that is
// 0, as inputs are about 1, and so is what cancels to 0. An element of mark or more is a mask's: its difference is
// divided by the element itself.
func scaleOf(want *graph.Tensor) (scale, mark float64) {
	largest := func(below float64) float64 {
		m := 0.0
		for i := range want.Len() {
			if w := math.Abs(want.At(i)); w < below {
				m = max(m, w)
			}
		}
		return m
	}
	scale, mark = largest(math.Inf(1)), math.Inf(1)
	if scale >= leastMark {
		if rest := largest(markRange * scale); rest < maskedRange*scale {
			scale, mark = rest, markRange*scale
		}
	}
	if scale == 0 {
		scale = 1
	}
	return scale, mark
}

// finite reports whether an element is a number.
func finite(t *graph.Tensor) bool {
	for i := range t.Len() {
		if x := t.At(i); !math.IsNaN(x) && !math.IsInf(x, 0) {
			return true
		}
	}
	return false
}

// alike reports whether t is there and has the shape of u. What a rounded value decides may have another.
func alike(t, u *graph.Tensor) bool { return t != nil && slices.Equal(t.Shape, u.Shape) }

// overflows reports whether both are NaN or the same infinity.
func overflows(x, y float64) bool {
	return math.IsNaN(x) && math.IsNaN(y) || math.IsInf(x, 0) && x == y
}
