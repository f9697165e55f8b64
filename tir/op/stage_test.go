package op

import "testing"

// TestUnknownStage: a stage that no table of names knows is called by its key, so
// that an operator needs a row in the table of operators only.
func TestUnknownStage(t *testing.T) {
	g := &graph{style: &ownNames, used: map[string]int{}}
	s := g.stage("novel", []int64{3, 4}, []int64{5})
	if s.name != "novel" || s.axes[1].Var.Name != "i1" || s.reduce[0].Var.Name != "k0" {
		t.Errorf("stage %s, axes %s, reduce %s", s.name, s.axes[1].Var.Name, s.reduce[0].Var.Name)
	}
}
