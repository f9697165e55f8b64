package scorerservice

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/metaschedule"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A handler carries out a request, and returns its answer and the blobs of that.
type handler func(s *server, r *request) (answered, [][]byte, error)

// A row is a message that is carried out one after the other.
type row struct {
	name  string
	serve handler
}

// rows is the table of messages; a cancel is not among them.
var rows = []row{
	{typeHello, decoded((*server).hello)},
	{typeOpen, decoded((*server).open)},
	{typeScore, ofTask((*server).score, func(q *Score) uint64 { return q.Task })},
	{typeUpdate, ofTask((*server).update, func(q *Update) uint64 { return q.Task })},
	{typeExplain, ofTask((*server).explain, func(q *Explain) uint64 { return q.Task })},
	{typeTraces, ofTask((*server).traces, func(q *Traces) uint64 { return q.Task })},
	{typeClose, ofTask((*server).close, func(q *Close) uint64 { return q.Task })},
}

// decoded reads the header of a request for a function that answers it.
func decoded[Q any](answer func(s *server, r *request, q *Q) (answered, [][]byte, error)) handler {
	return func(s *server, r *request) (answered, [][]byte, error) {
		q := new(Q)
		if err := json.Unmarshal(r.frame.Header, q); err != nil {
			return nil, nil, errorf(BadMessage, "%v", err)
		}
		return answer(s, r, q)
	}
}

// ofTask is decoded for a request that names an open task.
func ofTask[Q any](
	answer func(s *server, r *request, q *Q, t *task) (answered, [][]byte, error), number func(*Q) uint64,
) handler {
	return decoded(func(s *server, r *request, q *Q) (answered, [][]byte, error) {
		t, ok := s.tasks[number(q)]
		if !ok {
			return nil, nil, errorf(NoTask, "no task %d is open", number(q))
		}
		return answer(s, r, q, t)
	})
}

func names() string {
	list := []string{typeCancel}
	for _, r := range rows {
		list = append(list, r.name)
	}
	return strings.Join(list, ", ")
}

// hello answers a Hello.
func (s *server) hello(r *request, q *Hello) (answered, [][]byte, error) {
	if !slices.Contains(q.Versions, Version) {
		return nil, nil, errorf(NoVersion, "the client speaks the versions %v of the protocol, and %s speaks %d: "+
			"take both from releases that have one in common", q.Versions, s.opt.Server, Version)
	}
	scorer, err := s.scorer(target.LLVM)
	if err != nil {
		return nil, nil, err
	}
	s.greeted = true
	is, l := scorer.Traits(), limits
	return &HelloAnswer{
		Version: Version, Server: s.opt.Server, Scorer: s.opt.Scorer, Explains: is.Explain != nil,
		Frozen: is.Frozen, Untrained: is.Untrained, Limits: &l,
	}, nil, nil
}

// scorer returns the scorer of a kind of target.
func (s *server) scorer(kind target.Kind) (search.Scorer, error) {
	if scorer, ok := s.scorers[kind]; ok {
		return scorer, nil
	}
	scorer, err := s.opt.Open(kind, s.tell)
	if err == nil {
		s.scorers[kind] = scorer
	}
	return scorer, err
}

// A task is one that was opened.
type task struct {
	search.Task
	scorer search.Scorer
	module *metaschedule.Workload // whose traces the candidates are; nil if they are steps
}

// open answers an Open.
func (s *server) open(r *request, q *Open) (answered, [][]byte, error) {
	if len(s.tasks) >= limits.Tasks {
		return nil, nil, errorf(TooLarge, "%d tasks are open: close one", len(s.tasks))
	}
	w, module, err := find(q)
	if err != nil {
		return nil, nil, errorf(BadTask, "%v", err)
	}
	on, err := s.target(q)
	if err != nil {
		return nil, nil, errorf(BadTask, "%v", err)
	}
	t := &task{Task: search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: on}, module: module}
	if t.scorer, err = s.scorer(on.Kind); err != nil {
		return nil, nil, err
	}
	s.opened++
	s.tasks[s.opened] = t
	a := &OpenAnswer{Task: s.opened, Workload: w.Text, WorkloadKey: w.Key, DAG: w.DAG.Text(), FLOPs: w.FLOPs,
		Target: dataset.NewTargetJSON(on), TargetText: on.String()}
	for _, op := range w.DAG.Ops {
		a.Stages = append(a.Stages, op.Name)
	}
	a.Indices, _ = run.Indices(w.DAG) // a search says what is wrong with the others
	return a, nil, nil
}

// find returns the workload of a task; module is that which it was read from, if it was.
func find(q *Open) (w workload.Workload, module *metaschedule.Workload, err error) {
	text := q.Workload
	if q.Module != "" {
		if text != "" {
			return w, nil, errors.New("name a workload or a module, not both")
		}
		if module, err = metaschedule.ParseModule([]byte(q.Module)); err != nil {
			return w, nil, fmt.Errorf("the module: %w", err)
		}
		text = module.DAG.Text()
	}
	if w, err = workload.Find(text); err == nil && module != nil {
		w.DAG = module.DAG // whose ops the module's blocks are
	}
	return w, module, err
}

// target returns the machine that a task is for: this one, if the task names none.
func (s *server) target(q *Open) (target.Target, error) {
	switch {
	case q.Target != nil && q.TVMTarget != nil:
		return target.Target{}, errors.New("name target or tvm_target, not both")
	case q.Target != nil:
		return q.Target.Target()
	case q.TVMTarget != nil:
		_, on, err := metaschedule.ParseTarget(q.TVMTarget)
		return on, err
	}
	on, err := s.opt.Host()
	if err != nil {
		return on, fmt.Errorf("name a target: this machine cannot be one: %w", err)
	}
	return on, nil
}

// score answers a Score.
func (s *server) score(r *request, q *Score, t *task) (answered, [][]byte, error) {
	states, failed, err := states(r.ctx, q.Candidates, t.state)
	if err != nil {
		return nil, nil, err
	}
	var good []*schedule.State
	for _, state := range states {
		if state != nil {
			good = append(good, state)
		}
	}
	var scores []float64
	if len(good) > 0 {
		if scores, err = t.scorer.Score(r.ctx, &t.Task, good); err != nil {
			return nil, nil, err
		}
	}
	blob := make([]byte, 0, 8*len(states))
	for _, state := range states {
		v := math.Inf(-1)
		if state != nil {
			v, scores = scores[0], scores[1:]
		}
		blob = binary.LittleEndian.AppendUint64(blob, math.Float64bits(v))
	}
	a := &ScoreAnswer{Failed: len(failed), Errors: failed[:min(len(failed), maxErrors)]}
	return a, [][]byte{blob}, nil
}

// maxErrors is how many candidates are named that have no score; maxSteps how many steps one may have.
const maxErrors, maxSteps = 16, 1 << 12

// states replays candidates. Those that cannot be replayed are nil, and among the errors.
func states(ctx context.Context, candidates []json.RawMessage, replay func(json.RawMessage) (*schedule.State, error),
) ([]*schedule.State, []CandidateError, error) {
	if n := len(candidates); n > limits.Candidates {
		return nil, nil, errorf(TooLarge, "%d candidates; the limit is %d in a message", n, limits.Candidates)
	}
	states, errs := make([]*schedule.State, len(candidates)), make([]error, len(candidates))
	onAllCores(ctx, len(candidates), func(i int) { states[i], errs[i] = replay(candidates[i]) })
	var failed []CandidateError
	for i, err := range errs {
		if err != nil {
			failed = append(failed, CandidateError{i, err.Error()})
		}
	}
	return states, failed, ctx.Err()
}

// state replays a candidate.
func (t *task) state(text json.RawMessage) (*schedule.State, error) {
	if t.module != nil {
		trace, err := metaschedule.ParseTrace(text)
		if err != nil {
			return nil, err
		}
		if n := len(trace.Instructions); n > maxSteps {
			return nil, fmt.Errorf("a candidate of %d instructions; the limit is %d", n, maxSteps)
		}
		state, _, err := t.module.State(trace)
		return state, err
	}
	return t.replay(text)
}

// replay replays steps.
func (t *task) replay(text json.RawMessage) (*schedule.State, error) {
	steps, err := schedule.ParseSteps(text)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(text, []byte("null")) {
		return nil, errors.New("a candidate is null: write [] for no steps")
	}
	if len(steps) > maxSteps {
		return nil, fmt.Errorf("a candidate of %d steps; the limit is %d", len(steps), maxSteps)
	}
	s, err := schedule.Replay(t.DAG, steps)
	if err != nil {
		return nil, err
	}
	return s.InferBound()
}

// update answers an Update.
func (s *server) update(r *request, q *Update, t *task) (answered, [][]byte, error) {
	a := &UpdateAnswer{}
	var records []dataset.Record
	for i, rec := range q.Records {
		d, err := t.record(rec)
		if err == nil {
			records = append(records, d)
		} else if len(a.Errors) < maxErrors {
			a.Errors = append(a.Errors, CandidateError{i, err.Error()})
		}
	}
	if err := s.teach(r.ctx, t, records); err != nil {
		return nil, nil, err
	}
	a.Learned, a.Untrained = len(records), t.scorer.Traits().Untrained
	return a, nil, nil
}

// teach has the scorer of a task learn from records. One that cannot forget a task is not taught a record twice: a
// tuner that opens a task again, which it had closed, sends its records again, since it cannot know what the scorer
// remembers.
func (s *server) teach(ctx context.Context, t *task, records []dataset.Record) error {
	var added []string
	if t.scorer.Traits().Forget == nil {
		known := s.known[t.Target.Kind]
		if known == nil {
			known = map[string]bool{}
			s.known[t.Target.Kind] = known
		}
		var fresh []dataset.Record
		for _, r := range records {
			key := fmt.Sprintln(r.Target.String(), r.Trajectory, r.Layout, r.Packed, r.Status, r.Costs)
			if !known[key] {
				known[key] = true
				fresh, added = append(fresh, r), append(added, key)
			}
		}
		records = fresh
	}
	if len(records) == 0 {
		return nil
	}
	err := t.scorer.Update(ctx, &t.Task, records)
	if err != nil {
		for _, key := range added { // which the tuner may send again
			delete(s.known[t.Target.Kind], key)
		}
	}
	return err
}

// record returns a measured candidate as a scorer learns from it.
func (t *task) record(r Record) (dataset.Record, error) {
	rec := dataset.Record{WorkloadKey: t.Key, Workload: t.Name, Target: t.Target, Packed: r.Packed, Message: r.Message}
	state, err := t.state(r.Steps)
	if err != nil {
		return rec, err
	}
	rec.Steps = state.Steps
	if rec.Status, err = measure.ParseStatus(r.Status); err != nil {
		return rec, err
	}
	if r.Layout != "" {
		if rec.Layout, err = target.ParseLayout(r.Layout); err != nil {
			return rec, err
		}
	}
	if rec.Status == measure.OK && len(r.CostsUS) == 0 {
		return rec, errors.New("a record with status ok needs costs_us")
	}
	for _, us := range r.CostsUS {
		if !measure.IsTime(us / 1e6) {
			return rec, fmt.Errorf("a cost of %v us", us)
		}
		rec.Costs = append(rec.Costs, us/1e6)
	}
	rec.Trajectory = dataset.TrajectoryHash(rec.WorkloadKey, rec.Workload, rec.Steps)
	return rec, nil
}

// explain answers an Explain.
func (s *server) explain(r *request, q *Explain, t *task) (answered, [][]byte, error) {
	explain := t.scorer.Traits().Explain
	if explain == nil {
		return nil, nil, errorf(Unsupported, "the scorer %s does not explain its scores", s.opt.Scorer)
	}
	state, err := t.state(q.Candidate)
	if err != nil {
		return nil, nil, errorf(BadMessage, "the candidate: %v", err)
	}
	others, failed, err := states(r.ctx, q.Beside, t.state)
	if err != nil {
		return nil, nil, err
	}
	if len(failed) > 0 {
		return nil, nil, errorf(BadMessage, "candidate %d beside: %s", failed[0].Index, failed[0].Message)
	}
	e, err := explain(r.ctx, &t.Task, state, others, max(q.Nearest, 0))
	if err != nil {
		return nil, nil, err
	}
	a := &ExplainAnswer{Score: e.Score, Better: e.Better, Of: len(others), NearestBy: "features"}
	if e.Latent {
		a.NearestBy = "predicted state"
	}
	for _, c := range e.Actions {
		a.Actions = append(a.Actions, Action{c.Action, c.Value})
	}
	for _, n := range e.Nearest {
		if !math.IsInf(n.Score, 0) {
			a.Nearest = append(a.Nearest, Neighbour(n))
		}
	}
	return a, nil, nil
}

// traces answers a Traces.
func (s *server) traces(r *request, q *Traces, t *task) (answered, [][]byte, error) {
	if t.module == nil {
		return nil, nil, errorf(Unsupported, "task %d was not opened with a module: its candidates have no traces", q.Task)
	}
	list, failed, err := states(r.ctx, q.Candidates, t.replay)
	if err != nil {
		return nil, nil, err
	}
	a := &TracesAnswer{Traces: make([]*metaschedule.Trace, len(list))}
	for i, state := range list {
		if r.ctx.Err() != nil {
			return nil, nil, r.ctx.Err()
		}
		if state == nil {
			continue
		}
		if a.Traces[i], err = t.module.Trace(state); err != nil {
			failed = append(failed, CandidateError{i, err.Error()})
		}
	}
	slices.SortFunc(failed, func(a, b CandidateError) int { return a.Index - b.Index })
	a.Failed, a.Errors = len(failed), failed[:min(len(failed), maxErrors)]
	return a, nil, nil
}

// close answers a Close.
func (s *server) close(r *request, q *Close, t *task) (answered, [][]byte, error) {
	delete(s.tasks, q.Task)
	if forget := t.scorer.Traits().Forget; forget != nil { // no other task has the DAG, by which scorers tell tasks apart
		forget(&t.Task)
	}
	return &Answer{}, nil, nil
}
