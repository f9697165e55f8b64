package report

import (
	"fmt"

	"github.com/wmtune/wmtune/ranker/eval"
)

// shownTrials are the budgets of the replay bench that its table has.
var shownTrials = []int{1, 4, 16, 64, 256}

// EvalTables shows a report: what the scores are worth, and what a search with
// them would have found.
func EvalTables(j eval.Judged) []Table {
	figures := Table{Head: []string{fmt.Sprintf("%s, split %s", j.Kind, j.Split)}}
	for _, m := range eval.Metrics() {
		figures.Head = append(figures.Head, m.Name)
	}
	figures.Head = append(figures.Head, "train s", "us")
	replay := Table{Head: []string{"replay bench"}}
	for _, n := range shownTrials {
		replay.Head = append(replay.Head, fmt.Sprintf("best of %d", n))
	}
	for _, n := range shownTrials {
		replay.Head = append(replay.Head, fmt.Sprintf("/random %d", n))
	}
	for _, s := range j.Scorers {
		row := []string{s.Name}
		for _, m := range s.Metrics {
			row = append(row, figureText(m, 3))
		}
		figures.Rows = append(figures.Rows, append(row, fmt.Sprintf("%.1f", s.TrainSeconds),
			fmt.Sprintf("%.1f", s.ScoreMicros)))
		row = []string{s.Name}
		for _, r := range shownReplays(s) {
			row = append(row, figureText(r.Best, 3))
		}
		for _, r := range shownReplays(s) {
			row = append(row, figureText(r.Ratio, 2))
		}
		replay.Rows = append(replay.Rows, row)
	}
	figures.Notes = []string{
		fmt.Sprintf("%d tasks of %d DAG structures, %d records, %d of them timed; %d folds, seeds %v; means over "+
			"tasks, their range over seeds",
			j.Tasks, j.DAGs, j.Records, j.Timed, j.Folds, j.Seeds),
		"train s: of one fold; us: to score a candidate, without computing its features",
	}
	for _, s := range j.Scorers {
		figures.Notes = append(figures.Notes, fmt.Sprintf("%s: %s", s.Name, s.What))
	}
	replay.Notes = []string{
		"best of N: the best quality after N trials; /random N: over the mean of N random picks, geometric mean over tasks",
	}
	return []Table{figures, replay}
}

func shownReplays(s eval.Figures) []eval.Replay {
	var list []eval.Replay
	for _, n := range shownTrials {
		for _, r := range s.Replay {
			if r.Trials == n {
				list = append(list, r)
			}
		}
	}
	return list
}

// figureText prints a mean, and the range over seeds if there is one.
func figureText(f eval.Figure, digits int) string {
	mean := fmt.Sprintf("%.*f", digits, f.Mean)
	low, high := fmt.Sprintf("%.*f", digits, f.Low), fmt.Sprintf("%.*f", digits, f.High)
	if low == high {
		return mean
	}
	return fmt.Sprintf("%s (%s-%s)", mean, low, high)
}
