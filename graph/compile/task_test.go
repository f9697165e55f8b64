package compile

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
)

// TestTaskCollapsed: tasks have one dimension for those that their loops go through side by side. What only moves and
// maps elements keeps its shape where the whole has no divisor that is a row of vectors.
func TestTaskCollapsed(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int64
	}{
		{"input x: float32[2, 3, 4]\nconst w: float32[4, 5]\ny = MatMul(x, w)\noutput y", []int64{6, 5}},
		{"input x: float32[2, 3, 4]\ny = Relu(x)\noutput y", []int64{24}},
		{"input x: float32[25, 9, 7]\ny = Relu(x)\noutput y", []int64{25, 9, 7}},
		{"input x: float32[1, 8, 7, 7]\nconst w: float32[16, 8, 1, 1]\ny = Conv(x, w)\noutput y", []int64{49, 16}},
		{"input x: float32[1, 8, 8, 8]\nconst w: float32[16, 8, 1, 1]\ny = Conv(x, w)\noutput y", []int64{1, 8, 8, 16}},
	} {
		m, err := New(t.Context(), graphtest.MustParse(c.text, 18), pass.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var shapes [][]int64
		for _, k := range m.Tasks {
			if k.DAG != nil { // a transpose that stands alone has none
				shapes = append(shapes, k.DAG.Results()[0].Shape)
			}
		}
		if !slices.ContainsFunc(shapes, func(s []int64) bool { return slices.Equal(s, c.want) }) {
			t.Errorf("%s: the tasks' results are %d, want one of %d", c.text, shapes, c.want)
		}
	}
}
