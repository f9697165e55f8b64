package compile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// TestWorkloads: each task of a model is a workload that is read again as it was written. WMTUNE_MODELS names a
// folder of further models.
func TestWorkloads(t *testing.T) {
	files := []string{"../onnx/testdata/dynamo.onnx"}
	if dir := os.Getenv("WMTUNE_MODELS"); dir != "" {
		more, _ := filepath.Glob(filepath.Join(dir, "*.onnx"))
		files = append(files, more...)
	}
	for _, file := range files {
		m, err := Read(t.Context(), file, nil, pass.Options{})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "tasks")
		list, err := m.Workloads(dir)
		if err != nil || len(list) == 0 {
			t.Fatalf("%d workloads, %v", len(list), err)
		}
		for _, w := range list {
			got, err := workload.ReadFile(t.Context(), w.File)
			if err != nil || got.Text != w.Text || got.Name != w.Name || got.Key != w.WorkloadKey {
				t.Errorf("%s: %s is read again as %s %q\n%s\n%v", file, w.Name, got.Name, got.Text, w.Text, err)
			}
		}
	}
}

// TestTaskTable: weights and groups of the tasks are those of the model.
func TestTaskTable(t *testing.T) {
	f := func(name string) *graph.Value {
		return &graph.Value{Name: name, Type: tir.F32, Shape: []int64{3, 4}, Ranked: true}
	}
	x, a, b, c := f("x"), f("a"), f("b"), f("c")
	soft := func(name string, in, out *graph.Value) *graph.Node {
		return &graph.Node{Name: name, Op: "Softmax", Version: 13, Inputs: []*graph.Value{in}, Outputs: []*graph.Value{out}}
	}
	g := &graph.Graph{Name: "g", Inputs: []*graph.Value{x}, Outputs: []*graph.Value{c},
		Nodes: []*graph.Node{soft("n1", x, a), soft("n2", a, b), soft("n3", b, c)}}
	m, err := New(t.Context(), g, pass.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	table := m.TaskTable()
	if len(table) != 1 || table[0].Weight != 3 || len(table[0].Groups) != 3 || table[0].Groups[1] != "n2" ||
		table[0].Bytes != 2*48 || table[0].FLOPs <= 0 {
		t.Errorf("%+v", table)
	}
	plan := m.MemoryPlan()
	if len(plan.Spans) != 2 || plan.Peak != 128 || plan.Arena != 128 {
		t.Errorf("%+v", plan)
	}
	if err := m.fits(128 + 96 - 1); err == nil {
		t.Error("it fits into less than it needs")
	}
	if err := m.fits(128 + 96); err != nil {
		t.Error(err)
	}
}

// TestGraphText: the graph of a file has the types of all values, which follow from its inputs, and constants stay
// nodes; open dimensions leave them unknown, and the text says what closes them.
func TestGraphText(t *testing.T) {
	for _, c := range []struct {
		file  string
		batch int64 // 0: open
		want  []string
	}{
		{"dynamo", 0, []string{"\n  val_0: float32[1, 4, 8, 8] = Sigmoid(conv2d)", "\n  val_3: float32[8, 5] = Transpose("}},
		{"functions", 0, []string{"\n  first/zero: float32[] = Constant() value_float=0", "\n  p/t: float32[4] = LeakyRelu("}},
		{"torchscript", 2, []string{"\n  /Sigmoid_output_0: float32[2, 4, 8, 8] = Sigmoid("}},
		{"torchscript", 0, []string{"\n  /Sigmoid_output_0: ?[?] = Sigmoid(", "\n# --dim NAME=N for each open dimension shows"}},
	} {
		var dims []Dim
		if c.batch > 0 {
			dims = []Dim{{Name: "batch", Extents: []int64{c.batch}}}
		}
		text, err := GraphText(t.Context(), "../onnx/testdata/"+c.file+".onnx", dims, "", nil)
		for _, want := range c.want {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s: %v, want %s in\n%s", c.file, err, want, text)
			}
		}
		if open := strings.Contains(text, "?[?]"); open != strings.Contains(text, "# --dim") {
			t.Errorf("%s: some types are not known\n%s", c.file, text)
		}
	}
}
