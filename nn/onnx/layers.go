package onnx

import "math"

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
	return b.Node("LayerNormalization", []string{x, g, b.Weight(name+".bias", []int{len(beta)}, beta)}, Int("axis", -1), Float("epsilon", epsilon))
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
	scores := b.two("Mul", b.two("MatMul", q, k), b.constant("attention_scale", float32(1/math.Sqrt(float64(width/heads)))))
	if bias != "" {
		scores = b.two("Add", scores, bias)
	}
	out := b.two("MatMul", b.Node("Softmax", []string{scores}, Int("axis", -1)), v)
	out = b.Node("Transpose", []string{out}, Ints("perm", 0, 2, 1, 3))
	return b.two("Reshape", out, b.integers("joined", 0, 0, int64(width)))
}
