package compile

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// A Difference is how far an output is from the reference.
type Difference struct {
	Output   string
	Relative float64 // largest difference, divided by the largest element of the reference as scaleOf has it
	Absolute float64 // largest difference
	At       int     // element with the largest difference
	Got      float64
	Want     float64
	Wrong    int // integers that differ; elements that are NaN or infinite in one of both
}

// tolerance is the largest relative difference of a float output of which nothing is said.
var tolerance = map[tir.DType]float64{tir.F64: 1e-9, tir.F32: 1e-4, tir.F16: 2e-2, tir.BF16: 1e-1}

// noiseFactor is how much further from the reference a program may be than a reference that rounds each value: kernels
// also round inside of nodes, each step of a sum. Measured: 28 for a norm of 512 nearly equal numbers by mean squares.
const noiseFactor = 1 << noiseBits

const noiseBits = 6

// flipShare is the share of integers that may differ though the reference that rounds has no other ones.
const flipShare = 1e-3

// beyond returns an error if the difference of an output is not usual, nor explained by that of a reference that
// rounds.
func (d Difference) beyond(t *graph.Tensor, noise Difference) error {
	wrong := noiseFactor * noise.Wrong
	if !t.Type.IsFloat() {
		wrong = max(wrong, int(flipShare*float64(t.Len())))
	}
	if d.Wrong <= wrong && d.Relative <= max(tolerance[t.Type], noiseFactor*noise.Relative) {
		return nil
	}
	how := fmt.Sprintf("they differ by %.2g of the largest element", d.Relative)
	if d.Wrong > 0 {
		how = fmt.Sprintf("elements that are wrong: %d", d.Wrong)
	}
	return fmt.Errorf("output %s, element %d: got %v, the reference has %v; %s", d.Output, d.At, d.Got, d.Want, how)
}

// state states how far the outputs of a run are from the reference of the graph as it was read. Kernels are right for
// what they were given (judge), so a difference that is not usual comes from a rounding that had far effects, or from a
// pass that changed what the graph computes. The graph after the passes tells which: computed in float64, too, it gives
// what the reference gives. If it does not, the reference is evaluated again with rounding. The graph after the passes
// may be off by what that changes: noiseFactor times what one rounding does, or what rounding to noiseBits fewer does,
// the same but where numbers jump. A quantized number may be another one by a rounding that one of 2^24 does not show.
// Steps of loops and branches are no kernels; so outputs of graphs that have them must be the reference's, but for the
// same.
func (c *compilation) state(ctx context.Context, inputs, got, want []*graph.Tensor) error {
	var unusual []int
	list := make([]Difference, len(got))
	for i, v := range c.model.Original.Outputs {
		d, err := compare(v.Name, got[i], want[i])
		if err != nil || d.beyond(want[i], Difference{}) != nil || d.Wrong > 0 {
			unusual = append(unusual, i)
		}
		list[i] = d
		c.result.MaxError = max(c.result.MaxError, d.Relative)
		c.result.Absolute = max(c.result.Absolute, d.Absolute)
	}
	if unusual == nil {
		return nil
	}
	program, controls := got, slices.ContainsFunc(c.model.Graph.Nodes, hasGraphs)
	if !controls {
		c.opt.Observer.Phase("evaluate the graph after the passes", 0, 0)
		var err error
		if program, err = c.model.evaluate(ctx, inputs); err != nil {
			return err
		}
	}
	var rounded []*graph.Tensor
	for _, i := range unusual {
		var noise *Difference
		d, err := compare(c.model.Original.Outputs[i].Name, program[i], want[i])
		if err != nil || d.beyond(want[i], Difference{}) != nil {
			if rounded == nil {
				c.opt.Observer.Phase("evaluate the reference with rounding", 0, 0)
				e := op.Evaluator()
				e.Round = true
				if rounded, err = e.Run(ctx, c.model.Original, inputs); err != nil {
					return err
				}
			}
			noise = new(Difference)
			if err = c.excused(ctx, inputs, i, program[i], want[i], rounded[i], noise); err != nil {
				return err
			}
			c.result.Rounding = max(c.result.Rounding, noise.Relative)
		}
		c.opt.Observer.Say(unusualText(list[i], noise, got[i], want[i]))
	}
	return nil
}

// excused returns an error if output i of the program is further from the reference than what rounding changes, which
// it puts into noise.
func (c *compilation) excused(ctx context.Context, inputs []*graph.Tensor, i int, program, want, rounded *graph.Tensor,
	noise *Difference) error {
	name := c.model.Original.Outputs[i].Name
	round, shape := compare(name, rounded, want)
	*noise = round
	d, err := compare(name, program, want)
	if err != nil && shape != nil {
		d, err = compare(name, program, rounded)
	}
	if err == nil && d.beyond(want, *noise) != nil {
		jump, failed := c.jump(ctx, inputs, i, want)
		if noise.Relative, noise.Wrong = max(noise.Relative, jump.Relative), max(noise.Wrong, jump.Wrong); failed != nil {
			return failed
		}
		err = d.beyond(want, *noise)
	}
	if err != nil {
		return fmt.Errorf("%w; rounding each value of the reference to its type changes it by %.2g%s", err,
			noise.Relative, c.hint(*noise, want))
	}
	return nil
}

// jump returns how far output i of the reference moves where it rounds to noiseBits fewer, divided by what that is more
// than rounding is. Where a rounding decides the output's shape it says nothing.
func (c *compilation) jump(ctx context.Context, inputs []*graph.Tensor, i int, want *graph.Tensor) (Difference, error) {
	e := op.Evaluator()
	e.Round, e.Fewer = true, noiseBits
	out, err := e.Run(ctx, c.model.Original, inputs)
	if err != nil {
		return Difference{}, err
	}
	d, err := compare("", out[i], want)
	if err != nil {
		return Difference{}, nil
	}
	d.Relative, d.Wrong = d.Relative/noiseFactor, d.Wrong/noiseFactor
	return d, nil
}

// hint says what to do where rounding alone changes results altogether.
func (c *compilation) hint(noise Difference, want *graph.Tensor) string {
	if noise.Relative > max(1e-2, tolerance[want.Type]) && c.opt.Inputs == "" {
		return ": random inputs may say nothing of such a model, so give it true ones (--input)"
	}
	return ""
}

// unusualText says how far an output is from the reference. Without noise the graph after the passes agrees with it.
func unusualText(d Difference, noise *Difference, got, want *graph.Tensor) string {
	var text, rounds string
	switch {
	case !slices.Equal(got.Shape, want.Shape):
		return fmt.Sprintf("output %s has the shape %v, and %v by the reference: a rounding decides it", d.Output, got.Shape,
			want.Shape)
	case !want.Type.IsFloat():
		text = fmt.Sprintf("output %s: %d of %d integers differ from the reference; floats decide them", d.Output, d.Wrong,
			want.Len())
	case d.Wrong > 0:
		text = fmt.Sprintf("output %s: %d elements are NaN or infinite by the bundle and not by the reference, or the other "+
			"way round", d.Output, d.Wrong)
	default:
		text = fmt.Sprintf("output %s is sensitive: it differs from the reference by %.2g, %.2g of the largest element",
			d.Output, d.Absolute, d.Relative)
	}
	switch {
	case noise == nil:
		rounds = "only rounding makes the difference: in float64 the compiled graph agrees with the file's"
	case d.Wrong > 0 || !want.Type.IsFloat():
		rounds = fmt.Sprintf("%d are where the reference rounds each value to its type", noise.Wrong)
	default:
		rounds = fmt.Sprintf("rounding each value of the reference to its type changes it by %.2g", noise.Absolute)
	}
	return text + "; " + rounds
}

// same reports whether elements that are one float64 are one number: int64 has more digits.
func same(x, y *graph.Tensor, i int) bool { return x.I == nil || y.I == nil || x.I[i] == y.I[i] }

// compare compares an output with the reference. Another shape is an error.
func compare(name string, got, want *graph.Tensor) (Difference, error) {
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
			d.Absolute = max(d.Absolute, diff)
			if diff/by > worst {
				d.At, d.Got, d.Want, worst = i, g, w, diff/by
			}
		}
		if !math.IsInf(worst, 0) {
			d.Relative = max(worst, 0)
		}
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
