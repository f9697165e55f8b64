package onnx

import (
	"bytes"
	"maps"
	"math"
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
	f, err := Load(written(t))
	if err != nil {
		t.Fatal(err)
	}
	if meta := f.Meta(); !maps.Equal(meta, map[string]string{"note": "n"}) {
		t.Errorf("metadata %v", meta)
	}
	shape, data, ok := f.Weight("w")
	if !ok || !slices.Equal(shape, []int{3, 2}) || !slices.Equal(data, []float32{1, 2, 3, 4, 5, 6}) {
		t.Errorf("w is %v of shape %v, %v", data, shape, ok)
	}
	if shape, data, ok = f.Weight("half"); !ok || len(shape) != 0 || !slices.Equal(data, []float32{0.5}) {
		t.Errorf("half is %v of shape %v, %v", data, shape, ok)
	}
	for _, name := range []string{"x", "y", "nothing"} {
		if _, _, ok := f.Weight(name); ok {
			t.Errorf("%q is a weight", name)
		}
	}
}

// A file that is damaged in any way is an error: cut anywhere, one bit of any
// byte turned over, bytes of 0 in it, something behind it.
func TestLoadDamaged(t *testing.T) {
	data := written(t)
	refuse := func(what string, at int, b []byte) {
		t.Helper()
		if _, err := Load(b); err == nil || !strings.Contains(err.Error(), "copy the file again, or train it again") {
			t.Errorf("%s at %d of %d: error %v", what, at, len(data), err)
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
	refuse("text", 0, []byte(`{"model": "this is JSON", "list": [1, 2, 3]}`))
	refuse("zeros", 0, make([]byte, 4096))
}

// seal adds the checksum to what would else be refused at once.
func seal(b []byte) []byte {
	m := message(bytes.Clone(b))
	m.bytes(modelMeta, checksumPair(b))
	return m
}

// graphOf encodes a file of a graph.
func graphOf(graph func(g *message)) []byte {
	var g, m message
	graph(&g)
	m.bytes(modelGraph, g)
	return seal(m)
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

// What a file can say that Builder does not write, or that cannot be, is said in words.
func TestLoadErrors(t *testing.T) {
	with := func(name string, typ Type, raw int, dims ...int64) []byte {
		return graphOf(func(g *message) { addWeight(g, name, typ, raw, dims...) })
	}
	for _, c := range []struct {
		want string
		data []byte
	}{
		{`weight "w" has the shape [2 3] and 20 bytes`, with("w", Float32, 20, 2, 3)},
		{`weight "w" has the shape [2 3] and 28 bytes`, with("w", Float32, 28, 2, 3)},
		{`weight "w" has the shape [67108865 3] and 24 bytes`, with("w", Float32, 24, -2, 3)},
		{`weight "w" has the shape [8192 8193] and 24 bytes`, with("w", Float32, 24, 8192, 8193)},
		{`weight "w" has the shape [0] and 0 bytes`, with("w", Float32, 0, 0)},
		{`weight "w" is of type 10 and has field 0`, with("w", 10, 4, 2)},
		{`two weights are named "w"`, graphOf(func(g *message) {
			addWeight(g, "w", Float32, 4)
			addWeight(g, "w", Float32, 4)
		})},
		{`weight "w" is of float32 and has field 4`, graphOf(func(g *message) {
			var w message
			w.integer(tensorType, int64(Float32))
			w.text(tensorName, "w")
			w.bytes(4, make([]byte, 8)) // floats that are not raw
			g.bytes(graphInitializer, w)
		})},
		{"field 1 has wire type 1", graphOf(func(g *message) { *g = append(*g, 0x09, 1, 2, 3, 4, 5, 6, 7, 8) })},
		{"unexpected EOF", seal([]byte{0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f})},
	} {
		if _, err := Load(c.data); err == nil || err.Error() != "onnx: the file is damaged: "+c.want+
			"; copy it again, or train it again" {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// A reader says which weight is not what its network needs.
func TestReader(t *testing.T) {
	b := New("net")
	b.Weight("row_1", []int{2}, []float32{1, 2})
	b.Weight("matrix_1", []int{2, 3}, make([]float32, 6))
	b.Weight("infinite_1", []int{2}, []float32{0, float32(math.Inf(1))})
	b.Output(b.Input("x", Float32), Float32)
	data, err := b.Bytes(nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		rows, cols int
		want       string
	}{
		{"row", 1, 2, ""},
		{"matrix", 0, 3, ""},
		{"matrix", 2, 4, "weight matrix_1 has the shape [2 3], which does not fit the others: train it again"},
		{"matrix", 1, 0, "weight matrix_1 has the shape [2 3], which does not fit the others: train it again"},
		{"infinite", 0, 0, "weight infinite_1 is +Inf at 1: its training failed; train it again"},
		{"none", 0, 0, "the file has no weight none_1: train it again"},
	} {
		r := &Reader{File: f, Suffix: "_1"}
		data, rows, cols := r.Matrix(c.name, c.rows, c.cols)
		if c.want == "" {
			if r.Err != nil || len(data) != rows*cols {
				t.Errorf("%s: %d numbers of %d x %d, %v", c.name, len(data), rows, cols, r.Err)
			}
		} else if r.Err == nil || r.Err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.name, r.Err, c.want)
		}
		if first := r.Err; first != nil {
			if r.Matrix("row", 1, 3); r.Err != first {
				t.Errorf("%s: the second mistake is kept: %v", c.name, r.Err)
			}
		}
	}
}

// FuzzLoad: whatever the bytes are, Load returns, whether their checksum is right or not.
func FuzzLoad(f *testing.F) {
	data := written(f)
	f.Add(data)
	f.Add(data[:len(data)-len(checksumPair(nil))-2])
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = Load(data)
		_, _ = Load(seal(data))
	})
}
