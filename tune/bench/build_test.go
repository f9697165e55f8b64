package bench

import (
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
)

// TestSpeedOptions: a search has the space that its scorer's name says, and its figures are of what the scorer knows.
func TestSpeedOptions(t *testing.T) {
	b, o := &Bench{logsHash: "11111111"}, BuildOptions{}
	for scorer, want := range map[string]string{"random": "wmtune", "random+autoscheduler": "autoscheduler"} {
		o.Scorer = scorer
		if got := b.speedOptions(o, search.Random{}).Space; got != want {
			t.Errorf("%s: the space is %q, want %q", scorer, got, want)
		}
	}
	o.Scorer = "gbt+warm"
	key, err := b.speedKey("", workload.Workload{}, o)
	if err != nil {
		t.Fatal(err)
	}
	b.logsHash = "22222222"
	if other, err := b.speedKey("", workload.Workload{}, o); err != nil || other == key {
		t.Errorf("other logs: the key is %s as before, %v", other, err)
	}
}
