package trajectory

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A replayer replays the records of one unit, in their order. Each prefix of a
// step list is lowered and printed once, however many records begin with it.
type replayer struct {
	corpus *corpus
	coder  *Coder
	out    *setWriter

	nodes   []node           // one per prefix; 0 is the empty one
	child   map[uint64]int32 // prefix and step -> prefix
	stateOf map[compact.ID]int32
	actOf   map[[16]byte]int32

	// The prefixes of the record before, from the empty one.
	steps []uint32
	path  []*schedule.State
	at    []int32

	text   []byte
	vector []float32
}

// A node is what a prefix leads to.
type node struct {
	state, action int32  // rows; the action is its last step
	why           string // it cannot be replayed or lowered; "" if it can
}

func newReplayer(c *corpus, coder *Coder, d *compute.DAG, out *setWriter) (*replayer, error) {
	r := &replayer{
		corpus: c, coder: coder, out: out, child: map[uint64]int32{},
		stateOf: map[compact.ID]int32{}, actOf: map[[16]byte]int32{}, vector: make([]float32, coder.Size),
	}
	start := schedule.New(d)
	var root node
	if err := r.lower(start, &root); err != nil {
		return nil, err
	}
	if root.why != "" {
		return nil, fmt.Errorf("dataset: the workload without steps: %s", root.why)
	}
	r.nodes = []node{root}
	r.path, r.at = []*schedule.State{start}, []int32{0}
	return r, nil
}

// trajectory returns the rows of states and actions of a step list, and why it
// ends before the last step, if it does.
func (r *replayer) trajectory(steps []uint32) (states, actions []int32, why string, err error) {
	r.steps = r.steps[:len(r.path)-1]
	common := 0
	for common < len(steps) && common < len(r.steps) && steps[common] == r.steps[common] {
		common++
	}
	r.steps, r.path, r.at = r.steps[:common], r.path[:common+1], r.at[:common+1]
	for _, step := range steps[common:] {
		if why, err = r.extend(step); err != nil {
			return nil, nil, "", err
		}
		if why != "" {
			break
		}
	}
	for i, n := range r.at {
		states = append(states, r.nodes[n].state)
		if i > 0 {
			actions = append(actions, r.nodes[n].action)
		}
	}
	return states, actions, why, nil
}

// extend takes one step from where the path ends.
func (r *replayer) extend(step uint32) (why string, err error) {
	last := len(r.at) - 1
	before, from := r.path[last], r.at[last]
	key := uint64(from)<<32 | uint64(step)
	to, known := r.child[key]
	if known && r.nodes[to].why != "" {
		return r.nodes[to].why, nil
	}
	s := r.corpus.steps[step].step
	after, stepErr := before.Apply(s)
	if !known {
		var n node
		if stepErr != nil {
			n.why = stepErr.Error()
		} else if err := r.explore(before, s, after, &n); err != nil {
			return "", err
		}
		to = int32(len(r.nodes))
		r.nodes = append(r.nodes, n)
		r.child[key] = to
	}
	if why := r.nodes[to].why; why != "" {
		return why, nil
	}
	r.steps, r.path, r.at = append(r.steps, step), append(r.path, after), append(r.at, to)
	return "", nil
}

// explore finds the rows of a prefix that was not seen before.
func (r *replayer) explore(before *schedule.State, step schedule.Step, after *schedule.State, n *node) error {
	if err := r.lower(after, n); err != nil || n.why != "" {
		return err
	}
	a := Action{Kind: step.Kind(), Text: r.coder.Encode(r.vector, before, step), Vector: r.vector}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", a.Kind, a.Text)
	r.text = r.text[:0]
	for _, v := range a.Vector {
		r.text = binary.LittleEndian.AppendUint32(r.text, math.Float32bits(v))
	}
	h.Write(r.text)
	id := [16]byte(h.Sum(nil)[:16])
	row, ok := r.actOf[id]
	if !ok {
		row = int32(len(r.actOf))
		r.actOf[id] = row
		if err := appendAction(r.out.tables[actionsTable], &a); err != nil {
			return err
		}
	}
	n.action = row
	return nil
}

// lower finds the row of a state.
func (r *replayer) lower(s *schedule.State, n *node) error {
	f, err := lower.Plain(s)
	if err != nil {
		n.why = err.Error()
		return nil
	}
	r.text = compact.Append(r.text[:0], f)
	id := compact.Identify(r.text)
	row, ok := r.stateOf[id]
	if !ok {
		row = int32(len(r.stateOf))
		r.stateOf[id] = row
		if err := appendState(r.out.tables[statesTable], id[:], r.text); err != nil {
			return err
		}
	}
	n.state = row
	return nil
}

// writeUnit replays all records of a unit and writes its tables.
func writeUnit(ctx context.Context, c *corpus, u *unit, d *compute.DAG, opts *Options, out *setWriter,
	done func()) error {
	r, err := newReplayer(c, &opts.Coder, d, out)
	if err != nil {
		return err
	}
	var tasks []Entry
	first := 0
	for number, ut := range u.tasks {
		place := opts.Rules.Place(d, ut.Target)
		t := Entry{
			Task: ut.Task, Number: number, DAG: place.DAG, Family: place.Family, Bench: place.Bench, Split: place.Parts,
			Records: len(ut.records), FirstTrajectory: first,
		}
		first += t.Records
		if err := r.task(ctx, ut, &t, done); err != nil {
			return err
		}
		tasks = append(tasks, t)
	}
	for i := range tasks {
		tasks[i].States = len(r.stateOf)
		cells, table := tasks[i].cells(), out.tables[tasksTable]
		if tasks[i].Timed == 0 {
			cells[bestColumn] = nil
		}
		if err := table.append(cells[:len(table.schema.Fields())]); err != nil {
			return err
		}
	}
	return nil
}

// task writes the trajectories of a task, and notes what is known of all of them.
func (r *replayer) task(ctx context.Context, ut *unitTask, t *Entry, done func()) error {
	costs := make([]float64, len(ut.records))
	for i := range ut.records {
		if costs[i] = ut.records[i].cost(); costs[i] > 0 {
			t.Timed++
		}
	}
	labels, levels, best := labelsOf(costs)
	t.Levels, t.Best = levels, best
	for i := range ut.records {
		if err := ctx.Err(); err != nil {
			return err
		}
		rec, l := &ut.records[i], labels[i]
		states, actions, why, err := r.trajectory(rec.steps)
		if err != nil {
			return err
		}
		row := Trajectory{
			Task: t.Number, Log: r.corpus.inputs[rec.input].SHA256, Record: int(rec.number), Hash: rec.hash,
			StepText: r.corpus.stepText(rec.steps), States: states, Actions: actions, Stopped: why,
			Status: rec.status, Message: rec.message, Costs: rec.costs, Cost: costs[i],
			Label: l.y, Level: l.level, Relevance: l.relevance, Scorer: rec.scorer, Score: rec.score, Unix: rec.unix,
			Trial: rec.trial,
		}
		cells := row.cells(t)
		if !row.Timed() {
			clear(cells[firstLabel : lastLabel+1])
		}
		if err := r.out.tables[trajectoriesTable].append(cells); err != nil {
			return err
		}
		done()
	}
	return r.out.tables[trajectoriesTable].flush()
}
