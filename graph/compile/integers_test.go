package compile

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
	"github.com/wmtune/wmtune/graph/pass"
)

// A quantizedGraph draws a graph of quantized products as text.
type quantizedGraph struct {
	*rand.Rand
	exact bool // scales are powers of 2: no sum is rounded
	text  strings.Builder
}

// line adds a line.
func (q *quantizedGraph) line(format string, args ...any) { fmt.Fprintf(&q.text, format+"\n", args...) }

// list adds a constant of n elements, or a scalar if n is 0.
func (q *quantizedGraph) list(name, dtype string, n int, element func() any) {
	shape := fmt.Sprint(n)
	if n == 0 {
		shape = ""
	}
	q.tensor(name, dtype, shape, max(n, 1), element)
}

func (q *quantizedGraph) tensor(name, dtype, shape string, n int, element func() any) {
	var list []string
	for range n {
		list = append(list, fmt.Sprint(element()))
	}
	q.line("const %s: %s[%s] {%s}", name, dtype, shape, strings.Join(list, ", "))
}

// scale returns a random scale.
func (q *quantizedGraph) scale() any {
	if q.exact {
		return math.Ldexp(1, q.IntN(4)-6)
	}
	return 0.01 + 0.1*q.Float64()
}

// bytes returns a type of bytes, random ones, and zero points, which are often at an end.
func (q *quantizedGraph) bytes() (dtype string, element, zero func() any) {
	least, dtype := 0, "uint8"
	if q.IntN(2) == 0 {
		least, dtype = -128, "int8"
	}
	kind := q.IntN(4)
	return dtype, func() any { return least + q.IntN(256) }, func() any {
		return []int{least, least + 255, 0, least + q.IntN(256)}[kind]
	}
}

// parameters adds a scale and a zero point.
func (q *quantizedGraph) parameters(name, dtype string, n int, zero func() any) {
	q.list(name+"s", "float32", n, q.scale)
	q.list(name+"z", dtype, n, zero)
}

// draw draws a product of quantized operands, and what follows it.
func (q *quantizedGraph) draw() string {
	batch, in, out := q.IntN(3), 1+q.IntN(5), 1+q.IntN(5)
	kind := []string{"Conv", "MatMul", "Gemm"}[q.IntN(3)]
	groups, size, attrs, axis := 1, 1, "", 0
	shape, weights := fmt.Sprint(batch, ", ", in), ""
	switch kind {
	case "Conv":
		if groups = []int{1, 2, in}[q.IntN(3)]; in%groups != 0 {
			groups = 1
		}
		out = groups * (1 + q.IntN(3))
		size = 1 + q.IntN(3)
		attrs = fmt.Sprintf(" group=%d pads=[%d, %d, 1, 0] strides=[%d, 1]", groups, q.IntN(2), q.IntN(2), 1+q.IntN(2))
		shape += ", 5, 4"
		weights = fmt.Sprintf("%d, %d, %d, %d", out, in/groups, size, size)
	case "Gemm":
		if q.IntN(2) == 0 {
			attrs, weights = " transB=1", fmt.Sprint(out, ", ", in)
			break
		}
		fallthrough
	default:
		axis, weights = 1, fmt.Sprint(in, ", ", out)
	}
	q.line("input x: float32[%s]", shape)
	dtype, _, zero := q.bytes()
	q.parameters("x", dtype, 0, zero)
	q.line("xq = QuantizeLinear(x, xs, xz)\nxd = DequantizeLinear(xq, xs, xz)")
	dtype, element, zero := q.bytes()
	channels := q.IntN(2) * out
	q.tensor("w", dtype, weights, out*in/groups*size*size, element)
	q.parameters("w", dtype, channels, zero)
	q.line("wd = DequantizeLinear(w, ws, wz) axis=%d", axis)
	bias := ""
	if b := q.IntN(3); b > 0 && kind != "MatMul" {
		bias = ", b"
		if b == 1 {
			q.list("b", "float32", out, func() any { return float64(q.IntN(64)-32) / 8 })
		} else {
			q.list("bq", "int32", out, func() any { return q.IntN(2000) - 1000 })
			by := []float64{1, 1, 1.5}[q.IntN(3)] // the last is another scale than that of the product
			q.line("const by: float32[] {%v}\nss = Mul(xs, ws)\nbs = Mul(ss, by)\nb = DequantizeLinear(bq, bs) axis=0", by)
		}
	}
	q.line("m = %s(xd, wd%s)%s", kind, bias, attrs)
	last := "m"
	if q.IntN(2) == 0 {
		last = "r"
		q.line("r = Relu(m)")
	}
	dtype, _, zero = q.bytes()
	q.parameters("y", dtype, 0, zero)
	q.line("yq = QuantizeLinear(%s, ys, yz)\nyd = DequantizeLinear(yq, ys, yz)", last)
	switch {
	case kind == "Conv" && q.IntN(2) == 0:
		q.line("p = MaxPool(yd) kernel_shape=[1, 2]\npq = QuantizeLinear(p, ys, yz)\noutput pq")
	case q.IntN(2) == 0:
		q.line("a = Add(yd, %s)\naq = QuantizeLinear(a, ys, yz)\nad = DequantizeLinear(aq, ys, yz)\noutput ad", last)
	}
	q.line("output m\noutput yq")
	return q.text.String()
}

// TestQuantizedGraphs: programs of random quantized graphs compute what the reference computes of the graph as it is.
// Where scales are powers of 2, they compute the very same; else few integers are the next ones.
func TestQuantizedGraphs(t *testing.T) {
	whole := 0
	for seed := range uint64(400) {
		q := &quantizedGraph{Rand: rand.New(rand.NewPCG(seed, 3)), exact: seed%2 == 0}
		text := q.draw()
		g := graphtest.MustParse(text, 19)
		inputs := []*graph.Tensor{graph.NewTensor(g.Inputs[0].Type, g.Inputs[0].Shape...)}
		for i := range inputs[0].F {
			inputs[0].F[i] = float64(q.IntN(400)-200) / 16
		}
		if err := quantizedAlike(t.Context(), g, inputs, q.exact); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		after, _ := g.Clone()
		if err := pass.Run(t.Context(), after, pass.Options{}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(after.String(), ": int32[") {
			whole++
		}
	}
	if whole < 200 {
		t.Errorf("%d of 400 graphs multiply integers", whole)
	}
}

// TestQuantizedProducts: a summary says which products are in int8, and why others are not.
func TestQuantizedProducts(t *testing.T) {
	const head = "input x: float32[2, 4]\ninput data: float32[]\nconst s: float32[] {0.5}\nconst z: uint8[] {3}\n" +
		"const w: int8[4, 4]\nw8 = DequantizeLinear(w, s)\nq = QuantizeLinear(x, s, z)\nd = DequantizeLinear(q, s, z)\n" +
		"v = DequantizeLinear(q, data, z)\na = MatMul(d, w8)\nb = Softmax(a)\nconst f: float32[4, 4]\n"
	for text, want := range map[string]string{
		head + "y = MatMul(x, f)\noutput y":                 "",
		head + "y = MatMul(b, f)\noutput y":                 "1 products in int8",
		head + "y = MatMul(v, w8)\noutput y":                "0 products in int8, 1 in float32: its scale is not constant",
		head + "c = Add(a, b)\ny = MatMul(c, w8)\noutput y": "1 products in int8, 1 in float32: its first operand is of floats",
	} {
		m, err := New(t.Context(), graphtest.MustParse(text, 19), pass.Options{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := pass.Products(m.Graph); got != want {
			t.Errorf("got %q, want %q\n%s", got, want, m.Graph)
		}
	}
}

// quantizedAlike compares the program of a graph with its reference.
func quantizedAlike(ctx context.Context, g *graph.Graph, inputs []*graph.Tensor, exact bool) error {
	want, err := op.Evaluator().Run(ctx, g, inputs)
	if err != nil {
		return err
	}
	m, err := New(ctx, g, pass.Options{Check: true})
	if err != nil {
		return err
	}
	p, w, err := plainProgram(m)
	if err != nil {
		return err
	}
	got, err := interpreted(m, p, w, inputs)
	if err != nil {
		return err
	}
	for i, x := range want {
		y, next, largest := got[i], 0, 0.0
		if x.Type != y.Type || !slices.Equal(x.Shape, y.Shape) {
			return fmt.Errorf("output %d is %s%v, want %s%v", i, y.Type, y.Shape, x.Type, x.Shape)
		}
		for k := range x.Len() {
			largest = max(largest, math.Abs(x.At(k)))
		}
		for k := range x.Len() {
			switch d := math.Abs(x.At(k) - y.At(k)); {
			case d <= 1e-6*largest && !exact && x.Type.IsFloat() || d == 0:
			case !exact && (d <= 1 && !x.Type.IsFloat() || d < 0.2):
				next++
			default:
				return fmt.Errorf("output %d, element %d is %v, want %v", i, k, y.At(k), x.At(k))
			}
		}
		if next > 1+x.Len()/20 {
			return fmt.Errorf("output %d: %d of %d elements are next to what they must be", i, next, x.Len())
		}
	}
	return nil
}
