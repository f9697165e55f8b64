package encoder

import (
	"math"
	"math/rand/v2"
	"testing"
)

func samplePairs() (*pairing, []float32) {
	p := &pairing{intra: 2, inter: 1}
	for i, task := range []int{0, 0, 1, 1} {
		var f [Facts]float32
		for k := range f {
			f[k] = float32(i) + float32(k)/4
		}
		p.add(task, min(i, 2), f) // the last two are one program
	}
	p.double()
	rng := rand.New(rand.NewPCG(4, 4))
	z := make([]float32, 8*columns)
	for i := range z {
		z[i] = float32(rng.NormFloat64()) / 11
	}
	return p, z
}

// Derivatives equal differences, with weights and with a program that is there twice.
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

// By hand: three pairs, of which two are one program and are not compared.
func TestContrastByHand(t *testing.T) {
	p := &pairing{intra: 1, inter: 1}
	p.add(0, 0, [Facts]float32{})
	p.add(0, 1, [Facts]float32{})
	p.add(1, 1, [Facts]float32{})
	p.double()
	z := make([]float32, 6*Size)
	for i, at := range []int{0, 1, 1, 0, 1, 1} {
		z[i*Size+at] = 1
	}
	e := math.Exp(1 / temperature)
	first := -math.Log(e / (e + 4))  // finds its view among four others
	second := -math.Log(e / (e + 2)) // the rows of the third are no negatives
	want := (2*first + 4*second) / 6
	if got := p.contrast(z, Size, make([]float32, len(z))); math.Abs(got-want) > 1e-9 {
		t.Errorf("the loss is %v, want %v", got, want)
	}
}
