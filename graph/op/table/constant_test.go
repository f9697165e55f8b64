package table

import (
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

var nan = math.NaN()

func scalar(t tir.DType, v float64) *graph.Tensor { return graph.Scalar(t, v) }

// TestRange: numbers of elements, with operands that are constants and those that are not.
func TestRange(t *testing.T) {
	for _, x := range []struct {
		t                   tir.DType
		start, limit, delta float64
		want                []float64
	}{
		{tir.I64, 3, 9, 3, []float64{3, 6}},
		{tir.I64, 10, 4, -2, []float64{10, 8, 6}},
		{tir.I32, 0, 7, 2, []float64{0, 2, 4, 6}},
		{tir.I16, 5, 4, -1, []float64{5}},
		{tir.F32, 0, 1, 0.25, []float64{0, 0.25, 0.5, 0.75}},
		{tir.F32, 1, -0.5, -0.5, []float64{1, 0.5, 0}},
		{tir.I64, 5, 5, 1, nil},
		{tir.I64, 5, 6, -1, nil},
	} {
		in := []*graph.Tensor{scalar(x.t, x.start), scalar(x.t, x.limit), scalar(x.t, x.delta)}
		got, err := evalOf("Range", 11)(nil, nil, in)
		if err != nil {
			t.Fatal(err)
		}
		list := []float64{}
		for i := range got[0].Len() {
			list = append(list, got[0].At(i))
		}
		if !slices.Equal(list, x.want) {
			t.Errorf("from %v to %v by %v: %v, want %v", x.start, x.limit, x.delta, list, x.want)
		}
		checkNode(t, "Range", 11, 1, in, []int{0, 1, 2})
		if len(x.want) > 0 {
			nodeCase{op: "Range", version: 11, in: in, declared: [][]int64{{int64(len(x.want))}}}.check(t)
		}
	}
	for _, delta := range []float64{0, 1} {
		in := []*graph.Tensor{scalar(tir.I64, 0), scalar(tir.I64, 5), scalar(tir.I64, delta)}
		n := nodeCase{op: "Range", version: 11, in: in}.node()
		n.Outputs[0].Type, n.Outputs[0].Shape, n.Outputs[0].Ranked = tir.I64, []int64{4}, true
		if !faults(t, n, in...) {
			t.Errorf("5 numbers, by %v, fit into 4", delta)
		}
	}
}

// TestConstantOfShape: shapes that are constants and those that are not, and numbers of all types.
func TestConstantOfShape(t *testing.T) {
	for _, dt := range allTypes {
		fill := graph.Attr{Name: "value", Kind: graph.AttrTensor, Tensor: (&graph.Tensor{
			Type: dt, Shape: []int64{1}, F: scalar(dt, 1).F, I: scalar(dt, 1).I,
		}).Const()}
		in := []*graph.Tensor{graph.Ints(2, 3)}
		checkNode(t, "ConstantOfShape", 9, 1, in, []int{0}, fill)
		nodeCase{op: "ConstantOfShape", version: 9, in: in, attrs: []graph.Attr{fill}, declared: [][]int64{{2, 3}}}.check(t)
	}
	checkNode(t, "ConstantOfShape", 9, 1, []*graph.Tensor{graph.Ints()}, []int{0})
	checkNode(t, "ConstantOfShape", 9, 1, []*graph.Tensor{graph.Ints(2, 0)}, []int{0})
	in := []*graph.Tensor{graph.Ints(2, 4)}
	n := nodeCase{op: "ConstantOfShape", version: 9, in: in}.node()
	n.Outputs[0].Type, n.Outputs[0].Shape, n.Outputs[0].Ranked = tir.F32, []int64{2, 3}, true
	if !faults(t, n, in...) {
		t.Error("a tensor of 2x4 elements is one of 2x3")
	}
}

// TestShape: parts of a shape, counted from the beginning and from the end.
func TestShape(t *testing.T) {
	x := []*graph.Tensor{{Type: tir.F32, Shape: []int64{2, 3, 4}}}
	for _, c := range []struct {
		attrs []graph.Attr
		want  []int64
	}{
		{nil, []int64{2, 3, 4}},
		{[]graph.Attr{graph.IntAttr("start", -1)}, []int64{4}},
		{[]graph.Attr{graph.IntAttr("end", -1)}, []int64{2, 3}},
		{[]graph.Attr{graph.IntAttr("start", 1), graph.IntAttr("end", 2)}, []int64{3}},
		{[]graph.Attr{graph.IntAttr("start", -9), graph.IntAttr("end", 9)}, []int64{2, 3, 4}},
		{[]graph.Attr{graph.IntAttr("start", 2), graph.IntAttr("end", 1)}, []int64{}},
	} {
		n := &graph.Node{Op: "Shape", Version: 15}
		n.SetAttr(c.attrs...)
		if got, err := evalOf("Shape", 15)(nil, n, x); err != nil || !slices.Equal(got[0].I, c.want) {
			t.Errorf("%v: %v, %v, want %v", c.attrs, got, err, c.want)
		}
	}
}

// TestConstants: what remains.
func TestConstants(t *testing.T) {
	for k := int64(-3); k < 4; k++ {
		for _, dt := range []int64{1, 7, 9, 10} {
			x := graph.NewTensor(tir.I32, 3, 4)
			checkNode(t, "EyeLike", 9, 1, []*graph.Tensor{x}, nil, graph.IntAttr("k", k), graph.IntAttr("dtype", dt))
		}
	}
	for _, op := range []string{"HannWindow", "HammingWindow", "BlackmanWindow"} {
		for periodic := range int64(2) {
			for _, dt := range []int64{1, 11, 7} {
				attrs := []graph.Attr{graph.IntAttr("periodic", periodic), graph.IntAttr("output_datatype", dt)}
				in := []*graph.Tensor{scalar(tir.I32, 7)}
				nodeCase{op: op, version: 17, in: in, attrs: attrs, declared: [][]int64{{7}}}.check(t)
			}
		}
	}
	in := []*graph.Tensor{
		scalar(tir.I32, 6), scalar(tir.I32, 33), scalar(tir.I32, 8192), scalar(tir.F32, 20), scalar(tir.F32, 4000),
	}
	nodeCase{op: "MelWeightMatrix", version: 17, in: in, declared: [][]int64{{17, 6}}}.check(t)
}
