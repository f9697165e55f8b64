package compile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/graph/pass"
)

// TestModels prints the tasks of the models in the folder that WMTUNE_MODELS names.
func TestModels(t *testing.T) {
	dir := os.Getenv("WMTUNE_MODELS")
	if dir == "" {
		t.Skip("WMTUNE_MODELS does not name a folder of ONNX models: nothing was checked")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.onnx"))
	for _, f := range files {
		m, err := Read(t.Context(), f, nil, pass.Options{Check: true})
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		t.Logf("%s: %d nodes, %d after the passes, %d kernels, %d aliases, %d tasks", filepath.Base(f), len(m.Original.Nodes),
			len(m.Graph.Nodes), len(m.layout.jobs), m.layout.aliases, len(m.Tasks))
		size := plan(m.layout.spans)
		t.Logf("arena %d, peak %d: %.3f", size, peak(m.layout.spans), float64(size)/float64(peak(m.layout.spans)))
		for _, k := range m.Tasks {
			flops := 0.0
			if k.DAG != nil {
				flops = k.DAG.FLOPs()
			}
			t.Logf("  %4d x %-50s %-12s %8.2f MFLOP", k.Weight, k.Name, k.Class, flops/1e6)
		}
	}
}
