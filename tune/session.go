package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
	"github.com/wmtune/wmtune/tune/scorerservice"
)

// A Machine is what a session needs of a machine.Machine.
type Machine interface {
	Target() target.Target
	Builder() machine.Builder
	Runner() machine.Runner
	SetTask(ctx context.Context, d *compute.DAG, seed uint64, timing measure.Timing) error
	Baseline(ctx context.Context, in measure.Input) (measure.Result, error)
	Export(ctx context.Context, f *tir.Func, opt machine.ExportOptions) (machine.Export, error)
	CannotTime() string
	Conditions() string
}

// Run tunes a workload on a machine. The result holds what was found even if there is an
// error; it is nil if the session cannot be opened. The error is
// search.ErrNothingCorrect if no candidate was correct, and the context's if it ended.
func Run(ctx context.Context, m Machine, w workload.Workload, o Options) (*Result, error) {
	return with(ctx, m, w, o, (*Session).run)
}

// Choose exports what the scorer thinks fastest of what is correct, which nobody has timed. A scorer that has
// learned nothing is an error: search.ErrUntrained.
func Choose(ctx context.Context, m Machine, w workload.Workload, o Options) (*Result, error) {
	return with(ctx, m, w, o, (*Session).Choose)
}

func with(
	ctx context.Context, m Machine, w workload.Workload, o Options, do func(*Session, context.Context) error,
) (*Result, error) {
	s, err := Open(ctx, m, w, o)
	if err != nil {
		return nil, err
	}
	err = do(s, ctx)
	return s.Result(), errors.Join(err, s.Close())
}

// run is a whole session: the baseline, the rounds and the finalists.
func (s *Session) run(ctx context.Context) error {
	if err := s.Begin(ctx); err != nil {
		return err
	}
	for more := true; more; {
		var err error
		if more, err = s.Step(ctx); err != nil {
			return s.End(ctx, err)
		}
	}
	return s.End(ctx, nil)
}

// A Session is one tuning run, to be taken step by step: Open, Begin, Step until there
// are no more, End, Close. It may be used by one goroutine at a time.
type Session struct {
	opt     Options
	machine Machine
	w       workload.Workload // as the caller has it
	task    workload.Workload // as it is searched: w, or w collapsed
	space   search.Space
	scorer  search.Scorer
	told    string // what the scorer said of the task

	log    *dataset.Writer // nil without a log
	folder *folder         // nil without a folder
	past   []dataset.Record
	places map[string][]int // of a program's records in past, by trajectory
	last   []dataset.Record // of the last round

	checked []checkedCandidate
	wrong   []string // steps of programs that failed, in the log or now
	kernel  kernel
	result  Result

	started, began time.Time
	search         *search.Search // nil before Begin, and if there is nothing left to do

	mu       sync.Mutex // of progress
	progress Progress
}

// Open opens the log and the folder of a session, and its scorer. Nothing is measured yet.
func Open(ctx context.Context, m Machine, w workload.Workload, o Options) (*Session, error) {
	t := m.Target()
	o, err := o.withDefaults(t.Kind)
	if err != nil {
		return nil, err
	}
	s := &Session{opt: o, machine: m, w: w, started: time.Now(), places: map[string][]int{}}
	if s.space, err = o.space(t.Kind); err != nil {
		return nil, err
	}
	s.task = s.space.Searched(w)
	s.progress = Progress{Round: 1, Goal: o.Trials, FLOPs: w.FLOPs, Started: s.started, Budget: o.Time}
	if err := errors.Join(s.checkTF32(), s.noteTF32(ctx)); err != nil {
		return nil, err
	}
	if _, err := s.space.Open(ctx, s.Task()); err != nil { // said before a folder is made
		return nil, err
	}
	if err := s.openFiles(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.openScorer(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.result = Result{
		Workload: w.Text, WorkloadKey: w.Key, Searched: s.searched(), Target: t.String(), Scorer: o.ScorerName, Seed: o.Seed,
		Space: cmp.Or(o.Space, space.Names(t.Kind)[0]), Proposer: o.Propose,
		Layout: o.Layout.String(), Trials: len(s.past), Status: map[string]int{}, Reason: "not ended",
		Log: o.Log, Out: o.Out, Version: Version(),
	}
	for i := range s.past {
		s.result.Status[s.past[i].Status.String()]++
		s.progress.add(&s.past[i])
	}
	s.progress.Trials = len(s.past)
	return s, nil
}

// openFiles opens the folder and the log, to continue it.
func (s *Session) openFiles() (err error) {
	if s.opt.Out != "" {
		if s.folder, err = openFolder(s.opt.Out, s.w.Text, s.opt.Log); err != nil {
			return err
		}
	}
	if s.opt.Log == "" {
		return nil
	}
	s.keepLoggedTask()
	task := dataset.Task{WorkloadKey: s.task.Key, Workload: s.task.Text, Target: s.machine.Target(), Layout: s.opt.Layout,
		Timing: s.opt.Timing}
	s.log, err = dataset.OpenWriter(s.opt.Log, dataset.WriterOptions{Task: &task, Past: s.remember})
	if err != nil {
		return err
	}
	for _, w := range s.log.Warnings() {
		s.say("warning: %s", w)
	}
	if err := s.refuseTF32(); err != nil {
		return err
	}
	if len(s.past) > 0 {
		s.say("continuing %s, which holds %d trials", s.opt.Log, len(s.past))
	}
	return nil
}

// keepLoggedTask continues a log under the task that it was started with, even if this version would collapse the
// workload.
func (s *Session) keepLoggedTask() {
	if s.task.Text == s.w.Text {
		return
	}
	log, err := dataset.Open(s.opt.Log)
	if err != nil {
		return // there is none, or the writer says why not
	}
	defer log.Close()
	for r, err := range log.Records() {
		if err == nil && r.Workload == s.w.Text {
			s.task = s.w
		}
		return
	}
}

// openScorer opens the scorer, unless the options hold one.
func (s *Session) openScorer(ctx context.Context) (err error) {
	if s.scorer = s.opt.Scorer; s.scorer != nil {
		return nil
	}
	o := s.opt.Model
	o.Seed, o.Kind, o.Client = s.opt.Seed, s.machine.Target().Kind, "wmtune "+Version()
	if s.opt.Time > 0 {
		o.Until, o.Last = s.started.Add(s.opt.Time), true
	}
	o.Tell = func(text string) {
		s.told = text
		s.say("%s", text)
	}
	s.scorer, err = costmodel.Open(ctx, s.opt.ScorerName, o)
	if err == nil && len(s.opt.Pretrain) > 0 {
		err = s.scorer.Traits().Pretrain(ctx, s.opt.Pretrain, func(text string) { s.say("%s", text) })
	}
	return err
}

// Close closes the log and lets other sessions write to the folder. A command that is the
// scorer ends, unless the options hold it.
func (s *Session) Close() error {
	if s.scorer != nil && s.opt.Scorer == nil {
		if end := s.scorer.Traits().Close; end != nil {
			end()
		}
	}
	if s.folder != nil {
		s.folder.close()
	}
	if s.log != nil {
		return s.log.Close()
	}
	return nil
}

// Result returns what the session has found so far.
func (s *Session) Result() *Result {
	r := s.result
	r.kernel = s.kernel.files
	if c, ok := s.scorer.(*scorerservice.Command); ok {
		r.Command = c.Report()
	}
	return &r
}

// Records returns the records that the log held when the session began.
func (s *Session) Records() []dataset.Record { return s.past }

func (s *Session) say(format string, args ...any) { s.opt.Observer.Say(fmt.Sprintf(format, args...)) }

// Phase tells the observer what is going on: machine.Options.Progress may call it.
func (s *Session) Phase(text string) {
	s.mu.Lock()
	p := s.progress
	s.mu.Unlock()
	s.opt.Observer.Phase(text, p)
}

// remember adds a record of the log to the past. One that withdraws earlier ones of its
// program stands in the place of each.
func (s *Session) remember(r dataset.Record) {
	s.noteWrong(r)
	if places := s.places[r.Trajectory]; len(places) > 0 && !r.Timed() {
		for _, i := range places {
			s.past[i] = r
		}
		return
	}
	s.places[r.Trajectory] = append(s.places[r.Trajectory], len(s.past))
	s.past = append(s.past, r)
	s.noteChecked(r)
}

// Past returns the records of a log as a session that continues it sees them: one that
// withdraws earlier ones stands in the place of each.
func Past(records []dataset.Record) []dataset.Record {
	s := Session{places: map[string][]int{}, machine: nil}
	for _, r := range records {
		s.remember(r)
	}
	return s.past
}

// searched returns the text of what is searched; "" if it is the caller's.
func (s *Session) searched() string {
	if s.task.Text == s.w.Text {
		return ""
	}
	return s.task.Text
}

// isOf reports whether a result is of what this session searches.
func (s *Session) isOf(r *Result) bool { return r.WorkloadKey == s.w.Key && r.Searched == s.searched() }

// Task returns what is searched.
func (s *Session) Task() *search.Task {
	return &search.Task{
		Name: s.task.Text, Key: s.task.Key, DAG: s.task.DAG, Target: s.machine.Target(), Space: s.space, Layout: s.opt.Layout,
		Timing: s.opt.Timing,
	}
}

// setTask sets the task of the machine.
func (s *Session) setTask(ctx context.Context) error {
	if t := s.machine.Target(); s.opt.Timing != measure.Repeated && t.Kind != target.LLVM {
		return Optionf("the target %s has no timing %q", t, s.opt.Timing)
	}
	return s.machine.SetTask(ctx, s.task.DAG, s.opt.Seed, s.opt.Timing)
}

// setBaseline sets the task of the machine and times the untuned loop nest.
func (s *Session) setBaseline(ctx context.Context) error {
	s.Phase("computing the reference")
	if err := s.setTask(ctx); err != nil {
		return err
	}
	if why := s.machine.CannotTime(); why != "" {
		s.say("%s; the exported kernel is the scorer's choice", why)
		return nil
	}
	s.Phase("timing the untuned loop nest")
	untuned := measure.NewInput(schedule.New(s.task.DAG), s.machine.Target(), target.Keep)
	res, err := s.machine.Baseline(ctx, untuned)
	if err != nil {
		return err
	}
	s.result.setUntuned(res)
	if s.result.UntunedUS == nil && res.Status != measure.Unmeasured {
		s.say("warning: the untuned loop nest was not timed: %s: %s", res.Status, res.Message)
	}
	return nil
}

// A kernel is the best one so far, exported.
type kernel struct {
	steps   string // "" before the first
	files   []model.File
	missing string // of machine.Export
	usage   string
	tf32    bool // it rounds to tf32

	winograd bool // it computes a convolution by Winograd's algorithm
}

// functionName is the C name of a workload's kernel. The prefix keeps it apart from the
// functions of the C library, such as exp.
func functionName(w workload.Workload) string { return "wmtune_" + model.CIdentifier(w.Name) }
