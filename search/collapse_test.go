package search

import (
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"
)

// TestSearched: a workload is collapsed for an axis of few divisors alone, and only if the space says so.
func TestSearched(t *testing.T) {
	for text, want := range map[string]bool{
		"conv2d:h=7,w=7,ci=32,co=64,k=1":     true,
		"conv2d:h=7,w=8,ci=32,co=64,k=1":     true,
		"conv2d:h=56,w=56,ci=32,co=64,k=1":   false, // many divisors
		"conv2d:h=7,w=7,ci=32,co=64,k=3":     false, // windows
		"matmul:m=49,n=64,k=32":              false, // it is collapsed
		"elementwise:fn=relu,shape=7x7x32":   false, // no reduction
		"conv2d:h=7,w=7,ci=32,co=64,k=1,s=2": false, // strides
	} {
		w, err := workload.Find(text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := (Space{Collapse: true}).Searched(w); (got.DAG != w.DAG) != want {
			t.Errorf("%s is searched as %s", text, got.Text)
		}
		if got := (Space{}).Searched(w); got.DAG != w.DAG {
			t.Errorf("%s is searched as %s in a space that collapses nothing", text, got.Text)
		}
	}
}
