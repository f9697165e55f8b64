package padded

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
)

// attending is attention over a cache that grows, with a mask that is made of the lengths.
const attending = `
	input x: float32[1, seq, 8]
	input past.k: float32[1, 2, past, 4]
	input past.v: float32[1, 2, past, 4]
	const heads: int64[4] {1, -1, 2, 4}
	const flat: int64[3] {1, -1, 8}
	const zero: int64[] {0}
	const one: int64[] {1}
	const two: int64[] {2}
	const shape: int64[2] {-1, 1}
	const low: float32[] {-1e9}
	const none: float32[] {0}
	const wk: float32[8, 8]
	const wv: float32[8, 8]
	ps = Shape(past.k)
	p = Gather(ps, two)
	xs = Shape(x)
	s = Gather(xs, one)
	total = Add(p, s)
	rows = Range(p, total, one)
	columns = Range(zero, total, one)
	axis = Reshape(rows, shape)
	beyond = Greater(columns, axis)
	mask = Where(beyond, low, none)
	kx = MatMul(x, wk)
	vx = MatMul(x, wv)
	kr = Reshape(kx, heads)
	vr = Reshape(vx, heads)
	qr = Reshape(x, heads)
	k = Transpose(kr) perm=[0, 2, 1, 3]
	v = Transpose(vr) perm=[0, 2, 1, 3]
	q = Transpose(qr) perm=[0, 2, 1, 3]
	present.k = Concat(past.k, k) axis=2
	present.v = Concat(past.v, v) axis=-2
	kt = Transpose(present.k) perm=[0, 1, 3, 2]
	scores = MatMul(q, kt)
	masked = Add(scores, mask)
	weights = Softmax(masked) axis=-1
	mixed = MatMul(weights, present.v)
	back = Transpose(mixed) perm=[0, 2, 1, 3]
	y = Reshape(back, flat)
	output y
	output present.k
	output present.v`

// copied is attending as some exporters write it: with copies of the caches.
var copied = strings.NewReplacer("present.k = Concat(past.k, k)", "ck = Identity(past.k)\n\tpresent.k = Concat(ck, k)",
	"present.v = Concat(past.v, v)", "cv = Concat(past.v) axis=2\n\tpresent.v = Concat(cv, v)").Replace(attending)

// attendingBy is attending by ONNX's own operator.
const attendingBy = `
	input x: float32[1, seq, 8]
	input past.k: float32[1, 2, past, 4]
	input past.v: float32[1, 2, past, 4]
	const wk: float32[8, 8]
	const wv: float32[8, 8]
	const wq: float32[8, 16]
	k = MatMul(x, wk)
	v = MatMul(x, wv)
	q = MatMul(x, wq)
	y, present.k, present.v = Attention(q, k, v, _, past.k, past.v) q_num_heads=4 kv_num_heads=2 is_causal=1
	output y
	output present.k
	output present.v`

var attendingStates = []State{{"past.k", "present.k"}, {"past.v", "present.v"}}

// TestStates runs chunks one after the other: the states of the new graph are what it made in the run before.
func TestStates(t *testing.T) {
	for name, text := range map[string]string{
		"a Concat":     attending,
		"copies":       copied,
		"an Attention": attendingBy,
		"a window":     strings.Replace(attendingBy, "is_causal=1", "left_window_size=2 right_window_size=0", 1),
		"no mask":      strings.Replace(attendingBy, "is_causal=1", "softcap=2.0", 1),
	} {
		t.Run(name, func(t *testing.T) { stepStates(t, graphtest.MustParse(text, 24)) })
	}
}

// stepStates runs the chunks of TestStates.
func stepStates(t *testing.T, g *graph.Graph) {
	ctx := context.Background()
	r, err := Rewrite(ctx, g, rangesOf(t, "past=0..20 seq=1..5"), bind, attendingStates...)
	if err != nil {
		t.Fatal(err)
	}
	if r.Length != 0 || r.Grows != (Growth{Dim: 1}) || len(r.States) != 2 || r.States[0].Axis != 2 {
		t.Errorf("length %d, grows %v, states %v", r.Length, r.Grows, r.States)
	}
	for _, l := range r.layouts {
		r.space.digits(l)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var caches, states []*graph.Tensor
	for range 2 {
		caches = append(caches, graph.NewTensor(g.Inputs[0].Type, 1, 2, 0, 4))
		states = append(states, graph.NewTensor(g.Inputs[0].Type, 1, 2, 25, 4))
	}
	past := int64(0)
	for _, seq := range []int64{5, 1, 3, 1, 5, 5, 1} { // at last past is the bound
		exact, _ := g.Clone()
		if past > 20 {
			t.Fatal("the test runs out of the bounds")
		}
		if err := bind(exact, map[string]int64{"past": past, "seq": seq}); err != nil {
			t.Fatal(err)
		}
		x := randomInput(rng, g.Inputs[0], []int64{1, seq, 8})
		want, err := op.Evaluator().Run(ctx, exact, append([]*graph.Tensor{x}, caches...))
		if err != nil {
			t.Fatal(err)
		}
		entriesNow = []int64{past, seq}
		for _, f := range r.space.formulas() {
			entriesNow = append(entriesNow, f.Of(entriesNow))
		}
		got, err := poisoned(t, r).Run(ctx, r.Graph, []*graph.Tensor{x, states[0], states[1], graph.Ints(past, seq)})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[0].Shape, want[0].Shape) {
			t.Fatalf("shape %v, want %v", got[0].Shape, want[0].Shape)
		}
		for i := range want[0].F {
			if math.Abs(got[0].F[i]-want[0].F[i]) > 1e-9 {
				t.Fatalf("past %d, seq %d: element %d is %v, want %v", past, seq, i, got[0].F[i], want[0].F[i])
			}
		}
		caches, states, past = want[1:], got[1:], past+seq
	}
}

func TestStatesRefused(t *testing.T) {
	replace := func(old, now string) string { return strings.Replace(attending, old, now, 1) }
	for _, c := range []struct{ text, dims, want string }{
		{replace("present.k = Concat(past.k, k)", "present.k = Concat(k, past.k)"), "past=0..20 seq=1..5", "only a Concat"},
		{replace("input past.k: float32[1, 2, past, 4]", "input past.k: float32[1, 2, p2, 4]"), "past=0..20 p2=0..20 seq=1..5",
			"no dimension of its own"},
		{replace("output y", "z = Relu(past.k)\n\toutput z\n\toutput y"), "past=0..20 seq=1..5", "only a Concat with new rows"},
		{replace("output present.k", "z = Relu(present.k)\n\toutput z"), "past=0..20 seq=1..5", "no such output"},
	} {
		_, err := Rewrite(context.Background(), graphtest.MustParse(c.text, 17), rangesOf(t, c.dims), bind,
			attendingStates...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
