package annotate

import (
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

func TestIsPartsSplit(t *testing.T) {
	const divided = `[["SP", 2, 2, 768, [4], 0], ["RF", 2, 2, 0], ["CHW", 2, "local"], ["SP", 2, 0, 4, [1, 1, 1, 1], 1],
		["SP", 2, 5, 128, [2, 8, 2, 1], 1], ["SP", 2, 10, 4, [1, 2, 1, 2], 1], ["SP", 2, 15, 192, [2, 8], 1],
		["SP", 0, 0, 4, [2], 1]]`
	for _, c := range []struct {
		steps string
		want  int
	}{
		{divided, 3},
		{`[["SP", 2, 2, 768, [4], 1], ["RF", 2, 3, 0], ["SP", 2, 0, 4, [1, 1, 1, 1], 1]]`, -1}, // a processor's
		{`[["SP", 2, 0, 4, [1, 1, 1, 1], 1], ["SP", 2, 5, 128, [2, 8, 2, 1], 1]]`, -1},
	} {
		steps, err := schedule.ParseSteps([]byte(c.steps))
		if err != nil {
			t.Fatal(err)
		}
		for i := range steps {
			if got := IsPartsSplit(steps, i); got != (i == c.want) {
				t.Errorf("step %d of %s: %v", i, c.steps, got)
			}
		}
	}
}
