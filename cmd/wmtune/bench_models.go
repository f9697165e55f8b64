package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const benchModelsWhat = `Bench models compiles each ONNX model, unless an earlier run did. Then it times the
bundle and the libraries in turns, one at a time, with the same inputs and the same
number of threads. Every contender is a process that stays up. A folder stands for all
.onnx files in it. NAME.npz beside NAME.onnx has inputs and the expected output. It
skips a library that is not installed and prints the line that installs it.

torch reads no ONNX: --torch names a Python file that makes the models' modules.
--update replaces the table between the lines '<!-- bench models -->' and '<!-- end of
bench models -->' of a Markdown file.`

// benchModelsMark names the lines around the table in a Markdown file.
const benchModelsMark = "bench models"

func declareBenchModels(fs *pflag.FlagSet) action {
	var c benchFlags
	o := rivals.Options{Plan: rivals.DefaultPlan}
	var dims string
	c.declareOutput(fs)
	declareDims(fs, &dims)
	threads := fs.String("threads", "1,2", "`numbers` of threads; each has rows of its own")
	fs.IntVar(&o.Compile.Trials, "trials", 0,
		"`number` of candidates measured per model; 0: the scorer's choice, unmeasured")
	fs.StringVar(&o.Compile.Named, "scorer", costmodel.Default(),
		"`name` of the scorer, which chooses schedules: "+scorerNames())
	fs.Uint64Var(&o.Compile.Seed, "seed", 0, "random `seed` of the compilation")
	fs.StringVar(&o.Bundles, "bundles", "",
		"`folder` of finished bundles, named as the models; empty: models are compiled")
	fs.IntVar(&o.Plan.Rounds, "rounds", o.Plan.Rounds, "`number` of rounds; each times every contender once")
	times := fs.String("times", "",
		"`numbers` of seconds, such as 200,500; bundles are tuned so long")
	meta := fs.String("metaschedule", "", "`file` of MetaSchedule runs, a JSON line each, to stand beside --times")
	peers, python := declarePeers(fs, "ort,openvino,inductor")
	fs.StringVar(&o.Torch, "torch", "", "Python `file` that makes torch modules; empty: torch and inductor are left out")
	svg := fs.String("svg", "", "SVG `file` for bars; with --times also NAME-times.svg")
	update := fs.StringSlice("update", nil, "Markdown `file` whose table is replaced; several may follow")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
		command := benchModelsCommand(fs, args)
		if o.Threads, err = numbers[int]("threads", *threads, 32); err != nil {
			return err
		}
		if o.Dims, err = compile.ParseDims(dims); err != nil {
			return usageError{err.Error()}
		}
		if o.Times, err = seconds(*times); err != nil {
			return err
		}
		if *meta != "" {
			if o.MetaSchedule, err = rivals.ReadMetaSchedule(*meta); err != nil {
				return fmt.Errorf("--metaschedule: %w", err)
			}
		}
		o.Models, o.Python = args, *python
		for _, name := range peerList(*peers) {
			if o.Torch != "" || name != "torch" && name != "inductor" {
				o.Peers = append(o.Peers, name)
			} else if fs.Changed("peers") {
				return usagef("--peers %s needs --torch, a file that makes torch modules", name)
			}
		}
		if err := updateMarkdown(*update, report.Page{}); err != nil {
			return err
		}
		return c.bench(ctx, o.Check, stdout, stderr, func(ctx context.Context, b *benching) error {
			o.Machine, o.Compile.Model = machineOptions(0), scorerOptions(o.Compile.Seed, target.LLVM, nil)
			o.Compile.Memory = byteSize(0).limit()
			o.Done = func(r *rivals.Row) { b.progress.say("%s", report.ModelText(r)) }
			r, rows, err := rivals.Run(ctx, b.Bench, o)
			if err != nil {
				return err
			}
			page := report.Page{Title: "Whole models: ours beside the libraries'", Facts: b.about(command, r.Peers...),
				Tables: []report.Table{report.ModelTable(rows)}}
			if len(r.Curves) > 0 {
				page.Tables = append(page.Tables, report.CurveTable(r.Curves))
				page.Plots = []report.Plot{report.CurvePlot(r.Curves)}
			}
			if err := b.finish("models", r, page); err != nil {
				return err
			}
			return errors.Join(writePictures(*svg, rows, page.Plots), updateMarkdown(*update, page))
		})
	}
}

// benchModelsCommand is the command line as a page shows it: without the folders of files, and where results go.
func benchModelsCommand(fs *pflag.FlagSet, args []string) string {
	command := "wmtune bench models"
	for _, path := range args {
		command += " " + filepath.Base(path)
	}
	for _, name := range strings.Fields("bundles dim trials times scorer seed threads rounds peers torch") {
		if f := fs.Lookup(name); f.Changed {
			command += " --" + name + "=" + filepath.Base(f.Value.String())
		}
	}
	return command
}

// seconds reads a list of seconds.
func seconds(text string) ([]time.Duration, error) {
	if text == "" {
		return nil, nil
	}
	list, err := numbers[int]("times", text, 32)
	var times []time.Duration
	for _, n := range list {
		times = append(times, time.Duration(n)*time.Second)
	}
	return times, err
}

// writePictures writes the bars to the file of --svg, and a plot beside them; without a path it does nothing.
func writePictures(path string, rows []rivals.Row, plots []report.Plot) error {
	if path == "" {
		return nil
	}
	err := renameio.WriteFile(path, []byte(report.ModelPicture(rows)), 0o644)
	for _, p := range plots {
		beside := strings.TrimSuffix(path, filepath.Ext(path)) + "-times.svg"
		err = errors.Join(err, renameio.WriteFile(beside, []byte(p.Picture()), 0o644))
	}
	return err
}

// updateMarkdown replaces the table of models in Markdown files. A page without tables changes none: it is a check.
func updateMarkdown(paths []string, p report.Page) error {
	text := ""
	for _, f := range p.Facts {
		text += "- " + f + "\n"
	}
	for _, t := range p.Tables {
		text += "\n" + t.Markdown()
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		with, ok := report.Between(string(data), benchModelsMark, text)
		if err == nil && !ok {
			err = fmt.Errorf("%s lacks the lines '<!-- %s -->' and '<!-- end of %s -->': add them where the table belongs",
				path, benchModelsMark, benchModelsMark)
		}
		if err == nil && len(p.Tables) > 0 {
			err = renameio.WriteFile(path, []byte(with), 0o644)
		}
		if err != nil {
			return fmt.Errorf("--update: %w", err)
		}
	}
	return nil
}

// declarePeers declares the flags of benchmarks that compare with libraries.
func declarePeers(fs *pflag.FlagSet, names string) (peers, python *string) {
	peers = fs.String("peers", names, "`names` of libraries to compare with; none: wmtune only")
	python = fs.String("python", filepath.Join(".peers", "bin", "python"),
		"`path` of the Python interpreter that has the libraries")
	return peers, python
}

// peerList reads the names of --peers.
func peerList(text string) []string {
	if text == "" || text == "none" {
		return nil
	}
	return strings.Split(text, ",")
}
