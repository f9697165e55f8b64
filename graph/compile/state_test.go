package compile

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir"
)

// decoding is a layer of a decoder with two heads of queries for each of keys, as exporters write it: a cache that
// grows, and a mask that is made of lengths.
const decoding = `
	input ids: int64[1, seq]
	input past.k: float32[1, 2, past, 16]
	input past.v: float32[1, 2, past, 16]
	const table: float32[100, 64]
	const wk: float32[64, 32]
	const wv: float32[64, 32]
	const wq: float32[64, 64]
	const few: int64[4] {1, -1, 2, 16}
	const many: int64[4] {1, -1, 4, 16}
	const flat: int64[3] {1, -1, 64}
	const column: int64[2] {-1, 1}
	const zero: int64[] {0}
	const one: int64[] {1}
	const two: int64[] {2}
	const axis: int64[1] {2}
	const first: int64[1] {0}
	const repeat: int64[5] {1, 2, 2, 1, 1}
	const heads: int64[4] {1, 4, -1, 16}
	const small: float32[] {0.002}
	const low: float32[] {-1e9}
	const none: float32[] {0}
	ps = Shape(past.k)
	p = Gather(ps, two)
	xs = Shape(ids)
	s = Gather(xs, one)
	total = Add(p, s)
	rows = Range(p, total, one)
	columns = Range(zero, total, one)
	at = Reshape(rows, column)
	beyond = Greater(columns, at)
	mask = Where(beyond, low, none)
	x = Gather(table, ids)
	kx = MatMul(x, wk)
	vx = MatMul(x, wv)
	qx = MatMul(x, wq)
	kr = Reshape(kx, few)
	vr = Reshape(vx, few)
	qr = Reshape(qx, many)
	k = Transpose(kr) perm=[0, 2, 1, 3]
	v = Transpose(vr) perm=[0, 2, 1, 3]
	q = Transpose(qr) perm=[0, 2, 1, 3]
	present.k = Concat(past.k, k) axis=2
	present.v = Concat(past.v, v) axis=2
	k5 = Unsqueeze(present.k, axis)
	v5 = Unsqueeze(present.v, axis)
	kt = Expand(k5, repeat)
	vt = Expand(v5, repeat)
	kh = Reshape(kt, heads)
	vh = Reshape(vt, heads)
	kc = Transpose(kh) perm=[0, 1, 3, 2]
	scores = MatMul(q, kc)
	scaled = Mul(scores, small)
	masked = Add(scaled, mask)
	weights = Softmax(masked) axis=-1
	mixed = MatMul(weights, vh)
	back = Transpose(mixed) perm=[0, 2, 1, 3]
	logits = Reshape(back, flat)
	output logits
	output present.k
	output present.v`

func rulesOf(t *testing.T, list ...string) StateList {
	t.Helper()
	var rules StateList
	for _, text := range list {
		if err := rules.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	return rules
}

// decodingBy is decoding by ONNX's own operator.
const decodingBy = `
	input ids: int64[1, seq]
	input past.k: float32[1, 2, past, 16]
	input past.v: float32[1, 2, past, 16]
	const table: float32[100, 64]
	const wk: float32[64, 32]
	const wv: float32[64, 32]
	const wq: float32[64, 64]
	x = Gather(table, ids)
	k = MatMul(x, wk)
	v = MatMul(x, wv)
	q = MatMul(x, wq)
	logits, present.k, present.v = Attention(q, k, v, _, past.k, past.v) q_num_heads=4 kv_num_heads=2 is_causal=1 scale=0.002
	output logits
	output present.k
	output present.v`

// stateful compiles a decoder for prompts of up to 5 and a cache of up to 40.
func stateful(t *testing.T, g *graph.Graph) (*Result, string) {
	t.Helper()
	b := needBundles(t)
	m, err := NewPlans(t.Context(), g, parsed(t, "seq=1..5"), pass.Options{Check: true},
		rulesOf(t, "present.*=past.*,max=40")...)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "bundle")
	r, err := Run(t.Context(), b.machine, m, Options{Name: "decoder", Out: out, Scorer: search.Random{Seed: 3}})
	if err != nil {
		t.Fatal(err)
	}
	return r, out
}

// A decoderTest runs a bundle beside the reference, whose caches grow.
type decoderTest struct {
	l      *Bundle
	file   *graph.Graph
	caches []*graph.Tensor
	past   int64
	rng    *rand.Rand
}

func openDecoder(t *testing.T, file *graph.Graph, out string) *decoderTest {
	t.Helper()
	l, err := OpenBundle(t.Context(), out, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &decoderTest{l: l, file: file, rng: rand.New(rand.NewPCG(1, 2)),
		caches: []*graph.Tensor{graph.NewTensor(tir.F32, 1, 2, 0, 16), graph.NewTensor(tir.F32, 1, 2, 0, 16)}}
}

// step runs some tokens, and compares what they make with the reference.
func (d *decoderTest) step(t *testing.T, seq int64) {
	t.Helper()
	ctx := t.Context()
	ids := graph.NewTensor(tir.I64, 1, seq)
	for i := range ids.I {
		ids.I[i] = d.rng.Int64N(100)
	}
	exact, _ := d.file.Clone()
	if err := Bind(exact, map[string]int64{"past": d.past, "seq": seq}); err != nil {
		t.Fatal(err)
	}
	want, err := op.Evaluator().Run(ctx, exact, append([]*graph.Tensor{ids}, d.caches...))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.l.SetExtents(map[string]int64{"seq": seq}); err != nil {
		t.Fatal(err)
	}
	got, err := d.l.Run(ctx, map[string]any{"ids": ids.I})
	if err != nil {
		t.Fatalf("%d after %d: %v", seq, d.past, err)
	}
	y := graph.NewTensor(tir.F32, want[0].Shape...)
	for i, v := range got["logits"].([]float32)[:y.Len()] {
		y.F[i] = float64(v)
	}
	if diff, err := compare("y", y, want[0]); err != nil || diff.Relative > 1e-5 {
		t.Fatalf("%d after %d: %v %+v", seq, d.past, err, diff)
	}
	d.caches, d.past = want[1:], d.past+seq
	if n, err := d.l.Length(ctx); n != d.past || err != nil {
		t.Fatalf("length %d, want %d: %v", n, d.past, err)
	}
}

// cut forgets rows.
func (d *decoderTest) cut(t *testing.T, rows int64) {
	t.Helper()
	if err := d.l.Truncate(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	for i, c := range d.caches {
		d.caches[i] = moveRows(c, c.Shape, 2, rows, false)
	}
	d.past = rows
}

// TestDecoderForms runs decoders whose caches grow inside of an operator.
func TestDecoderForms(t *testing.T) {
	for name, text := range map[string]string{
		"Attention": decodingBy,
	} {
		t.Run(name, func(t *testing.T) {
			file := graphtest.MustParse(text, 24)
			_, out := stateful(t, file)
			d := openDecoder(t, file, out)
			for _, seq := range []int64{5, 1, 3, 5, 5, 1, 5, 5, 5, 4, 1} { // 40
				d.step(t, seq)
			}
			d.cut(t, 0)
			d.step(t, 1)
		})
	}
}

// TestDecoder runs prompts and tokens one after the other, and compares each with the reference, whose caches grow.
func TestDecoder(t *testing.T) {
	ctx := t.Context()
	file := graphtest.MustParse(decoding, 17)
	r, out := stateful(t, file)
	s := r.State
	if s == nil || s.Max != 40 || s.Name != "past" || s.Grows != "seq" || len(r.Inputs) != 1 || len(r.Outputs) != 1 ||
		!slices.Equal(r.Dims, []string{"seq"}) || len(r.Plans) != 2 || !slices.Equal(s.Values, []string{"present.k",
		"present.v"}) {
		t.Errorf("%+v, %+v", s, r)
	}
	d := openDecoder(t, file, out)
	l := d.l
	for _, seq := range []int64{5, 1, 1, 3, 5, 5, 1, 4, 5, 5} { // 35
		d.step(t, seq)
	}
	d.cut(t, 12)
	d.step(t, 1)
	d.step(t, 5)
	for d.past < 40 {
		d.step(t, 1)
	}
	if err := l.SetExtents(map[string]int64{"seq": 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(ctx, map[string]any{"ids": []int64{1}}); err == nil || !strings.Contains(err.Error(), "is full") {
		t.Error(err)
	}
	if n, err := l.Length(ctx); n != 40 || err != nil {
		t.Errorf("length %d: %v", n, err)
	}
	if err := l.Truncate(ctx, 41); err == nil || !strings.Contains(err.Error(), "fewer rows") {
		t.Error(err)
	}
	d.cut(t, 0)
	d.step(t, 2)
	if m, err := l.Measure(ctx, RunOptions{Repeat: 50}); err != nil || m.MinUS <= 0 { // 50 times 2 are more than 40
		t.Error(err)
	}
	t.Run("C", func(t *testing.T) { stateInC(t, out) })
	t.Run("examples", func(t *testing.T) { decoderExamples(t, out) })
}

// decoderExamples continues a prompt by the examples, and by the reference, whose caches grow.
func decoderExamples(t *testing.T, dir string) {
	prompt := []int64{3, 14, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26}
	want, tokens := "", prompt
	file := graphtest.MustParse(decoding, 17)
	for range 20 {
		exact, _ := file.Clone()
		if err := Bind(exact, map[string]int64{"past": 0, "seq": int64(len(tokens))}); err != nil {
			t.Fatal(err)
		}
		ids := graph.NewTensor(tir.I64, 1, int64(len(tokens)))
		ids.I = tokens
		none := graph.NewTensor(tir.F32, 1, 2, 0, 16)
		y, err := op.Evaluator().Run(t.Context(), exact, []*graph.Tensor{ids, none, none})
		if err != nil {
			t.Fatal(err)
		}
		last := y[0].F[len(y[0].F)-64:]
		token := slices.Index(last, slices.Max(last))
		want += fmt.Sprintln(token)
		tokens = append(tokens, int64(token))
	}
	text := filepath.Join(t.TempDir(), "prompt.txt")
	if err := os.WriteFile(text, []byte(strings.Trim(fmt.Sprint(prompt), "[]")), 0o666); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, continued := range map[string]func(t *testing.T) string{
		"C": func(t *testing.T) string {
			cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
			exe := filepath.Join(t.TempDir(), "decoder")
			commandIn(t, root, cc, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I"+dir, "examples/decoder.c",
				filepath.Join(dir, "decoder.o"), "-o", exe, "-lm", "-lpthread")
			return commandIn(t, root, exe, filepath.Join(dir, "decoder.weights"), text, "20")
		},
		"Go": func(t *testing.T) string {
			return commandIn(t, root, buildtest.NeedTool(t, "go", "go.dev"), "run", "examples/decoder.go", dir, text, "20")
		},
		"Python": func(t *testing.T) string {
			python := buildtest.NeedTool(t, cmp.Or(os.Getenv("WMTUNE_PYTHON"), "python3"), "apt-get install python3")
			if exec.CommandContext(t.Context(), python, "-c", "import numpy").Run() != nil {
				buildtest.Lack(t, "%s has no numpy", python)
			}
			t.Setenv("PYTHONPATH", filepath.Join(root, "python/src"))
			return commandIn(t, root, python, "examples/decoder.py", dir, text, "20")
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := continued(t); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// stateInC compiles the example, and a program that uses the functions of the header in ways that they must bear.
func stateInC(t *testing.T, dir string) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	source, err := os.ReadFile("testdata/state.c")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "state.c"), source, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state", "example"} {
		commandIn(t, dir, cc, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", name+".c", "decoder.o", "-o", name, "-lm", "-lpthread")
	}
	if out := commandIn(t, dir, "./state"); out != "ok\n" {
		t.Error(out)
	}
	if out := commandIn(t, dir, "./example"); !strings.Contains(out, "logits[1][5][64]") {
		t.Error(out)
	}
}

func TestDecoderRefused(t *testing.T) {
	replace := func(old, now string) string { return strings.Replace(decoding, old, now, 1) }
	for _, c := range []struct{ text, dims, rule, want string }{
		{decoding, "seq=1..5", "now.*=past.*,max=9", "no output of the model is called so: there are logits, present.k, present.v"},
		{decoding, "seq=1..5", "present.*=before.*,max=9", "there is no input before.k"},
		{decoding, "seq=1..5", "present.*=past.*,max=4", "a run may add 5 rows, and max is 4"},
		{decoding, "seq=1..5", "present.*=past.*,max=2000000000", "2000000000 rows of 2 states need 512.0 GB of memory"},
		{decoding, "seq=1..5", "present.*=past.*", "how many rows may there be? Add ,max=N"},
		{decoding, "seq=1..5,past=3", "present.*=past.*,max=9", "no axis of the input is open"},
		{decoding, "past=0..5", "present.*=past.*,max=9", "no axis of the input is open"},
		{decoding, "seq=1..5", "present.k=past.k,max=9", "input past.v has the dimension past, too"},
		{decoding, "seq=1..5", "logits=past.k,max=9", "input past.v has the dimension past, too"},
		{replace("output present.k\n", "output present.v\n"), "seq=1..5", "present.k=past.k,max=9", "called so: there are logits"},
		{replace("present.k = Concat(past.k, k)", "present.k = Concat(k, past.k)"), "seq=1..5", "present.*=past.*,max=9",
			"only a Concat with new rows may"},
	} {
		_, err := NewPlans(context.Background(), graphtest.MustParse(c.text, 17), parsed(t, c.dims),
			pass.Options{Limit: op.Limit{Memory: 1 << 30}}, rulesOf(t, c.rule)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.dims, c.rule, err, c.want)
		}
	}
	for _, text := range []string{"present.*", "a=b,max=0", "a=b,max=x", "a*=b,max=3", "a=b,least=3", "=b,max=3"} {
		if err := new(StateList).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// commandIn runs a command in a folder and returns what it prints.
func commandIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// TestDecoderList: a list of extents makes a plan of each, and each is verified.
func TestDecoderList(t *testing.T) {
	b := needBundles(t)
	m, err := NewPlans(t.Context(), graphtest.MustParse(decoding, 17), parsed(t, "seq=1,4"), pass.Options{},
		rulesOf(t, "present.*=past.*,max=9")...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), b.machine, m, Options{Name: "dec", Out: filepath.Join(t.TempDir(), "dec"),
		Scorer: search.Random{Seed: 3}})
	if err != nil || len(r.Plans) != 2 || r.MaxError > 1e-5 {
		t.Errorf("%v: %+v", err, r)
	}
}
