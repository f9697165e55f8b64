package annotate

import (
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

func TestStructure(t *testing.T) {
	sp := schedule.Split{At: 2, Iter: 0, Lengths: []int64{4}, InnerToOuter: true}
	an := schedule.Annotate{At: 2, Iter: 0, Ann: schedule.Parallel}
	fu := schedule.Fuse{At: 2, Iters: []int{0, 1}}
	pr := schedule.Pragma{At: 2, Text: schedule.UnrollPragma(16)}
	re := schedule.Reorder{At: 2, Order: []int{0, 1}}
	vec := schedule.Annotate{At: 2, Iter: 1, Ann: schedule.Vectorize}
	for _, c := range []struct {
		name  string
		steps []schedule.Step
		want  int
	}{
		{"nothing", nil, 0},
		{"all loop decisions", []schedule.Step{fu, an, pr}, 0},
		{"a split keeps what is before it", []schedule.Step{an, sp, fu, an, pr}, 2},
		{"a vector split is a loop decision", []schedule.Step{re, fu, an, sp, vec}, 1},
		{"a split whose outer piece is annotated is not", []schedule.Step{re, sp, an}, 2},
		{"a split at the end is not", []schedule.Step{an, sp}, 2},
		{"a place is not", []schedule.Step{an, schedule.ComputeAt{}, pr}, 2},
	} {
		if got := schedule.Structure(c.steps); len(got) != c.want {
			t.Errorf("%s: kept %d steps, want %d", c.name, len(got), c.want)
		}
	}
}
