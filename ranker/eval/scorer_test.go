package eval

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

// The transition's network learns the order that was made up, in a task that it has
// not seen; action vectors that candidates share are there once.
func TestTransH(t *testing.T) {
	tasks := append(tasksOf(t, 60), taskOf(t, "matmul:m=64,n=256,k=64", 60, 9))
	if _, _, err := Prepare(context.Background(), tasks, []Feature{All, Vectors}, 0, nil); err != nil {
		t.Fatal(err)
	}
	last := len(tasks) - 1
	if n := len(tasks[last].vectors.row); n > 6+6*6+6*6*2+2 {
		t.Errorf("%d distinct vectors of 60 candidates", n)
	}
	var groups []Group
	for _, task := range tasks[:last] {
		groups = append(groups, newGroup(task, task.Samples))
	}
	g := newGroup(tasks[last], tasks[last].Samples)
	score := func(workers int) []float64 {
		s := rowsNamed(t, "transh")[0].new(nil, 17).(*transh)
		s.recipe.Embed, s.recipe.Latent, s.recipe.Hidden, s.recipe.Head = 24, 24, 48, []int{24}
		s.recipe.Tasks, s.recipe.PerTask, s.recipe.Steps, s.recipe.Rate = 4, 32, 120, 5e-3
		if err := s.Train(context.Background(), groups); err != nil {
			t.Fatal(err)
		}
		out, err := s.Score(g)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	one := score(1)
	if rank := metric.Count(one, g.Quality, metric.MinBand).Accuracy(); rank < 0.7 {
		t.Errorf("pairwise %.3f", rank)
	}
	if !slices.Equal(one, score(2)) {
		t.Error("two trainings score differently")
	}
}

// A training stops when its context ends.
func TestTrainStops(t *testing.T) {
	needLibrary(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	names := []string{"mlp-l1p", "transh", "ranker-both", "shipped", "cascade"}
	rows, tasks := rowsNamed(t, names...), tasksOf(t, 12)
	if _, _, err := Prepare(context.Background(), tasks, Needs(rows), 0, nil); err != nil {
		t.Fatal(err)
	}
	var groups []Group
	for _, task := range tasks {
		groups = append(groups, newGroup(task, task.Samples))
	}
	library, err := xgboost.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := r.new(&env{library: library}, 1).Train(ctx, groups); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}
