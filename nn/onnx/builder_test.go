package onnx

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// perceptron is a small network: gelu(x*W + b), mean over rows.
func perceptron() *Builder {
	b := New("perceptron")
	x := b.Input("x", Float32, "batch", "3")
	w := b.Weight("w", []int{3, 2}, []float32{1, 2, 3, 4, 5, 6})
	y := b.Node("Add", []string{b.Node("MatMul", []string{x, w}), b.Weight("b", []int{2}, []float32{0.5, -0.5})})
	half, root := b.Weight("half", nil, []float32{0.5}), b.Weight("root", nil, []float32{1.4142135})
	e := b.Node("Erf", []string{b.Node("Div", []string{y, root})})
	one := b.Weight("one", nil, []float32{1})
	g := b.Node("Mul", []string{b.Node("Mul", []string{y, b.Node("Add", []string{e, one})}), half})
	b.Named("y", "ReduceMean", []string{g}, Ints("axes", 1), Int("keepdims", 0))
	b.Output("y", Float32, "batch")
	return b
}

// The bytes are always the same: what is in model files must not change by itself.
func TestBytes(t *testing.T) {
	meta := map[string]string{"b": "2", "a": "1", "c": "3", "aa": "4"}
	data, err := perceptron().Bytes(meta)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		again, err := perceptron().Bytes(meta)
		if err != nil || !bytes.Equal(data, again) {
			t.Fatalf("other bytes, %v", err)
		}
	}
	const want = "c3425ae988b715df"
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:8]); got != want {
		t.Errorf("%d bytes with hash %s, want %s: if the change is meant, models must be trained again or their hashes "+
			"changed", len(data), got, want)
	}
}

func TestBuilderErrors(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(b *Builder)
	}{
		{`the network has no output`, func(b *Builder) { b.Input("x", Float32, "2") }},
		{`two values are named "x"`, func(b *Builder) { b.Input("x", Float32, "2"); b.Weight("x", nil, []float32{1}) }},
		{`weight "w" of shape [2 3] has 5 values`, func(b *Builder) { b.Weight("w", []int{2, 3}, make([]float32, 5)) }},
		{`weight "w" of shape [0] has 0 values`, func(b *Builder) { b.Ints("w", []int{0}, nil) }},
		{`Relu reads "y", which is no value`, func(b *Builder) { b.Node("Relu", []string{"y"}) }},
		{`output "y" is no value`, func(b *Builder) { b.Output("y", Float32) }},
		{`output "x" is there twice`, func(b *Builder) {
			x := b.Input("x", Float32)
			b.Output(x, Float32)
			b.Output(x, Float32)
		}},
		{`a value without a name`, func(b *Builder) { b.Input("", Float32) }},
	} {
		b := New("net")
		c.build(b)
		if _, err := b.Bytes(nil); err == nil || !strings.HasSuffix(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "onnx: net: ") {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
