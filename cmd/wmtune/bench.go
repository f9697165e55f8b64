package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const benchArgs = "MODEL.onnx... [flags]"

const benchWhat = `Bench compiles each ONNX model, as 'wmtune compile' does. Then it times the bundle and
the libraries of a Python in turns, one at a time, with the same inputs and the same
number of threads. Every contender is a process that stays up. A folder stands for all
.onnx files in it. NAME.npz beside NAME.onnx has inputs and the expected output. Bench
skips a library that is not installed and prints the line that installs it.

torch reads no ONNX: --torch names a Python file that makes the models' modules.`

const benchExamples = `  wmtune bench resnet18.onnx
  wmtune bench resnet18.onnx bert.onnx --dim batch=1,seq=128 --threads 2
  wmtune bench folder --python venv/bin/python --peers ort,openvino
  wmtune bench resnet18.onnx --torch modules.py --json
`

// A benchCommand is a parsed command line of bench.
type benchCommand struct {
	rivals.Options
	paths    []string
	out      string
	database string
	json     bool
}

func declareBench(fs *pflag.FlagSet) action {
	c := &benchCommand{Options: rivals.Options{Plan: rivals.ModelPlan}}
	var dims string
	declareDims(fs, &dims, "batch=1,seq=128")
	declareDatabaseFolder(fs, &c.database)
	declareQuiet(fs)
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
	fs.StringVar(&c.out, "out", filepath.Join("wmtune-out", "bench"), "`folder` for the bundles")
	peers := fs.String("peers", "ort,openvino,inductor", "`names` of libraries to compare with; none: wmtune only")
	fs.StringVar(&c.Peers.Python, "python", "python3", "`path` of the Python interpreter that has the libraries")
	fs.IntVar(&c.Plan.Rounds, "rounds", c.Plan.Rounds, "`number` of rounds; each times every contender once")
	threads := fs.String("threads", "1,2", "`numbers` of threads; each has rows of its own")
	fs.StringVar(&c.Torch, "torch", "", "Python `file` that makes torch modules; empty: torch and inductor are left out")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
		if c.Dims, err = compile.ParseDims(dims); err != nil {
			return usageError{err.Error()}
		}
		if c.Threads, err = threadNumbers(*threads); err != nil {
			return err
		}
		if c.Peers.Names, err = peerNames(*peers, c.Torch, fs.Changed("peers")); err != nil {
			return err
		}
		if err := c.Check(); err != nil {
			return err
		}
		if c.paths, err = rivals.ModelFiles(args); err != nil {
			return usageError{err.Error()}
		}
		return interruptible(ctx, goOn, func(ctx context.Context) error { return c.run(ctx, stdout, stderr) })
	}
}

// threadNumbers reads the numbers of --threads.
func threadNumbers(text string) (list []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return nil, usagef("--threads %q: want numbers, such as 1,2", text)
		}
		list = append(list, int(n))
	}
	return list, nil
}

// peerNames reads the names of --peers. Without --torch it leaves out libraries that need torch modules, unless the
// user names them.
func peerNames(text, torch string, asked bool) (names []string, err error) {
	if text == "" || text == "none" {
		return nil, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if torch != "" || name != "torch" && name != "inductor" {
			names = append(names, name)
		} else if asked {
			return nil, usagef("--peers %s needs --torch, a file that makes torch modules", name)
		}
	}
	return names, nil
}

func (c *benchCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	show := newCompileDisplay(stderr)
	defer show.close()
	c.Machine, c.Peers.Dir = machineOptions(0), c.out
	c.Peers.Say, c.Peers.Show = show.Say, func(text string) { show.p.showLine(text) }
	c.Done = func(r *rivals.Row) { show.Say(report.ModelText(r)) }
	if err := os.MkdirAll(c.out, 0o777); err != nil {
		return err
	}
	cpu, err := machine.OpenCPU(ctx, c.Machine)
	if err != nil {
		return err
	}
	defer cpu.Close()
	for _, path := range c.paths {
		m, err := c.compile(ctx, cpu, path, show)
		if err != nil {
			return err
		}
		c.Models = append(c.Models, m)
	}
	r, rows, err := rivals.Run(ctx, c.Options)
	show.close()
	if err != nil {
		return err
	}
	r.Machine = cpu.Target().String()
	return printPage(stdout, c.json, r, report.Page{Tables: []report.Table{report.ModelTable(rows)}}, "")
}

// compile makes the bundle of a model.
func (c *benchCommand) compile(
	ctx context.Context, cpu *machine.CPU, path string, show *compileDisplay,
) (rivals.Model, error) {
	name := model.NameOf(rivals.NameOf(path))
	o := compile.Options{Name: name, Out: filepath.Join(c.out, name), Named: costmodel.Default(),
		Model: scorerOptions(0, target.LLVM, nil), Memory: byteSize(0).limit(), Observer: show}
	m, err := compile.Read(ctx, path, c.Dims, pass.Options{})
	if err == nil {
		o.Database, err = openDatabase(c.database, show.Say)
	}
	if err == nil {
		_, err = compile.Run(ctx, compile.Machine{CPU: cpu}, m, o)
	}
	return rivals.Model{Path: path, Bundles: []rivals.Bundle{{Name: rivals.OursName, Dir: o.Out}}}, err
}
