package compile

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir"
)

// masking is decoding whose mask leaves out tokens, old and new, as it is told. A name of its own, or one that reads as a
// sum, stands for its extent.
var masking = strings.NewReplacer(
	"input past.k", "input attention_mask: int64[1, total]\n\tconst places: int64[2] {1, 2}\n\tinput past.k",
	"mask = Where(beyond, low, none)", "absent = Equal(attention_mask, zero)\n\tleft = Unsqueeze(absent, places)\n\t"+
		"hidden = Or(beyond, left)\n\tmask = Where(hidden, low, none)").Replace(decoding)

// called is masking whose mask has another name for its extent.
func called(name string) *graph.Graph {
	g := graphtest.MustParse(masking, 17)
	g.Inputs[1].DimNames[1] = name
	return g
}

func TestReadSum(t *testing.T) {
	for text, want := range map[string]string{
		"past+seq": "past+seq", " past_sequence_length + 1": "past_sequence_length+1", "1+a+2": "a+3", "a+a+b": "2*a+b",
		"2*a + 1": "2*a+1", "3 * a.b/c": "3*a.b/c", "a": "a", "a+0": "a",
		"": "", "5": "", "1..3": "", "a+": "", "+a": "", "a+-1": "", "-1+a": "", "1.5": "", "x*y": "", "0*a": "", "-2*a": "", "a+b*c": "",
		"a+99999999999": "", "a+2147483647+1": "",
	} {
		got := ""
		if s := readSum("n", text); s != nil {
			got = s.Text()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestNamedSums: what a name of a dimension reads as is its extent, unless the user says another.
func TestNamedSums(t *testing.T) {
	for _, c := range []struct{ name, dims, want string }{
		{"past+seq", "past=4,seq=3", "7"},
		{"past + seq", "past=4,seq=3", "7"},
		{"past+1", "past=4,seq=1", "5"},
		{"2*seq+past", "past=4,seq=1", "6"},
		{"total", "past=4,seq=3,total=past+seq", "7"},
		{"total", "total=1+more,past=4,more=past+seq,seq=3", "no input has an open dimension of that name"},
		{"past+seq", "past=4,seq=3,past+seq=9", "9"},
		{"past+seq", "past=4", "are open: give each an extent, for instance with --dim seq=1\n  seq: dimension 1 of ids"},
		{"past+other", "past=4,seq=3", "with --dim past+other=1"},
		{"past-1", "past=4,seq=3", "with --dim past-1=1"},
	} {
		g := called(c.name)
		dims, err := ParseDims(c.dims)
		if err == nil {
			err = Bind(g, dims)
		}
		if got := fmt.Sprint(g.Inputs[1].Shape[1]); err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%s, %s: %s, %v; want %s", c.name, c.dims, got, err, c.want)
		}
	}
}

func TestSumsRefused(t *testing.T) {
	for _, c := range []struct{ dims, rule, want string }{
		{"seq=1..3,past=0..4,total=past+sec", "", `--dim total: it is past+sec, and sec has no extent: give it a number, a list or a range; did you mean "seq"?`},
		{"seq=1,past=0,total=past+sec", "", `sec has no extent`},
		{"seq=1..3,past=0..4,total=total+1", "", "--dim total: it is total+1, and an extent is no sum of itself"},
		{"seq=1..3,past=other+1,other=past+1,total=past+seq", "", "an extent is no sum of itself"},
		{"seq=1..3,past=0..4,total=9223372036854775807", "", "9223372036854775807"},
		{"seq=1..3,past=0..4000000000000000000,total=past+past+past+past+seq", "", "--dim total: it is 4*past+seq, which may be 1.6e+19, and an extent is 1099511627776 at most"},
		{"seq=1..3,past=0..4,total=past+seq,total=1..5", "", `--dim "total=1..5": want NAME=N, NAME=N,N,N, NAME=N..N or NAME=NAME+N, once for each name`},
		{"seq=1..3,past=0..4,total=1..5,total=past+seq", "", `--dim "total=past+seq": want NAME=N, NAME=N,N,N, NAME=N..N or NAME=NAME+N, once for each name`},
		{"seq=1..3,past=0..4,total=past+seq,7", "", "--dim total: a sum and a list of extents do not go together"},
		{"seq=1..3,past=0..4,totl=past+seq", "", `--dim totl: no input has an open dimension of that name; did you mean "total"?`},
		{"seq=1..3,past=0..4,total=past+seq+1", "", "Or"},
		{"seq=1..3,total=past+seq+1", "present.*=past.*,max=9", "Or"},
		{"seq=1..3,total=old+seq", "present.*=past.*,max=9", "old has no extent"},
		{"seq=1..3,past=0..4,total=past+seq", "present.*=past.*,max=9", "no axis of the input is open"},
	} {
		dims, err := ParseExtents(c.dims)
		if err == nil {
			var rules []StateRule
			if c.rule != "" {
				rules = rulesOf(t, c.rule)
			}
			_, err = NewPlans(context.Background(), called("total"), dims, pass.Options{}, rules...)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.dims, c.rule, err, c.want)
		}
	}
	twice := []Dim{{Name: "past", Extents: []int64{3}}, {Name: "past", Sum: "seq+1"}, {Name: "seq", Extents: []int64{1, 2}}}
	if _, err := NewPlans(context.Background(), called("total"), twice, pass.Options{}); err == nil ||
		!strings.Contains(err.Error(), "--dim past: it is seq+1, and has another extent, too: leave one of both out") {
		t.Error(err)
	}
}

// TestSums: results for extents of which one is a sum equal the reference, at lists and at ranges.
func TestSums(t *testing.T) {
	b := needBundles(t)
	for _, c := range []struct{ dims, name string }{
		{"seq=1..4,past=0..9,total=past+seq", "total"}, {"seq=1,4,past=0,9", "past + seq"}, {"seq=4,past=0..9", "past+4"},
	} {
		t.Run(c.dims, func(t *testing.T) {
			g := called(c.name)
			m, err := NewPlans(t.Context(), g, parsed(t, c.dims), pass.Options{Check: true})
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "masked")
			r, err := Run(t.Context(), b.machine, m, Options{Name: "masked", Out: out, Scorer: search.Random{Seed: 3}})
			if err != nil || len(r.Sums) != 1 || r.Inputs[1].Dims[1] != c.name || slices.Contains(r.Dims, c.name) {
				t.Fatalf("%v: %+v", err, r)
			}
			l, err := OpenBundle(t.Context(), out, LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			for _, e := range [][2]int64{{4, 9}, {4, 0}, {1, 9}, {1, 0}, {3, 5}} {
				if serving(m, e[0], e[1]) {
					sumsEqual(t, l, g, e[0], e[1])
				}
			}
			sumsContradicted(t, l, c.name)
		})
	}
}

// serving reports whether a plan serves so many new and old tokens.
func serving(m *Model, seq, past int64) bool {
	return slices.ContainsFunc(m.Plans, func(p *Model) bool {
		extents := []int64{seq, past}
		return (&model.Plan{Least: p.Least, Most: p.Most}).Serves(extents)
	})
}

// sumsEqual runs a bundle for a file of inputs, of which every other token is masked, and compares with the reference.
func sumsEqual(t *testing.T, l *Bundle, g *graph.Graph, seq, past int64) {
	t.Helper()
	exact, _ := g.Clone()
	if err := Bind(exact, map[string]int64{"seq": seq, "past": past, g.Inputs[1].DimNames[1]: past + seq}); err != nil {
		t.Fatal(err)
	}
	in := drawInputs(exact, []int64{100, 2, 0, 0}, uint64(seq*100+past))
	for i := range in[1].I {
		in[1].I[i] = int64(1 - i%2)
	}
	want, err := op.Evaluator().Run(t.Context(), exact, in)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "in.npz")
	if err := writeInputs(file, exact, in); err != nil {
		t.Fatal(err)
	}
	if _, err := l.SetFile(file); err != nil {
		t.Fatal(err)
	}
	got, err := l.RunSet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range exact.Outputs {
		if d, err := compare(v.Name, got[i].Tensor(), want[i]); err != nil || d.Relative > 1e-5 {
			t.Errorf("%d after %d: %+v %v", seq, past, d, err)
		}
	}
}

func writeInputs(file string, g *graph.Graph, in []*graph.Tensor) error {
	var list []npy.Named
	for i, v := range g.Inputs {
		list = append(list, npy.Named{Name: v.Name, Const: in[i].Const()})
	}
	return npy.Write(file, list)
}

// sumsContradicted gives a bundle a mask that is too short.
func sumsContradicted(t *testing.T, l *Bundle, name string) {
	t.Helper()
	g := graph.Graph{Inputs: graphtest.MustParse(masking, 17).Inputs}
	in := []*graph.Tensor{graph.NewTensor(tir.I64, 1, 4), graph.NewTensor(tir.I64, 1, 12),
		graph.NewTensor(tir.F32, 1, 2, 9, 16), graph.NewTensor(tir.F32, 1, 2, 9, 16)}
	file := filepath.Join(t.TempDir(), "in.npz")
	if err := writeInputs(file, &g, in); err != nil {
		t.Fatal(err)
	}
	want := "dimension " + name + " is 12 in input attention_mask: past+"
	if _, err := l.SetFile(file); err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "is 13") {
		t.Errorf("%v, want %s", err, want)
	}
}

// pythonMasked does what masked.c does, by the package or by the bundle's example.
const pythonMasked = `import sys
import numpy as np
def decode(model, length):
    rows, token = 0, None
    for i in range(13):
        n = 4 if i < 2 else 1
        ids = np.array([[7, 7, 7, 14, 15, 92, 65, 35][rows:rows + n] if i < 2 else [token]])
        mask = (np.arange(rows + n) >= 3).astype(np.int64)[None]
        assert length() == rows
        try:
            model(ids, mask[:, 1:])
            raise SystemExit("a short mask is taken")
        except ValueError as e:
            assert str(e).startswith("dimension past+seq is %d" % (rows + n - 1)), e
        y = model(ids, mask)
        rows += n
        token = int(np.argmax(y[0, -1]))
        if i:
            print(token)
sys.path.insert(0, sys.argv[1])
import example
with example.Model() as m:
    decode(lambda ids, mask: m(ids=ids, attention_mask=mask)["logits"], m.length)
import wmtune
m = wmtune.load(sys.argv[1])
decode(m, m.length)
m.truncate(0)
decode(m, m.length)
`

// TestMaskedDecoder continues a prompt whose first tokens are left out by a mask of all tokens, in Go, C and Python, and
// compares with the reference, whose caches grow.
func TestMaskedDecoder(t *testing.T) {
	b, ctx := needBundles(t), t.Context()
	file := called("past+seq")
	m, err := NewPlans(ctx, file, parsed(t, "seq=1..4"), pass.Options{Check: true}, rulesOf(t, "present.*=past.*,max=24")...)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "bundle")
	r, err := Run(ctx, b.machine, m, Options{Name: "masked", Out: out, Scorer: search.Random{Seed: 3}})
	if err != nil || len(r.Inputs) != 2 || !slices.Equal(r.Dims, []string{"seq"}) || r.MaxError > 1e-5 {
		t.Fatalf("%v: %+v", err, r)
	}
	l, err := OpenBundle(ctx, out, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var tokens strings.Builder
	past, ids := int64(0), []int64{7, 7, 7, 14, 15, 92, 65, 35}
	caches := []*graph.Tensor{graph.NewTensor(tir.F32, 1, 2, 0, 16), graph.NewTensor(tir.F32, 1, 2, 0, 16)}
	for i := range 13 {
		seq := int64(1)
		if i < 2 {
			seq = 4
		}
		exact, _ := file.Clone()
		if err := Bind(exact, map[string]int64{"past": past, "seq": seq}); err != nil {
			t.Fatal(err)
		}
		mask := graph.NewTensor(tir.I64, 1, past+seq)
		for k := range mask.I {
			mask.I[k] = min(int64(k)/3, 1)
		}
		in := &graph.Tensor{Type: tir.I64, Shape: []int64{1, seq}, I: ids[past:][:seq]}
		want, err := op.Evaluator().Run(ctx, exact, append([]*graph.Tensor{in, mask}, caches...))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.SetExtents(map[string]int64{"seq": seq}); err != nil {
			t.Fatal(err)
		}
		_, err = l.Run(ctx, map[string]any{"ids": in.I, "attention_mask": mask.I[1:]})
		if err == nil || !strings.Contains(err.Error(), "inputs of masked") {
			t.Error(err)
		}
		got, err := l.Run(ctx, map[string]any{"ids": in.I, "attention_mask": mask.I})
		if err != nil {
			t.Fatal(err)
		}
		caches, past = want[1:], past+seq
		row := &graph.Tensor{Type: tir.F32, Shape: []int64{64}, F: want[0].F[(seq-1)*64:]} // of the last, which sees some
		y := graph.NewTensor(tir.F32, 64)
		for k := range y.F {
			y.F[k] = float64(got["logits"].([]float32)[(seq-1)*64:][k])
		}
		if d, err := compare("y", y, row); i > 0 && (err != nil || d.Relative > 1e-5) {
			t.Fatalf("%d after %d: %v %+v", seq, past, err, d)
		}
		if i > 0 {
			ids = append(ids, int64(slices.Index(row.F, slices.Max(row.F))))
			fmt.Fprintln(&tokens, ids[len(ids)-1])
		}
	}
	if err := l.Truncate(ctx, 2); err != nil || !slices.Equal(l.Shape("attention_mask"), []int64{1, 3}) {
		t.Error(err, l.Shape("attention_mask"))
	}
	if _, err := l.Measure(ctx, RunOptions{Repeat: 3}); err != nil {
		t.Error(err)
	}
	t.Run("C", func(t *testing.T) {
		cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
		exe := filepath.Join(t.TempDir(), "masked")
		commandIn(t, ".", cc, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I"+out, "testdata/masked.c",
			filepath.Join(out, "masked.o"), "-o", exe, "-lm", "-lpthread")
		if got := commandIn(t, ".", exe, filepath.Join(out, "masked.weights")); got != tokens.String() {
			t.Errorf("%q, want %q", got, tokens.String())
		}
	})
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("Go", func(t *testing.T) {
		text := commandIn(t, root, buildtest.NeedTool(t, "go", "go.dev"), "run", filepath.Join(out, "example.go"), out)
		if !strings.Contains(text, "logits [1 4 64] [") {
			t.Error(text)
		}
	})
	t.Run("Python", func(t *testing.T) {
		python := buildtest.NeedTool(t, cmp.Or(os.Getenv("WMTUNE_PYTHON"), "python3"), "apt-get install python3")
		if exec.CommandContext(ctx, python, "-c", "import numpy").Run() != nil {
			buildtest.Lack(t, "%s has no numpy", python)
		}
		t.Setenv("PYTHONPATH", filepath.Join(root, "python/src"))
		if got := commandIn(t, root, python, "-B", "-c", pythonMasked, out); got != strings.Repeat(tokens.String(), 3) {
			t.Errorf("%q, want %q three times", got, tokens.String())
		}
		commandIn(t, out, python, "example.py")
	})
}
