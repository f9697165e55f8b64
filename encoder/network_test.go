package encoder

import (
	"math"
	"math/rand/v2"
	"testing"
)

func samplePairs() (*pairing, []float32) {
	p := &pairing{}
	for i := range 4 {
		var f [Facts]float32
		for k := range f {
			f[k] = float32(i) + float32(k)/4
		}
		p.facts = append(p.facts, f)
	}
	p.double()
	rng := rand.New(rand.NewPCG(4, 4))
	z := make([]float32, 8*columns)
	for i := range z {
		z[i] = float32(rng.NormFloat64()) / 11
	}
	return p, z
}

// Derivatives equal differences.
func TestLossDerivative(t *testing.T) {
	p, z := samplePairs()
	scratch := make([]float32, len(z))
	loss := func() float64 {
		return p.contrast(z, columns, scratch) + factWeight*p.telling(z, columns, scratch)
	}
	loss()
	got := append([]float32(nil), scratch...)
	for i := range z {
		const h = 1e-2
		was := z[i]
		z[i] = was + h
		up := loss()
		z[i] = was - h
		down := loss()
		z[i] = was
		if want := (up - down) / (2 * h); math.Abs(float64(got[i])-want) > 2e-3*math.Max(1, math.Abs(want)) {
			t.Errorf("derivative by number %d of row %d is %v, differences say %v", i%columns, i/columns, got[i], want)
		}
	}
}

// By hand: three pairs, of which two have one vector.
func TestContrastByHand(t *testing.T) {
	p := &pairing{facts: make([][Facts]float32, 3)}
	p.double()
	z := make([]float32, 6*Size)
	for i, at := range []int{0, 1, 1, 0, 1, 1} {
		z[i*Size+at] = 1
	}
	e := math.Exp(1 / temperature)
	first := -math.Log(e / (e + 4))    // finds its view among four others
	second := -math.Log(e / (3*e + 2)) // finds it and two others that are like it
	want := (2*first + 4*second) / 6
	if got := p.contrast(z, Size, make([]float32, len(z))); math.Abs(got-want) > 1e-9 {
		t.Errorf("the loss is %v, want %v", got, want)
	}
}
