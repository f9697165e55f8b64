package trajectory

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Set is an open dataset. It may be used by several goroutines.
type Set struct {
	dir    string
	meta   Meta
	tasks  []Entry
	tables map[string]*tableReader

	stateBatches      []int // first row of each batch of states
	trajectoryBatches []int // of each task: its first batch of trajectories

	mu      sync.Mutex
	recent  []stateBatch // the last used first
	actions []Action     // nil before the first is asked for
}

// A stateBatch is a decoded batch of states.
type stateBatch struct {
	number int
	ids    []compact.ID
	texts  []string
}

// recentBatches is how many batches of states are kept; each has a few MB.
const recentBatches = 16

// Open opens the dataset in a folder. It reads all of it once, to see that it is
// undamaged.
func Open(dir string) (*Set, error) {
	if err := verify(dir); err != nil {
		return nil, err
	}
	s := &Set{dir: dir, tables: map[string]*tableReader{}}
	if err := s.open(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Set) open() error {
	meta, err := openTable(s.dir, metaTable, metaColumns())
	if err != nil {
		return err
	}
	s.tables[metaTable] = meta
	if s.meta, err = readMeta(meta); err != nil {
		return err
	}
	m := &s.meta
	for _, n := range []int{m.Tasks, m.Trajectories, m.States, m.Actions} {
		if n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("dataset %s: a table of %d rows; build the dataset again", s.dir, n)
		}
	}
	if m.Vector < 1 || m.Vector > maxVector {
		return fmt.Errorf("dataset %s: vectors of %d numbers; build the dataset again", s.dir, m.Vector)
	}
	for _, f := range formats {
		if s.tables[f.name], err = openFormat(s.dir, f, s.meta.Vector); err != nil {
			return err
		}
	}
	if s.tasks, err = readTasks(s.tables[tasksTable]); err != nil {
		return err
	}
	return s.index()
}

// index finds where batches begin: a batch is full, or the last of a workload (of
// states) or of a task (of trajectories).
func (s *Set) index() error {
	states, trajectories := 0, 0
	limit := map[string]int{}
	for _, f := range formats {
		limit[f.name] = f.rows
	}
	for i := range s.tasks {
		t := &s.tasks[i]
		if !t.sound(&s.meta) {
			return fmt.Errorf("dataset %s: task %d refers to rows that are not there; build the dataset again", s.dir, i)
		}
		if t.FirstState == states { // else it shares those of the task before
			for row := 0; row < t.States; row += limit[statesTable] {
				s.stateBatches = append(s.stateBatches, states+row)
			}
			states += t.States
		}
		s.trajectoryBatches = append(s.trajectoryBatches, trajectories)
		trajectories += (t.Records + limit[trajectoriesTable] - 1) / limit[trajectoriesTable]
	}
	s.trajectoryBatches = append(s.trajectoryBatches, trajectories)
	if len(s.stateBatches) != s.tables[statesTable].len() || trajectories != s.tables[trajectoriesTable].len() ||
		states != s.meta.States || len(s.tasks) != s.meta.Tasks ||
		s.meta.Actions > s.tables[actionsTable].len()*limit[actionsTable] {
		return fmt.Errorf("dataset %s: its tables do not fit together", s.dir)
	}
	return nil
}

// maxVector bounds the numbers in an action's vector: ours have some hundreds.
const maxVector = 1 << 16

// sound reports whether the rows that a task refers to are there.
func (t *Entry) sound(m *Meta) bool {
	for _, r := range [][3]int{{t.FirstState, t.States, m.States}, {t.FirstTrajectory, t.Records, m.Trajectories},
		{0, t.Timed, t.Records}} {
		if r[0] < 0 || r[1] < 0 || r[0]+r[1] > r[2] {
			return false
		}
	}
	return t.Timed == 0 || measure.IsTime(t.Best)
}

// check says what is wrong with a trajectory that was read.
func (s *Set) check(t *Trajectory) error {
	for _, c := range t.Costs {
		if !measure.IsTime(c) {
			return fmt.Errorf("its cost is %v seconds", c)
		}
	}
	outside := func(limit int) func(int32) bool { return func(row int32) bool { return row < 0 || int(row) >= limit } }
	switch {
	case t.Task < 0 || t.Task >= len(s.tasks) || len(t.States) != len(t.Actions)+1 ||
		slices.ContainsFunc(t.States, outside(s.meta.States)) || slices.ContainsFunc(t.Actions, outside(s.meta.Actions)):
		return errors.New("it refers to rows that are not there")
	case t.Timed() && !(measure.IsTime(t.Cost) && t.Label >= 0 && t.Label <= 1 && t.Level >= 0 && t.Relevance >= 0 &&
		t.Relevance <= MaxRelevance):
		return fmt.Errorf("its label is %v, of a cost of %v seconds", t.Label, t.Cost)
	}
	return nil
}

// Close closes the files.
func (s *Set) Close() error {
	var err error
	for _, t := range s.tables {
		if t == nil {
			continue
		}
		if e := t.close(); err == nil {
			err = e
		}
	}
	return err
}

// Meta says what the dataset was made from.
func (s *Set) Meta() Meta { return s.meta }

// Tasks returns all tasks, in the order of their numbers.
func (s *Set) Tasks() []Entry { return slices.Clone(s.tasks) }

// Trajectories returns those of a task, in the order of their rows. After an error
// there are no more.
func (s *Set) Trajectories(task int) iter.Seq2[Trajectory, error] {
	return func(yield func(Trajectory, error) bool) {
		table := s.tables[trajectoriesTable]
		for i := s.trajectoryBatches[task]; i < s.trajectoryBatches[task+1]; i++ {
			batch, err := table.batch(i)
			if err != nil {
				yield(Trajectory{}, err)
				return
			}
			for row := range int(batch.NumRows()) {
				var t Trajectory
				err := read(t.cells(&Entry{}), batch, row)
				if err == nil {
					err = s.check(&t)
				}
				if err != nil {
					err = fmt.Errorf("dataset %s: batch %d, row %d: %w", table.path, i, row, err)
				}
				if !yield(t, err) || err != nil {
					batch.Release()
					return
				}
			}
			batch.Release()
		}
	}
}

// All returns the trajectories of all tasks, task by task.
func (s *Set) All() iter.Seq2[Trajectory, error] {
	return func(yield func(Trajectory, error) bool) {
		for task := range s.tasks {
			for t, err := range s.Trajectories(task) {
				if !yield(t, err) || err != nil {
					return
				}
			}
		}
	}
}

// State returns the state in a row. Rows near each other are read together.
func (s *Set) State(row int) (State, error) {
	if row < 0 || row >= s.meta.States {
		return State{}, fmt.Errorf("dataset %s: no state %d: there are %d", s.dir, row, s.meta.States)
	}
	number, exact := slices.BinarySearch(s.stateBatches, row)
	if !exact {
		number--
	}
	b, err := s.stateBatch(number)
	if err != nil {
		return State{}, err
	}
	at := row - s.stateBatches[number]
	return State{ID: b.ids[at], Text: b.texts[at]}, nil
}

// stateBatch returns a batch of states, which is kept for a while.
func (s *Set) stateBatch(number int) (stateBatch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.recent, func(b stateBatch) bool { return b.number == number })
	var b stateBatch
	if at >= 0 {
		b = s.recent[at]
		s.recent = slices.Delete(s.recent, at, at+1)
	} else {
		var err error
		if b, err = s.readStates(number); err != nil {
			return b, err
		}
	}
	s.recent = slices.Insert(s.recent, 0, b)
	s.recent = s.recent[:min(len(s.recent), recentBatches)]
	return b, nil
}

func (s *Set) readStates(number int) (stateBatch, error) {
	b := stateBatch{number: number}
	rec, err := s.tables[statesTable].batch(number)
	if err != nil {
		return b, err
	}
	defer rec.Release()
	end := s.meta.States // of the batch
	if number+1 < len(s.stateBatches) {
		end = s.stateBatches[number+1]
	}
	if int(rec.NumRows()) != end-s.stateBatches[number] {
		return b, fmt.Errorf("dataset %s: batch %d has %d states; build the dataset again", s.dir, number, rec.NumRows())
	}
	ids, texts := rec.Column(0).(*array.FixedSizeBinary), rec.Column(1).(*array.String)
	for i := range int(rec.NumRows()) {
		b.ids = append(b.ids, compact.ID(ids.Value(i)))
		b.texts = append(b.texts, texts.Value(i))
	}
	return b, nil
}

// States returns all states with their rows, in order.
func (s *Set) States() iter.Seq2[State, error] {
	return func(yield func(State, error) bool) {
		for number := range s.stateBatches {
			b, err := s.readStates(number)
			if err != nil {
				yield(State{}, err)
				return
			}
			for i, id := range b.ids {
				if !yield(State{ID: id, Text: b.texts[i]}, nil) {
					return
				}
			}
		}
	}
}

// Actions returns all actions, by row; they are shared by all callers. They take
// about half a kilobyte each.
func (s *Set) Actions() ([]Action, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.actions != nil {
		return s.actions, nil
	}
	list := make([]Action, 0, s.meta.Actions)
	for rec, err := range s.tables[actionsTable].batches() {
		if err != nil {
			return nil, err
		}
		kinds, texts := rec.Column(0).(*array.String), rec.Column(1).(*array.String)
		vectors := rec.Column(2).(*array.FixedSizeList)
		values := slices.Clone(vectors.ListValues().(*array.Float32).Float32Values())
		for i := range int(rec.NumRows()) {
			list = append(list, Action{
				Kind: schedule.Kind(kinds.Value(i)), Text: texts.Value(i),
				Vector: values[i*s.meta.Vector : (i+1)*s.meta.Vector : (i+1)*s.meta.Vector],
			})
		}
	}
	if len(list) != s.meta.Actions {
		return nil, fmt.Errorf("dataset %s: %d actions of %d; build the dataset again", s.dir, len(list), s.meta.Actions)
	}
	s.actions = list
	return list, nil
}
