// Package judge has the offline evaluation of package ranker/eval judge models that were trained before. It must not
// know where records come from or how figures are shown.
package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker/eval"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// worldRow is the name of the built-in models among the scorers of an evaluation.
const worldRow = "world"

// Names lists the scorers that an evaluation knows by name.
func Names() string { return eval.RowNames() + "," + worldRow }

// ErrSyntax is the error of a list that names no scorer or names one in a wrong way.
var ErrSyntax = errors.New("not a list of scorers")

// A syntaxError is an ErrSyntax with a text of its own.
type syntaxError string

func (e syntaxError) Error() string { return string(e) }

// Is says that it is ErrSyntax.
func (e syntaxError) Is(target error) bool { return target == ErrSyntax }

// Rows returns the scorers of an evaluation that a list names, with commas between: rows of eval.Rows, "world" for the
// built-in models, and NAME=FOLDER for a model in a folder. Models rank as they are and learn nothing from the records,
// which they may have learned from before. The error is ErrSyntax, or says which file of a model is wrong.
func Rows(list string) ([]eval.Row, error) {
	var rows []eval.Row
	taken := func(name string) bool {
		return name == worldRow || slices.ContainsFunc(slices.Concat(eval.Rows(), rows), named(name))
	}
	for text := range strings.SplitSeq(list, ",") {
		name, folder, own := strings.Cut(text, "=")
		i := slices.IndexFunc(eval.Rows(), named(name))
		switch {
		case own && (name == "" || folder == "" || taken(name)):
			return nil, syntaxError(fmt.Sprintf(
				"scorer %q: write NAME=FOLDER, with the folder of a model and a NAME that no other scorer has", text))
		case own:
			r, err := Folder(name, folder)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		case name == worldRow:
			rows = append(rows, row(name, "the built-in model as it is", models.HasDefault, defaultOnce()))
		case i >= 0:
			rows = append(rows, eval.Rows()[i])
		default:
			return nil, syntaxError(fmt.Sprintf("unknown scorer %q: known are %s, and NAME=FOLDER", name, Names()))
		}
	}
	return rows, nil
}

// Folder returns the scorer that a model in a folder is.
func Folder(name, folder string) (eval.Row, error) {
	m, err := models.Open(folder)
	if err != nil {
		return eval.Row{}, err
	}
	return row(name, "the model in "+folder,
		func(kind target.Kind) bool { return kind == m.Manifest().Kind },
		func(target.Kind) (*models.Model, error) { return m, nil }), nil
}

func named(name string) func(eval.Row) bool { return func(r eval.Row) bool { return r.Name == name } }

// defaultOnce opens the built-in models when they are asked for, each once.
func defaultOnce() func(target.Kind) (*models.Model, error) {
	var mu sync.Mutex
	open := map[target.Kind]*models.Model{}
	return func(kind target.Kind) (*models.Model, error) {
		mu.Lock()
		defer mu.Unlock()
		if m := open[kind]; m != nil {
			return m, nil
		}
		m, err := models.Default(kind)
		if err == nil {
			open[kind] = m
		}
		return m, err
	}
}

// row returns a scorer that ranks by a model.
func row(name, what string, has func(target.Kind) bool, of func(target.Kind) (*models.Model, error)) eval.Row {
	return eval.Given(name, what, has, func(t *eval.Case, samples []*eval.Sample) ([]float64, error) {
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
