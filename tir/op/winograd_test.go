package op

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/winograd"
)

// TestWinograd compares with a direct convolution by weights that are
// transformed here.
func TestWinograd(t *testing.T) {
	for _, c := range []struct {
		h, w, ci, co, p, n int
		tile               int64
	}{
		{6, 6, 2, 3, 1, 1, 2}, {7, 5, 3, 2, 1, 2, 2}, {8, 8, 2, 2, 0, 1, 4}, {9, 14, 2, 3, 1, 2, 4}, {13, 6, 2, 2, 2, 1, 6}, {3, 3, 1, 1, 0, 1, 4},
	} {
		for dtype, limit := range map[string]float64{"f64": 1e-11, "f32": 2e-4} {
			spec := fmt.Sprintf("conv2d_winograd:h=%d,w=%d,ci=%d,co=%d,p=%d,tile=%d,batch=%d,dtype=%s", c.h, c.w, c.ci, c.co, c.p, c.tile, c.n, dtype)
			w, err := Parse(spec)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(3, 3))
			args := interp.NewTensors(w.DAG.Tensors)
			for i := range args[0].Len() {
				args[0].SetFloat(i, anyNumber(r, tir.F64))
			}
			weights := each([]int{3, 3, c.ci, c.co}, func([]int) float64 { return anyNumber(r, tir.F64) })
			transform(t, c.tile, weights, args[1])
			if err := interp.RunDAG(w.DAG, args); err != nil {
				t.Fatal(err)
			}
			ones := []int{1, 1}
			direct := convCase{
				in: []int{c.h, c.w}, k: []int{3, 3}, s: ones, p: []int{c.p, c.p}, dilation: ones, n: c.n, ci: c.ci, co: c.co, groups: 1,
			}
			want := direct.want([]array{toArray(w.DAG.Tensors[0], args[0]), weights})
			got := toArray(w.DAG.Tensors[2], args[2])
			if fmt.Sprint(got.shape) != fmt.Sprint(want.shape) {
				t.Fatalf("%s: shape %v, want %v", spec, got.shape, want.shape)
			}
			for i, v := range want.data {
				if !(math.Abs(got.data[i]-v) <= limit*10) {
					t.Errorf("%s: element %d is %v, want %v", spec, i, got.data[i], v)
					break
				}
			}
		}
	}
}

// transform sets kernel[eps, nu, co, ci] to (G g Gᵀ)[eps, nu].
func transform(t *testing.T, tile int64, weights array, kernel *interp.Tensor) {
	t.Helper()
	m, err := winograd.New(tile)
	if err != nil {
		t.Fatal(err)
	}
	side := len(m.Kernel)
	k := each([]int{side, side, weights.shape[3], weights.shape[2]}, func(at []int) float64 {
		var g [9]float64
		for i := range g {
			g[i] = weights.at(i/3, i%3, at[3], at[2])
		}
		return m.Weights(g)[at[0]*side+at[1]]
	})
	for i, v := range k.data {
		kernel.SetFloat(i, v)
	}
}

// TestWinogradOfHalves takes weights whose transforms are exact in 16 bits.
func TestWinogradOfHalves(t *testing.T) {
	w64, err := Parse("conv2d_winograd:h=7,w=6,ci=3,co=2,p=1,tile=2,dtype=f64")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f16", "bf16"} {
		w, err := Parse("conv2d_winograd:h=7,w=6,ci=3,co=2,p=1,tile=2,epilogue=relu,dtype=" + name)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(4, 4))
		args, wide := interp.NewTensors(w.DAG.Tensors), interp.NewTensors(w64.DAG.Tensors)
		for i := range args[0].Len() {
			args[0].SetFloat(i, float64(r.IntN(65)-32)/16)
		}
		weights := each([]int{3, 3, 3, 2}, func([]int) float64 { return float64(r.IntN(9)-4) / 4 })
		transform(t, 2, weights, args[1])
		transform(t, 2, weights, wide[1])
		for i := range wide[1].Len() {
			if args[1].Float(i) != wide[1].Float(i) {
				t.Fatalf("weight %v is not exact in %s", wide[1].Float(i), name)
			}
		}
		if err := interp.RunDAG(w.DAG, args); err != nil {
			t.Fatal(err)
		}
		ones := []int{1, 1}
		direct := convCase{in: []int{7, 6}, k: []int{3, 3}, s: ones, p: ones, dilation: ones, n: 1, ci: 3, co: 2, groups: 1}
		want := direct.want([]array{toArray(w.DAG.Tensors[0], args[0]), weights})
		want, _ = plainEpilogue("relu", want, 3, nil)
		worst(t, w.Spec, w.DAG.Results()[0].Type, toArray(w.DAG.Tensors[2], args[2]), want)
	}
}

func TestWinogradRefuses(t *testing.T) {
	refused(t, "conv2d_winograd:h=8,w=8,ci=2,co=2,tile=3", "tile=3: must be one of 2 4 6")
	refused(t, "conv2d_winograd:h=2,w=8,ci=2,co=2", "a window of 3")
	refusedInts(t, "conv2d_winograd:h=8,w=8,ci=2,co=2")
}

// TestWinogradAttributes: what the sketch rules read.
func TestWinogradAttributes(t *testing.T) {
	w, err := Parse("conv2d_winograd:h=8,w=8,ci=2,co=2,p=1")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, o := range w.DAG.Ops {
		got[o.Name] = fmt.Sprint(o.Attrs.SimplifyConstTensorIndices, len(o.Attrs.LayoutFree))
	}
	for name, want := range map[string]string{
		"data_pack": "[eps nu r_a r_b] 0", "inverse": "[vh vw r_a r_b] 0", "bgemm": "[] 1", "input_tile": "[] 0", "B": "[] 0",
	} {
		if got[name] != want {
			t.Errorf("%s has %s, want %s", name, got[name], want)
		}
	}
}
