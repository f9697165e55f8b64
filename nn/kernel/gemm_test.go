package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func random(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = rng.Float32() - 0.5
	}
	return v
}

// at returns an element of the matrix that is meant.
func (m MatrixOf[T]) at(i, k int) float64 {
	if m.Transposed {
		i, k = k, i
	}
	return float64(m.Data[i*m.Columns+k])
}

// sizes are around those of tiles, blocks and few rows.
var sizes = [][3]int{{1, 1, 1}, {1, 40, 7}, {3, 33, 300}, {6, 16, 1}, {7, 17, 3}, {5, 33, 256}, {12, 32, 9},
	{97, 15, 257}, {13, 64, 600}, {200, 48, 5}}

// Products equal the definition, for all transposes, added and set, packed before
// and not, on all paths of this processor.
func TestMultiply(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range sizes {
		m, n, k := size[0], size[1], size[2]
		for flags := range 8 {
			a, b := M(random(rng, m*k), k), M(random(rng, k*n), n)
			if flags&1 != 0 {
				a = M(a.Data, m).T()
			}
			if flags&2 != 0 {
				b = M(b.Data, k).T()
			}
			was := random(rng, m*n)
			want := make([]float64, m*n)
			for i := range m {
				for j := range n {
					if flags&4 != 0 {
						want[i*n+j] = float64(was[i*n+j])
					}
					for l := range k {
						want[i*n+j] += a.at(i, l) * b.at(l, j)
					}
				}
			}
			for _, p := range paths() {
				c, d := append([]float32(nil), was...), append([]float32(nil), was...)
				p.multiply(c, a, b, flags&4 != 0)
				p.pack(b).Multiply(d, a, flags&4 != 0)
				for i := range c {
					if math.Abs(float64(c[i])-want[i]) > 1e-4 || math.Abs(float64(d[i])-want[i]) > 1e-4 {
						t.Fatalf("%s, %v, flags %d: element %d is %v and %v packed, want %v", p.name, size, flags, i, c[i], d[i], want[i])
					}
				}
			}
		}
	}
}

// The parts of a product of float64 make the definition, in any order, for all transposes and paths.
func TestDoubles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	doubles := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.Float64() - 0.5
		}
		return v
	}
	for _, size := range append(sizes, [3]int{partRows + 1, partColumns + 3, 20}, [3]int{9, 2*partColumns + 17, 300}) {
		for flags := range 4 {
			m, n, k := size[0], size[1], size[2]
			a, b := M(doubles(m*k), k), M(doubles(k*n), n)
			if flags&1 != 0 {
				a = M(a.Data, m).T()
			}
			if flags&2 != 0 {
				b = M(b.Data, k).T()
			}
			for _, p := range paths() {
				c := doubles(m * n)
				parts, part := p.doubles(c, a, b)
				for i := range parts {
					part(parts - 1 - i)
				}
				for i, got := range c {
					want, sum := 0.0, 0.0
					for l := range k {
						want += a.at(i/n, l) * b.at(l, i%n)
						sum += math.Abs(a.at(i/n, l) * b.at(l, i%n))
					}
					if math.Abs(got-want) > 1e-14*sum {
						t.Fatalf("%s, %v, flags %d: element %d is %v, want %v", p.name, size, flags, i, got, want)
					}
				}
			}
		}
	}
}

func TestMultiplyPanics(t *testing.T) {
	defer func() {
		if r := fmt.Sprint(recover()); r != "BUG: kernel: 2 x 3 times 2 x 3 into 4 values" {
			t.Errorf("panic %q", r)
		}
	}()
	Multiply(make([]float32, 4), M(make([]float32, 6), 3), M(make([]float32, 6), 3), false)
}

func BenchmarkMultiply(b *testing.B) {
	for _, size := range [][3]int{{2048, 1024, 256}, {2048, 256, 256}, {2048, 64, 64}, {64, 256, 256}, {1, 256, 256}} {
		for _, p := range paths() {
			b.Run(fmt.Sprintf("%dx%dx%d/%s", size[0], size[1], size[2], p.name), func(b *testing.B) {
				m, n, k := size[0], size[1], size[2]
				rng := rand.New(rand.NewPCG(1, 1))
				x, y, c := M(random(rng, m*k), k), M(random(rng, k*n), n), make([]float32, m*n)
				for b.Loop() {
					p.multiply(c, x, y, false)
				}
				b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
			b.Run(fmt.Sprintf("%dx%dx%d/%s/float64", size[0], size[1], size[2], p.name), func(b *testing.B) {
				m, n, k := size[0], size[1], size[2]
				x, y, c := M(make([]float64, m*k), k), M(make([]float64, k*n), n), make([]float64, m*n)
				for b.Loop() {
					parts, part := p.doubles(c, x, y)
					for i := range parts {
						part(i)
					}
				}
				b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
