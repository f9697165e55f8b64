package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const compileArgs = "MODEL.onnx [flags]"

const compileWhat = `Compile makes a library of a whole ONNX model. The library needs no run-time: a C,
Python or Go program loads it. The scorer chooses the schedule of every kernel.

The bundle is a folder with NAME.so, NAME.o, NAME.h, NAME.weights, NAME.json and an
example in C, Python and Go. Its results are compared with a float64 reference of
the original model before the folder is put in place: a bundle that is not right is
not written.

The same command does again only what is missing: the record database keeps
schedules and compiled kernels.`

const compileExamples = `  wmtune compile resnet18.onnx
  wmtune compile bert.onnx --dim batch=1,seq=128 --out bert-bundle
  wmtune compile model.onnx --name detector --embed-weights
  wmtune compile model.onnx --json > result.json
`

// A compileCommand is a parsed command line of compile.
type compileCommand struct {
	compile.Options
	path     string
	dims     string
	database string
	model    string
	jobs     int
	json     bool
}

func declareCompile(fs *pflag.FlagSet) action {
	c := &compileCommand{}
	fs.StringVar(&c.dims, "dim", "", "extents of open dimensions, a `list` such as batch=1,seq=128")
	fs.StringVar(&c.Name, "name", "", "`name` of the bundle and prefix of its symbols (default: the file's)")
	fs.StringVar(&c.Out, "out", "", "`folder` of the bundle (default wmtune-out/NAME)")
	fs.StringVar(&c.Named, "scorer", costmodel.Default(), "`name` of the scorer, which chooses schedules: "+scorerNames())
	fs.StringVar(&c.model, "model", "", "`folder` of the model for --scorer world; empty: the built-in model")
	fs.Uint64Var(&c.Seed, "seed", 0, "random `seed`; the same seed gives the same bundle")
	fs.StringVar(&c.database, "database", "", "record database, a `folder`; none: keep nothing (default: wmtune in the user's cache)")
	fs.IntVar(&c.Threads, "threads", 0, "`number` of threads that the check and the timing use; 0: one per core")
	fs.BoolVar(&c.Embed, "embed-weights", false, "weights inside of the library, not in a file")
	fs.BoolVar(&c.Flush, "flush-denormals", false, "denormal numbers count as zero")
	fs.StringSliceVar(&c.Passes.Skip, "skip-pass", nil, "`name` of a graph pass to leave out; several may follow")
	fs.IntVar(&c.jobs, "jobs", 0, "`number` of build workers; 0: one per core")
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		if len(args) != 1 {
			return usagef("compile takes one model, not %d", len(args))
		}
		c.path = args[0]
		return c.run(ctx, stdout, stderr)
	}
}

func (c *compileCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	dims, err := parseDims(c.dims)
	if err != nil {
		return usageError{err.Error()}
	}
	if c.Name == "" {
		base := filepath.Base(c.path)
		c.Name = build.CIdentifier(strings.TrimSuffix(base, filepath.Ext(base)))
	}
	if c.Out == "" {
		c.Out = filepath.Join("wmtune-out", c.Name)
	}
	if c.Database, err = openDatabase(c.database); err != nil {
		return err
	}
	c.Options.Model = scorerOptions(c.Seed, target.LLVM, nil)
	c.Options.Model.Model = c.model
	show := newCompileDisplay(stderr)
	defer show.close()
	ctx, signals := interrupts(ctx, func() bool { return false })
	defer signals.stop()
	c.Observer = show
	r, err := c.compile(ctx, dims)
	show.close()
	switch {
	case err != nil && signals.Seen():
		return fmt.Errorf("%w: run the same command again to go on", errInterrupted)
	case err != nil:
		return err
	case c.json:
		return json.NewEncoder(stdout).Encode(r)
	}
	printBundle(stdout, r)
	return nil
}

func (c *compileCommand) compile(ctx context.Context, dims map[string]int64) (*compile.Result, error) {
	m, err := compile.Read(ctx, c.path, dims, c.Passes)
	if err != nil {
		return nil, err
	}
	cpu, err := machine.OpenCPU(ctx, machineOptions(c.jobs))
	if err != nil {
		return nil, err
	}
	defer cpu.Close()
	return compile.Run(ctx, compile.Machine{CPU: cpu}, m, c.Options)
}

// parseDims reads a list such as batch=1,seq=128.
func parseDims(text string) (map[string]int64, error) {
	dims := map[string]int64{}
	if text == "" {
		return dims, nil
	}
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if !ok || err != nil || n < 1 {
			return nil, fmt.Errorf("--dim %q: want NAME=N with N from 1 on, such as batch=1,seq=128", part)
		}
		dims[strings.TrimSpace(name)] = n
	}
	return dims, nil
}

// openDatabase opens the record database: in the user's cache folder if dir is "", and none if it is "none".
func openDatabase(dir string) (*database.Database, error) {
	if dir == "none" {
		return nil, nil
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, nil // no home: nothing is kept
		}
		dir = filepath.Join(cache, "wmtune")
	}
	return database.Open(dir)
}

func printBundle(w io.Writer, r *compile.Result) {
	fmt.Fprintf(w, "%s: %d nodes, %d kernels of %d tasks, in %.1f s\n", r.Name, r.Nodes, r.Groups, r.Tasks, r.Seconds)
	fmt.Fprintf(w, "verified: the largest difference from the reference is %.2g of the largest output\n", r.MaxError)
	fmt.Fprintf(w, "one run: %s; weights %s, other memory %s\n", dataset.FormatSeconds(r.LatencyUS/1e6),
		formatBytes(r.Weights), formatBytes(r.Arena))
	fmt.Fprintf(w, "bundle: in %s: %s\n", r.Out, strings.Join(r.Files, " "))
}

func formatBytes(n int64) string {
	switch {
	case n >= 10e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	case n >= 10e3:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}
