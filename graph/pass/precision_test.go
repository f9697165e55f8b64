package pass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/tir"
)

// productOf returns a graph of one product of 3 rows by random weights.
func productOf(rows, columns int64, turned bool) (*graph.Graph, *graph.Tensor) {
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(columns)))
	shape, n := []int64{rows, columns}, &graph.Node{Op: "MatMul", Version: 18}
	if turned {
		shape = []int64{columns, rows}
		n = &graph.Node{Op: "Gemm", Version: 18, Attrs: []graph.Attr{graph.IntAttr("transB", 1)}}
	}
	w := graph.NewTensor(tir.F32, shape...)
	for i := range w.F {
		w.F[i] = float64(float32(rng.NormFloat64()))
	}
	x := &graph.Value{Name: "x", Type: tir.F32, Shape: []int64{3, rows}, Ranked: true}
	n.Inputs, n.Outputs = []*graph.Value{x, graph.Constant("w", w)}, []*graph.Value{{Name: "y"}}
	return &graph.Graph{Inputs: n.Inputs[:1], Nodes: []*graph.Node{n}, Outputs: n.Outputs}, w
}

// TestRounded: each weight is off by half a step of its block at most, the largest of a block by nothing, and the
// product reads packed weights.
func TestRounded(t *testing.T) {
	for _, c := range []struct {
		rows, columns int64
		turned        bool
	}{{64, 3, false}, {64, 3, true}, {70, 1, false}, {33, 5, true}, {32, 2, false}} {
		for name, most := range map[string]float64{"int8w": 127, "int4w": 7} {
			g, w := productOf(c.rows, c.columns, c.turned)
			rounded, count, err := Rounded(t.Context(), g, Options{Precision: name})
			if err != nil || count != 1 {
				t.Fatalf("%v: %d products, %v", c, count, err)
			}
			if g.Nodes[0].Inputs[1].Dequantized != nil {
				t.Error("the graph itself changed")
			}
			got := rounded.Nodes[0].Inputs[1].Const.Tensor()
			index := func(k, j int64) int64 {
				if c.turned {
					return j*c.rows + k
				}
				return k*c.columns + j
			}
			for j := range c.columns {
				for from := int64(0); from < c.rows; from += roundedBlock {
					largest, end := 0.0, min(from+roundedBlock, c.rows)
					for k := from; k < end; k++ {
						largest = max(largest, math.Abs(w.F[index(k, j)]))
					}
					for k := from; k < end; k++ {
						x, y := w.F[index(k, j)], got.F[index(k, j)]
						if d := math.Abs(x - y); d > largest/most*0.5001 || math.Abs(x) == largest && d > 1e-6*largest {
							t.Fatalf("%v %s: %v becomes %v in a block up to %v", c, name, x, y, largest)
						}
					}
				}
			}
			err = Run(t.Context(), rounded, Options{Check: true})
			if err != nil || !strings.Contains(rounded.String(), "BlockMatMul") {
				t.Errorf("%v\n%s", err, rounded)
			}
		}
	}
}

// TestRoundedRows: what is multiplied by packed weights is rounded to bytes once, if its rows are whole blocks; so are
// rows of MatMulNBits. Weights that are floats leave rows as they are.
func TestRoundedRows(t *testing.T) {
	for _, c := range []struct {
		rows   int64
		turned bool
		want   int
	}{{64, false, 1}, {96, true, 1}, {70, false, 0}} {
		g, _ := productOf(c.rows, 4, c.turned)
		rounded, count, err := Rounded(t.Context(), g, Options{Precision: "int4w-int8a"})
		if count != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%v: %d products, %v", c, count, err)
		}
		if c.want == 0 {
			continue
		}
		if err := Run(t.Context(), rounded, Options{Check: true}); err != nil {
			t.Fatal(err)
		}
		text := rounded.String()
		if strings.Count(text, "= wmtune.RowBytes(") != 1 || strings.Contains(text, "DequantizeLinear") ||
			!strings.Contains(text, "BlockMatMul") {
			t.Errorf("%v:\n%s", c, text)
		}
	}
	g, _ := productOf(64, 4, false)
	if _, count, err := Rounded(t.Context(), g, Options{Precision: "int8a"}); count != 0 || err == nil {
		t.Errorf("weights of floats: %d products, %v", count, err)
	}
	bits := graphtest.MustParse(`
		input x: float32[2, 32]
		const w: uint8[3, 1, 16]
		const s: float32[3]
		y = com.microsoft.MatMulNBits(x, w, s) K=32 N=3 bits=4 block_size=32
		output y`, 21)
	rounded, count, err := Rounded(t.Context(), bits, Options{Precision: "int8a"})
	if err != nil || count != 1 || rounded.Nodes[0].Int("accuracy_level", 0) != 4 ||
		bits.Nodes[0].Int("accuracy_level", 0) != 0 {
		t.Errorf("MatMulNBits: %d products, %v\n%s", count, err, rounded)
	}
}

// TestRoundedRejections: an unknown name, and models without weights that can be rounded.
func TestRoundedRejections(t *testing.T) {
	g, _ := productOf(64, 2, false)
	for _, name := range []string{"", "float32"} {
		if same, count, err := Rounded(t.Context(), g, Options{Precision: name}); same != g || count != 0 || err != nil {
			t.Errorf("%q: %d products, %v", name, count, err)
		}
	}
	few, _ := productOf(31, 2, false)
	infinite, w := productOf(64, 2, false)
	w.F[5] = math.Inf(1)
	infinite.Nodes[0].Inputs[1].Const = w.Const()
	for want, c := range map[string]struct {
		name string
		g    *graph.Graph
	}{
		`precision "int4" is unknown: there are float32, bf16, f16, int8w, int4w, int8a, int8w-int8a, int4w-int8a`: {"int4", g},
		"the model has none of 32 rows or more": {"int4w", few},
		"leave --precision out":                 {"int8w", infinite},
	} {
		if _, _, err := Rounded(t.Context(), c.g, Options{Precision: c.name}); !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %v\ndoes not say %q", err, want)
		}
	}
}
