package compile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/spell"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
	"github.com/wmtune/wmtune/tune/folder"
	"github.com/wmtune/wmtune/tune/scorerservice"
)

// A Machine is the processor that bundles are made for.
type Machine struct{ *machine.CPU }

// withThreads returns the machine as one of so many cores; 0: as it is.
func (m Machine) withThreads(n int) (Machine, error) {
	if n == 0 || n == m.Target().Hardware.Cores {
		return m, nil
	}
	cpu, err := m.CPU.WithCores(n)
	return Machine{cpu}, err
}

// Options say how a model is compiled. The zero value takes the scorer's choice for every kernel.
type Options struct {
	Name     string             // C identifier; every symbol of the bundle begins with it; "" means the file's
	Out      string             // folder of the bundle; "" writes none
	Scorer   search.Scorer      // ranks candidates; nil means Named
	Named    string             // scorer of package costmodel; "" means costmodel.Default
	Model    costmodel.Options  // how Named is opened; Seed, Kind and Tell are filled in
	Policy   tune.Policy        // how candidates are sought that are measured; the zero value is the default
	Seed     uint64             // the same seed gives the same bundle
	Database *database.Database // what was found before; nil: nothing is kept
	Passes   pass.Options
	Inputs   string          // .npz or .npy file to verify the bundle with; "": random inputs
	Threads  int             // that the bundle is made for, and checked and timed with; 0: those the process may use
	Trials   int             // candidates that are measured of all tasks, in all; 0: no limit if Time is set, else none
	Time     time.Duration   // after which no round of candidates begins; 0: no limit
	MaxError float64         // of an output from the model's, divided by the largest element; 0: no limit
	Require  bool            // a task that is searched and has no measured candidate is an error: ErrNotTuned
	Stop     <-chan struct{} // when it is closed, the round under way is finished and kept: ErrStopped; may be nil
	Memory   uint64          // bytes that weights and values may have; 0: no limit

	// VerifyTime is what the check of the bundle may take; 0: no limit. Passes.Limit has it refused before the work.
	VerifyTime time.Duration

	Embed bool // the weights are inside of the library
	Flush bool // denormal numbers are zero

	// Levels, if there are several, are processors for each of which the library has a variant; Run's machine is none of
	// them, or any.
	Levels   []*machine.CPU
	Observer Observer // may be nil
}

// An Observer is told how a compilation goes on.
type Observer interface {
	Say(text string)                 // a line that stays
	Phase(text string, done, of int) // what is going on now; of is 0 if there is nothing to count
	Tune(p TuneProgress)             // the same while candidates are measured, also from other goroutines
}

// check rejects options that mean nothing, with a *tune.OptionError.
func (o *Options) check() error {
	if !(o.MaxError >= 0) {
		return tune.Optionf("compile: the largest error is %v: it must be 0 or more", o.MaxError)
	}
	if o.Trials < 0 || o.Time < 0 || o.Threads < 0 || o.Threads > model.MaxThreads {
		return tune.Optionf("compile: want no negative number, and at most %d threads: trials %d, time %v, threads %d",
			model.MaxThreads, o.Trials, o.Time, o.Threads)
	}
	if o.Scorer == nil && o.Named != "" && !costmodel.Known(o.Named) {
		return tune.Optionf("compile: unknown scorer %q: known are %s%s", o.Named, costmodel.Help(),
			spell.Hint(o.Named, costmodel.Names()))
	}
	if err := o.Policy.Check(target.LLVM, o.Named); err != nil {
		return err
	}
	if err := model.ValidName(o.Name); err != nil {
		return tune.Optionf("%v", err)
	}
	return nil
}

// ErrNotTuned is the error of Options.Require.
var ErrNotTuned = errors.New("tasks have no measured record")

// Run compiles a model into a bundle and verifies it. The bundle is put in place only if it is right.
func Run(ctx context.Context, m Machine, mod *Model, opt Options) (*Result, error) {
	c := &compilation{model: mod, opt: opt, started: time.Now(), known: map[*graph.Tensor][]*graph.Tensor{}}
	if c.opt.Observer == nil {
		c.opt.Observer = silent{}
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	levels := machines(opt.Levels)
	if len(levels) == 0 {
		levels = []Machine{m}
	}
	if err := checkLevels(levels, opt); err != nil {
		return nil, err
	}
	if at := m.Target().Hardware.Cores; opt.Threads > at && (opt.Trials > 0 || opt.Time > 0) {
		return nil, tune.Optionf("compile: %d threads, and this process may use %d cores, so candidates cannot be timed: "+
			"leave out --trials and --time, which take the scorer's choice, or use a machine with more cores", opt.Threads, at)
	}
	for i, on := range levels {
		var err error
		if levels[i], err = on.withThreads(opt.Threads); err != nil {
			return nil, err
		}
		if levels[i] != on {
			defer levels[i].Close()
		}
	}
	c.setLevels(levels)
	if err := mod.fits(opt.Memory); err != nil {
		return nil, err
	}
	if err := c.checkFiles(); err != nil {
		return nil, err
	}
	if err := c.scheduleLevels(ctx); err != nil {
		return nil, err
	}
	return c.bundle(ctx)
}

// RateOf returns how many times as many products of a precision's type a processor makes as of float32; 0 if it has no
// instruction for them that is faster, or none is needed.
func RateOf(precision string, t target.Target) float64 {
	rate := 0.0
	p, _ := pass.PrecisionOf(precision)
	for _, i := range tir.InstructionsOf(t.CPU, t.Has, t.Hardware.VectorBytes) {
		if i.Multiplies(p.Type, p.Type, p.SumType()) {
			rate = max(rate, i.RateOn(t.CPU))
		}
	}
	return rate
}

// LeastRate returns the least of RateOf over processors: one graph is made for all of them.
func LeastRate(precision string, on []*machine.CPU) float64 {
	rate := math.Inf(1)
	for _, m := range on {
		rate = min(rate, RateOf(precision, m.Target()))
	}
	return rate
}

// OddSums reports whether all processors have a fast instruction for a precision's type that makes products of any
// number of steps: tiles of floats are of whole groups.
func OddSums(precision string, on []*machine.CPU) bool {
	p, _ := pass.PrecisionOf(precision)
	return !slices.ContainsFunc(on, func(m *machine.CPU) bool {
		t := m.Target()
		list := tir.InstructionsOf(t.CPU, t.Has, t.Hardware.VectorBytes)
		return !slices.ContainsFunc(list, func(i *tir.Instruction) bool {
			return i.Multiplies(p.Type, p.Type, p.SumType()) && !i.IsTile()
		})
	})
}

// checkPrecision rejects a precision of operands that a processor multiplies no faster than float32.
func checkPrecision(name string, t target.Target) error {
	if p, _ := pass.PrecisionOf(name); p.Type != tir.Invalid && RateOf(name, t) == 0 {
		return tune.Optionf("compile: precision %s: %s has no instruction that multiplies %s faster than float32: leave "+
			"--precision out, or take one that rounds weights only", p.Name, t.CPU, p.Type)
	}
	return nil
}

// checkFiles finds before the work what would end it after hours: a place that cannot be written, inputs that there
// are not.
func (c *compilation) checkFiles() (err error) {
	if c.opt.Inputs != "" {
		plan, err := c.model.planOf(c.opt.Inputs)
		if err != nil {
			return err
		}
		if c.model.Plans != nil {
			c.inputOf = plan
		}
		inputs, outputs := plan.Original.Inputs, plan.Original.Outputs
		f, _, err := openInputs(c.opt.Inputs, ports(inputs, inputs), ports(outputs, outputs))
		if err != nil {
			return err
		}
		f.Close()
	}
	if c.opt.Out == "" {
		return nil
	}
	if c.opt.Out, err = folderOf(c.opt.Out); err != nil {
		return err
	}
	if _, err := checkFolder(c.opt.Out); err != nil {
		return err
	}
	stage, err := newStage(c.opt.Out) // whether one can be made
	if err != nil {
		return err
	}
	stage.Close()
	return nil
}

type silent struct{}

func (silent) Say(string)             {}
func (silent) Phase(string, int, int) {}
func (silent) Tune(TuneProgress)      {}

type compilation struct {
	machine Machine
	model   *Model
	opt     Options
	started time.Time
	result  Result
	kernels map[*Task][]*tir.Func // of the bundle
	judge   *judge
	shares  int64           // plans that are judged
	once    map[string]bool // calls that were judged in a plan before
	inputOf *Model          // the plan that Options.Inputs are for; nil: there is one
	doubts  map[int]*doubt  // of outputs, by index
	levels  []*level
	main    *level                            // of them
	given   map[*Model][][]*graph.Tensor      // inputs of the runs that verify, by plan
	known   map[*graph.Tensor][]*graph.Tensor // outputs of the reference, by the first input
}

// typicalCache is what the last-level cache of a processor that is not this machine's is taken to hold.
const typicalCache = 32 << 20

// schedule finds the schedule of each task.
func (c *compilation) schedule(ctx context.Context) error {
	s := &scheduler{machine: c.machine, scorer: c.opt.Scorer, name: c.opt.Named, seed: c.opt.Seed, db: c.opt.Database,
		custom: c.opt.Scorer != nil || c.opt.Model.Model != "", trials: c.opt.Trials, time: c.opt.Time, stop: c.opt.Stop,
		policy: c.opt.Policy, started: c.started, tell: c.opt.Observer}
	cache := machine.LastLevelCache()
	if c.machine.Level() != "" { // whose caches are not known
		cache = typicalCache
	}
	if cache > 0 {
		s.evicts = c.model.weights() > cache
	}
	s.model = models.Fingerprint(target.LLVM)
	if s.name == "" {
		s.name = costmodel.Default()
	}
	if s.scorer == nil {
		o := c.opt.Model
		o.Seed, o.Kind, o.Tell = c.opt.Seed, target.LLVM, func(text string) { s.told = text }
		if c.opt.Time > 0 {
			o.Until = c.started.Add(c.opt.Time)
		}
		var err error
		if s.scorer, err = costmodel.Open(ctx, s.name, o); err != nil {
			return err
		}
		if command, ok := s.scorer.(*scorerservice.Command); ok {
			s.custom = true
			defer func() {
				c.result.Command = command.Report()
				if text := c.result.Command.Sentence(); text != "" {
					c.opt.Observer.Say(text)
				}
				command.Close()
			}()
		}
	}
	if c.model.Plans != nil {
		s.layouts = newLayouts(c.model)
	}
	var err error
	if c.result.Tuning, err = s.schedule(ctx, c.model.Tasks); err != nil {
		return err
	}
	c.result.Trials = s.measured
	s.missed(c.model.Tasks)
	if missing := missingRecords(c.model.Tasks); c.opt.Require && len(missing) > 0 {
		return fmt.Errorf("%w: %s", ErrNotTuned, strings.Join(missing, ", "))
	}
	return nil
}

// bundle makes the bundle in a folder beside its place, verifies it, and puts it in place.
func (c *compilation) bundle(ctx context.Context) (*Result, error) {
	p, w, err := c.program()
	if err != nil {
		return nil, err
	}
	c.kernels = c.model.variants
	out := c.opt.Out
	if out == "" {
		out = filepath.Join(os.TempDir(), c.opt.Name)
	}
	folder.RemoveStale(out) // of compilations that were killed
	make := newStage
	if c.opt.Out == "" { // nothing is put in the place of what may be there
		make = folder.NewStage
	}
	stage, err := make(out)
	if err != nil {
		return nil, err
	}
	defer stage.Close()
	dir := stage.Dir
	built, err := c.build(ctx, dir, p, w, c.opt.Embed, c.opt.Observer)
	if err != nil {
		return nil, err
	}
	if err := stage.Write(p.Name+".so", built.Shared, 0o777); err != nil {
		return nil, fmt.Errorf("write the bundle: %w", err)
	}
	c.describe(p)
	if err := c.withinTime(ctx, func(ctx context.Context) error { return c.verifyLevels(ctx, dir, p) }); err != nil {
		return nil, err
	}
	if c.result.Tuning != nil {
		if c.untuned(ctx, dir); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	c.result.Seconds = time.Since(c.started).Seconds()
	if c.opt.Out != "" {
		if err := c.files(stage, built); err != nil {
			return nil, err
		}
		if err := replaceFolder(stage, c.opt.Out, p.Name); err != nil {
			return nil, err
		}
	}
	return &c.result, nil
}

// build writes the weights of a program into a folder, and builds its library.
func (c *compilation) build(ctx context.Context, dir string, p *model.Program, w *weights, embed bool, tell Observer,
) (_ *model.Bundle, err error) {
	opt := model.Options{
		Cache: objectCache(c.opt.Database), FlushDenormals: c.opt.Flush,
		Progress: func(done, total int) { tell.Phase("compile kernels", done-1, total) },
	}
	tell.Phase("pack weights", 0, 0)
	if path := filepath.Join(dir, p.Name+".weights"); p.Weights > 0 {
		if p.WeightsHash, err = w.write(ctx, Machine{c.machine.Native()}, path); err != nil {
			return nil, err
		}
		if embed {
			if opt.Embed, err = os.ReadFile(path); err != nil {
				return nil, err
			}
		}
	}
	tell.Phase("compile kernels", 0, len(p.Kernels))
	return model.Build(ctx, c.machine.Compiler(), p, c.machine.Target(), opt)
}

// runs returns what each level is verified with, which is made once for a plan.
func (c *compilation) runs(p *model.Program) (_ [][]*graph.Tensor, err error) {
	if c.given == nil {
		c.given = map[*Model][][]*graph.Tensor{}
	}
	if c.given[c.model] == nil {
		c.given[c.model], err = c.inputs(p)
	}
	return c.given[c.model], err
}

// inputs returns what the bundle is verified with, run by run. A file has the inputs of one plan.
func (c *compilation) inputs(p *model.Program) ([][]*graph.Tensor, error) {
	if c.opt.Inputs != "" && (c.inputOf == nil || c.inputOf == c.model) {
		given, err := readInputs(c.opt.Inputs, p.Inputs, p.Outputs)
		return [][]*graph.Tensor{given}, err
	}
	runs := drawRuns(c.model.Original, c.model.bounds, c.opt.Seed+1)
	for k := range runs {
		runs[k] = c.model.settle(runs[k], k == 0 && len(runs) > 1, c.opt.Seed+uint64(k))
	}
	return runs, nil
}

// verify compares the bundle with the reference evaluator of the original graph, plan by plan.
func (c *compilation) verify(ctx context.Context, dir string, p *model.Program) error {
	whole := c.model
	c.result.Judgement, c.once = Judgement{}, map[string]bool{}
	defer func() { c.model = whole }()
	c.shares = int64(len(whole.plans()))
	for i, plan := range whole.plans() {
		c.model = plan
		at, first := p.At(i)
		at = plan.withState(at)
		cfg := loadConfig(dir, p, c.opt.Threads, c.opt.Flush)
		if len(p.Levels) > 0 {
			cfg.Level = c.machine.Level()
		}
		cfg.Inputs, cfg.Outputs, cfg.Extents = at.Inputs, at.Outputs, plan.Most
		if p.State != nil {
			cfg.Kept = p.State.Values
		}
		err := c.verifyPlan(ctx, cfg, at, first)
		if err != nil && len(p.Plans) > 0 {
			err = fmt.Errorf("plan %s: %w", c.result.Serves(i), err)
		}
		if err != nil {
			return err
		}
		if len(p.Plans) > 0 {
			c.result.Plans[i].LatencyUS = c.result.LatencyUS
		}
	}
	return nil
}

// verifyPlan verifies a program, whose first call is that of the bundle, and times it with the last inputs.
func (c *compilation) verifyPlan(ctx context.Context, cfg model.LoadConfig, p *model.Program, first int) error {
	runs, err := c.runs(p)
	if err != nil {
		return err
	}
	l, err := c.machine.load(ctx, cfg)
	if err != nil {
		return err
	}
	defer l.Close()
	c.judge = newJudge(c.model, p)
	c.judge.first = first
	if c.model.open != nil {
		c.judge.once = c.once
	}
	c.doubts = map[int]*doubt{}
	before := c.result.Judgement
	defer func() { c.result.Judgement = before.and(c.judge.judgement(), c.doubtful()) }()
	for k, inputs := range runs {
		c.judge.brief = k < len(runs)-1
		err := c.verifyRun(ctx, l, p, inputs)
		if errors.Is(err, errUnsuited) && k < len(runs)-1 {
			continue
		}
		if err != nil {
			return err
		}
	}
	if err := c.judgeMore(ctx, l, p); err != nil {
		return err
	}
	c.judge.remember(c.once)
	c.result.LatencyUS = 0
	if c.machine.Emulated() {
		return nil
	}
	give(l, runs[len(runs)-1], len(p.Inputs))
	times, err := l.Time(ctx, model.Repeat{Warm: 1, Calls: 100, Total: time.Second})
	if err != nil {
		return err
	}
	c.result.LatencyUS = micro(slices.Min(times))
	return nil
}

// A kernel that leaves out an element of a maximum is wrong for some inputs only. So the kernels of small models are
// judged with more inputs: with mostDraws sets, until fewElements elements were compared. Plans share these, and each
// is judged with leastDraws sets or more, unless it is large.
const (
	mostDraws   = 8
	leastDraws  = 2
	fewElements = 8_000_000
)

// judgeMore judges the kernels with more random inputs, of which the reference of the whole graph is not computed. It
// runs a large model with one more set, which says what outputs depend on.
func (c *compilation) judgeMore(ctx context.Context, l *model.Loaded, p *model.Program) error {
	for k := uint64(1); c.opt.Inputs == "" && k < mostDraws; k++ {
		n := c.judge.judged.Elements
		few := n < fewElements/max(c.shares, 1) || n < fewElements && k < leastDraws
		if !few && k > 1 {
			break
		}
		inputs := c.model.settle(drawInputs(c.model.Original, c.model.bounds, c.opt.Seed+1+k<<40), false, c.opt.Seed+k)
		var err error
		if few {
			err = c.judge.run(ctx, l, inputs)
		} else {
			_, err = results(ctx, l, p, inputs)
		}
		if wrong := (*kernelError)(nil); errors.As(err, &wrong) || ctx.Err() != nil {
			return wrongResults(ctx, err)
		}
		if err == nil { // others may not suit the model: an index is out of range
			c.look(outputs(l, p.Outputs))
		}
	}
	return nil
}

// errUnsuited says that the reference evaluator rejects inputs.
var errUnsuited = errors.New("the bundle cannot be verified")

func (c *compilation) verifyRun(ctx context.Context, l *model.Loaded, p *model.Program, inputs []*graph.Tensor) error {
	c.opt.Observer.Phase("run the bundle", 0, 0)
	got, runErr := results(ctx, l, p, inputs)
	c.opt.Observer.Phase("evaluate the reference", 0, 0)
	want, err := c.wants(inputs, func() ([]*graph.Tensor, error) { return c.model.reference(ctx, inputs) })
	if err != nil {
		hint := ""
		if c.opt.Inputs == "" {
			hint = "; if random inputs do not suit the model, name a file of inputs with --input"
		}
		return fmt.Errorf("%w: %w%s", errUnsuited, errors.Join(err, runErr), hint)
	}
	if runErr != nil {
		return fmt.Errorf("the bundle is not written, since it does not run: %w", runErr)
	}
	c.opt.Observer.Phase("judge the kernels", 0, 0)
	if err := c.judge.run(ctx, l, inputs); err != nil {
		return wrongResults(ctx, err)
	}
	c.look(outputs(l, p.Outputs))
	for i, y := range got {
		if c.model.open != nil && !slices.Equal(y.Shape, want[i].Shape) {
			return fmt.Errorf("BUG: output %s has the shape %v, and %v for the exact extents %v", p.Outputs[i].Name, y.Shape,
				want[i].Shape, inputs[len(inputs)-1].I)
		}
	}
	if err := c.state(ctx, inputs, got, want); err != nil {
		return wrongResults(ctx, err)
	}
	return c.measureRounding(ctx, inputs, got)
}

// measureRounding states how far results are from those of the model without the rounding of --precision.
func (c *compilation) measureRounding(ctx context.Context, inputs, got []*graph.Tensor) error {
	r := &c.result
	if c.model.Rounded > 0 {
		c.opt.Observer.Phase("evaluate the model without rounding", 0, 0)
		exact, err := op.Evaluator().Run(ctx, c.model.Exact, inputs)
		if err != nil {
			return err
		}
		for i, v := range c.model.Exact.Outputs {
			d, err := compare(v.Name, got[i], exact[i])
			if err != nil {
				return fmt.Errorf("the bundle is not written: precision %s changes a shape: %w", r.Precision, err)
			}
			r.PrecisionError = max(r.PrecisionError, d.Relative)
		}
	} else {
		r.PrecisionError = r.MaxError
	}
	if limit := c.opt.MaxError; limit > 0 && r.PrecisionError > limit {
		return fmt.Errorf("the bundle is not written: its results differ from the model's by %.2g of the largest output, "+
			"and --max-error allows %.2g: choose another --precision than %s, or allow more",
			r.PrecisionError, limit, r.Precision)
	}
	return nil
}
