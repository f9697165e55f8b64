package run_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var tasks = flag.Int("tasks", 25, "number of random tasks of TestRandomTasks")

// TestRandomTasks runs random programs as the tuner does: the reference is built
// in float64, and every candidate must be found correct.
func TestRandomTasks(t *testing.T) {
	j := newJudge(t)
	for n := range *tasks {
		p := newProgram(*firstSeed + uint64(n))
		if err := j.setTask(p.dag, p.seed); err != nil {
			t.Errorf("seed %d: %v\n%s", p.seed, err, p)
			continue
		}
		rng := rand.New(rand.NewPCG(p.seed, 7))
		var programs []*program
		var states []*schedule.State
		for range 4 {
			q := *p
			s, err := schedule.Replay(p.dag, q.steps)
			if err != nil {
				t.Fatal(err)
			}
			programs, states = append(programs, &q), append(states, s)
			p.steps = tirtest.RandomSteps(rng, p.dag, 1+rng.IntN(10))
		}
		for i, res := range j.judge(states...) {
			if res.Status != measure.OK {
				t.Errorf("seed %d, candidate %d: %s: %s\n%s", p.seed, i, res.Status, res.Message, programs[i])
			}
		}
	}
}
