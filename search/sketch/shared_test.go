package sketch

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/tirtest"
)

// A product that another one reads is not tiled inside the copy that the other makes of
// it: threads carry out the copy together. A reduction across those threads may be. And
// all DAGs have sketches, also those of reductions that AutoScheduler gives up on.
func TestNoTileInsideACopy(t *testing.T) {
	chained := 0
	for seed := range uint64(200) {
		kind, d := tirtest.RandomDAG(rand.New(rand.NewPCG(seed, 0)))
		list, err := Generate(t.Context(), CUDA, d, gpu().Target)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		for _, s := range list {
			for stage := range s.Stages {
				if at, ok := s.Attach.At(stage); ok && IsShared(s.Stages[at.Stage]) && !ReducesAcrossThreads(s, stage) {
					t.Errorf("%s: stage %s is inside %s", kind, s.Stages[stage].Op.Name, s.Stages[at.Stage].Op.Name)
				}
			}
		}
		if strings.HasPrefix(kind, "chained_matmul") {
			chained++
		}
	}
	if chained == 0 {
		t.Error("no chained products among the DAGs")
	}
}
