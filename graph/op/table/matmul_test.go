package table

import (
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

var productCases = []bodyCase{
	{name: "matrices", op: "MatMul", inputs: []testInput{varying(3, 4), constant(4, 5)}},
	{name: "vectors", op: "MatMul", inputs: []testInput{varying(4), varying(4)}},
	{name: "row", op: "MatMul", inputs: []testInput{varying(4), varying(2, 4, 5)}},
	{name: "column", op: "MatMul", inputs: []testInput{varying(2, 3, 4), varying(4)}},
	{name: "batch", op: "MatMul", inputs: []testInput{varying(2, 3, 4), varying(2, 4, 5)}},
	{name: "weights", op: "MatMul", inputs: []testInput{varying(2, 3, 4), constant(4, 5)}},
	{name: "broadcast", op: "MatMul", inputs: []testInput{varying(2, 1, 3, 4), varying(3, 4, 5)}},
	{name: "one", op: "MatMul", inputs: []testInput{varying(1, 1), constant(1, 1)}},
	{name: "half", op: "MatMul", inputs: []testInput{varying(3, 4).of(tir.F16), varying(4, 5).of(tir.F16)}},
	{name: "integers", op: "MatMul", inputs: []testInput{varying(2, 3, 4).of(tir.I32), varying(4, 5).of(tir.I32)}},
	{name: "transposed", op: "wmtune.MatMul", inputs: []testInput{varying(2, 4, 3), varying(5, 4)},
		attrs: []graph.Attr{graph.IntAttr("transA", 1), graph.IntAttr("transB", 1)}},
	{name: "transposed batch", op: "wmtune.MatMul", inputs: []testInput{varying(2, 3, 4), varying(2, 5, 4)},
		attrs: []graph.Attr{graph.IntAttr("transB", 1)}},
	{name: "plain", op: "Gemm", inputs: []testInput{varying(3, 4), constant(4, 5)}},
	{name: "bias", op: "Gemm", inputs: []testInput{varying(3, 4), constant(5, 4), constant(5)},
		attrs: []graph.Attr{graph.IntAttr("transB", 1)}},
	{name: "scaled", op: "Gemm", inputs: []testInput{varying(4, 3), varying(4, 5), varying(3, 1)},
		attrs: []graph.Attr{graph.IntAttr("transA", 1), graph.FloatAttr("alpha", 0.5), graph.FloatAttr("beta", -0.25)}},
	{name: "scalar", op: "Gemm", inputs: []testInput{varying(3, 4), varying(4, 5), varying()}},
	{name: "without beta", op: "Gemm", inputs: []testInput{varying(3, 4), varying(4, 5)},
		attrs: []graph.Attr{graph.FloatAttr("alpha", 2)}},
	{name: "product", op: "Einsum", inputs: []testInput{varying(3, 4), constant(4, 5)}, attrs: equation("ij,jk->ik")},
	{name: "trace", op: "Einsum", inputs: []testInput{varying(4, 4)}, attrs: equation("ii")},
	{name: "diagonal", op: "Einsum", inputs: []testInput{varying(2, 4, 4)}, attrs: equation("...ii->...i")},
	{name: "transpose", op: "Einsum", inputs: []testInput{varying(3, 4)}, attrs: equation("ba")},
	{name: "ellipsis", op: "Einsum", inputs: []testInput{varying(2, 1, 3, 4), varying(5, 4, 2)},
		attrs: equation("...ij, ...jk")},
	{name: "sum", op: "Einsum", inputs: []testInput{varying(3, 4)}, attrs: equation("ij->i")},
	{name: "three", op: "Einsum", inputs: []testInput{varying(3, 4), varying(4, 2), varying(2)},
		attrs: equation("ij,jk,k->ki")},
	{name: "half", op: "Einsum", inputs: []testInput{varying(3, 4).of(tir.F16), varying(4).of(tir.F16)},
		attrs: equation("ij,j->i")},
}

func equation(s string) []graph.Attr { return []graph.Attr{graph.StrAttr("equation", s)} }
func TestProductBodies(t *testing.T) { checkAll(t, productCases) }
