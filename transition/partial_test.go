package transition

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

func TestPartial(t *testing.T) {
	tile := schedule.Split{At: 2, Iter: 0, Extent: 64, Lengths: []int64{1, 2, 4}, InnerToOuter: true}
	vector := schedule.Split{At: 3, Iter: 1, Extent: 64, Lengths: []int64{8}, InnerToOuter: true}
	for _, c := range []struct {
		what  string
		steps []schedule.Step
		want  int
	}{
		{"none", nil, 0},
		{"tiles only", []schedule.Step{tile, schedule.ComputeAt{At: 2, Target: 3, TargetIter: 1}}, 2},
		{"annotated", []schedule.Step{tile, schedule.Fuse{At: 2, Iters: []int{0, 1}},
			schedule.Annotate{At: 2, Ann: schedule.Parallel}, schedule.Pragma{At: 2}}, 1},
		{"a vector split", []schedule.Step{tile, vector, schedule.Annotate{At: 3, Iter: 2, Ann: schedule.Vectorize}}, 1},
		{"a split of its own", []schedule.Step{tile, vector, schedule.Annotate{At: 3, Iter: 2, Ann: schedule.Unroll}}, 2},
		{"an annotation in between", []schedule.Step{schedule.Annotate{At: 2, Ann: schedule.Unroll}, tile}, 2},
	} {
		if got := Partial(c.steps); got != c.want {
			t.Errorf("%s: %d of %d steps, want %d", c.what, got, len(c.steps), c.want)
		}
	}
}

// The derivatives of the loss of partial states equal differences, and reach their rows
// only.
func TestPlanGradient(t *testing.T) {
	r := Recipe{Plan: 0.7}
	o := &objective{recipe: &r, quality: []float64{0.1, 0.9, 0.5}, task: []int{0, 0, 0}, partial: []int{3, 5}}
	values := []float32{1, 2, 3, 0.3, -1, 0.8}
	grad := make([]float32, len(values))
	o.plan(values, grad)
	for i := range values {
		const h = 1e-2
		at := func(d float32) float64 {
			v := append([]float32(nil), values...)
			v[i] += d
			return o.plan(v, make([]float32, len(v)))
		}
		if want := (at(h) - at(-h)) / (2 * h); math.Abs(want-float64(grad[i])) > 1e-3 {
			t.Errorf("by value %d: %.4f, want %.4f", i, grad[i], want)
		}
	}
	if grad[0] != 0 || grad[4] != 0 || grad[3] == 0 {
		t.Errorf("derivatives %v", grad)
	}
}

// Values of partial states say which of them fast programs come of.
func TestPlan(t *testing.T) {
	d := madeUp(7, 80)
	for g := range d.Groups {
		for k := range d.Groups[g].Samples {
			s := &d.Groups[g].Samples[k]
			s.Partial = len(s.Actions) - 1
		}
	}
	last := d.Groups[6]
	for k := range last.Samples {
		s := &last.Samples[k]
		s.Actions = s.Actions[:s.Partial]
	}
	test := &Data{Actions: d.Actions, Groups: []Group{last}}
	d.Groups = d.Groups[:6]
	train := func(weight float64) float64 {
		r := quick()
		r.Plan = weight
		m := trained(t, d, r, 17)
		return ordered(m.Score(test, 0, pointers(last.Samples)), last.Samples)
	}
	with, without := train(1), train(0)
	t.Logf("pairs of partial states in order: %.3f, %.3f if they are not learned", with, without)
	if with < without || with < 0.75 {
		t.Errorf("pairs of partial states in order: %.3f, %.3f if they are not learned", with, without)
	}
}
