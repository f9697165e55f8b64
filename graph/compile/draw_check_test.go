package compile

import (
	"context"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
)

// TestDraw: graphs are well formed and reproducible, the reference computes them within their bounds, one of fewer
// nodes is the beginning of one of more, and all kinds of nodes are drawn.
func TestDraw(t *testing.T) {
	ops, outputs := map[string]int{}, 0
	for seed := range uint64(400) {
		d, err := Draw(seed, int(seed%40)+1)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Draw(seed, int(seed%40)+1)
		if err != nil || again.Graph.String() != d.Graph.String() {
			t.Fatalf("seed %d gives two graphs", seed)
		}
		fewer, err := Draw(seed, int(seed%40)/2+1)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range fewer.Graph.Nodes {
			if n.String() != d.Graph.Nodes[i].String() {
				t.Fatalf("seed %d, node %d: %s in the smaller graph, %s in the larger", seed, i, n, d.Graph.Nodes[i])
			}
		}
		if err := graph.Check(d.Graph); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, d.Graph)
		}
		want, err := op.Evaluator().Run(context.Background(), d.Graph, d.Inputs)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, d.Graph)
		}
		if err := d.Compare(want, want); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, d.Graph)
		}
		for _, n := range d.Graph.Nodes {
			ops[n.Op]++
		}
		if len(d.Graph.Outputs) > 1 {
			outputs++
		}
	}
	const all = "Add Sub Mul Div Max Min Where Cast ReduceSum ArgMax TopK MatMul Gemm Conv MaxPool AveragePool BatchNormalization " +
		"LayerNormalization Softmax Transpose Reshape Concat Split Slice Pad Expand Gather Resize CumSum Relu Less And Not"
	for _, name := range strings.Fields(all) {
		if ops[name] < 5 {
			t.Errorf("%s is drawn %d times", name, ops[name])
		}
	}
	if outputs < 100 {
		t.Errorf("%d of 400 graphs have several outputs", outputs)
	}
}

// TestDrawnCompare: a wrong element, type or shape is a difference.
func TestDrawnCompare(t *testing.T) {
	d, err := Draw(3, 4)
	if err != nil {
		t.Fatal(err)
	}
	want, err := op.Evaluator().Run(context.Background(), d.Graph, d.Inputs)
	if err != nil {
		t.Fatal(err)
	}
	bad := *want[0]
	bad.F = append([]float64{}, bad.F...)
	bad.I = append([]int64{}, bad.I...)
	if len(bad.F) > 0 {
		bad.F[len(bad.F)-1] += 0.25
	} else {
		bad.I[len(bad.I)-1]++
	}
	if err := d.Compare(append([]*graph.Tensor{&bad}, want[1:]...), want); err == nil {
		t.Error("a wrong element is no difference")
	}
	other := *want[0]
	other.Shape = append([]int64{1}, other.Shape...)
	if err := d.Compare(append([]*graph.Tensor{&other}, want[1:]...), want); err == nil {
		t.Error("a wrong shape is no difference")
	}
}

// TestDrawnParse: a random graph that was printed and parsed prints as it was, but for large constants.
func TestDrawnParse(t *testing.T) {
	for seed := range uint64(100) {
		d, err := Draw(seed, 30)
		if err != nil {
			t.Fatal(err)
		}
		want := d.Graph.String()
		g, err := graphtest.Parse(want, 18)
		if err != nil {
			t.Fatalf("%v\n%s", err, want)
		}
		got := strings.Split(g.String(), "\n")
		for i, line := range strings.Split(want, "\n") {
			if line != got[i] && !(strings.HasPrefix(line, "  const") && !strings.Contains(line, "{")) {
				t.Fatalf("got\n%s\nwant\n%s", got[i], line)
			}
		}
	}
}
