package onnx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A transformer of the shape that encoders have, with random weights.
type transformer struct{ layers, heads, width, inner, vocabulary, length int }

func (s transformer) build(t testing.TB) []byte {
	rng := rand.New(rand.NewPCG(3, 9))
	some := func(n int, scale float64) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64() * scale)
		}
		return v
	}
	b := New("transformer")
	linear := func(name, x string, in, out int) string {
		return b.Linear(name, x, in, out, some(in*out, 1/math.Sqrt(float64(in))), some(out, 0.1))
	}
	norm := func(name, x string) string { return b.LayerNorm(name, x, some(s.width, 1), some(s.width, 0.1), 1e-5) }
	ids, mask := b.Input("ids", Int64, "batch", "length"), b.Input("mask", Float32, "batch", "length")
	tokens := b.Node("Gather", []string{b.Weight("tokens", []int{s.vocabulary, s.width}, some(s.vocabulary*s.width, 1)),
		ids})
	length := b.Node("Shape", []string{ids}, Int("start", 1))
	positions := b.Node("Slice", []string{b.Weight("positions", []int{s.length, s.width}, some(s.length*s.width, 1)),
		b.Ints("zero", []int{1}, []int64{0}), length})
	h := b.Node("Add", []string{tokens, positions})
	bias := b.AttentionBias(mask)
	for i := range s.layers {
		at := fmt.Sprintf("layer%d.", i)
		a := b.Attention(linear(at+"qkv", norm(at+"norm1", h), s.width, 3*s.width), bias, s.heads, s.width)
		h = b.Node("Add", []string{h, linear(at+"attention", a, s.width, s.width)})
		f := b.GELU(linear(at+"up", norm(at+"norm2", h), s.width, s.inner))
		h = b.Node("Add", []string{h, linear(at+"down", f, s.inner, s.width)})
	}
	wide := b.Node("Unsqueeze", []string{mask, b.Ints("two", []int{1}, []int64{2})})
	axes := b.Ints("axes_0_1", []int{2}, []int64{0, 1})
	sum := b.Node("ReduceSum", []string{b.Node("Mul", []string{norm("norm", h), wide}), axes}, Int("keepdims", 0))
	z := b.Node("Div", []string{sum, b.Node("ReduceSum", []string{mask}, Int("keepdims", 0))})
	b.Named("z", "Div", []string{z, b.Node("ReduceL2", []string{z}, Int("keepdims", 1))})
	b.Named("h", "Identity", []string{h})
	b.Output("z", Float32, fmt.Sprint(s.width))
	b.Output("h", Float32, "batch", "length", fmt.Sprint(s.width))
	data, err := b.Bytes(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inputs are windows of tokens, the last one shorter.
func (s transformer) inputs(batch, length int) map[string]Tensor {
	rng := rand.New(rand.NewPCG(4, 4))
	ids, mask := make([]int64, batch*length), make([]float32, batch*length)
	for i := range ids {
		if i < len(ids)-length/3 {
			ids[i], mask[i] = int64(rng.IntN(s.vocabulary)), 1
		}
	}
	return map[string]Tensor{"ids": IntTensor(ids, batch, length), "mask": FloatTensor(mask, batch, length)}
}

// kinds counts the steps of a plan.
func kinds(p *Program) string {
	n := map[string]int{}
	for _, s := range p.plan {
		n[fmt.Sprintf("%T", s)]++
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(n), "map[]"), "*onnx.", "")
}

// A transformer becomes layers, which compute what its nodes compute.
func TestCompile(t *testing.T) {
	s := transformer{layers: 2, heads: 4, width: 32, inner: 64, vocabulary: 50, length: 40}
	p, err := Load(s.build(t))
	if err != nil {
		t.Fatal(err)
	}
	// Left are: Gather, Shape, Slice, Add, Unsqueeze, Sub and Mul of the bias; of each
	// layer Split, 3 Reshape, Reshape; 7 nodes of the mean; Identity.
	const want = "attention:2 call:25 linear:8 norm:5"
	if got := kinds(p); got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	for _, size := range [][2]int{{1, 1}, {1, 40}, {3, 33}, {6, 7}} {
		in := s.inputs(size[0], size[1])
		want, err := p.Reference(in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.run(p.plan, new(memory), in)
		if err != nil {
			t.Fatal(err)
		}
		difference(t, fmt.Sprint("h of ", size), got["h"], want["h"], 1e-5)
		difference(t, fmt.Sprint("z of ", size), got["z"], want["z"], 1e-5)
	}
}

// A program runs in several goroutines at a time, and gives the same bits whatever the
// number of processors: large layers are cut in pieces.
func TestRunTogether(t *testing.T) {
	s := transformer{layers: 1, heads: 4, width: 128, inner: 512, vocabulary: 50, length: 100}
	p, err := Load(s.build(t))
	if err != nil {
		t.Fatal(err)
	}
	in := s.inputs(2, 100)
	before := runtime.GOMAXPROCS(1)
	want, err := p.Run(in)
	runtime.GOMAXPROCS(max(before, 3))
	defer runtime.GOMAXPROCS(before)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 3 {
				got, err := p.Run(in)
				if err != nil {
					t.Error(err)
					return
				}
				difference(t, "h", got["h"], want["h"], 0)
				difference(t, "z", got["z"], want["z"], 0)
			}
		})
	}
	wait.Wait()
}

// Each way to write a layer that compile knows becomes that layer, and equals the
// nodes; ways that only look like it stay nodes.
func TestCompileForms(t *testing.T) {
	const layer = "call:1 linear:1" // the call is Identity
	for _, c := range []struct {
		name, want string
		build      func(b *Builder, x, y string) string
	}{
		{"bias", layer, func(b *Builder, x, _ string) string { return b.Linear("l", x, 4, 3, seq(12), seq(3)) }},
		{"bias first", layer, func(b *Builder, x, _ string) string {
			return b.two("Add", b.Weight("b", []int{3}, seq(3)), b.two("MatMul", x, b.Weight("w", []int{4, 3}, seq(12))))
		}},
		{"tanh", layer, func(b *Builder, x, _ string) string {
			return b.Node("Tanh", []string{b.Linear("l", x, 4, 3, seq(12), seq(3))})
		}},
		{"relu", layer, func(b *Builder, x, _ string) string {
			return b.Node("Relu", []string{b.Linear("l", x, 4, 3, seq(12), seq(3))})
		}},
		{"residual", layer, func(b *Builder, x,
			y string) string {
			return b.two("Add", y, b.Linear("l", x, 4, 3, seq(12), seq(3)))
		}},
		{"residual alone", layer, func(b *Builder, x, y string) string {
			return b.two("Add", b.two("MatMul", x, b.Weight("w", []int{4, 3}, seq(12))), y)
		}},
		{"a residual that is repeated", "call:2 linear:1", func(b *Builder, x, y string) string {
			first := b.Node("Slice", []string{y, b.integers("from", 0), b.integers("to", 1)})
			return b.two("Add", first, b.Linear("l", x, 4, 3, seq(12), seq(3)))
		}},
		{"a bias for all rows", "call:2 linear:1", func(b *Builder, x, _ string) string {
			return b.two("Add", b.two("MatMul", x, b.Weight("w", []int{4, 3}, seq(12))), b.Weight("b", []int{2, 3}, seq(6)))
		}},
		{"twice itself", "call:2 linear:1", func(b *Builder, x, _ string) string {
			l := b.Linear("l", x, 4, 3, seq(12), seq(3))
			return b.two("Add", l, l)
		}},
		{"gelu", layer, func(b *Builder, x, _ string) string { return b.GELU(b.Linear("l", x, 4, 3, seq(12), seq(3))) }},
		{"gelu alone", "call:1 gelu:1", func(b *Builder, x, _ string) string { return b.GELU(x) }},
		{"gelu, half last", "call:1 gelu:1", func(b *Builder, x, _ string) string {
			e := b.Node("Erf", []string{b.two("Mul", b.constant("r", 0.70710678), x)})
			return b.two("Mul", b.constant("half", 0.5), b.two("Mul", b.two("Add", b.constant("one", 1), e), x))
		}},
		{"gelu, half first", layer, func(b *Builder, x, _ string) string {
			x = b.Linear("l", x, 4, 3, seq(12), seq(3))
			e := b.Node("Erf", []string{b.two("Div", x, b.constant("r", 1.4142135))})
			return b.two("Mul", b.two("Mul", x, b.constant("half", 0.5)), b.two("Add", e, b.constant("one", 1)))
		}},
		{"gelu of another root", "call:6", func(b *Builder, x, _ string) string {
			e := b.Node("Erf", []string{b.two("Div", x, b.constant("r", 1.5))})
			return b.two("Mul", x, b.two("Mul", b.two("Add", e, b.constant("one", 1)), b.constant("half", 0.5)))
		}},
		{"gelu of one, times another", "call:6 linear:1", func(b *Builder, x, y string) string {
			e := b.Node("Erf", []string{b.two("Div", b.Linear("l", x, 4, 3, seq(12), seq(3)), b.constant("r", 1.4142135))})
			return b.two("Mul", y, b.two("Mul", b.two("Add", e, b.constant("one", 1)), b.constant("half", 0.5)))
		}},
		{"a product that is used again", "call:3 linear:1", func(b *Builder, x, _ string) string {
			l := b.two("MatMul", x, b.Weight("w", []int{4, 3}, seq(12)))
			return b.two("Mul", l, b.two("Add", l, b.Weight("b", []int{3}, seq(3))))
		}},
		{"a product that is an output", "call:2 linear:1", func(b *Builder, x, _ string) string {
			l := b.two("MatMul", x, b.Weight("w", []int{4, 3}, seq(12)))
			b.Output(l, Float32)
			return b.two("Add", l, b.Weight("b", []int{3}, seq(3)))
		}},
		{"gelu whose sum is used again", "call:7 linear:1", func(b *Builder, x, _ string) string {
			x = b.Linear("l", x, 4, 3, seq(12), seq(3))
			e := b.two("Add", b.Node("Erf", []string{b.two("Div", x, b.constant("r", 1.4142135))}), b.constant("one", 1))
			return b.two("Add", e, b.two("Mul", x, b.two("Mul", e, b.constant("half", 0.5))))
		}},
		{"norm", "call:1 norm:1", func(b *Builder, x, _ string) string { return b.LayerNorm("n", x, seq(4), seq(4), 0.1) }},
		{"attention with a bias of each head", "attention:1 call:8", func(b *Builder, x, _ string) string {
			x = b.two("Reshape", x, b.integers("to", 1, 2, 4))
			return b.Attention(b.Node("Concat", []string{x, x, x}, Int("axis", 2)), b.Weight("bias", []int{2, 2, 2}, seq(8)), 2,
				4)
		}},
		{"attention with a bias of each row", "attention:1 call:8", func(b *Builder, x, _ string) string {
			x = b.two("Reshape", x, b.integers("to", 1, 2, 4))
			return b.Attention(b.Node("Concat", []string{x, x, x}, Int("axis", 2)), b.Weight("bias", []int{1, 1, 2, 1}, seq(2)),
				2, 4)
		}},
		{"attention without bias", "attention:1 call:8", func(b *Builder, x, _ string) string {
			x = b.two("Reshape", x, b.integers("to", 1, 2, 4))
			return b.Attention(b.Node("Concat", []string{x, x, x}, Int("axis", 2)), "", 2, 4)
		}},
	} {
		b := New(c.name)
		x, y := b.Input("x", Float32, "n", "4"), b.Input("y", Float32, "n", "3")
		b.Named("out", "Identity", []string{c.build(b, x, y)})
		b.Output("out", Float32)
		data, err := b.Bytes(nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		p, err := Load(data)
		if err != nil {
			t.Fatal(c.name, err)
		}
		in := map[string]Tensor{"x": FloatTensor(seq(8), 2, 4), "y": FloatTensor(seq(6), 2, 3)}
		want, err := p.Reference(in)
		if err != nil {
			t.Fatal(c.name, err)
		}
		got, err := p.run(p.plan, new(memory), in)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := kinds(p); got != c.want {
			t.Errorf("%s: steps %s, want %s", c.name, got, c.want)
		}
		for name := range want {
			difference(t, c.name+": "+name, got[name], want[name], 1e-6)
		}
	}
}

// seq returns numbers between -1 and 1, all different.
func seq(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(math.Sin(float64(i*i + 1)))
	}
	return v
}

// BenchmarkRun is the encoding of a long program: 6 windows of 256 tokens. The issue
// wants it within 60 ms.
func BenchmarkRun(b *testing.B) {
	s := transformer{layers: 2, heads: 4, width: 128, inner: 512, vocabulary: 4000, length: 256}
	data := s.build(b)
	p, err := Load(data)
	if err != nil {
		b.Fatal(err)
	}
	in := s.inputs(6, 256)
	b.Run("layers", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Run(in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("nodes", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Reference(in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := Load(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Layers of networks, in nodes that any program reads and that compile finds again.

// two adds a node of two inputs.
func (b *Builder) two(op, x, y string) string { return b.Node(op, []string{x, y}) }

// constant returns a number, which is written once.
func (b *Builder) constant(name string, v float32) string {
	if !b.known[name] {
		b.Weight(name, nil, []float32{v})
	}
	return name
}

// Linear multiplies rows by a matrix of inputs x outputs and adds a row. The weights
// are NAME.weight and NAME.bias.
func (b *Builder) Linear(name, x string, inputs, outputs int, weight, bias []float32) string {
	w := b.Weight(name+".weight", []int{inputs, outputs}, weight)
	return b.two("Add", b.two("MatMul", x, w), b.Weight(name+".bias", []int{outputs}, bias))
}

// GELU is x*Phi(x), in terms of the error function: the operator Gelu came with
// opset 20.
func (b *Builder) GELU(x string) string {
	erf := b.Node("Erf", []string{b.two("Div", x, b.constant("root_of_2", math.Sqrt2))})
	return b.two("Mul", x, b.two("Mul", b.two("Add", erf, b.constant("one", 1)), b.constant("half", 0.5)))
}

// LayerNorm normalises rows. The weights are NAME.weight and NAME.bias.
func (b *Builder) LayerNorm(name, x string, gamma, beta []float32, epsilon float32) string {
	g := b.Weight(name+".weight", []int{len(gamma)}, gamma)
	return b.Node("LayerNormalization", []string{x, g, b.Weight(name+".bias", []int{len(beta)}, beta)}, Int("axis", -1),
		Float("epsilon", epsilon))
}

// AttentionBias turns a mask of batch x length, which is 1 where there is a token and
// 0 where there is none, into what Attention adds: 0 or -10000, batch x 1 x 1 x length.
func (b *Builder) AttentionBias(mask string) string {
	axes := b.integers("axes_1_2", 1, 2)
	none := b.two("Sub", b.Node("Unsqueeze", []string{mask, axes}), b.constant("one", 1))
	return b.two("Mul", none, b.constant("ten_thousand", 1e4))
}

// integers returns a list of integers, which is written once.
func (b *Builder) integers(name string, v ...int64) string {
	if !b.known[name] {
		b.Ints(name, []int{len(v)}, v)
	}
	return name
}

// Attention is softmax(q*k'/sqrt(d) + bias)*v in each of several heads (Vaswani et al.
// 2017). The columns of qkv, batch x length x 3*width, are those of q, of k and of v,
// and in each those of a head together. No bias is "".
func (b *Builder) Attention(qkv, bias string, heads, width int) string {
	parts := b.NodeN("Split", []string{qkv}, 3, Int("axis", -1))
	split := b.integers("heads", 0, 0, int64(heads), int64(width/heads))
	turned := func(x string, perm ...int64) string {
		return b.Node("Transpose", []string{b.two("Reshape", x, split)}, Ints("perm", perm...))
	}
	q, k, v := turned(parts[0], 0, 2, 1, 3), turned(parts[1], 0, 2, 3, 1), turned(parts[2], 0, 2, 1, 3)
	scores := b.two("Mul", b.two("MatMul", q, k),
		b.constant("attention_scale", float32(1/math.Sqrt(float64(width/heads)))))
	if bias != "" {
		scores = b.two("Add", scores, bias)
	}
	out := b.two("MatMul", b.Node("Softmax", []string{scores}, Int("axis", -1)), v)
	out = b.Node("Transpose", []string{out}, Ints("perm", 0, 2, 1, 3))
	return b.two("Reshape", out, b.integers("joined", 0, 0, int64(width)))
}
