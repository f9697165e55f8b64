package ranker

import (
	"testing"

	"github.com/wmtune/wmtune/nn"
)

// TestScaleRare: a column that one candidate in a thousand changes is not blown up.
func TestScaleRare(t *testing.T) {
	rows := make([][]float32, 4000)
	for i := range rows {
		rows[i] = []float32{float32(i % 2), 0, 1}
	}
	rows[7][1] = 0.1
	var n network
	n.scale([]Candidates{{Features: rows}}, 3)
	if n.factor[0] < 1.99 || n.factor[0] > 2.01 || n.factor[1] != 1/float32(nn.LeastDeviation) || n.factor[2] != 0 {
		t.Errorf("factors %v", n.factor)
	}
}
