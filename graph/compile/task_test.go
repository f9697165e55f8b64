package compile

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
)

// TestTaskCollapsed: the tasks of products have one dimension for those that their loops go through side by side. What
// only moves and maps elements keeps its shape.
func TestTaskCollapsed(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int64
	}{
		{"input x: float32[2, 3, 4]\nconst w: float32[4, 5]\ny = MatMul(x, w)\noutput y", []int64{6, 5}},
		{"input x: float32[2, 3, 4]\ny = Relu(x)\noutput y", []int64{2, 3, 4}},
	} {
		m, err := New(t.Context(), graphtest.MustParse(c.text, 18), pass.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Tasks[0].DAG.Results()[0].Shape; !slices.Equal(got, c.want) {
			t.Errorf("%s: the task's result is %d, want %d", c.text, got, c.want)
		}
	}
}
