package transition

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomBatch is trajectories of several lengths, with probes.
func randomBatch(rng *rand.Rand, start int) *batch {
	b := &batch{rows: 5, start: []int{0, 1, 1, 0}, steps: [][]int32{{0, 1, 2, 3}, {4, 1, 1}, {2}, {}}}
	b.starts, b.actions = uniform(rng, 2*start), uniform(rng, b.rows*Size)
	b.probes = []probe{{0, 2}, {1, 0}, {1, 3}, {0, 2}}
	return b
}

func uniform(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(2*rng.Float64() - 1)
	}
	return v
}

// The derivatives of a rollout by all its weights equal differences.
func TestRolloutGradients(t *testing.T) {
	s := sizes{start: 3, embed: 6, latent: 4, hidden: 5}
	rng := rand.New(rand.NewPCG(0, 1))
	r := &rollout{sizes: s, b: randomBatch(rng, s.start)}
	r.b.drop = uniform(rng, r.b.rows*s.embed)
	var in, by [][]float32
	for _, m := range rolloutShapes(s) {
		in, by = append(in, uniform(rng, m.rows*m.cols)), append(by, make([]float32, m.rows*m.cols))
	}
	out := make([]float32, 8*s.latent)
	grad := uniform(rng, len(out))
	loss := func() float64 {
		r.forward(in, out)
		sum := 0.0
		for i, v := range out {
			sum += float64(v) * float64(grad[i])
		}
		return sum
	}
	loss()
	r.backward(in, grad, by)
	for k, w := range in {
		moved := false
		for i := 0; i < len(w); i += 1 + len(w)/40 {
			const h = 3e-3
			was := w[i]
			w[i] = was + h
			up := loss()
			w[i] = was - h
			down := loss()
			w[i] = was
			want := (up - down) / (2 * h)
			moved = moved || math.Abs(want) > 1e-3
			if got := float64(by[k][i]); math.Abs(got-want) > 2e-2*math.Max(0.3, math.Abs(want)) {
				t.Errorf("derivative by element %d of input %d is %v, differences say %v", i, k, got, want)
			}
		}
		if !moved {
			t.Errorf("input %d does not matter", k)
		}
	}
}

// The derivatives of each part of the loss equal differences.
func TestObjectiveGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	o := &objective{
		recipe: &Recipe{Rank: 1, Facts: 0.5}, factors: 3,
		quality: []float64{1, 0.5, 0.49, 0.2, 0}, task: []int{1, 1, 1, 2, 2},
		facts: [][]float32{uniform(rng, 3), nil, {3, -3, 0}, nil, nil, uniform(rng, 3)},
	}
	in := [][]float32{uniform(rng, 6), uniform(rng, 18)}
	by := [][]float32{make([]float32, 6), make([]float32, 18)}
	o.loss(in, by)
	moved := 0
	for k, w := range in {
		for i := range w {
			const h = 1e-3
			was := w[i]
			w[i] = was + h
			up := o.loss(in, nil)
			w[i] = was - h
			down := o.loss(in, nil)
			w[i] = was
			want := (up - down) / (2 * h)
			if want != 0 {
				moved++
			}
			if got := float64(by[k][i]); math.Abs(got-want) > 1e-2*math.Max(0.05, math.Abs(want)) {
				t.Errorf("derivative by element %d of input %d is %v, differences say %v", i, k, got, want)
			}
		}
	}
	if moved < 5+9 {
		t.Errorf("only %d of the inputs matter", moved)
	}
}
