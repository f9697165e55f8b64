package compile

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/search"
)

// layered is a layer of an encoder with an open batch (701) and an open length (702), and sums over the length.
func layered() *graph.Graph {
	g := graphtest.MustParse(`
		input x: float32[701, 702, 64]
		input mask: bool[701, 702]
		const w: float32[64, 256]
		const v: float32[256, 64]
		const low: float32[] {-3}
		const axis: int64[1] {1}
		h = MatMul(x, w)
		r = Relu(h)
		m = MatMul(r, v)
		s = Add(m, x)
		y = Softmax(s) axis=-1
		const two: int64[1] {2}
		u = Unsqueeze(mask, two)
		k = Where(u, y, low)
		z = ReduceSum(k, axis) keepdims=0
		output y
		output z`, 18)
	return opened(g, map[int64]string{701: "batch", 702: "seq"})
}

func parsed(t *testing.T, dims string) []Dim {
	t.Helper()
	list, err := ParseExtents(dims)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestPlans compiles a bundle of several plans, with empty ones, and compares each with the reference, through the
// functions that take slices and files. The weights are those of one shape.
func TestPlans(t *testing.T) {
	b := needBundles(t)
	g := layered()
	m, err := NewPlans(t.Context(), g, parsed(t, "batch=1,2,seq=16,0,5"), pass.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "several")
	r, err := Run(t.Context(), b.machine, m, Options{Name: "several", Out: out, Scorer: search.Random{Seed: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Plans) != 6 || r.Serves(5) != "batch=2, seq=16" || r.Arena != r.Plans[5].Arena || r.Judgement.Reached == 0 {
		t.Errorf("%+v", r)
	}
	if n := int64(2 * 64 * 256 * 4); r.Weights > n+n/10 {
		t.Errorf("weights have %d bytes, those of one shape %d", r.Weights, n)
	}
	l, err := OpenBundle(t.Context(), out, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, extents := range [][]int64{{2, 16}, {1, 0}, {1, 5}, {2, 0}, {2, 5}, {1, 16}} {
		dims := map[string]int64{"batch": extents[0], "seq": extents[1]}
		bound, _ := g.Clone()
		if err := Bind(bound, dims); err != nil {
			t.Fatal(err)
		}
		inputs := drawInputs(bound, []int64{0, 2}, 9)
		want, err := op.Evaluator().Run(t.Context(), bound, inputs)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "in.npz")
		if err := npy.Write(file, []npy.Named{{Name: "x", Const: inputs[0].Const()}, {Name: "mask", Const: inputs[1].Const()}}); err != nil {
			t.Fatal(err)
		}
		if _, err := l.SetFile(file); err != nil {
			t.Fatal(err)
		}
		got, err := l.RunSet(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := l.SetExtents(dims); err != nil {
			t.Fatal(err)
		}
		slices, err := l.Run(t.Context(), map[string]any{"x": portValues(inputs[0].Const()), "mask": portValues(inputs[1].Const())})
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"y", "z"} {
			d, err := compare(name, got[i].Tensor(), want[i])
			if err != nil || d.Relative > 1e-5 || len(slices[name].([]float32)) != want[i].Len() {
				t.Errorf("%v: %+v %v", extents, d, err)
			}
		}
	}
	for says, dims := range map[string]map[string]int64{
		"no plan serves batch=3, seq=5: there are batch=1, seq=0; ": {"batch": 3, "seq": 5},
		`has no dimension sec; did you mean "seq"?`:                 {"batch": 1, "sec": 5},
		"dimension seq has no extent":                               {"batch": 1},
	} {
		if err := l.SetExtents(dims); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	if err := l.Set(map[string]any{"x": make([]float32, 5*64), "mask": make([]bool, 5)}); err != nil || !slices.Equal(l.Shape("x"), []int64{1, 5, 64}) {
		t.Error(l.Shape("x"), err) // the numbers of elements tell it
	}
	if err := l.Set(map[string]any{"x": []float32{}, "mask": []bool{}}); err == nil || !strings.Contains(err.Error(), "tell no plan") {
		t.Error(err)
	}
	for i, n := range []int64{5, 7} {
		file := filepath.Join(t.TempDir(), "in.npz")
		x, mask := graph.NewTensor(m.Graph.Inputs[0].Type, 1, 5, 64).Const(), graph.NewTensor(m.Graph.Inputs[1].Type, 1, n).Const()
		if err := npy.Write(file, []npy.Named{{Name: "x", Const: x}, {Name: "mask", Const: mask}}); err != nil {
			t.Fatal(err)
		}
		_, err := l.SetFile(file)
		if i == 1 && (err == nil || !strings.Contains(err.Error(), "dimension seq is 5 in input x and 7 in input mask")) || i == 0 && err != nil {
			t.Error(err)
		}
	}
	p, err := l.Profile(t.Context(), run.Facts{})
	if err != nil || p.Plan != "batch=1, seq=5" || math.IsNaN(p.GFLOPS) || len(p.Kernels) == 0 || p.Kernels[0].US <= 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestPlansTiles: plans transform the weights of a Winograd convolution alike, though each alone would choose other tiles.
func TestPlansTiles(t *testing.T) {
	net := func() *graph.Graph {
		return opened(graphtest.MustParse(`
			input x: float32[701, 256, 7, 7]
			const w: float32[256, 256, 3, 3]
			y = Conv(x, w) pads=[1, 1, 1, 1]
			output y`, 18), map[int64]string{701: "batch"})
	}
	constants := func(m *Model) (list []string) {
		for _, s := range m.layout.stores {
			if s.konst != nil {
				list = append(list, s.konst.Hash())
			}
		}
		return list
	}
	var alone, together [][]string
	for _, batch := range []int64{1, 8} {
		bound := net()
		if err := Bind(bound, map[string]int64{"batch": batch}); err != nil {
			t.Fatal(err)
		}
		m, err := New(t.Context(), bound, pass.Options{})
		if err != nil {
			t.Fatal(err)
		}
		alone = append(alone, constants(m))
	}
	m, err := NewPlans(t.Context(), net(), parsed(t, "batch=1,8"), pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range m.Plans {
		together = append(together, constants(plan))
	}
	if slices.Equal(alone[0], alone[1]) || !slices.Equal(together[0], together[1]) || !slices.Equal(together[1], alone[1]) {
		t.Errorf("alone %q, together %q", alone, together)
	}
}

// TestParseExtents: lists, ranges and what is wrong with them.
func TestParseExtents(t *testing.T) {
	got := parsed(t, " batch=1,2 ,seq=64,16,n=3..5")
	if len(got) != 3 || !slices.Equal(got[1].Extents, []int64{16, 64}) || got[2].Name != "n" || !got[2].Range {
		t.Errorf("%+v", got)
	}
	for text, says := range map[string]string{
		"5":                      `--dim "5": want NAME=N`,
		"=5":                     `want NAME=N`,
		"a=":                     `want NAME=N`,
		"a=1,x":                  `--dim "x": want NAME=N`,
		"a=-1":                   `want NAME=N`,
		"a=1,-2":                 `want NAME=N`,
		"a=1,2,a=3":              `--dim "a=3": want NAME=N, NAME=N,N,N, NAME=N..N or NAME=NAME+N, once for each name`,
		"a=9..3":                 "the range is empty",
		"a=1..3,7":               "a range and a list of extents do not go together",
		"a=7,1..3":               "a range and a list of extents do not go together",
		"a=4,8,4":                "--dim a: the extent 4 is there twice",
		"a=1.5":                  "want NAME=N",
		"a=99999999999999999999": "want NAME=N",
	} {
		if _, err := ParseExtents(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
}

// TestPlanErrors: extents that make no plans.
func TestPlanErrors(t *testing.T) {
	for dims, says := range map[string]string{
		"batch=1,2":                         "--dim seq=1\n  seq: dimension 1 of x, dimension 1 of mask",
		"batch=1,seq=1,2,sec=3":             `--dim sec: no input has an open dimension of that name; did you mean "seq"?`,
		"batch=1,4611686018427387904,seq=1": "4611686018427387904",
		"batch=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,seq=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17": "a bundle has 256 at most",
	} {
		if _, err := NewPlans(t.Context(), layered(), parsed(t, dims), pass.Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", dims, err, says)
		}
	}
}
