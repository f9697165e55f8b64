package op

import (
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
)

// TestSuitesAsText: the text of every workload reads back as the same DAG.
func TestSuitesAsText(t *testing.T) {
	for _, s := range Suites() {
		for _, e := range s.List {
			w, err := s.Workload(e)
			if err != nil {
				t.Fatal(err)
			}
			text := w.DAG.Text()
			back, err := compute.Parse(text)
			if err != nil {
				t.Errorf("%s: %v in\n%s", w.Name, err, text)
				continue
			}
			if back.Text() != text || back.String() != w.DAG.String() || back.WorkloadKey() != w.DAG.WorkloadKey() || back.FLOPs() != w.DAG.FLOPs() {
				t.Errorf("%s: reading back changes\n%s", w.Name, text)
			}
		}
	}
}
