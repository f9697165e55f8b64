package graph

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestPrintNames: a name with a line break does not begin another line.
func TestPrintNames(t *testing.T) {
	x := &Value{Name: "x\n  output forged", Type: tir.F32, Ranked: true, Shape: []int64{2}}
	g := &Graph{Name: "g\nh", Inputs: []*Value{x}, Outputs: []*Value{x}}
	if text := g.String(); strings.Count(text, "\n") != 3 || !strings.Contains(text, `input x\n  output forged: float32[2]`) ||
		!strings.HasPrefix(text, `graph g\nh`+"\n") {
		t.Errorf("%q", text)
	}
}
