package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// near reports whether a value is what it should be, up to rounding.
func near(got float32, want, tolerance float64) bool {
	return math.Abs(float64(got)-want) <= tolerance*max(1, math.Abs(want))
}

// values are spread over what networks have, and beyond, in odd numbers.
func values(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64()) * []float32{0.01, 1, 5, 40}[i%4]
	}
	return v
}

// The elementwise routines equal their definitions on all paths, for whole registers
// and for what is left beyond them.
func TestElementwise(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, p := range paths() {
		for n := 1; n < 70; n++ {
			x, g := values(rng, n), random(rng, n)
			to := make([]float32, n)
			for _, c := range []struct {
				name string
				run  func()
				want func(x, g float64) float64
			}{
				{"gelu", func() { p.each(p.gelu, to, x) }, func(x, _ float64) float64 { return x * phi(x) }},
				{"tanh", func() { p.each(p.tanh, to, x) }, func(x, _ float64) float64 { return math.Tanh(x) }},
				{"gelu by x", func() { p.eachGrad(to, x, g) }, func(x, g float64) float64 {
					return (phi(x) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)) * g
				}},
				{"exp", func() { copy(to, x); p.exps(to, 0.5, 2) }, func(x, _ float64) float64 { return math.Exp(x/2 - 2) }},
				{"add times", func() { copy(to, g); p.axpy(to, 3, x) }, func(x, g float64) float64 { return g + 3*x }},
			} {
				c.run()
				for i := range x {
					if want := c.want(float64(x[i]), float64(g[i])); !near(to[i], want, 2e-6) {
						t.Fatalf("%s: %s of %v (and %v), %d of %d, is %v, want %v", p.name, c.name, x[i], g[i], i, n, to[i], want)
					}
				}
			}
		}
	}
}

// Rows: largest value, sums, softmax, on all paths.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, p := range paths() {
		for n := 1; n < 70; n++ {
			x, y := values(rng, n), random(rng, n)
			most, dot, sum := math.Inf(-1), 0.0, 0.0
			for i := range x {
				most = max(most, float64(x[i]))
				dot += float64(x[i]) * float64(y[i])
			}
			for i := range x {
				sum += math.Exp((float64(x[i]) - most) / 3)
			}
			if got := p.most(x); float64(got) != most {
				t.Fatalf("%s: largest of %d is %v, want %v", p.name, n, got, most)
			}
			if got := p.dot(x, y); !near(got, dot, 1e-4) {
				t.Fatalf("%s: dot product of %d is %v, want %v", p.name, n, got, dot)
			}
			soft := append([]float32(nil), x...)
			p.softmax(soft, 1./3)
			for i := range x {
				if want := math.Exp((float64(x[i])-most)/3) / sum; !near(soft[i], want, 1e-6) {
					t.Fatalf("%s: softmax, %d of %d, is %v, want %v", p.name, i, n, soft[i], want)
				}
			}
		}
	}
}

// The exponential is right to a few units in the last place over its range, ends at
// its bounds, and does not hide what is no number.
func TestExp(t *testing.T) {
	for _, p := range paths() {
		for x := -79.9; x < 88; x += 0.0173 {
			v := []float32{float32(x)}
			p.exps(v, 1, 0)
			if want := math.Exp(float64(float32(x))); math.Abs(float64(v[0])/want-1) > 3e-7 {
				t.Fatalf("%s: exp(%v) is %v, want %v", p.name, x, v[0], want)
			}
		}
		v := []float32{-1e9, 1000, float32(math.Inf(-1)), float32(math.NaN())}
		p.exps(v, 1, 0)
		if v[0] > 2e-35 || v[1] < 1e38 || v[2] > 2e-35 || v[3] == v[3] {
			t.Errorf("%s: exp of -1e9, 1000, -Inf and NaN is %v", p.name, v)
		}
		n := []float32{float32(math.NaN()), 1}
		p.each(p.gelu, n, n)
		if n[0] == n[0] {
			t.Errorf("%s: GELU of NaN is %v", p.name, n[0])
		}
	}
}

func TestLayerNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{1, 3, 16, 37, 128} {
		x, gamma, beta := values(rng, n), random(rng, n), random(rng, n)
		mean, square := 0.0, 0.0
		for _, v := range x {
			mean += float64(v) / float64(n)
		}
		for _, v := range x {
			square += (float64(v) - mean) * (float64(v) - mean) / float64(n)
		}
		to := make([]float32, n)
		LayerNorm(to, x, gamma, beta, 1e-5)
		for i, v := range x {
			want := (float64(v)-mean)/math.Sqrt(square+1e-5)*float64(gamma[i]) + float64(beta[i])
			if !near(to[i], want, 1e-5) {
				t.Fatalf("%d of %d is %v, want %v", i, n, to[i], want)
			}
		}
		LayerNorm(x, x, gamma, nil, 1e-5)
		for i := range x {
			if !near(x[i], float64(to[i]-beta[i]), 1e-5) {
				t.Fatalf("without beta: %d of %d is %v, want %v", i, n, x[i], to[i]-beta[i])
			}
		}
	}
}

func BenchmarkElementwise(b *testing.B) {
	const n = 4096
	x, to := values(rand.New(rand.NewPCG(1, 1)), n), make([]float32, n)
	for _, p := range paths() {
		for _, c := range []struct {
			name string
			run  func()
		}{
			{"gelu", func() { p.each(p.gelu, to, x) }},
			{"gelu-by-x", func() { p.eachGrad(to, x, x) }},
			{"tanh", func() { p.each(p.tanh, to, x) }},
			{"softmax", func() { copy(to, x); p.softmax(to, 1) }},
			{"dot", func() { p.dot(to, x) }},
		} {
			b.Run(fmt.Sprintf("%s/%s", c.name, p.name), func(b *testing.B) {
				for b.Loop() {
					c.run()
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/element")
			})
		}
	}
}
