package onnx

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
)

// sparseOf returns a sparse tensor of float32; places has the shape of at.
func sparseOf(name string, v []float32, at []int64, places []int64, dims ...int64) pb {
	values := headOf(name, 1, int64(len(v)))
	for _, f := range v {
		values = values.f32(tensorFloats, f)
	}
	s := pb(nil).msg(sparseValues, values).msg(sparseIndices, headOf("", 7, at...).msg(tensorInt64s, packed(places...)))
	for _, d := range dims {
		s = s.num(sparseDims, d)
	}
	return s
}

// TestSparse: sparse initializers, and those of Constant, become dense ones.
func TestSparse(t *testing.T) {
	for _, c := range []struct {
		tensor pb
		want   string
	}{
		{sparseOf("w", []float32{5}, []int64{1}, []int64{1}, 3), "[3] [0 5 0]"},
		{sparseOf("w", []float32{1, 2}, []int64{2}, []int64{1, 5}, 2, 3), "[2 3] [0 1 0 0 0 2]"},
		{sparseOf("w", []float32{1, 2}, []int64{2, 2}, []int64{0, 2, 1, 0}, 2, 3), "[2 3] [0 0 1 2 0 0]"},
		{sparseOf("w", []float32{7}, []int64{1, 1}, []int64{2}, 3), "[3] [0 0 7]"},
		{sparseOf("w", nil, []int64{0}, nil, 2), "[2] [0 0]"},
		{sparseOf("w", []float32{5}, []int64{1}, []int64{3}, 3), `initializer "w": damaged: place 3 of`},
		{sparseOf("w", []float32{5}, []int64{1}, []int64{-1}, 3), `initializer "w": damaged: place -1 of`},
		{sparseOf("w", []float32{5, 6}, []int64{1}, []int64{1}, 3), `initializer "w": damaged: places`},
		{sparseOf("w", []float32{5}, nil, []int64{1}, 3), `initializer "w": damaged: places`},
		{sparseOf("w", []float32{5}, []int64{1}, []int64{1}, 1<<20, 1<<20), `initializer "w" is a sparse tensor of shape ` +
			`[1048576 1048576]: with zeros, those of the file have more than 1024 MB`},
		{nil, "damaged: a sparse tensor without"},
	} {
		g := graphOf("g", in("x", 3), out("y"), pb(nil).msg(graphSparse, c.tensor), nodeOf("Add", names("x", "w"), names("y")))
		m, err := Decode(modelOf(18, g), Options{})
		got := fmt.Sprint(err)
		if err == nil {
			w := m.Nodes[0].Inputs[1].Const
			got = fmt.Sprint(w.Shape, w.Tensor().F)
		}
		if err == nil && got != strings.Replace(c.want, "] [", "][", 1) && got != c.want || err != nil && !strings.Contains(got, c.want) {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if strings.Contains(c.want, "more than") && !errors.Is(err, graph.ErrUnsupported) {
			t.Errorf("%v is no error about what is not supported", err)
		}
	}
	value := attrOf("sparse_value", kindSparse).msg(attrSparse, sparseOf("", []float32{5}, []int64{1}, []int64{1}, 3))
	m, err := Decode(modelOf(18, graphOf("g", out("y"), nodeOf("Constant", nil, names("y"), value))), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a := m.Nodes[0].Attr("sparse_value"); a == nil || fmt.Sprint(a.Tensor.Tensor().F) != "[0 5 0]" {
		t.Errorf("the attribute is %v", a)
	}
}
