package inspect

import (
	"context"
	"fmt"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// whyNearest is how many measured programs are named beside one.
const whyNearest = 5

// A Reason explains the score that a model gives a record.
type Reason struct {
	Record  int         `json:"record"`
	Score   float64     `json:"score"`
	Better  int         `json:"records_with_higher_score"`
	Of      int         `json:"records"` // of the same task
	CostUS  float64     `json:"cost_us,omitempty"`
	Actions []Action    `json:"actions,omitempty"` // nil: the score comes of features alone
	Nearest []Neighbour `json:"nearest"`
	Space   string      `json:"nearest_by"` // predicted state, or features
	Notes   []string    `json:"notes,omitempty"`
}

// An Action is a step, and what it adds to the score.
type Action struct {
	Text  string  `json:"action"`
	Value float64 `json:"contribution"`
}

// A Neighbour is another record of the task whose program is near.
type Neighbour struct {
	Record   int     `json:"record"`
	Distance float64 `json:"distance"`
	Score    float64 `json:"score"`
	CostUS   float64 `json:"cost_us,omitempty"`
}

// Why explains the score that a world model gives a record of a log, beside the others of
// its task. The model is that of a folder, or for "" the one in the program; models.ErrNone
// is the error if there is none.
func (p *Programs) Why(ctx context.Context, log *dataset.Reader, number int, model string) (*Reason, error) {
	budget := dataset.Budget{Limit: p.Memory}
	records, err := budget.Records(log)
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= len(records) {
		return nil, noRecord(log, number, len(records))
	}
	of := &records[number]
	m, err := costmodel.OpenModel(costmodel.Options{Kind: of.Target.Kind, Model: model})
	if err != nil {
		return nil, err
	}
	why := &Reason{Record: number, CostUS: of.Cost() * 1e6, Space: "features"}
	m.Tell = func(text string) { why.Notes = append(why.Notes, text) }
	w, err := p.Workload(of)
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", number, err)
	}
	var own *schedule.State
	var states []*schedule.State
	var numbers []int
	for i := range records {
		if records[i].Workload != of.Workload || records[i].Target.String() != of.Target.String() {
			continue
		}
		s, err := schedule.ReplayBound(w.DAG, records[i].Steps)
		switch {
		case err == nil:
			states, numbers = append(states, s), append(numbers, i)
		case i == number:
			return nil, fmt.Errorf("record %d: %w", number, err)
		}
		if i == number {
			own = s
		}
	}
	e, err := m.Explain(ctx, workload.Task{DAG: w.DAG, Target: of.Target}, own, states, whyNearest)
	if err != nil {
		return nil, err
	}
	why.Score, why.Better, why.Of = e.Score, e.Better, len(states)
	if e.Latent {
		why.Space = "predicted state"
	}
	for _, a := range e.Actions {
		why.Actions = append(why.Actions, Action{a.Action, a.Value})
	}
	for _, n := range e.Nearest {
		i := numbers[n.Index]
		why.Nearest = append(why.Nearest, Neighbour{i, n.Distance, n.Score, records[i].Cost() * 1e6})
	}
	return why, nil
}
