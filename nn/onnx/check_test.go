package onnx

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func written(t testing.TB) []byte {
	t.Helper()
	data, err := perceptron().Bytes(map[string]string{"note": "n"})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLoad(t *testing.T) {
	p, err := Load(written(t))
	if err != nil {
		t.Fatal(err)
	}
	if meta := p.Meta(); !maps.Equal(meta, map[string]string{"note": "n"}) {
		t.Errorf("metadata %v", meta)
	}
	shape, data, ok := p.Weight("w")
	if !ok || !slices.Equal(shape, []int{3, 2}) || !slices.Equal(data, []float32{1, 2, 3, 4, 5, 6}) {
		t.Errorf("w is %v of shape %v, %v", data, shape, ok)
	}
	for _, name := range []string{"x", "y", "nothing"} {
		if _, _, ok := p.Weight(name); ok {
			t.Errorf("%q is a weight", name)
		}
	}
	out, err := p.Run(map[string]Tensor{"x": FloatTensor([]float32{1, 1, 1, 0, 0, 0}, 2, 3)})
	if err != nil {
		t.Fatal(err)
	}
	// gelu(9.5), gelu(11.5) and gelu(.5), gelu(-.5): their means.
	difference(t, "y", out["y"], FloatTensor([]float32{10.5, (0.34573123 - 0.15426877) / 2}, 2), 1e-6)
	if in := p.file.inputs; len(in) != 1 || in[0].Name != "x" || in[0].Type != Float32 ||
		!slices.Equal(in[0].Dims, []int{-1, 3}) {
		t.Errorf("inputs %+v", in)
	}
}

func TestRunErrors(t *testing.T) {
	p, err := Load(written(t))
	if err != nil {
		t.Fatal(err)
	}
	x := FloatTensor(make([]float32, 6), 2, 3)
	for _, c := range []struct {
		want   string
		inputs map[string]Tensor
	}{
		{`input "x" is missing`, nil},
		{`the network has no input "z"`, map[string]Tensor{"x": x, "z": x}},
		{`input "x": it is of int64, and the network wants float32`,
			map[string]Tensor{"x": IntTensor(make([]int64, 6), 2, 3)}},
		{`input "x": it has the shape [3 2], and the network wants [-1 3]`, map[string]Tensor{"x": x.reshaped([]int{3, 2})}},
		{`input "x": it has the shape [6], and the network wants [-1 3]`, map[string]Tensor{"x": x.reshaped([]int{6})}},
		{`input "x": a tensor of float32 of shape [3 3] has 6 values`, map[string]Tensor{"x": x.reshaped([]int{3, 3})}},
		{`input "x": a tensor of float32 of shape [-1 -6] has 6 values`, map[string]Tensor{"x": x.reshaped([]int{-1, -6})}},
	} {
		if _, err := p.Run(c.inputs); err == nil || err.Error() != "onnx: "+c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// A file of ours that is damaged in any way is an error: cut anywhere, one bit of any
// byte turned over, bytes of 0 in it, something behind it.
func TestLoadDamaged(t *testing.T) {
	data := written(t)
	refuse := func(what string, at int, b []byte) {
		t.Helper()
		if _, err := Load(b); err == nil {
			t.Errorf("%s at %d of %d: no error", what, at, len(data))
		}
	}
	for i := range data {
		refuse("cut", i, data[:i])
		turned := bytes.Clone(data)
		turned[i] ^= 1 << (i % 8)
		refuse("a bit turned over", i, turned)
		zeros := bytes.Clone(data)
		clear(zeros[i:min(i+16, len(zeros))])
		if !bytes.Equal(zeros, data) {
			refuse("bytes of 0", i, zeros)
		}
	}
	refuse("more", 0, append(bytes.Clone(data), 0))
	refuse("twice", 0, append(bytes.Clone(data), data...))
}

// A file of another program has no checksum, so a turned bit may go unseen: it is an
// error or a network that runs or not, and never a panic.
func TestLoadDamagedForeign(t *testing.T) {
	for k, c := range golden(t) {
		inputs := map[string]Tensor{}
		for name, in := range c.Inputs {
			inputs[name] = in.tensor()
		}
		for i := k % 7; i < len(c.Model); i += 7 {
			turned := bytes.Clone(c.Model)
			turned[i] ^= 1 << (i % 8)
			for _, b := range [][]byte{turned, c.Model[:i]} {
				if p, err := Load(b); err == nil {
					p.Run(inputs)
				}
			}
		}
	}
}

func TestLoadNoFile(t *testing.T) {
	for want, data := range map[string][]byte{
		"it is no ONNX file":   nil,
		"of wire type":         []byte(`{"model": "this is JSON", "list": [1, 2, 3]}`),
		"damaged":              make([]byte, 4096),
		"damaged: ":            []byte("hello, world"),
		"has wire type 1":      {0x09, 1, 2, 3, 4, 5, 6, 7, 8},
		"damaged: unexpected ": {0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f},
	} {
		if _, err := Load(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// foreign encodes a file as another program would write it.
func foreign(opset int64, graph func(g *message)) []byte {
	var g, o, m message
	o.text(pairKey, "")
	o.integer(pairValue, opset)
	graph(&g)
	m.integer(modelIR, 8)
	m.bytes(modelGraph, g)
	m.bytes(modelOpset, o)
	return m
}

// addNode adds a node to a graph.
func addNode(g *message, op string, inputs, outputs []string, attrs ...message) {
	var n message
	for _, in := range inputs {
		n.text(nodeInput, in)
	}
	for _, out := range outputs {
		n.text(nodeOutput, out)
	}
	n.text(nodeOp, op)
	for _, a := range attrs {
		n.bytes(nodeAttribute, a)
	}
	g.bytes(graphNode, n)
}

func addWeight(g *message, name string, typ Type, raw int, dims ...int64) {
	var w message
	for _, d := range dims {
		w.integer(tensorDims, d)
	}
	w.integer(tensorType, int64(typ))
	w.text(tensorName, name)
	w.bytes(tensorRaw, make([]byte, raw))
	g.bytes(graphInitializer, w)
}

// What a file can say that we do not do, or that cannot be, is said in words.
func TestLoadErrors(t *testing.T) {
	relu := func(g *message) {
		g.bytes(graphInput, info("x", Float32, nil))
		addNode(g, "Relu", []string{"x"}, []string{"y"})
		g.bytes(graphOutput, info("y", Float32, nil))
	}
	with := func(f func(g *message)) []byte { return foreign(17, func(g *message) { relu(g); f(g) }) }
	var graph, kindless message
	graph.text(attrName, "body")
	graph.bytes(attrG, nil)
	graph.integer(attrType, 5)
	kindless.text(attrName, "a")
	for _, c := range []struct {
		want string
		data []byte
	}{
		{"the file is of opset 9: export it with one from 13 to 22", foreign(9, relu)},
		{"the file is of opset 99: export it with one from 13 to 22", foreign(99, relu)},
		{`weight "w": damaged: the shape [2 3] does not fit its data`,
			with(func(g *message) { addWeight(g, "w", Float32, 20, 2, 3) })},
		{`weight "w": damaged: the shape [2 3] does not fit its data`,
			with(func(g *message) { addWeight(g, "w", Float32, 28, 2, 3) })},
		{`weight "w" has the shape [67108865 3]`, with(func(g *message) { addWeight(g, "w", Float32, 24, -2, 3) })},
		{`weight "w" has the shape [8192 8193]`, with(func(g *message) { addWeight(g, "w", Float32, 24, 8192, 8193) })},
		{`weight "w" has the shape [0]`, with(func(g *message) { addWeight(g, "w", Float32, 0, 0) })},
		{`weight "w" is of type 10, which is not supported`, with(func(g *message) { addWeight(g, "w", 10, 4, 2) })},
		{`weight "w" holds bool as raw bytes, which onnx-go cannot read`,
			with(func(g *message) { addWeight(g, "w", Bool, 2, 2) })},
		{`two weights are named "w"`, with(func(g *message) {
			addWeight(g, "w", Float32, 4)
			addWeight(g, "w", Float32,
				4)
		})},
		{`two inputs are named "x"`, with(func(g *message) { g.bytes(graphInput, info("x", Float32, nil)) })},
		{`two outputs are named "y"`, with(func(g *message) { g.bytes(graphOutput, info("y", Float32, nil)) })},
		{`output "z" is computed by no node`, with(func(g *message) { g.bytes(graphOutput, info("z", Float32, nil)) })},
		{`node 1 (Relu) reads "z", which is not computed before`,
			with(func(g *message) { addNode(g, "Relu", []string{"z"}, []string{"z"}) })},
		{`node 1 (Relu): two values are named "y"`,
			with(func(g *message) { addNode(g, "Relu", []string{"x"}, []string{"y"}) })},
		{`node 1 (Relu) has no output`, with(func(g *message) { addNode(g, "Relu", []string{"x"}, nil) })},
		{`node 1 (LSTM): an operator that is not supported`,
			with(func(g *message) { addNode(g, "LSTM", []string{"x"}, []string{"z"}) })},
		{`node 1 (Relu) has 2 inputs`, with(func(g *message) { addNode(g, "Relu", []string{"x", "x"}, []string{"z"}) })},
		{`node 1 (Loop) has an attribute that is a graph or a list of texts or tensors, which is not supported`,
			with(func(g *message) { addNode(g, "Loop", []string{"x"}, []string{"z"}, graph) })},
		{`node 1 (Relu) has an attribute of kind 0, which is not supported`,
			with(func(g *message) { addNode(g, "Relu", []string{"x"}, []string{"z"}, kindless) })},
		{`the graph has 0 nodes and 1 outputs`, foreign(17, func(g *message) {
			g.bytes(graphInput, info("x", Float32, nil))
			g.bytes(graphOutput, info("x", Float32, nil))
		})},
	} {
		if _, err := Load(c.data); err == nil || err.Error() != "onnx: "+c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// A network may ask for sizes that no machine has: an error, at once. Mul(x, x) reads
// x twice, and an output may be an input.
func TestHostile(t *testing.T) {
	b := New("large")
	x := b.Input("x", Float32)
	b.Named("y", "Expand", []string{x, b.Ints("to", []int{2}, []int64{1 << 25, 8})})
	b.Output("y", Float32)
	data, err := b.Bytes(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(map[string]Tensor{"x": FloatTensor([]float32{1})}); err == nil ||
		err.Error() != "onnx: node 0 (Expand): a value of more than 67108864 numbers" {
		t.Errorf("error %v", err)
	}

	b = New("square")
	x = b.Input("x", Float32, "n")
	b.Named("y", "Mul", []string{x, x})
	b.Output("y", Float32, "n")
	b.Output("x", Float32, "n")
	if data, err = b.Bytes(nil); err != nil {
		t.Fatal(err)
	}
	if p, err = Load(data); err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(map[string]Tensor{"x": FloatTensor([]float32{3, 4}, 2)})
	if err != nil {
		t.Fatal(err)
	}
	difference(t, "y", out["y"], FloatTensor([]float32{9, 16}, 2), 0)
	difference(t, "x", out["x"], FloatTensor([]float32{3, 4}, 2), 0)
}

// FuzzLoad: whatever the bytes are, Load and Run return.
func FuzzLoad(f *testing.F) {
	f.Add(written(f))
	for _, c := range golden(f) {
		f.Add(c.Model)
	}
	if data, err := os.ReadFile("testdata/operators.json"); err == nil {
		f.Add(data[:1000])
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		p, err := Load(data)
		if err != nil {
			return
		}
		inputs := map[string]Tensor{}
		for _, in := range p.file.inputs {
			t := Tensor{Type: in.Type}
			for _, d := range in.Dims {
				t.Shape = append(t.Shape, max(min(d, 8), 2))
			}
			if in.Type == Float32 {
				t.Floats = make([]float32, elements(t.Shape))
			} else {
				t.Ints = make([]int64, elements(t.Shape))
			}
			inputs[in.Name] = t
		}
		p.Run(inputs)
	})
}
