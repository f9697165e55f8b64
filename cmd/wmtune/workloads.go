package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/op"
)

const workloadsArgs = "[SUITE | --model MODEL.onnx | --templates SPEC|SUITE] [--json]"

const workloadsWhat = `Workloads lists the values of --workload: operators with their keys, and suites of
named workloads. With a suite's name it lists the workloads of that suite.

With --model it lists the tasks of an ONNX model, each with its weight: how many
kernels of the model need it. --out-dir writes each as a workload file, which
'wmtune search --workload-file' takes.

With --templates it lists the templates that 'wmtune search --policy template' has for
workloads: knobs, how many values each has, and how many configurations there are.`

const workloadsExamples = `  wmtune workloads
  wmtune workloads paper22
  wmtune workloads resnet50 --json
  wmtune workloads --model bert.onnx --dim batch=1,seq=128 --out-dir tasks
  wmtune workloads --templates paper22
  wmtune workloads --templates dense:m=128,n=768,k=3072
`

func declareWorkloads(fs *pflag.FlagSet) action {
	asJSON := fs.Bool("json", false, "one JSON object per workload; all suites if none is named")
	var model, dims, dir, templates string
	fs.StringVar(&model, "model", "", "ONNX model whose tasks are listed, a `file`")
	declareDims(fs, &dims, "batch=1,seq=128")
	fs.StringVar(&dir, "out-dir", "", "`folder` for a workload file of each task of --model")
	fs.StringVar(&templates, "templates", "", "`workload`, a spec or a suite, whose templates are listed")
	return func(ctx context.Context, args []string, stdout, _ io.Writer) error {
		switch {
		case templates != "" && (model != "" || len(args) > 0):
			return usagef("--templates takes a workload or a suite, and neither an argument nor --model")
		case templates != "":
			return listTemplates(stdout, templates, *asJSON)
		case model != "" && len(args) > 0:
			return usagef("takes a suite or --model, not both")
		case model != "":
			return listTasks(ctx, stdout, model, dims, dir, *asJSON)
		case dims != "" || dir != "":
			return usagef("--dim and --out-dir need --model")
		}
		return listWorkloads(stdout, args, *asJSON)
	}
}

// listWorkloads prints the suites that are named; without names the operators, or with JSON all suites.
func listWorkloads(stdout io.Writer, names []string, asJSON bool) error {
	list := op.Suites()
	if len(names) == 1 {
		s, err := op.FindSuite(names[0])
		if err != nil {
			return usageError{err.Error()}
		}
		list = []op.Suite{s}
	} else if !asJSON {
		report.Operators(stdout, list)
		return nil
	}
	for _, s := range list {
		if err := printSuite(stdout, s, asJSON); err != nil {
			return err
		}
	}
	return nil
}

// listTasks prints the tasks of a model, and writes them as workload files if dir is not "".
func listTasks(ctx context.Context, w io.Writer, model, dimText, dir string, asJSON bool) error {
	dims, err := compile.ParseDims(dimText)
	if err != nil {
		return usageError{err.Error()}
	}
	m, err := compile.Read(ctx, model, dims, pass.Options{})
	if err != nil {
		return err
	}
	list, err := m.Workloads(dir)
	if err != nil {
		return err
	}
	if !asJSON {
		report.WorkloadTable(list).Print(w)
		return nil
	}
	enc := json.NewEncoder(w)
	for _, work := range list {
		if err := enc.Encode(work); err != nil {
			return err
		}
	}
	return nil
}

func printSuite(w io.Writer, s op.Suite, asJSON bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	enc := json.NewEncoder(w)
	for _, e := range s.List {
		work, err := s.Workload(e)
		if err != nil {
			return err
		}
		l := workload.List(work.Name, work.Count, work.DAG)
		l.Spec = work.Spec
		if asJSON {
			if err := enc.Encode(l); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(t, "%s\t%.4g MFLOP\tx%d\t%s\n", l.Name, l.FLOP/1e6, l.Count, l.Spec)
	}
	return t.Flush()
}
