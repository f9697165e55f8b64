package treegru

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/touch"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tape"
)

// Relax returns the score of a state as a function of its split lengths, by the networks as they are now. All numbers
// of loops but flags are logarithms of products of lengths, so nothing has to be smoothed.
func (m *Model) Relax(s *schedule.State, free func(step int) bool) (*Relaxed, error) {
	t := &tape.Tape{Sharpness: 1}
	text, r, program, err := feature.RelaxText(t, s, free)
	if err != nil {
		return nil, err
	}
	sharpUp, sharp := touch.Tree(&text.Program)
	up, x := touch.Tree(program)
	if len(up) != len(sharpUp) {
		return nil, fmt.Errorf("treegru: %d loops are relaxed to %d", len(sharpUp), len(up))
	}
	for i, v := range sharp {
		if math.Abs(x[i].Value()-v.Value()) > 1e-6*max(1, math.Abs(v.Value())) {
			return nil, fmt.Errorf("treegru: loop %d: number %d is %v, relaxed %v",
				i/touch.Columns, i%touch.Columns, v, x[i].Value())
		}
	}
	return &Relaxed{
		model: &Model{learned: m.learned, global: m.global, margin: m.margin}, tape: t, vars: r.Vars, x: x,
		tree: &Tree{up, make([]float32, len(x))}, by: make([]float32, len(x)), weights: make([]float64, len(x)),
	}, nil
}

// A Relaxed is a score as a function of lengths. It may be used by one goroutine at a time.
type Relaxed struct {
	model   *Model // with its networks only
	tape    *tape.Tape
	vars    []schedule.Length
	x       []tape.Real
	tree    *Tree
	by      []float32
	weights []float64
}

// Vars returns the lengths.
func (x *Relaxed) Vars() []schedule.Length { return x.vars }

// Value returns the score for logarithms of the lengths, and sets its derivative by each.
func (x *Relaxed) Value(y, slope []float64) float64 {
	x.tape.Run(y)
	for i, v := range x.x {
		x.tree.X[i] = float32(v.At() * scale(i))
	}
	score := x.model.slopes(x.tree, x.by)
	for i, g := range x.by {
		x.weights[i] = float64(g) * scale(i)
	}
	x.tape.Slopes(x.x, x.weights, slope)
	return score
}
