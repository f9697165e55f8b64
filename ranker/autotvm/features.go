// Package autotvm is AutoTVM's cost model: gradient boosted trees over one row of features of a program, trained online
// on what was measured ("Learning to Optimize Tensor Programs", Chen et al., 2018, sections 3.1, 3.2, 4 and 6.1;
// python/tvm/autotvm/tuner/xgboost_cost_model.py of TVM 0.18, and its author's fork).
//
// Training needs libxgboost (ranker/xgboost); prediction does not. The package must not know how candidates come about
// or what becomes of scores.
package autotvm

import (
	"fmt"

	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/touch"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Features names what a model sees of a program.
type Features string

// The features: the numbers in the steps, and those of package touch.
const (
	Knob     Features = "knob"
	Itervar  Features = "itervar"
	Curve    Features = "curve"
	Relation Features = "relation"
)

// AllFeatures lists the features.
var AllFeatures = []Features{Knob, Itervar, Curve, Relation}

// Row returns the features of a state. Rows of programs of one structure are equally long.
func (f Features) Row(s *schedule.State) ([]float32, error) {
	if f == Knob {
		return knobs(s.Steps), nil
	}
	text, err := feature.Spell(s, false)
	if err != nil {
		return nil, err
	}
	rows := touch.Rows(text, nil)
	var wide []float64
	switch f {
	case Itervar:
		wide = touch.Itervar(rows)
	case Curve:
		wide = touch.Curve(rows)
	case Relation:
		wide = touch.Relation(rows)
	default:
		return nil, fmt.Errorf("autotvm: there are no features %q", f)
	}
	row := make([]float32, 0, len(wide)+2)
	for _, v := range wide {
		row = append(row, float32(v))
	}
	return append(row, limits(s.Steps)...), nil
}

// knobs returns the numbers of the decisions: lengths of splits, orders, annotations and limits of unrolling.
func knobs(steps []schedule.Step) (row []float32) {
	for _, step := range steps {
		switch s := step.(type) {
		case schedule.Split:
			for _, n := range s.Lengths {
				row = append(row, float32(n))
			}
		case schedule.Reorder:
			for _, i := range s.Order {
				row = append(row, float32(i))
			}
		case schedule.Annotate:
			row = append(row, float32(s.Iter), float32(s.Ann))
		case schedule.ComputeAt:
			row = append(row, float32(s.TargetIter))
		}
	}
	return append(row, limits(steps)...)
}

// limits returns the limits of unrolling, which stand in no loop.
func limits(steps []schedule.Step) (row []float32) {
	for _, step := range steps {
		if s, ok := step.(schedule.Pragma); ok {
			var n int
			if _, err := fmt.Sscanf(s.Text, "auto_unroll_max_step$%d", &n); err == nil {
				row = append(row, float32(n))
			}
		}
	}
	return row
}
