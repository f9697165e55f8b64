package trajectory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A corpus is all records that a dataset is made from, task by task. Records are
// small: steps are numbers, and each distinct step is held once.
type corpus struct {
	inputs []Input // in the order of their hashes
	steps  []stepEntry
	stepOf map[string]uint32
	units  []*unit
	budget dataset.Budget
}

type stepEntry struct {
	step schedule.Step
	text string // the record form
}

// A unit is the work that states are shared in: a workload, on all targets.
type unit struct {
	key, workload string
	tasks         []*unitTask
	byTask        map[string]*unitTask
}

type unitTask struct {
	dataset.Task
	records []record
}

// A record is a dataset.Record without what its task says.
type record struct {
	input   int32 // index in the inputs
	number  int32 // in there
	steps   []uint32
	hash    string
	status  measure.Status
	message string
	costs   []float64
	scorer  string
	score   float64
	unix    int64
	trial   int
	undrawn bool // it is not to be in the dataset, but may withdraw another
}

func (r *record) cost() float64 { return measure.Result{Costs: r.costs}.Cost() }

// bytes estimates what the record takes in memory, in a list that grows.
func (r *record) bytes() int64 {
	return int64(2*int(unsafe.Sizeof(*r)) + 4*len(r.steps) + 16*len(r.costs) + len(r.hash) + len(r.message) +
		len(r.scorer))
}

// size is how much work a unit is, in steps.
func (u *unit) size() int {
	n := 0
	for _, t := range u.tasks {
		for i := range t.records {
			n += len(t.records[i].steps) + 1
		}
	}
	return n
}

func (u *unit) records() int {
	n := 0
	for _, t := range u.tasks {
		n += len(t.records)
	}
	return n
}

// timing reports whether a task has other times than measure.Repeated.
func (u *unit) timing() bool {
	return slices.ContainsFunc(u.tasks, func(t *unitTask) bool { return t.Timing != measure.Repeated })
}

// readCorpus reads logs, in the order of their content, and draws the share of
// their records that opts asks for.
func readCorpus(ctx context.Context, opts *Options) (*corpus, error) {
	c := &corpus{stepOf: map[string]uint32{}, budget: dataset.Budget{Limit: opts.Memory}}
	paths := map[string]string{}
	for _, path := range opts.Logs {
		sum, size, err := sumOf(path)
		if err != nil {
			return nil, err
		}
		first, again := paths[sum]
		if again {
			opts.warn(fmt.Sprintf("log %s has the same content as %s; it is read once", path, first))
		}
		if !again || filepath.Base(path) < filepath.Base(first) { // so that the order of logs does not show
			paths[sum] = path
		}
		if !again {
			c.inputs = append(c.inputs, Input{SHA256: sum, Bytes: size})
		}
	}
	slices.SortFunc(c.inputs, func(a, b Input) int { return strings.Compare(a.SHA256, b.SHA256) })
	units := map[string]*unit{}
	for i := range c.inputs {
		c.inputs[i].Name = filepath.Base(paths[c.inputs[i].SHA256])
		if err := c.readLog(ctx, paths[c.inputs[i].SHA256], int32(i), units, opts); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(c.units, func(a, b *unit) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.workload, b.workload))
	})
	c.settle()
	for _, u := range c.units {
		slices.SortFunc(u.tasks, func(a, b *unitTask) int {
			return cmp.Or(strings.Compare(a.Target.String(), b.Target.String()), cmp.Compare(a.Layout, b.Layout),
				cmp.Compare(a.Timing, b.Timing))
		})
	}
	return c, nil
}

// settle leaves out what dataset.Settled does, and then what was not drawn.
func (c *corpus) settle() {
	for _, u := range c.units {
		u.settle()
		u.tasks = slices.DeleteFunc(u.tasks, func(t *unitTask) bool { return len(t.records) == 0 })
	}
	c.units = slices.DeleteFunc(c.units, func(u *unit) bool { return len(u.tasks) == 0 })
}

// settle settles the tasks of a unit that differ in their timing only together: what is wrong is so whatever the caches
// held.
func (u *unit) settle() {
	type place struct {
		task *unitTask
		record
	}
	programs := map[string][]place{}
	for _, t := range u.tasks {
		on := t.Layout.String() + " " + t.Target.String()
		for _, r := range t.records {
			programs[on] = append(programs[on], place{t, r})
		}
		t.records = nil
	}
	for _, list := range programs {
		slices.SortFunc(list, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.input, b.input), cmp.Compare(a.number, b.number))
		})
		for _, p := range dataset.Settled(list, func(p *place) dataset.Outcome {
			return dataset.Outcome{Program: p.hash, Status: p.status, Unix: p.unix}
		}) {
			if !p.undrawn {
				p.task.records = append(p.task.records, p.record)
			}
		}
	}
}

func (c *corpus) readLog(ctx context.Context, path string, input int32, units map[string]*unit, opts *Options) error {
	in, err := c.budget.Open(path, c.inputs[input].Bytes) // a search may append to it
	if err != nil {
		return err
	}
	defer in.Close()
	number, name, steps := int32(-1), "log "+path, len(c.steps)
	for rec, err := range in.Records() {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		number++
		undrawn := !drawn(opts, c.inputs[input].SHA256, number)
		if undrawn && (rec.Status == measure.OK || rec.Status == measure.Unmeasured) {
			continue
		}
		id := rec.WorkloadKey + "\n" + rec.Workload
		u, ok := units[id]
		if !ok {
			u = &unit{key: rec.WorkloadKey, workload: rec.Workload, byTask: map[string]*unitTask{}}
			units[id] = u
			c.units = append(c.units, u)
		}
		r := c.record(&rec, input, number)
		r.undrawn = undrawn
		u.add(&rec, r)
		bytes := r.bytes()
		for ; steps < len(c.steps); steps++ { // a new one, its text, and its number by text
			bytes += int64(schedule.StepBytes(c.steps[steps].step)+2*len(c.steps[steps].text)) + 100
		}
		done, all := in.Read()
		if err := c.budget.Hold(name, bytes, done, all); err != nil {
			return err
		}
	}
	if sum, _, err := sumOfFirst(path, c.inputs[input].Bytes); err != nil || sum != c.inputs[input].SHA256 {
		return errors.Join(fmt.Errorf("log %s: it changed while it was read; build when nothing but a search writes to it",
			path), err)
	}
	c.inputs[input].Records = int64(number) + 1
	for _, w := range in.Warnings() {
		opts.warn(w.String())
	}
	return nil
}

// drawn reports whether a record is in the share that was asked for.
func drawn(opts *Options, sum string, number int32) bool {
	if opts.Share >= 1 {
		return true
	}
	h := sha256.Sum256(fmt.Appendf(nil, "%d %s %d", opts.Seed, sum, number))
	return float64(binary.BigEndian.Uint64(h[:8]))/(1<<64) < opts.Share
}

func (u *unit) add(rec *dataset.Record, r record) {
	task := rec.Task()
	id := task.ID()
	t, ok := u.byTask[id]
	if !ok {
		t = &unitTask{Task: task}
		u.byTask[id] = t
		u.tasks = append(u.tasks, t)
	}
	t.records = append(t.records, r)
}

// record returns the small form of a record.
func (c *corpus) record(rec *dataset.Record, input, number int32) record {
	r := record{
		// else all of its round stays
		input: input, number: number, steps: make([]uint32, len(rec.Steps)), hash: strings.Clone(rec.Trajectory),
		status: rec.Status, message: strings.Clone(rec.Message), scorer: strings.Clone(rec.Scorer), score: rec.Score,
		unix: rec.Unix, trial: rec.Trial,
		costs: rec.Costs,
	}
	for i, step := range rec.Steps {
		text := step.String()
		n, ok := c.stepOf[text]
		if !ok {
			n = uint32(len(c.steps))
			c.steps = append(c.steps, stepEntry{step, text})
			c.stepOf[text] = n
		}
		r.steps[i] = n
	}
	return r
}

// shard returns the units of one of several parts, which are runs of all units
// with about the same work.
func (c *corpus) shard(shard, shards int) []*unit {
	total := 0
	for _, u := range c.units {
		total += u.size()
	}
	var list []*unit
	done := 0
	for _, u := range c.units {
		n := u.size()
		middle := done + n/2
		done += n
		if middle*shards/max(total, 1) == shard {
			list = append(list, u)
		}
	}
	return list
}
