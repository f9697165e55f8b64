package annotate

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func TestPlausible(t *testing.T) {
	inLoop := func(steps ...schedule.Step) *schedule.State {
		s, err := apply1(t, conv(70, 8), steps...).InferBound()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name string
		s    *schedule.State
		want string // in the error; "" for none
	}{
		{"loops as they are", inLoop(), ""},
		{"parallel loops beside each other",
			inLoop(schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel}, schedule.Annotate{At: 4, Iter: 0, Ann: schedule.Parallel}), ""},
		{"a parallel loop in another",
			inLoop(schedule.ComputeAt{At: 3, Target: 4, TargetIter: 0}, schedule.Annotate{At: 3, Iter: 1, Ann: schedule.Parallel}, schedule.Annotate{At: 4, Iter: 0, Ann: schedule.Parallel}),
			"stage relu has a parallel loop inside another"},
		{"two parallel loops of one stage",
			inLoop(schedule.Annotate{At: 4, Iter: 0, Ann: schedule.Parallel}, schedule.Annotate{At: 4, Iter: 1, Ann: schedule.Parallel}),
			"stage relu has a parallel loop inside another"},
		{"too much unrolled code",
			inLoop(schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Unroll}, schedule.Annotate{At: 3, Iter: 1, Ann: schedule.Unroll},
				schedule.Annotate{At: 3, Iter: 3, Ann: schedule.Unroll}), "stage C would be unrolled 4480 times"},
	} {
		err := plausible(c.s, target.Target{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A stage that is computed anew in every iteration of a long loop is dropped.
func TestPlausibleRecompute(t *testing.T) {
	a := op("A", nil, axis("i", 8))
	i, j, k := axis("i", 8), axis("j", 100), axis("k", 8)
	b := op("B", load(a, i.Var), i)
	c := sum(op("C", load(b, k.Var), j), k)
	s, err := apply1(t, state(a, b, c), schedule.ComputeAt{At: 1, Target: 2, TargetIter: 0}).InferBound()
	if err != nil {
		t.Fatal(err)
	}
	if err := plausible(s, target.Target{}); err == nil || !strings.Contains(err.Error(), "stage B is computed 100 times over") {
		t.Errorf("error %v", err)
	}
}
