package encoder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/encoder/bpe"
	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/target"
)

// Data says what is learned from.
type Data struct {
	Dirs  []string    // datasets (package trajectory)
	Kind  target.Kind // tasks of other kinds of targets are left out
	Split string      // which decides what is learned from: "task", "dag" or "target"
	Seed  uint64
}

// A program is a state of a task, ready for use.
type program struct {
	id    compact.ID
	task  int // of the sample
	text  string
	label float64 // of its trajectory, if it is a last state; else -1
}

// A sample is programs of the tasks of one part of a split: up to so many of each
// workload, whose tasks on several targets are one.
type sample struct {
	tasks [][]program
}

// draw reads a sample: of each workload programs by trajectory and place, no program
// twice. A third of the draws is of last ones only, the others of any.
func (d *Data) draw(ctx context.Context, part split.Part, most int) (*sample, error) {
	s := &sample{}
	known := map[string]int{} // workloads
	seen := map[compact.ID]bool{}
	for _, dir := range d.Dirs {
		set, err := trajectory.Open(dir)
		if err != nil {
			return nil, fmt.Errorf("encoder: %w", err)
		}
		err = d.drawSet(ctx, s, set, part, most, known, seen)
		if closed := set.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return nil, fmt.Errorf("encoder: dataset %s: %w", dir, err)
		}
	}
	s.tasks = slices.DeleteFunc(s.tasks, func(list []program) bool { return len(list) < 2 })
	for i, list := range s.tasks {
		for k := range list {
			list[k].task = i
		}
	}
	if len(s.tasks) < 2 {
		return nil, fmt.Errorf("encoder: the datasets %v have %d tasks of kind %s in the part %s of the split by %s; at "+
			"least 2 are needed: add logs of more workloads, such as 'wmtune dataset collect' makes (those of benchmarks "+
			"are in no part but test), or train the ranker alone, which needs fewer",
			d.Dirs, len(s.tasks), d.Kind, part, d.Split)
	}
	return s, nil
}

func (d *Data) drawSet(
	ctx context.Context, s *sample, set *trajectory.Set, part split.Part, most int, known map[string]int,
	seen map[compact.ID]bool,
) error {
	for _, task := range set.Tasks() {
		if in, err := task.Split.By(d.Split); err != nil {
			return err
		} else if in != part || task.Target.Kind != d.Kind {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		at, ok := known[task.WorkloadKey]
		if !ok {
			at = len(s.tasks)
			known[task.WorkloadKey] = at
			s.tasks = append(s.tasks, nil)
		}
		places, err := d.places(set, task, most, at)
		if err != nil {
			return err
		}
		for _, p := range places { // in the order of rows: they are read together
			if len(s.tasks[at]) >= most {
				break
			}
			state, err := set.State(p.row)
			if err != nil {
				return err
			}
			if !seen[state.ID] {
				seen[state.ID] = true
				s.tasks[at] = append(s.tasks[at], program{id: state.ID, text: state.Text, label: p.label})
			}
		}
	}
	return nil
}

type place struct {
	row   int
	label float64
}

// places draws rows of states.
func (d *Data) places(set *trajectory.Set, task trajectory.Entry, most, at int) ([]place, error) {
	var all []trajectory.Trajectory
	for tr, err := range set.Trajectories(task.Number) {
		if err != nil {
			return nil, err
		}
		all = append(all, tr)
	}
	if len(all) == 0 {
		return nil, nil
	}
	rng := rand.New(rand.NewPCG(d.Seed, uint64(at)<<8|1))
	drawn := map[int]bool{}
	var list []place
	for range 4 * most {
		tr := all[rng.IntN(len(all))]
		k, last := rng.IntN(len(tr.States)), len(tr.States)-1
		if rng.IntN(3) == 0 {
			k = last
		}
		p := place{row: int(tr.States[k]), label: -1}
		if k == last && tr.Timed() && tr.Whole() {
			p.label = tr.Label
		}
		if !drawn[p.row] && len(list) < most {
			drawn[p.row] = true
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b place) int { return a.row - b.row })
	return list, nil
}

// each calls f for all programs.
func (s *sample) each(f func(p *program)) {
	for _, list := range s.tasks {
		for i := range list {
			f(&list[i])
		}
	}
}

// vocabularySize is how many tokens there are.
const vocabularySize = 4096

// TrainTokenizer learns tokens from the programs of the tasks to learn from, and
// returns tokenizer.json: 5 megabytes of text are enough.
func TrainTokenizer(ctx context.Context, d Data) ([]byte, error) {
	s, err := d.draw(ctx, split.Train, 128)
	if err != nil {
		return nil, err
	}
	var t bpe.Trainer
	const enough = 5 << 20
	for bytes, k := 0, 0; bytes < enough && k < 128; k++ { // all tasks get their turn
		for _, list := range s.tasks {
			if k < len(list) {
				// Rows are in the order in which logs led to them; take them from all over.
				text := list[k*61%len(list)].text
				t.Add(text)
				bytes += len(text)
			}
		}
	}
	tok, err := t.Train(vocabularySize)
	if err != nil {
		return nil, err
	}
	return tok.File(), nil
}
