package compile

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
)

// TestLabels: the texts of class labels are found through Identity, and only for what a classifier chose.
func TestLabels(t *testing.T) {
	label, scores, out, other := &graph.Value{}, &graph.Value{}, &graph.Value{}, &graph.Value{}
	n := &graph.Node{Op: "LinearClassifier", Domain: "ai.onnx.ml", Outputs: []*graph.Value{label, scores}}
	n.SetAttr(graph.Attr{Name: "classlabels_strings", Kind: graph.AttrStrings, Strings: []string{"yes", "no"}})
	g := &graph.Graph{Nodes: []*graph.Node{n,
		{Op: "Identity", Inputs: []*graph.Value{label}, Outputs: []*graph.Value{out}},
		{Op: "Neg", Inputs: []*graph.Value{label}, Outputs: []*graph.Value{other}}}}
	made := g.Producers()
	if got := labels(made, out); !slices.Equal(got, []string{"yes", "no"}) {
		t.Errorf("labels %q", got)
	}
	if a, b := labels(made, scores), labels(made, other); a != nil || b != nil {
		t.Errorf("labels %q of scores, %q of what is computed of labels", a, b)
	}
}
