package op

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestUnknownStage: a stage that no table of names knows is called by its key, so
// that an operator needs a row in the table of operators only.
func TestUnknownStage(t *testing.T) {
	g := newBuilder(&ownNames, tir.F32)
	s := g.stage("novel", []int64{3, 4}, []int64{5})
	if s.name != "novel" || s.Axes[1].Var.Name != "i1" || s.Reduce[0].Var.Name != "k0" {
		t.Errorf("stage %s, axes %s, reduce %s", s.name, s.Axes[1].Var.Name, s.Reduce[0].Var.Name)
	}
}
