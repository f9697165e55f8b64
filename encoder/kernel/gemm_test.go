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
func (m Matrix) at(i, k int) float64 {
	if m.Transposed {
		i, k = k, i
	}
	return float64(m.Data[i*m.Columns+k])
}

// Products equal the definition, for shapes around the sizes of tiles and blocks
// and all transposes, added and set.
func TestMultiply(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{1, 1, 1}, {6, 16, 1}, {7, 17, 3}, {5, 33, 256}, {97, 15, 257}, {13, 64, 600}, {200, 48, 5}} {
		m, n, k := size[0], size[1], size[2]
		for flags := range 8 {
			a, b := M(random(rng, m*k), k), M(random(rng, k*n), n)
			if flags&1 != 0 {
				a = M(a.Data, m).T()
			}
			if flags&2 != 0 {
				b = M(b.Data, k).T()
			}
			c := random(rng, m*n)
			want := make([]float64, m*n)
			for i := range m {
				for j := range n {
					if flags&4 != 0 {
						want[i*n+j] = float64(c[i*n+j])
					}
					for l := range k {
						want[i*n+j] += a.at(i, l) * b.at(l, j)
					}
				}
			}
			Multiply(c, a, b, flags&4 != 0)
			for i, v := range c {
				if math.Abs(float64(v)-want[i]) > 1e-4 {
					t.Fatalf("%v, flags %d: element %d is %v, want %v", size, flags, i, v, want[i])
				}
			}
		}
	}
}

// The paths agree.
func TestTile(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := random(rng, 100*tileRows), random(rng, 100*tileColumns)
	c := random(rng, tileRows*20)
	d := append([]float32(nil), c...)
	tile(c, 20, a, b)
	tileGo(d, 20, a, b)
	for i := range c {
		if math.Abs(float64(c[i]-d[i])) > 1e-4 {
			t.Fatalf("element %d: %v and %v", i, c[i], d[i])
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
	for _, size := range [][3]int{{2048, 256, 256}, {2048, 64, 64}, {64, 256, 256}} {
		b.Run(fmt.Sprintf("%dx%dx%d", size[0], size[1], size[2]), func(b *testing.B) {
			m, n, k := size[0], size[1], size[2]
			rng := rand.New(rand.NewPCG(1, 1))
			x, y, c := M(random(rng, m*k), k), M(random(rng, k*n), n), make([]float32, m*n)
			for b.Loop() {
				Multiply(c, x, y, false)
			}
			b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
