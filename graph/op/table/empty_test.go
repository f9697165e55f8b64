package table

import (
	"fmt"
	"testing"

	"github.com/wmtune/wmtune/graph"
)

// TestEmptyTensors infers and evaluates nodes of tensors without elements.
func TestEmptyTensors(t *testing.T) {
	for _, c := range []bodyCase{
		{op: "Conv", inputs: []testInput{varying(0, 3, 4, 4), constant(2, 3, 3, 3), constant(2)}},
		{op: "ConvTranspose", inputs: []testInput{varying(0, 3, 4, 4), constant(3, 2, 3, 3)}},
		{op: "wmtune.Conv", inputs: []testInput{varying(0, 4, 4, 3), constant(3, 3, 3, 2)}},
		{op: "DeformConv", inputs: []testInput{varying(0, 2, 4, 4), constant(3, 2, 2, 2), varying(0, 8, 3, 3)}},
		{op: "MatMul", inputs: []testInput{varying(0, 4), constant(4, 5)}},
		{op: "MatMul", inputs: []testInput{varying(3, 0), varying(0, 5)}},
		{op: "MatMul", inputs: []testInput{varying(0, 3, 4), varying(0, 4, 5)}},
		{op: "Gemm", inputs: []testInput{varying(3, 0), varying(0, 5), varying(5)}},
		{op: "Einsum", inputs: []testInput{varying(3, 0), varying(0, 5)}, attrs: equation("ij,jk->ik")},
		{op: "MaxPool", outs: 2, inputs: []testInput{varying(0, 3, 7, 6)}, attrs: windowAttrs(3, 3, 2, 2, 1, 1, 1, 1)},
		{op: "AveragePool", inputs: []testInput{varying(1, 0, 7, 6)}, attrs: windowAttrs(3, 3, 2, 2, 1, 1, 1, 1)},
		{op: "GlobalAveragePool", inputs: []testInput{varying(0, 3, 7, 6)}},
		{op: "BatchNormalization", inputs: []testInput{varying(0, 3, 4), constant(3), constant(3), constant(3), spread(3)}},
		{op: "LayerNormalization", outs: 3, inputs: []testInput{varying(0, 8), constant(8), constant(8)}},
		{op: "InstanceNormalization", inputs: []testInput{varying(0, 3, 4), constant(3), constant(3)}},
		{op: "Attention", inputs: []testInput{varying(0, 2, 3, 4), varying(0, 2, 5, 4), varying(0, 2, 5, 6)}},
		{op: "LSTM", outs: 3, inputs: []testInput{varying(0, 2, 4), constant(1, 20, 4), constant(1, 20, 5)}},
		{op: "Resize", inputs: []testInput{varying(0, 5), absent(), fixed(floats(1, 2))}},
		{op: "GridSample", inputs: []testInput{varying(0, 2, 4, 5), varying(0, 6, 7, 2)}},
		{op: "DFT", inputs: []testInput{varying(0, 5, 1)}},
		{op: "RoiAlign", inputs: []testInput{varying(2, 3, 6, 5), varying(0, 4), fixed(graph.Ints())}},
	} {
		n := c.draw().node()
		if err := inferOnly(n); err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		out, err := reference(n, c.draw().in)
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		for i, v := range n.Outputs {
			if fmt.Sprint(v.Shape) != fmt.Sprint(out[i].Shape) || len(out[i].F)+len(out[i].I) != out[i].Len() {
				t.Errorf("%s: output %d is %v of %d elements, inferred as %v", c.op, i, out[i].Shape, len(out[i].F), v.Shape)
			}
		}
	}
}
