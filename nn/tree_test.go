package nn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// forest is 2 programs, of 5 and 3 nodes, in 9 rows.
//
//	program 0: 6(3(0 1) 4)     program 1: 7(5(2))
func forest() *Trees {
	return &Trees{Up: []int32{3, 3, 5, 6, 6, 7, -1, -1}, Ends: []int{3, 6, 8}, Of: []int32{0, 0, 1, 0, 0, 1, 0, 1}}
}

// TestTreeGRU: the states and slots are those of the formulas in float64; shares sum up to 1; the order of
// children changes nothing.
func TestTreeGRU(t *testing.T) {
	const w, slots = 5, 3
	trees := forest()
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = rng.Float32()*2 - 1
		}
		return v
	}
	rows := len(trees.Up)
	in := [][]float32{draw(rows * 3 * w), draw(w * 2 * w), draw(w * w), draw(w)}
	g, out := &TreeGRU{Trees: trees, Width: w}, make([]float32, rows*w)
	g.Forward(in, out)
	want := make([][]float64, rows)
	for r := range rows {
		s := make([]float64, w)
		for c := range r {
			if int(trees.Up[c]) == r {
				for k := range s {
					s[k] += want[c][k]
				}
			}
		}
		at := func(x, m []float32, from, cols, k int) float64 {
			v := float64(x[from+k])
			for i := range w {
				v += s[i] * float64(m[i*cols+k])
			}
			return v
		}
		sig := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
		want[r] = make([]float64, w)
		for k := range w {
			reset, z := sig(at(in[0], in[1], r*3*w, 2*w, k)), sig(at(in[0], in[1], r*3*w, 2*w, w+k))
			n := math.Tanh(float64(in[0][r*3*w+2*w+k]) + reset*at(in[3], in[2], 0, w, k))
			if want[r][k] = (1-z)*n + z*s[k]; math.Abs(want[r][k]-float64(out[r*w+k])) > 1e-5 {
				t.Errorf("row %d: state %d is %v, want %v", r, k, out[r*w+k], want[r][k])
			}
		}
	}
	s, v := &Scatter{Trees: trees, Width: w, Slots: slots}, draw(w*slots)
	memory, wanted := make([]float32, 2*slots*w), make([]float64, 2*slots*w)
	s.Forward([][]float32{out, v}, memory)
	for r, p := range trees.Of {
		var e [slots]float64
		sum, shares := 0.0, float32(0)
		for i := range e {
			for k := range w {
				e[i] += want[r][k] * float64(v[k*slots+i])
			}
			e[i] = math.Exp(e[i])
			sum += e[i]
			shares += s.shares[r*slots+i]
		}
		if math.Abs(float64(shares)-1) > 1e-6 {
			t.Errorf("row %d: the shares sum up to %v", r, shares)
		}
		for i := range e {
			for k := range w {
				wanted[(int(p)*slots+i)*w+k] += e[i] / sum * want[r][k]
			}
		}
	}
	for i, m := range wanted {
		if math.Abs(m-float64(memory[i])) > 1e-5 {
			t.Errorf("slot number %d is %v, want %v", i, memory[i], m)
		}
	}
	for k := range 3 * w { // rows 0 and 1 are children of one node
		in[0][k], in[0][3*w+k] = in[0][3*w+k], in[0][k]
	}
	root, again := append([]float32(nil), out[6*w:7*w]...), make([]float32, rows*w)
	g.Forward(in, again)
	for k, v := range root {
		if again[6*w+k] != v {
			t.Errorf("state %d of the root is %v, with its grandchildren swapped %v", k, v, again[6*w+k])
		}
	}
}
