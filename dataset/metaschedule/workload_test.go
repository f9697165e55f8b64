package metaschedule

import (
	"os"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"
)

// TestWorkloads: the programs of testdata are those of the suite paper22, by the key that TVM gives them.
func TestWorkloads(t *testing.T) {
	list, err := workload.Suite("paper22", nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, d := range databases(t) {
		if d.name == "odd" { // testdata/odd.py
			continue
		}
		for _, w := range d.workloads {
			key := w.DAG.WorkloadKey()
			seen[key] = true
			if !slices.ContainsFunc(list, func(w workload.Workload) bool { return w.Key == key }) {
				t.Errorf("%s: %s is none of them\n%s", d.name, key, w.DAG)
			}
		}
	}
	if len(seen) != len(list) {
		t.Errorf("%d of the %d subgraphs", len(seen), len(list))
	}
}

// TestVersions: a program reads the same as each version of TVM writes it (testdata/module.py).
func TestVersions(t *testing.T) {
	const want = `input x: float32[8, 16]
input w: float32[16, 4]
pad(i: 10, j: 16) = if_then_else(1 <= i && i < 9, x[i - 1, j], 0)
c(i: 8, j: 4) = sum(k: 16) pad[i + 2, k]*w[k, j]
    layout_free w
y(i: 8, j: 4) = max(exp(c[i, j]), 0)
output y
`
	for _, version := range []string{"0.25.0", "0.26.0", "0.27.0"} {
		text, err := os.ReadFile("testdata/module-" + version + ".json")
		if err != nil {
			t.Fatal(err)
		}
		w, err := ParseModule(text)
		if err != nil {
			t.Errorf("%s: %v", version, err)
			continue
		}
		if got := w.DAG.Text(); got != want {
			t.Errorf("%s: got\n%s", version, got)
		}
	}
}
