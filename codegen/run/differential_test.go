package run_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var (
	programs  = flag.Int("programs", 150, "number of random programs of TestDifferential")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random program of TestDifferential")
)

// maxFailures is how many failing programs are shown before the test gives up.
const maxFailures = 10

// TestDifferential compares LLVM with the interpreter on random programs: random
// steps on a random DAG, every other one of the operator library. Every prefix of the steps must lower; the program of
// all of them is compiled, run on guarded memory, and must compute what the definition of the DAG says, and what the
// interpreter makes of the same program.
func TestDifferential(t *testing.T) {
	d := newDifferential(t)
	d.tryMany(t, newProgram)
	if *programs >= 100 && d.packed.Load() < int64(*programs)/10 {
		t.Errorf("%d of the programs have packed operands: the test says too little of layouts", d.packed.Load())
	}
}

// TestDifferentialGPU does the same with programs of a GPU, whose threads take turns
// (lower.OnHost), in one order or the other. Nothing may be found wrong in a few of
// their blocks, either.
func TestDifferentialGPU(t *testing.T) {
	d := newDifferential(t)
	d.tryMany(t, newGPUProgram)
	if *programs >= 100 && d.barriers.Load() < int64(*programs)/20 {
		t.Errorf("%d of the programs have barriers: the test says too little of them", d.barriers.Load())
	}
	if t.Logf("%d waits for asynchronous stores", d.waits.Load()); *programs >= 100 && d.waits.Load() == 0 {
		t.Error("no program stores asynchronously")
	}
}

// tryMany tries random programs, of as many seeds as -programs says.
func (d *differential) tryMany(t *testing.T, random func(seed uint64) *program) {
	var next, failures atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range d.jobs {
		wg.Go(func() {
			x := d.executor()
			defer x.Close()
			for {
				n := next.Add(1) - 1
				if n >= int64(*programs) || failures.Load() >= maxFailures {
					return
				}
				p := random(*firstSeed + uint64(n))
				if err := d.try(x, p); err != nil {
					failures.Add(1)
					p, err = d.shrink(x, p, err)
					t.Errorf("seed %d: %v\n%s", p.seed, err, p)
				}
				if done := n + 1; done%1000 == 0 {
					t.Logf("%d programs, %d failures, %s", done, failures.Load(), time.Since(start).Round(time.Second))
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d programs in %s, %d of them with packed operands, %d with barriers; %d prefixes lowered",
		next.Load()-int64(d.jobs), time.Since(start).Round(time.Millisecond), d.packed.Load(), d.barriers.Load(), d.prefixes.Load())
}

// A program is what the differential test tries: steps on a DAG, and inputs that
// follow from the seed.
type program struct {
	seed   uint64
	kind   string
	layout target.Layout
	gpu    *lower.Order // of the threads, for a program of a GPU
	dag    *compute.DAG
	steps  []schedule.Step

	lacks []string                                            // features of the processor that are not used
	gains []string                                            // features that are emulated
	wide  int                                                 // bytes of a vector, with these
	args  func(r *rand.Rand, d *compute.DAG) []*interp.Tensor // nil: tirtest.Args
}

func newProgram(seed uint64) *program { return randomProgram(seed, tirtest.RandomSteps) }

func newGPUProgram(seed uint64) *program {
	p := randomProgram(seed, tirtest.RandomGPUSteps)
	p.gpu = &orders[seed/4%2]
	return p
}

// orders are those of threads, by their names in testdata/regressions.
var (
	orders     = []lower.Order{lower.Forward, lower.Backward}
	orderNames = []string{"forward", "backward"}
)

func randomProgram(seed uint64, random func(*rand.Rand, *compute.DAG, int) []schedule.Step) *program {
	r := rand.New(rand.NewPCG(seed, 0))
	p := &program{seed: seed}
	if seed/2%2 == 0 {
		p.layout = target.Rewrite
	}
	if seed%2 == 0 {
		p.kind, p.dag = tirtest.RandomDAG(r)
	} else {
		w := randomWorkload(r)
		p.kind, p.dag = w.Spec, w.DAG
	}
	p.steps = random(r, p.dag, 1+r.IntN(10))
	return p
}

// String is the program in the form of testdata/regressions.
func (p *program) String() string {
	threads := ""
	if p.gpu != nil {
		threads = "threads: " + orderNames[*p.gpu] + "\n"
	}
	return fmt.Sprintf("kind: %s\nseed: %d\nlayout: %s\n%ssteps: %s\ndag: %s\n",
		p.kind, p.seed, p.layout, threads, schedule.FormatSteps(p.steps), formatDAG(p.dag))
}

// parseProgram reads that form. Lines that start with # are for people.
func parseProgram(text string) (*program, error) {
	p := &program{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var err error
		switch key {
		case "kind":
			p.kind = value
		case "seed":
			p.seed, err = strconv.ParseUint(value, 10, 64)
		case "layout":
			p.layout, err = target.ParseLayout(value)
		case "threads":
			at := slices.Index(orderNames, value)
			if at < 0 {
				return nil, fmt.Errorf("unknown order of threads %q", value)
			}
			p.gpu = &orders[at]
		case "steps":
			p.steps, err = schedule.ParseSteps([]byte(value))
		case "dag":
			p.dag, err = parseDAG(value)
		default:
			if key != "" && !strings.HasPrefix(key, "#") {
				err = fmt.Errorf("unknown key %q", key)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if p.dag == nil {
		return nil, errors.New("no dag")
	}
	return p, nil
}

// shrink leaves out steps of a failing program as long as what remains is legal
// and fails.
func (d *differential) shrink(x *run.Executor, p *program, err error) (*program, error) {
	for i := len(p.steps) - 1; i >= 0; i-- {
		less := *p
		less.steps = slices.Delete(slices.Clone(p.steps), i, i+1)
		if _, illegal := schedule.Replay(less.dag, less.steps); illegal != nil {
			continue
		}
		if fails := d.try(x, &less); fails != nil {
			p, err = &less, fails
		}
	}
	return p, err
}

// TestRegressions runs the programs that failed once.
func TestRegressions(t *testing.T) {
	d := newDifferential(t)
	x := d.executor()
	defer x.Close()
	files, err := filepath.Glob("testdata/regressions/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := parseProgram(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := d.try(x, p); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestProgramText: a program that is printed and read again is the same.
func TestProgramText(t *testing.T) {
	for seed := range uint64(200) {
		p := []func(uint64) *program{newProgram, newGPUProgram}[seed%2](seed)
		q, err := parseProgram("# why\n\n" + p.String())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		if p.String() != q.String() {
			t.Fatalf("seed %d:\n%s\nbecomes\n%s", seed, p, q)
		}
		if _, err := schedule.Replay(q.dag, q.steps); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// A differential is what the comparison needs.
type differential struct {
	*bench
	jobs     int
	host     target.Target
	prefixes atomic.Int64
	packed   atomic.Int64 // programs
	barriers atomic.Int64 // programs that have some
	waits    atomic.Int64

	mu           sync.Mutex
	instructions map[string]int // loops that each carries out
}

func (d *differential) count(instruction string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.instructions == nil {
		d.instructions = map[string]int{}
	}
	d.instructions[instruction]++
}

func newDifferential(t testing.TB) *differential {
	d := &differential{bench: &bench{TB: t}, jobs: runtime.GOMAXPROCS(0)}
	d.builder = buildtest.NeedLLVM(t, build.Config{Workers: d.jobs, Timeout: time.Minute})
	d.runtime = d.compile(llvm.RuntimeIR())
	info := d.builder.Info()
	var err error
	if d.host, err = codegen.Host(&info); err != nil {
		t.Fatal(err)
	}
	return d
}

// executor returns an executor with a pool of two threads, which are not pinned:
// several executors run at a time.
func (d *differential) executor() *run.Executor {
	x, err := run.NewExecutor(run.Config{Command: []string{os.Args[0], "worker", "executor"}}, d.runtime)
	if err != nil {
		d.Fatal(err)
	}
	return x
}

// try lowers every prefix of the steps of p, and runs the program of all.
func (d *differential) try(x *run.Executor, p *program) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	tgt := d.host
	tgt.Hardware.VectorBytes = []int{16, 32, 64}[p.seed%3]
	tgt.Features = slices.DeleteFunc(slices.Clone(tgt.Features), func(f string) bool { return slices.Contains(p.lacks, f) })
	if p.gains != nil {
		tgt.Features, tgt.Hardware.VectorBytes = append(tgt.Features, p.gains...), p.wide
		slices.Sort(tgt.Features)
	}
	s := schedule.New(p.dag)
	for n := 0; ; n++ {
		on := tgt
		if p.gpu != nil {
			on.Kind, on.Arch = target.CUDA, "sm_80" // which has asynchronous copies
		}
		f, err := lower.Lower(s, lower.Config{Target: on, Layout: p.layout})
		if err != nil {
			return fmt.Errorf("after %d steps: %w", n, err)
		}
		d.prefixes.Add(1)
		if n < len(p.steps) {
			if s, err = s.Apply(p.steps[n]); err != nil {
				return err
			}
			continue
		}
		if f.Packs != nil {
			d.packed.Add(1)
		}
		for l := range tir.StmtsIn[*tir.For](f.Body) {
			if l.Instruction != nil {
				d.count(l.Instruction.Name)
			}
		}
		compiled := f
		if p.gpu != nil {
			if compiled, err = d.onHost(f, *p.gpu, tgt); err != nil {
				return err
			}
		}
		built, err := d.build(compiled, tgt)
		if err != nil {
			return err
		}
		if built.Status != measure.OK {
			return fmt.Errorf("%s: %s", built.Status, built.Message)
		}
		draw := tirtest.Args
		if p.args != nil {
			draw = p.args
		}
		args := draw(rand.New(rand.NewPCG(p.seed, 1)), p.dag)
		want, same, raw := clone(args), clone(args), make([][]byte, len(args))
		for i, a := range args {
			raw[i] = a.Data
		}
		if err := interp.RunDAG(p.dag, want); err != nil {
			return err
		}
		packed, err := interp.Pack(f, same, interp.Options{})
		if err != nil {
			return err
		}
		if err := interp.Run(f, packed, interp.Options{}); err != nil {
			return err
		}
		res, err := x.Exec(context.Background(), f, built, raw)
		if err != nil {
			return err
		}
		if res.Status != measure.OK {
			return fmt.Errorf("%s: %s", res.Status, res.Message)
		}
		return errors.Join(
			compareOutputs("the interpreter's", p.dag, args, same),
			compareOutputs("the definition's", p.dag, args, want))
	}
}

// onHost returns what a program of a GPU becomes, in which nothing is wrong.
func (d *differential) onHost(f *tir.Func, order lower.Order, host target.Target) (*tir.Func, error) {
	if err := interp.CheckBlocks(context.Background(), f); err != nil {
		return nil, err
	}
	barriers := false
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		_, ok := s.(*tir.Barrier)
		barriers = barriers || ok
		if _, ok := s.(*tir.Wait); ok {
			d.waits.Add(1)
		}
		return true
	})
	if barriers {
		d.barriers.Add(1)
	}
	f, err := lower.OnHost(f, order)
	if err != nil {
		return nil, err
	}
	return lower.ForCPU(f, host)
}

func clone(list []*interp.Tensor) []*interp.Tensor {
	out := make([]*interp.Tensor, len(list))
	for i, a := range list {
		out[i] = a.Clone()
	}
	return out
}

func compareOutputs(whose string, d *compute.DAG, got, want []*interp.Tensor) error {
	for i := len(d.Inputs()); i < len(got); i++ {
		if err := tirtest.Compare(got[i], want[i], got...); err != nil {
			return fmt.Errorf("output %s is not %s: %w", d.Tensors[i].Name, whose, err)
		}
	}
	return nil
}
