package eval

import (
	"slices"
	"strings"

	"github.com/wmtune/wmtune/ranker/xgboost"
)

// A Scorer ranks the candidates of a task.
type Scorer interface {
	// Train learns from groups of other tasks, or of other candidates.
	Train(groups []Group) error
	// Score returns a value per candidate; higher is faster, comparable within the
	// call.
	Score(g Group) ([]float64, error)
}

// A Learner is a scorer that learns while a task is searched.
type Learner interface {
	Scorer
	// Update tells what was measured: numbers of candidates of the group.
	Update(g Group, picked []int) error
}

// A Row is a scorer of the table.
type Row struct {
	Name  string
	What  string // in a line, with its parameters
	Needs []Feature
	// Cold scorers learn from nothing but the search at hand: they are new for each
	// task and are not trained.
	Cold bool
	// Library means that training needs libxgboost.
	Library bool
	new     func(env *env, seed uint64) Scorer
}

// env is what scorers share.
type env struct {
	library *xgboost.Library // nil if no row needs it
}

// Rows is the table of scorers, in the order in which they are shown.
func Rows() []Row {
	var list []Row
	list = append(list, randomRows()...)
	list = append(list, ansorRows()...)
	list = append(list, boostedRows()...)
	list = append(list, mlpRows()...)
	list = append(list, tlpRows()...)
	list = append(list, transhRows()...)
	return append(list, shippedRows()...)
}

// RowNames lists the names of the scorers.
func RowNames() string {
	var names []string
	for _, r := range Rows() {
		names = append(names, r.Name)
	}
	return strings.Join(names, ",")
}

// Needs returns the kinds of features that rows need.
func Needs(rows []Row) []Feature {
	var list []Feature
	for _, r := range rows {
		for _, k := range r.Needs {
			if !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}
