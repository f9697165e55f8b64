package bench

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestTimedTasks: a program that failed later has no time, and what another machine timed is another task.
func TestTimedTasks(t *testing.T) {
	steps, err := schedule.ParseSteps([]byte(`[["SP", 2, 0, 64, [2], 1]]`))
	if err != nil {
		t.Fatal(err)
	}
	good := dataset.Record{
		WorkloadKey: "key", Workload: "text", Target: target.Generic(32, 2), Status: measure.OK, Costs: []float64{1e-6},
		Unix: 1,
	}
	withdrawn, failed, other := good, good, good
	withdrawn.Steps, failed.Steps = steps, steps
	failed.Status, failed.Costs, failed.Unix = measure.WrongAnswer, nil, 2
	other.Target = target.Generic(32, 4)
	var logs []string
	for i, records := range [][]dataset.Record{{withdrawn, good, failed}, {other}} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		w, err := dataset.OpenWriter(path, dataset.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Append(records), w.Close()); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, path)
	}
	tasks, err := timedTasks(logs)
	if err != nil || len(tasks) != 2 || len(tasks[0]) != 1 || len(tasks[0][0].Steps) != 0 || len(tasks[1]) != 1 {
		t.Errorf("%v, %v", tasks, err)
	}
}

func TestChoiceCompare(t *testing.T) {
	var records []dataset.Record
	for _, us := range []float64{5, 2, 3, 9} {
		records = append(records, dataset.Record{Status: measure.OK, Costs: []float64{us / 1e6}})
	}
	for _, c := range []struct {
		scores []float64
		want   ModelChoice
	}{
		{[]float64{4, 1, 3, 5, 4}, ModelChoice{BestUS: 2, BestScore: 3, FavouriteUS: 3, ChoiceScore: 4, Above: 1}},
		{[]float64{9, 1, 3, 5, 4}, ModelChoice{BestUS: 2, BestScore: 3, FavouriteUS: 3, ChoiceScore: 9}},
	} {
		var r ModelChoice
		r.compare(records, slices.Clone(c.scores))
		r.BestUS, r.FavouriteUS = float64(int(r.BestUS+.5)), float64(int(r.FavouriteUS+.5))
		if r.BestUS != c.want.BestUS || r.BestScore != c.want.BestScore || r.FavouriteUS != c.want.FavouriteUS || r.ChoiceScore != c.want.ChoiceScore || r.Above != c.want.Above {
			t.Errorf("%v: %+v, want %+v", c.scores, r, c.want)
		}
	}
}
