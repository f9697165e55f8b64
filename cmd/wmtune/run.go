package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/graph/compile"
)

const runArgs = "BUNDLE [flags]"

const runWhat = `Run runs a bundle of 'wmtune compile' in a worker process and prints how long it takes.

--input is a .npz file with an array for each input, by its name or as in0, in1 and
so on. A .npy file is the only input. Types and shapes must be those of the model:
run converts nothing. Without --input the inputs are random. Arrays called like
outputs, or out0, out1 and so on, are compared with the outputs.`

const runExamples = `  wmtune run wmtune-out/resnet18
  wmtune run bert-bundle --input in.npz --output out.npz
  wmtune run bert-bundle --repeat 100 --threads 1 --json
`

// maxRepeat bounds the timed runs, whose times are kept until the end.
const maxRepeat = 1_000_000

// declareFlush declares a flag of verbs that load bundles.
func declareFlush(fs *pflag.FlagSet, o *compile.LoadOptions) {
	fs.BoolVar(&o.Flush, "flush-denormals", false, "denormal numbers count as zero")
}

func declareRun(fs *pflag.FlagSet) action {
	var load compile.LoadOptions
	var opt compile.RunOptions
	fs.IntVar(&load.Threads, "threads", 0, "`number` of threads; 0: one per core")
	declareFlush(fs, &load)
	fs.StringVar(&opt.Input, "input", "", "`file` with the inputs, .npz or .npy; empty: random inputs")
	fs.StringVar(&opt.Output, "output", "", "`file` for the outputs, .npz or .npy")
	fs.IntVar(&opt.Repeat, "repeat", 20, "`number` of timed runs")
	fs.Uint64Var(&opt.Seed, "seed", 0, "random `seed` of the inputs without --input")
	var dims string
	fs.Var((*compile.DimList)(&dims), "dim", "extents of random inputs, a `list`: batch=1,seq=16 (default the largest)")
	asJSON := fs.Bool("json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, args []string, stdout, _ io.Writer) error {
		if opt.Repeat < 1 || opt.Repeat > maxRepeat {
			return usagef("--repeat %d: must be from 1 to %d", opt.Repeat, maxRepeat)
		}
		return interruptible(ctx, "", func(ctx context.Context) error {
			b, err := openBundle(ctx, args, dims, load)
			if err != nil {
				return err
			}
			defer b.Close()
			r, err := b.Measure(ctx, opt)
			switch {
			case err != nil:
				return err
			case *asJSON:
				return json.NewEncoder(stdout).Encode(r)
			}
			for _, o := range r.Outputs {
				fmt.Fprintf(stdout, "%s: %s%v\n", report.OneLine(o.Name), o.Type, o.Shape)
			}
			if r.MaxError != nil {
				fmt.Fprintf(stdout, "the largest difference from the file's outputs is %.2g of the largest output\n", *r.MaxError)
			}
			_, err = fmt.Fprintf(stdout, "%s: fastest %s, median %s\n", count(r.Repeat, "run"),
				dataset.FormatSeconds(r.MinUS/1e6), dataset.FormatSeconds(r.MedianUS/1e6))
			return err
		})
	}
}

// openBundle loads the bundle that a verb's argument names.
func openBundle(ctx context.Context, args []string, dims string, opt compile.LoadOptions) (*compile.Bundle, error) {
	if len(args) != 1 {
		return nil, usagef("takes one bundle, not %d: the folder that 'wmtune compile' made", len(args))
	}
	var err error
	if opt.Extents, err = compile.ParseDims(dims); err != nil {
		return nil, usageError{err.Error()}
	}
	opt.Machine = machineOptions(0)
	return compile.OpenBundle(ctx, args[0], opt)
}
