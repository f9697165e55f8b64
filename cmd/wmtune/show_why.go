package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// whyNearest is how many measured programs are named beside one.
const whyNearest = 5

// A reason is an explanation of a record, as --json prints it.
type reason struct {
	Record  int            `json:"record"`
	Score   float64        `json:"score"`
	Better  int            `json:"records_with_higher_score"`
	Of      int            `json:"records"`
	CostUS  float64        `json:"cost_us,omitempty"`
	Actions []whyAction    `json:"actions,omitempty"` // nil: the score comes of features alone
	Nearest []whyNeighbour `json:"nearest"`
	Space   string         `json:"nearest_by"` // predicted state, or features
	Notes   []string       `json:"notes,omitempty"`
}

type whyAction struct {
	Text  string  `json:"action"`
	Value float64 `json:"contribution"`
}

type whyNeighbour struct {
	Record   int     `json:"record"`
	Distance float64 `json:"distance"`
	Score    float64 `json:"score"`
	CostUS   float64 `json:"cost_us,omitempty"`
}

// printWhy explains the score that a model gives a record, beside the others of its
// task in the log.
func (c *showCommand) printWhy(ctx context.Context, p *programs, r *dataset.Reader, out *bufio.Writer) error {
	var records []dataset.Record
	for rec, err := range r.Records() {
		if err != nil {
			return err
		}
		records = append(records, rec)
	}
	if c.why >= len(records) {
		return fmt.Errorf("log %s: there is no record %d: it holds %s, numbered from 0", c.log, c.why, count(len(records), "record"))
	}
	of := &records[c.why]
	m, err := costmodel.OpenModel(costmodel.Options{Kind: of.Target.Kind, Model: c.model})
	if errors.Is(err, models.ErrNone) {
		return fmt.Errorf("%w; name the folder of a model with --model", err)
	}
	if err != nil {
		return err
	}
	why := reason{Record: c.why, CostUS: of.Cost() * 1e6, Space: "features"}
	m.Tell = func(text string) { why.Notes = append(why.Notes, text) }
	dag, err := p.dag(of)
	if err != nil {
		return fmt.Errorf("record %d: %w", c.why, err)
	}
	var own *schedule.State
	var states []*schedule.State
	var numbers []int
	for i := range records {
		if records[i].Workload != of.Workload || records[i].Target.String() != of.Target.String() {
			continue
		}
		s, err := schedule.Replay(dag, records[i].Steps)
		if err == nil {
			s, err = s.InferBound()
		}
		if i == c.why && err != nil {
			return fmt.Errorf("record %d: %w", c.why, err)
		}
		if i == c.why {
			own = s
		}
		if err == nil {
			states, numbers = append(states, s), append(numbers, i)
		}
	}
	e, err := m.Explain(ctx, workload.Task{DAG: dag, Target: of.Target}, own, states, whyNearest)
	if err != nil {
		return err
	}
	why.Score, why.Better, why.Of = e.Score, e.Better, len(states)
	if e.Latent {
		why.Space = "predicted state"
	}
	for _, a := range e.Actions {
		why.Actions = append(why.Actions, whyAction{a.Action, a.Value})
	}
	for _, n := range e.Nearest {
		why.Nearest = append(why.Nearest, whyNeighbour{numbers[n.Index], n.Distance, n.Score, records[numbers[n.Index]].Cost() * 1e6})
	}
	if c.format == "json" {
		return json.NewEncoder(out).Encode(why)
	}
	why.print(out)
	return nil
}

// print prints an explanation for people.
func (w *reason) print(out *bufio.Writer) {
	fmt.Fprintf(out, "record %d: score %.3f, %d of the %d records of its task score higher; %s\n", w.Record, w.Score, w.Better, w.Of, whyCost(w.CostUS))
	for _, n := range w.Notes {
		fmt.Fprintln(out, n)
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if w.Actions == nil {
		fmt.Fprintln(tw, "\nThe score comes of features of all steps together: there is no contribution of each.")
	} else {
		fmt.Fprintln(tw, "\nWhat each step adds: the value of the predicted state less that without the step")
		for _, a := range w.Actions {
			fmt.Fprintf(tw, "  %+.3f\t%s\n", a.Value, a.Text)
		}
	}
	fmt.Fprintf(tw, "\nThe nearest measured programs, by %s\n  record\tdistance\tscore\ttime\n", w.Space)
	for _, n := range w.Nearest {
		fmt.Fprintf(tw, "  %d\t%.3f\t%.3f\t%s\n", n.Record, n.Distance, n.Score, whyCost(n.CostUS))
	}
	tw.Flush()
}

func whyCost(us float64) string {
	if us == 0 {
		return "not timed"
	}
	return dataset.FormatSeconds(us / 1e6)
}
