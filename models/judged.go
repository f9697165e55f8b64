package models

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/eval"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// worldRow is the name of the built-in models among the scorers of an evaluation.
const worldRow = "world"

// JudgedNames lists the scorers that an evaluation knows by name.
func JudgedNames() string { return eval.RowNames() + "," + worldRow }

// Judged returns the scorers of an evaluation that a list names, with commas between: rows of eval.Rows, "world" for
// the built-in models, and NAME=FOLDER for a model in a folder. Models rank as they are and learn nothing from the
// records, which they may have learned from before. The error says what is not known, or which file of a model is
// wrong.
func Judged(list string) ([]eval.Row, error) {
	var rows []eval.Row
	for text := range strings.SplitSeq(list, ",") {
		name, folder, own := strings.Cut(text, "=")
		i := slices.IndexFunc(eval.Rows(), func(r eval.Row) bool { return r.Name == name })
		switch {
		case own && (name == "" || folder == "" || i >= 0 || name == worldRow):
			return nil, fmt.Errorf("scorer %q: it is NAME=FOLDER, the folder that of a model, and NAME not another scorer's", text)
		case own:
			m, err := Open(folder)
			if err != nil {
				return nil, err
			}
			rows = append(rows, judged(name, "the model in "+folder, func(target.Kind) (*Model, error) { return m, nil }))
		case name == worldRow:
			rows = append(rows, judged(name, "the built-in model as it is", defaultOnce()))
		case i >= 0:
			rows = append(rows, eval.Rows()[i])
		default:
			return nil, fmt.Errorf("unknown scorer %q: known are %s, and NAME=FOLDER", name, JudgedNames())
		}
	}
	return rows, nil
}

// defaultOnce opens the built-in models when they are asked for, each once.
func defaultOnce() func(target.Kind) (*Model, error) {
	var mu sync.Mutex
	open := map[target.Kind]*Model{}
	return func(kind target.Kind) (*Model, error) {
		mu.Lock()
		defer mu.Unlock()
		if m := open[kind]; m != nil {
			return m, nil
		}
		m, err := Default(kind)
		if err == nil {
			open[kind] = m
		}
		return m, err
	}
}

// judged returns a scorer that ranks by a model.
func judged(name, what string, of func(target.Kind) (*Model, error)) eval.Row {
	return eval.Given(name, what, func(t *eval.Task, samples []*eval.Sample) ([]float64, error) {
		m, err := of(t.Target.Kind)
		if err != nil {
			return nil, err
		}
		states := make([]*schedule.State, len(samples))
		for i, s := range samples {
			if states[i], err = schedule.Replay(t.DAG, s.Steps); err != nil {
				return nil, err
			}
		}
		return m.Score(context.Background(), workload.Task{DAG: t.DAG, Target: t.Target}, states)
	})
}
