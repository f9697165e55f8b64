// Package lower turns states into TensorIR functions: the loop nests of a
// schedule, then a visible table of passes over them. Every concrete state
// lowers, odd ones too, and all prefixes of a step list lower to programs with
// equal results.
//
// It must not know which steps are worth taking (search), or how functions
// become machine code (codegen): what an emitter needs to know is in the
// function.
package lower

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Config says how to lower. The zero value is for a target that is not known,
// and checks nothing.
type Config struct {
	Target target.Target
	Layout target.Layout
	Check  Check

	Until string   // the last pass to run, or "build" for none; "" means all of them
	Skip  []string // passes that are left out, to find the one at fault

	// Trace, if not nil, gets the function after "build" and after each pass.
	Trace func(pass string, f *tir.Func)
	// Report, if not nil, is told what each pass did.
	Report func(PassReport)

	constants []*tir.Buffer // inputs whose layout may be chosen, set by Lower
}

// Check says when functions are checked (tir.Check).
type Check uint8

// The modes of checking.
const (
	CheckNever Check = iota
	CheckEach        // after each pass; all tests do
)

// A pass rewrites a function. It never changes what the function computes.
type pass struct {
	name string
	run  func(f *tir.Func, cfg Config) (*tir.Func, error)
	kind target.Kind // of the targets that it is for; "" means all
	must string      // why it cannot be skipped; "" if it can
	nest bool        // it is for accelerators, too, whose instructions are nests of loops as the steps have them
}

// isFor reports whether a pass is for a kind of target.
func (p pass) isFor(k target.Kind) bool {
	if k == target.VDLA {
		return p.nest
	}
	return p.kind == "" || p.kind == k
}

// passes is the pipeline. See order for what must come before what.
var passes = []pass{
	{name: "nesting", run: nesting, must: "it takes parallel loops out of parallel ones and of threads", nest: true},
	{name: "simplify", run: simplify, nest: true},
	{name: "traverse", run: traverse},
	{name: "padding", run: skipPadding},
	{name: "relayout", run: relayout},
	{name: "repack", run: repack},
	{name: "select", run: selectInstructions, must: "it chooses what carries out tensorized loops"},
	{name: "convert", run: convert},
	{name: "interior", run: interior},
	{name: "partition", run: partition},
	{name: "simplify again", run: simplify},
	{name: "join", run: join},
	{name: "vectorize", run: vectorize, must: "it makes loops serial whose iterations cannot be lanes"},
	{name: "unroll", run: unroll},
	{name: "vthread", run: vthread, must: "no emitter has virtual threads", nest: true},
	{name: "refill", run: doubleBuffer},
	{name: "synchronize", run: synchronize, must: "it places the barriers, without which threads race"},
	{name: "widen", run: widen, kind: target.LLVM},
	{name: "lanewise", run: lanewise, kind: target.LLVM},
	{name: "terms", run: terms, kind: target.LLVM},
	{name: "tiles", run: tiles, kind: target.LLVM, must: "only what is in registers of tiles can be added to by theirs"},
	{name: "promote", run: promote, kind: target.LLVM},
}

// order holds the constraints on the pipeline, each with its reason.
var order = []struct{ before, after, why string }{
	{"nesting", "vectorize", "a parallel loop that is to be serial must not keep the loop around it from being a vector"},
	{"nesting", "traverse", "of parallel loops in each other only the outermost is one"},
	{"simplify", "traverse", "quotients and remainders must stand by themselves"},
	{"relayout", "interior", "operands are read in one place until they are packed"},
	{"convert", "interior", "operands are read in one place until they are converted"},
	{"padding", "interior", "loops still have constant lengths"},
	{"interior", "partition", "loops still have constant lengths"},
	{"padding", "partition", "it shortens loops by guards"},
	{"simplify", "padding", "conditions must be comparisons of a sum"},
	{"traverse", "relayout", "operands are packed in the order in which they are read"},
	{"traverse", "partition", "it makes versions of what is under conditions on digits"},
	{"simplify", "relayout", "an index must be a sum to be taken apart"},
	{"relayout", "repack", "an operand that is packed ahead of time needs no copy"},
	{"repack", "convert", "a copy in the order of reading has the type of the operand"},
	{"relayout", "select", "an instruction reads the steps of a sum side by side"},
	{"repack", "select", "an instruction reads the steps of a sum side by side"},
	{"select", "convert", "an instruction converts what it multiplies"},
	{"select", "partition", "an instruction makes some steps fewer at the end of a sum"},
	{"convert", "partition", "loops still have constant lengths"},
	{"repack", "partition", "each nest reads an operand in one place only, by loops of constant lengths"},
	{"repack", "vectorize", "lanes of a copy read neighbours at once"},
	{"relayout", "partition", "each operand is still read in one place only, by loops of constant lengths"},
	{"relayout", "vectorize", "where it leads to neighbours, lanes read them at once"},
	{"simplify", "partition", "guards that always hold are not worth two versions of a tile"},
	{"partition", "simplify again",
		"partition leaves loops of no or one iteration, and indices that a branch makes constant"},
	{"partition", "vectorize", "temporaries get a lane for each iteration, so loops must have their final length"},
	{"simplify again", "vectorize",
		"a loop of one iteration is none, and what is left of an index decides whether lanes write one element"},
	{"partition", "join", "it makes the conditionals"},
	{"simplify again", "join", "conditions must have their final form to be found equal"},
	{"join", "unroll", "a loop's steps count as those of the interior or of the edge that it is in"},
	{"vectorize", "unroll", "the store of a vectorized loop counts once"},
	{"simplify again", "unroll", "only the final lengths say how much code there will be"},
	{"unroll", "vthread",
		"virtual threads are written out whatever the steps allow: their elements must stay in registers"},
	{"vectorize", "vthread", "a vector stays inside of a virtual thread"},
	{"vectorize", "refill", "a thread keeps vectors of what it fetches next"},
	{"unroll", "refill", "what is fetched ahead has no part in the steps that the loop may be unrolled to"},
	{"vthread", "refill", "what virtual threads share is fetched once an iteration"},
	{"refill", "synchronize", "of two buffers, one may be written while the other one is read"},
	{"vthread", "synchronize", "what virtual threads share is fetched once, between two barriers"},
	{"simplify", "synchronize", "a loop of one iteration must not ask for a barrier between its iterations"},
	{"vectorize", "widen", "a loop that the schedule makes a vector is not widened, nor one around it"},
	{"unroll", "widen", "the steps that a loop may be unrolled to are those of the schedule's loops"},
	{"partition", "widen", "loops must have their final length, and no conditions that hold everywhere"},
	{"widen", "lanewise", "vectors along the elements need no sum of their lanes"},
	{"widen", "promote", "a tile has vectors"},
	{"lanewise", "promote", "partial sums stay in registers over the loops around them"},
	{"lanewise", "terms", "lanes add terms as well"},
	{"terms", "promote", "a block adds to a partial sum once"},
	{"partition", "tiles", "a tile at an end is smaller"},
	{"unroll", "tiles", "loops from tile to tile are written out whatever the steps allow"},
	{"tiles", "promote", "products that are not of tiles have vectors to add to"},
	{"unroll", "promote", "whether a temporary becomes values depends on the loops that stay"},
}

// Lower returns the program of a concrete state. An error says which stage or
// pass refuses and why: bounds that are not known, a loop over a reduction
// whose iterations would run at once.
func Lower(s *schedule.State, cfg Config) (*tir.Func, error) {
	cfg.constants = s.Constants()
	if err := cfg.Valid(); err != nil {
		return nil, fmt.Errorf("lower: %w", err)
	}
	first := func(*tir.Func, Config) (*tir.Func, error) { return build(s, false) }
	f, err := cfg.step(pass{name: buildStage, run: first}, nil)
	if err != nil {
		return nil, err
	}
	if f, err = cfg.run(f, func(p pass) bool { return p.isFor(cfg.Target.Kind) }); err != nil {
		return nil, err
	}
	if cfg.Check == CheckEach && cfg.Until == "" {
		if err := tir.CheckLoops(f); err != nil {
			return nil, fmt.Errorf("lower: after all passes: %w", err)
		}
	}
	return f, nil
}

// ForCPU runs the passes for processors, and chooses instructions, of a program that Lower did not make, such as
// OnHost's. Lower has run them on its own.
func ForCPU(f *tir.Func, t target.Target) (*tir.Func, error) {
	return Config{Target: t}.run(f, func(p pass) bool { return p.kind == target.LLVM || p.name == "select" })
}

// run runs the passes that are wanted.
func (cfg Config) run(f *tir.Func, wanted func(pass) bool) (*tir.Func, error) {
	if cfg.Until == buildStage {
		return f, nil
	}
	for _, p := range passes {
		if wanted(p) && !slices.Contains(cfg.Skip, p.name) {
			var err error
			if f, err = cfg.step(p, f); err != nil {
				return nil, err
			}
		}
		if p.name == cfg.Until {
			break
		}
	}
	return f, nil
}

// step runs one pass.
func (cfg Config) step(p pass, f *tir.Func) (*tir.Func, error) {
	begin := time.Now()
	g, err := p.run(f, cfg)
	if err != nil {
		return nil, fmt.Errorf("lower: %s: %w", p.name, err)
	}
	if cfg.Report != nil {
		cfg.Report(PassReport{Pass: p.name, Time: time.Since(begin), Before: sizeOf(f), After: sizeOf(g),
			Changed: f == nil || f.String() != g.String()})
	}
	if cfg.Trace != nil {
		cfg.Trace(p.name, g)
	}
	if cfg.Check == CheckEach {
		if err := tir.Check(g); err != nil {
			return nil, fmt.Errorf("lower: after %s: %w", p.name, err)
		}
	}
	return g, nil
}

// eachBody rewrites the body of f and those of the functions that pack its inputs.
func eachBody(f *tir.Func, rewrite func(tir.Stmt) tir.Stmt) *tir.Func {
	g := *f
	g.Body = rewrite(f.Body)
	g.Packs = slices.Clone(f.Packs)
	for i, p := range f.Packs {
		q := *p
		q.Body = rewrite(p.Body)
		g.Packs[i] = &q
	}
	return &g
}

// buildStage is what comes before all passes: the loop nests of the state.
const buildStage = "build"

// A PassReport says what one pass did to a program. Before is zero for "build", which has none.
type PassReport struct {
	Pass          string
	Time          time.Duration
	Before, After Size
	Changed       bool
}

// A Size counts what a program is made of, the functions that pack its inputs included.
type Size struct {
	Statements  int
	Expressions int // every node of every expression
}

func sizeOf(f *tir.Func) (n Size) {
	if f == nil {
		return n
	}
	for _, g := range append([]*tir.Func{f}, f.Packs...) {
		tir.Visit(g.Body, func(tir.Stmt) bool { n.Statements++; return true })
		tir.VisitAllExprs(g.Body, func(tir.Expr) bool { n.Expressions++; return true })
	}
	return n
}

// PassNames lists the stages in order: "build", then the passes, those for other targets included.
func PassNames() []string {
	list := []string{buildStage}
	for _, p := range passes {
		list = append(list, p.name)
	}
	return list
}

// Valid returns an error if Until or Skip names no pass, or if Skip names one that later stages cannot do without.
func (cfg Config) Valid() error {
	names := PassNames()
	for _, name := range append(slices.Clone(cfg.Skip), cfg.Until) {
		if name != "" && !slices.Contains(names, name) {
			return fmt.Errorf("there is no pass %q; the passes are %s", name, strings.Join(names, ", "))
		}
	}
	for _, name := range cfg.Skip {
		if name == buildStage {
			return fmt.Errorf("%s cannot be skipped: the passes rewrite what it makes", name)
		}
		if why := passes[slices.Index(names, name)-1].must; why != "" {
			return fmt.Errorf("pass %s cannot be skipped: %s", name, why)
		}
	}
	return nil
}

// plainPasses are those that only write down what the steps say. What comes after
// them depends on the target, or makes several versions of a tile.
var plainPasses = []pass{{name: "nesting", run: nesting}, {name: "simplify", run: simplify}}

// Plain returns the program of a concrete state as its steps say it, before it is
// made fast: each stage has one loop nest, each loop the annotation of its
// iterator, and pragmas stand around the nests they are about. It does not depend
// on the target. Reductions are those of TVM's text, which models have learned from: a maximum starts from the least
// finite number, and not from -inf as that of Lower. Errors are those of Lower.
func Plain(s *schedule.State) (*tir.Func, error) {
	f, err := build(s, true)
	if err != nil {
		return nil, fmt.Errorf("lower: build: %w", err)
	}
	for _, p := range plainPasses {
		if f, err = p.run(f, Config{}); err != nil {
			return nil, fmt.Errorf("lower: %s: %w", p.name, err)
		}
	}
	return f, nil
}
