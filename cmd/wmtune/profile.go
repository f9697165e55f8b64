package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/target"
)

const profileArgs = "BUNDLE|MODEL.onnx [flags]"

const profileWhat = `Profile runs a bundle with random inputs and prints how long each kernel takes, the
slowest first. Calls of one kernel are summed. The last columns name the limit that a
kernel is nearest to, and its share: this machine's arithmetic, or the bandwidth of
memory or of caches. Profile measures these first, in some seconds. It says so if
other programs keep the machine busy meanwhile.

--plan runs nothing. It prints the share of their time in which threads have nothing to
do, for each number of threads: by how the kernels divide their work. Of a model it
plans what compile --threads would make for each number.

--html writes one page that needs no network: the kernels as bars, their programs on
a click, and the memory of values over time.`

const profileExamples = `  wmtune profile wmtune-out/resnet18
  wmtune profile wmtune-out/resnet18 --html profile.html
  wmtune profile wmtune-out/resnet18 --threads 1 --json
  wmtune profile wmtune-out/resnet18 --plan --threads 8,16,64
  wmtune profile resnet18.onnx --plan        a compilation for each number of threads
`

// A profileCommand is a parsed command line of profile.
type profileCommand struct {
	load     compile.LoadOptions
	plan     bool
	threads  string
	dims     string
	database string
	page     string
	json     bool
}

// plannedThreads is what --plan plans without --threads.
const plannedThreads = "4,8,16,32,64"

func declareProfile(fs *pflag.FlagSet) action {
	c := &profileCommand{}
	fs.StringVar(&c.threads, "threads", "0", "`number` of threads; 0: one per core; --plan: several, as "+plannedThreads)
	declareFlush(fs, &c.load)
	fs.BoolVar(&c.plan, "plan", false, "idle shares of threads, by an estimate; nothing runs")
	declareDims(fs, &c.dims, "batch=1,seq=128")
	declareDatabaseFolder(fs, &c.database)
	fs.StringVar(&c.page, "html", "", "`file` for one self-contained page")
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		if c.plan && !fs.Changed("threads") {
			c.threads = plannedThreads
		}
		threads, err := threadNumbers(c.threads)
		if err != nil {
			return err
		}
		for _, n := range threads {
			if n > model.MaxThreads {
				return usagef("--threads %d: must be from 0 to %d", n, model.MaxThreads)
			}
			if c.plan && n == 0 {
				return usagef("--threads %s: --plan wants numbers from 1 on", c.threads)
			}
		}
		switch {
		case c.plan:
			return c.planned(ctx, args, threads, stdout, stderr)
		case len(threads) > 1:
			return usagef("--threads %s: several numbers need --plan", c.threads)
		case fs.Changed("database"):
			return usagef("--database is for models: it needs --plan")
		}
		c.load.Threads = threads[0]
		return c.measured(ctx, args, stdout, stderr)
	}
}

func (c *profileCommand) measured(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	b, err := openBundle(ctx, args, c.dims, c.load)
	if err != nil {
		return err
	}
	defer b.Close()
	b.SetRandom(0)
	p, err := b.Profile(ctx, peaksHere(ctx, b.VectorBytes(), stderr))
	if err != nil {
		return err
	}
	return printPage(stdout, c.json, p, report.ProfilePage(p), c.page)
}

// planned prints how threads are kept busy, of a bundle or of a model.
func (c *profileCommand) planned(ctx context.Context, args []string, threads []int, stdout, stderr io.Writer) error {
	if len(args) != 1 {
		return usagef("takes one bundle or model, not %d", len(args))
	}
	var p *compile.IdlePlan
	var err error
	if strings.HasSuffix(args[0], ".onnx") {
		p, err = c.plannedModel(ctx, args[0], threads, stderr)
	} else if p, err = compile.IdleOf(args[0], threads); err == nil && c.dims != "" {
		return usagef("--dim is for models: %s is a bundle", args[0])
	}
	if err != nil {
		return err
	}
	return printPage(stdout, c.json, p, report.IdlePage(p), c.page)
}

func (c *profileCommand) plannedModel(
	ctx context.Context, path string, threads []int, stderr io.Writer,
) (*compile.IdlePlan, error) {
	dims, err := compile.ParseDims(c.dims)
	if err != nil {
		return nil, usageError{err.Error()}
	}
	show := newCompileDisplay(stderr)
	defer show.close()
	opt := compile.Options{Name: "plan", Observer: show, Model: scorerOptions(0, target.LLVM, nil)}
	if opt.Database, err = openDatabase(c.database, show.Say); err != nil {
		return nil, err
	}
	cpu, err := machine.OpenCPU(ctx, machineOptions(0))
	if err != nil {
		return nil, err
	}
	defer cpu.Close()
	read := func() (*compile.Model, error) { return compile.Read(ctx, path, dims, pass.Options{}) }
	return compile.Idle(ctx, compile.Machine{CPU: cpu}, read, opt, threads)
}

// peaksHere measures this machine in vectors of so many bytes. Without a compiler its limits are not known.
func peaksHere(ctx context.Context, vectorBytes int, stderr io.Writer) run.Facts {
	m, err := machine.OpenCPU(ctx, machineOptions(1))
	if err == nil {
		defer m.Close()
		facts, e := m.Peaks(ctx, vectorBytes)
		if e == nil {
			return facts
		}
		err = e
	}
	fmt.Fprintf(stderr, "warning: the limits of this machine are not known: %v\n", err)
	return run.Facts{}
}
