package run

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/wmtune/wmtune/tir/compute"
)

// The spot check of a reference: so many elements of each output and set of
// inputs, as far as the time allows, and so many points of what these are computed
// from, which take up to 300 MB: one element may depend on the whole program.
const (
	spotElems  = 12
	spotPoints = 2_000_000
	spotBudget = 2 * time.Second
)

// spotTolerance bounds the difference between the compiled float64 reference and
// the evaluator, relative to the larger of the element and the output's root mean
// square. Both round in float64; functions such as exp differ in the last places.
const spotTolerance = 1e-9

// spotCheck compares elements of the reference's results with what an evaluator
// makes of the definition, which shares no code with lowering, emitting or the
// interpreter. A difference is a defect of ours, or a miscompiled reference. It ends
// without one where the time or the points, of each set, are used up.
func spotCheck(d *compute.DAG, s *signature, v *vault) error {
	deadline := time.Now().Add(spotBudget)
	for set := range inputSets {
		e := compute.NewEvaluatorOf(d, readers(s.inputs(), v.inputs[set]))
		e.Limit = spotPoints
		var expect []*expectation
		for i, t := range s.outputs() {
			expect = append(expect, newExpectation(t, v.wants[set][i], 0, 0))
		}
		for k := range spotElems {
			for out, x := range expect {
				if time.Now().After(deadline) && k > 0 {
					return nil
				}
				err := spotElement(e, x, out, spot(s.Seed, set, out, k, x.elems()))
				switch {
				case errors.Is(err, compute.ErrTooManyPoints):
					return nil
				case err != nil:
					return err
				}
			}
		}
	}
	return nil
}

// spot chooses element number k to look at: the first, the last, then any.
func spot(seed uint64, set, out, k int, elems int64) int64 {
	switch k {
	case 0:
		return 0
	case 1:
		return elems - 1
	}
	return int64(mix(mix(seed+uint64(set))+uint64(out)<<32+uint64(k)) % uint64(elems))
}

func spotElement(e *compute.Evaluator, x *expectation, out int, at int64) error {
	t := x.tensor
	want, err := e.At(out, indexOf(at, t.Shape))
	if err != nil {
		return fmt.Errorf("run: evaluating %s[%s]: %w", t.Name, indexText(at, t.Shape), err)
	}
	got := x.wantAt(at)
	if math.IsInf(got, 0) && extreme(want, t.Type) && got > 0 == (want > 0) {
		return nil
	}
	if got == want || got != got && want != want || math.Abs(got-want) <= spotTolerance*max(math.Abs(want), x.scale) {
		return nil
	}
	return fmt.Errorf("run: the reference program gives %.17g at %s[%s], but the definition says %.17g: this is a "+
		"defect of wmtune, please report it",
		got, t.Name, indexText(at, t.Shape), want)
}
