package inspect

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/dataset"
)

// A History is how the search of a task went: its curve, its fastest programs and their texts.
type History struct {
	*dataset.TaskSummary
	Log    string
	FLOPs  float64   // of one run; 0 if it is not known
	Best   []float64 // seconds of the fastest program after each of the task's records; 0 before the first
	Ranked []Ranked  // the fastest programs, the fastest first
	Texts  []string  // of Ranked: TensorIR, or why there is none
	Steps  []string  // of Ranked
}

// Histories returns the history of each task of a log, with up to top programs.
func (p *Programs) Histories(ctx context.Context, log string, top int) ([]History, error) {
	r, err := dataset.Open(log)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var s dataset.Summary
	type sample struct {
		trajectory string
		cost       float64 // 0: not timed
	}
	samples := map[string][]sample{} // by task
	for rec, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		s.Add(&rec)
		x := sample{trajectory: rec.Trajectory}
		if rec.Timed() {
			x.cost = rec.Cost()
		}
		task := rec.Task()
		samples[task.ID()] = append(samples[task.ID()], x)
	}
	var list []History
	for i := range s.Tasks {
		t := &s.Tasks[i]
		h := History{TaskSummary: t, Log: log, FLOPs: p.FLOPs(t.Workload), Ranked: Rank(t)}
		stays := map[string]bool{} // programs that did not fail later
		for _, q := range h.Ranked {
			stays[q.Trajectory] = true
		}
		best := 0.0
		for _, x := range samples[t.ID()] {
			if x.cost > 0 && stays[x.trajectory] && (best == 0 || x.cost < best) {
				best = x.cost
			}
			h.Best = append(h.Best, best)
		}
		h.Ranked = h.Ranked[:min(top, len(h.Ranked))]
		if err := p.texts(ctx, &h); err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// texts fills in the programs of a history.
func (p *Programs) texts(ctx context.Context, h *History) error {
	r, err := dataset.Open(h.Log)
	if err != nil {
		return err
	}
	defer r.Close()
	var numbers []int
	for _, q := range h.Ranked {
		numbers = append(numbers, q.Record)
	}
	if len(numbers) == 0 {
		return nil
	}
	records, err := Pick(r, numbers)
	if err != nil {
		return err
	}
	for i := range records {
		steps, _ := stepsText(ctx, p, &records[i])
		text, err := tirText(ctx, p, &records[i])
		if err != nil {
			text = "there is no program: " + err.Error()
		}
		h.Steps, h.Texts = append(h.Steps, steps), append(h.Texts, text)
	}
	return ctx.Err()
}

// Improvements returns the records of the task, from 1, at which a program was faster than those before, each with the
// record before it, and the last one.
func (h *History) Improvements() []int {
	var list []int
	for i, best := range h.Best {
		if i > 0 && best != h.Best[i-1] {
			list = append(list, i)
		}
		if i == 0 || best != h.Best[i-1] || i == len(h.Best)-1 {
			list = append(list, i+1)
		}
	}
	return slices.Compact(list)
}
