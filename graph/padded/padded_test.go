package padded

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// bind gives open dimensions their extents.
func bind(g *graph.Graph, dims map[string]int64) error {
	for _, v := range g.Inputs {
		for i, d := range v.Shape {
			if d == graph.Open {
				name := fmt.Sprint(v.Name, ".", i)
				if i < len(v.DimNames) && v.DimNames[i] != "" && v.DimNames[i] != "?" {
					name = v.DimNames[i]
				}
				n, ok := dims[name]
				if !ok {
					return fmt.Errorf("dimension %s is open", name)
				}
				v.Shape[i] = n
			}
		}
	}
	return nil
}

// rangesOf reads a text such as "batch=0..3 seq=1..9".
func rangesOf(t *testing.T, text string) []Dim {
	var list []Dim
	for _, f := range strings.Fields(text) {
		name, bounds, _ := strings.Cut(f, "=")
		d := Dim{Name: name}
		if _, err := fmt.Sscanf(bounds, "%d..%d", &d.From, &d.To); err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

// points are the bounds of dimensions and some extents within them.
func points(rng *rand.Rand, dims []Dim, count int) [][]int64 {
	upper, lower := []int64{}, []int64{}
	for _, d := range dims {
		upper, lower = append(upper, d.To), append(lower, d.first(d.From))
	}
	list := [][]int64{upper, lower}
	for i := range count {
		p := slices.Clone(upper)
		for k, d := range dims {
			if i >= len(dims) || i == k { // first of each dimension alone
				p[k] = d.To - d.Step*rng.Int64N((d.To-d.From)/d.Step+1)
			}
		}
		list = append(list, p)
	}
	return list
}

// poisoned returns an evaluator that sets what lies beyond the true extents of results to what nothing may read: NaN, or
// integers that are no index. Where the pass claims to know a number there, it must be that.
func poisoned(t *testing.T, r *Result) *graph.Evaluator {
	byName := map[string]*graph.Value{}
	for v := range r.layouts {
		byName[v.Name] = v
	}
	e := op.Evaluator()
	plain := e.Lookup
	e.Lookup = func(n *graph.Node) (graph.EvalFunc, error) {
		f, err := plain(n)
		if err != nil {
			return nil, err
		}
		return func(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
			out, err := f(c, n, in)
			if err != nil {
				return nil, err
			}
			for i, y := range out {
				if i >= len(n.Outputs) || n.Outputs[i] == nil || n.Op == "Cut" && n.Domain == "wmtune" {
					continue
				}
				v := n.Outputs[i]
				l, ok := r.layouts[v]
				if !ok {
					t.Errorf("%s: no layout of %s", n.Label(), v)
					continue
				}
				if l.varies() {
					out[i] = r.poison(t, n, v, l, y)
				}
			}
			return out, nil
		}, nil
	}
	return e
}

// unneeded returns an evaluator that sets what nobody needs of results, as Needs says, to what nothing may read.
func unneeded(g *graph.Graph) *graph.Evaluator {
	needs, _ := Needs(g)
	byName := map[string][]extent.Digit{}
	for v, digits := range needs {
		byName[v.Name] = digits
	}
	var entries []int64
	e := op.Evaluator()
	plain := e.Lookup
	e.Lookup = func(n *graph.Node) (graph.EvalFunc, error) {
		f, err := plain(n)
		return func(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
			out, err := f(c, n, in)
			if n.Domain == "wmtune" && n.Op == "Extents" && err == nil {
				entries = out[0].I
			}
			for i, y := range out {
				if i >= len(n.Outputs) || n.Outputs[i] == nil {
					continue
				}
				z := array.Like(y, y.Shape)
				for k, beyond := range extent.Outside(byName[n.Outputs[i].Name], entries) {
					if array.Put(z, int64(k), y, int64(k)); !beyond {
						continue
					}
					if z.F != nil {
						z.F[k] = math.NaN()
					} else {
						z.I[k] = 1 - z.I[k]
					}
					out[i] = z
				}
			}
			return out, err
		}, err
	}
	return e
}

// walk calls do for each element of a value, with its place along each digit.
func walk(digits []extent.Digit, do func(i int, at []int64)) {
	i := 0
	uppers := make([]int64, len(digits))
	for d := range digits {
		uppers[d] = digits[d].Upper
	}
	array.WalkIndex(uppers, func(at []int64) {
		do(i, at)
		i++
	})
}

var entriesNow []int64 // of the run at hand

func (r *Result) poison(t *testing.T, n *graph.Node, v *graph.Value, l layout, y *graph.Tensor) *graph.Tensor {
	digits, _ := r.space.digits(l)
	c := r.claims[v]
	z := array.Like(y, y.Shape)
	walk(digits, func(i int, at []int64) {
		array.Put(z, int64(i), y, int64(i))
		beyond, known := false, c.axes != nil
		for d, p := range at {
			if digits[d].Entry >= 0 && p >= entriesNow[digits[d].Entry] {
				beyond, known = true, known && c.axes[digits[d].Axis]
			}
		}
		switch {
		case !beyond:
		case known:
			if y.At(i) != c.value && !(y.Type.IsInt() && math.Abs(c.value) > 1<<53) {
				t.Errorf("%s: element %d of %s is %v, and the pass claims %v", n.Label(), i, v, y.At(i), c.value)
			}
		case y.F != nil:
			z.F[i] = math.NaN()
		case y.Type == tir.Bool:
			z.I[i] = 1 - y.I[i]
		case y.Type.Bits() == 8:
			z.I[i] = 77
		case i%2 == 0:
			z.I[i] = 0
		default:
			z.I[i] = -1 << 30
		}
	})
	return z
}

// dense is an input of the true shape of random numbers.
func randomInput(rng *rand.Rand, v *graph.Value, shape []int64) *graph.Tensor {
	x := graph.NewTensor(v.Type, shape...)
	for i := range x.F {
		x.F[i] = float64(rng.IntN(33)-16) / 8
	}
	for i := range x.I {
		x.I[i] = rng.Int64N(2)
	}
	return x
}

// checkPadded compares the graph of bounds with that of the exact extents at a number of points.
func checkPadded(t *testing.T, g *graph.Graph, dims []Dim, count int, tolerance float64) *Result {
	t.Helper()
	ctx := context.Background()
	r, err := Rewrite(ctx, g, dims, bind)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range r.layouts { // of extents that no node needs, too
		r.space.digits(l)
	}
	after, _ := r.Graph.Clone() // as kernels are made of it
	if err := pass.Run(ctx, after, pass.Options{Check: true}); err != nil {
		t.Fatal(err)
	}
	needed := unneeded(after)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, p := range points(rng, r.Dims, count) {
		extents := map[string]int64{}
		for i, d := range dims {
			extents[d.Name] = p[i]
		}
		exact, _ := g.Clone()
		if err := bind(exact, extents); err != nil {
			t.Fatal(err)
		}
		var in []*graph.Tensor
		for _, v := range exact.Inputs {
			in = append(in, randomInput(rng, v, v.Shape))
		}
		if op.Infer(ctx, exact) != nil { // its own shapes
			t.Fatalf("%v: %v", p, err)
		}
		want, err := op.Evaluator().Run(ctx, exact, in)
		if err != nil {
			t.Fatalf("%v: exact: %v", p, err)
		}
		entriesNow = slices.Clone(p)
		for _, f := range r.space.formulas() {
			entriesNow = append(entriesNow, f.Of(entriesNow))
		}
		got, err := poisoned(t, r).Run(ctx, r.Graph, append(in, graph.Ints(p...)))
		if err != nil {
			t.Fatalf("%v: padded: %v\n%s", p, err, r.Graph)
		}
		passed, err := needed.Run(ctx, after, append(in, graph.Ints(p...)))
		if err != nil {
			t.Fatalf("%v: after the passes: %v\n%s", p, err, after)
		}
		for i, w := range want {
			if err := close(got[i], w, tolerance); err != nil {
				t.Fatalf("%v: output %s: %v\n%s", p, g.Outputs[i].Name, err, r.Graph)
			}
			if err := close(passed[i], w, tolerance); err != nil {
				t.Fatalf("%v: output %s after the passes: %v\n%s", p, g.Outputs[i].Name, err, after)
			}
		}
	}
	return r
}

// close returns an error if tensors differ by more than a part of the largest number.
func close(got, want *graph.Tensor, tolerance float64) error {
	if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("it is %s%v, want %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	most := 1.0
	for i := range want.Len() {
		if x := math.Abs(want.At(i)); !math.IsInf(x, 0) && x == x {
			most = max(most, x)
		}
	}
	for i := range want.Len() {
		x, y := got.At(i), want.At(i)
		if (x != x) != (y != y) || x == x && x != y && !(math.Abs(x-y) <= tolerance*most) {
			return fmt.Errorf("element %d of %v is %v, want %v", i, want.Shape, x, y)
		}
	}
	return nil
}

func TestOperators(t *testing.T) {
	for _, c := range operatorCases {
		t.Run(c.name, func(t *testing.T) {
			version := c.version
			if version == 0 {
				version = 17
			}
			g, err := graphtest.Parse(c.text, version)
			if err != nil {
				t.Fatal(err)
			}
			checkPadded(t, g, rangesOf(t, c.dims), 8, 1e-6)
		})
	}
}

// TestEveryExtent: formulas that were found from samples hold for all extents of a range.
func TestEveryExtent(t *testing.T) {
	g := graphtest.MustParse(`
		input x: float32[1, 3, h, 8]
		const k: float32[4, 3, 3, 3]
		const k2: float32[4, 4, 3, 3]
		const one: int64[1] {1}
		const end: int64[1] {9223372036854775807}
		const two: int64[1] {2}
		const five: int64[1] {5}
		a = Conv(x, k) pads=[1, 1, 1, 1] strides=[2, 2]
		b = MaxPool(a) kernel_shape=[3, 3] strides=[2, 2] pads=[1, 1, 1, 1]
		c = Conv(b, k2) pads=[1, 1, 1, 1] strides=[2, 2]
		d = Conv(c, k2) pads=[1, 1, 1, 1] strides=[2, 2]
		e = AveragePool(d) kernel_shape=[2, 1] strides=[2, 1] ceil_mode=1
		f = Slice(x, one, end, two, five)
		output d
		output e
		output f`, 17)
	r, err := Rewrite(t.Context(), g, []Dim{{Name: "h", From: 24, To: 140}}, bind)
	if err != nil {
		t.Fatal(err)
	}
	for h := int64(24); h <= 140; h++ {
		exact, _ := g.Clone()
		if err := bind(exact, map[string]int64{"h": h}); err != nil {
			t.Fatal(err)
		}
		if err := op.Infer(t.Context(), exact); err != nil {
			t.Fatal(err)
		}
		entries := []int64{h}
		for _, f := range r.space.formulas() {
			entries = append(entries, f.Of(entries))
		}
		for i, v := range r.Graph.Outputs {
			for _, n := range r.Graph.Nodes {
				if n.Outputs[0] != v {
					continue
				}
				d := extent.Digits(n)[2]
				if got, want := entries[d.Entry], exact.Outputs[i].Shape[2]; got != want {
					t.Errorf("h=%d: output %s has %d rows, want %d", h, v.Name, got, want)
				}
			}
		}
	}
}
