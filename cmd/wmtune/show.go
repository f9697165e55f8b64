package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/inspect"
)

const showArgs = "LOG... | MODEL.onnx [--best | --record N,... | --all | --why N] [--as FORM] " +
	"[--json | --csv | --bench] [--html FILE]"

const showWhat = `Show prints the records of tuning logs. By default it ranks the fastest programs
and counts the statuses of the other records. With --json, --csv or --bench it
prints every record. --why also lists the records nearest to the explained one.
--html writes one page that needs no network: the curve of the best over the trials,
the fastest programs, and the text of each on a click.

With --as graph, tasks or plan show prints an ONNX model: its graph, as the file has
it or after a graph pass; its groups and tasks; or the memory of its values. The graph
of a file NAME.onnx is printed without --as, too.`

const showExamples = `  wmtune show tune.arrow                        the fastest programs
  wmtune show wmtune-out/*/tuning.arrow         several logs, one after the other
  wmtune show tune.arrow --html search.html     the curve and the programs as a page
  wmtune show tune.arrow --best --as llvm       the winner's LLVM IR
  wmtune show tune.arrow --why 3                the score of record 3, step by step
  wmtune show tune.arrow --as roofline          how near the winner is to this machine's peaks
  wmtune show tune.arrow --best --as tir --after simplify   the program before it is made fast
  wmtune show tune.arrow --best --passes        each pass: its time, and the size of the program
  wmtune show tune.arrow --json | jq .cost_us   one JSON object a line
  wmtune show gpu.arrow --best --as usage       registers and memory accesses, without the GPU
  wmtune show tune.arrow --csv --follow         while a search is writing it
  wmtune show model.onnx --as graph --after transposes
  wmtune show model.onnx --as tasks --dim batch=1
  wmtune show old.arrow --best --bench > old; wmtune show new.arrow --best --bench > new; benchstat old new
`

// A showCommand is a parsed command line of show.
type showCommand struct {
	logs    []string
	log     string // the one that is read
	best    bool
	all     bool
	records []int // in the order of --record; nil without it
	top     int
	why     int          // record to explain; -1: none
	model   string       // folder of the model that explains; "" means the one in the program
	as      string       // "" means none
	lower   lower.Config // which passes --as runs
	format  string       // "text", "json", "csv" or "bench"
	follow  bool
	memory  *byteSize
	dims    string // of a model
	html    string // file of a page; "" means none
}

// show prints the records of a tuning log.
func (c *showCommand) show(ctx context.Context, find findWorkload, stdout, stderr io.Writer) error {
	p := &inspect.Programs{Find: find, Passes: c.lower, Machine: machineOptions(0), Memory: c.memory.limit()}
	defer p.Close()
	out := bufio.NewWriter(stdout)
	err := c.runAll(ctx, p, out, stderr)
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}

// runAll prints the records of each log, and writes the page.
func (c *showCommand) runAll(ctx context.Context, p *inspect.Programs, out *bufio.Writer, stderr io.Writer) error {
	v := newRecordView(c, p, out)
	for i, log := range c.logs {
		if c.log = log; i > 0 && c.format == "text" {
			fmt.Fprintln(out)
		}
		if err := c.run(ctx, p, v, out, stderr); err != nil {
			return err
		}
	}
	err := v.end()
	if c.html == "" || err != nil {
		return err
	}
	return writeHistory(ctx, out, c.format == "text", c.html, "Searches of "+strings.Join(c.logs, ", "), nil, p, c.logs,
		c.top)
}

// writeHistory writes a page that shows how the searches of logs went, and says so.
func writeHistory(ctx context.Context, out io.Writer, say bool, path, title string, facts []string, p *inspect.Programs,
	logs []string, top int,
) error {
	var list []inspect.History
	for _, log := range logs {
		h, err := p.Histories(ctx, log, top)
		if err != nil {
			return err
		}
		list = append(list, h...)
	}
	err := report.HistoryPage(title, append(facts, "wmtune "+tune.Version()), list).WriteFile(path)
	if err == nil && say {
		fmt.Fprintf(out, "\npage: %s\n", path)
	}
	return err
}

// A findWorkload returns the workload of a record's text.
type findWorkload = func(text string) (workload.Workload, error)

func declareShow(fs *pflag.FlagSet) action { return declareShowOf(fs, workload.Find) }

// declareShowOf is declareShow with the workloads that find knows.
func declareShowOf(fs *pflag.FlagSet, find findWorkload) action {
	c := &showCommand{}
	fs.BoolVar(&c.best, "best", false, "only the fastest record of each task")
	fs.BoolVar(&c.all, "all", false, "all records, one by one")
	record := fs.String("record", "", "only the records with these `numbers`, from 0, as in 3,5,9")
	fs.IntVar(&c.why, "why", -1, "`number` of the record whose score a model explains, step by step")
	fs.StringVar(&c.model, "model", "", "`folder` of the model for --why; empty: the built-in model")
	c.memory = declareMemory(fs)
	fs.IntVar(&c.top, "top", 10, "`number` of programs in the ranking")
	fs.StringVar(&c.as, "as", "", "`form` of programs: "+strings.Join(showForms(), ", "))
	passes := fs.Bool("passes", false, "table of passes: time, and size of the program after each")
	fs.StringVar(&c.lower.Until, "after", "", "last `pass` to run, for --as tir, passes or graph")
	fs.StringSliceVar(&c.lower.Skip, "skip-pass", nil, "`names` of passes to leave out, as in join,promote")
	asJSON := fs.Bool("json", false, "one JSON object per line")
	csv := fs.Bool("csv", false, "comma-separated values with a header")
	bench := fs.Bool("bench", false, "Go benchmark format, for benchstat")
	declareDims(fs, &c.dims, "batch=1,seq=16,128")
	fs.StringVar(&c.html, "html", "", "`file` for one self-contained page")
	fs.BoolVar(&c.follow, "follow", false, "wait for further records until interrupted; with --json, --csv or --bench")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
		if len(args) == 0 {
			return usagef("needs the path of a log")
		}
		c.log, c.logs = args[0], args
		if c.as == "" && strings.HasSuffix(c.log, ".onnx") {
			c.as = "graph"
		}
		if slices.Contains(modelForms, c.as) {
			if len(args) > 1 {
				return usagef("unexpected argument %q: one model at a time", args[1])
			}
			return c.showModel(ctx, fs, *asJSON, stdout)
		}
		if *passes && c.as == "" {
			c.as = "passes"
		} else if *passes && c.as != "passes" {
			return usagef("--passes is --as passes, not --as %s", c.as)
		} else if c.lower.Until != "" && c.as == "" {
			c.as = "tir"
		}
		if c.format, err = showFormat(*asJSON, *csv, *bench); err != nil {
			return err
		}
		if fs.Changed("record") {
			if c.records, err = recordNumbers(*record); err != nil {
				return err
			}
		}
		if err := c.check(); err != nil {
			return err
		}
		return c.show(ctx, find, stdout, stderr)
	}
}

func showFormat(json, csv, bench bool) (string, error) {
	format, chosen := "text", 0
	for _, f := range []struct {
		set  bool
		name string
	}{{json, "json"}, {csv, "csv"}, {bench, "bench"}} {
		if f.set {
			format = f.name
			chosen++
		}
	}
	if chosen > 1 {
		return "", usagef("takes only one of --json, --csv and --bench")
	}
	return format, nil
}

// check rejects choices that exclude each other.
func (c *showCommand) check() error {
	choices := 0
	for _, set := range []bool{c.best, c.all, c.records != nil, c.why != -1} {
		if set {
			choices++
		}
	}
	switch {
	case choices > 1:
		return usagef("takes only one of --best, --record, --all and --why")
	case len(c.logs) > 1 && (c.records != nil || c.why != -1 || c.follow):
		return usagef("--record, --why and --follow take one log, not %d", len(c.logs))
	case c.html != "" && (c.why != -1 || c.follow):
		return usagef("--html shows finished records: leave out --why and --follow")
	case c.why < -1:
		return usagef("--why takes the number of a record from 0 on, not %d", c.why)
	case c.model != "" && c.why < 0:
		return usagef("--model needs --why")
	case c.why >= 0 && (c.as != "" || c.follow || c.format == "csv" || c.format == "bench"):
		return usagef("--why prints text or --json: leave out --as, --follow, --csv and --bench")
	case c.top < 1:
		return usagef("--top takes a number from 1 on, not %d", c.top)
	case c.as != "" && !slices.Contains(inspect.FormNames(), c.as):
		return usagef("--as takes %s, not %q", strings.Join(showForms(), ", "), c.as)
	case c.dims != "":
		return usagef("--dim is for models: --as %s", strings.Join(modelForms, ", "))
	case c.lower.Valid() != nil:
		return usagef("%v", c.lower.Valid())
	case c.lower.Until != "" && c.as != "tir" && c.as != "passes":
		return usagef("--after is for --as tir and --as passes, not %q", c.as)
	case c.lower.Skip != nil && (c.as == "" || slices.Contains([]string{"steps", "state", "features", "roofline"}, c.as)):
		return usagef("--skip-pass is for --as tir, passes, and the forms of code")
	case c.as != "" && c.format == "bench":
		return usagef("--bench shows no programs: leave out --as")
	case c.follow && (c.format == "text" || c.best || c.records != nil):
		return usagef("--follow needs --json, --csv or --bench, and prints all records")
	case c.format != "text" && choices == 0:
		c.all = true
	case c.as != "" && choices == 0:
		c.best = true
	}
	return nil
}

// run opens the log and prints the chosen records.
func (c *showCommand) run(
	ctx context.Context, p *inspect.Programs, v *recordView, out *bufio.Writer, stderr io.Writer,
) error {
	r, err := dataset.Open(c.log)
	if err != nil {
		return err
	}
	defer r.Close()
	switch {
	case c.why >= 0:
		err = c.printWhy(ctx, p, r, out)
	case c.follow:
		err = c.printAll(ctx, v, r.Follow(ctx, 250*time.Millisecond), out)
	case c.all:
		err = c.printAll(ctx, v, r.Rounds(), out)
	case c.best || c.records != nil:
		err = c.printChosen(ctx, v, r)
	default:
		var s dataset.Summary
		if s, err = inspect.Summarize(r); err == nil {
			report.Ranking(out, c.log, &s, c.top, p)
		}
	}
	for _, w := range r.Warnings() {
		fmt.Fprintln(stderr, "warning:", w)
	}
	return err
}

// printAll prints records as they are read, round by round.
func (c *showCommand) printAll(
	ctx context.Context, v *recordView, rounds iter.Seq2[[]dataset.Record, error], out *bufio.Writer,
) error {
	number := 0
	for round, err := range rounds {
		if err != nil {
			return err
		}
		for i := range round {
			if err := v.print(ctx, c.log, number, &round[i]); err != nil {
				return err
			}
			number++
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// printChosen prints the records that --best or --record names.
func (c *showCommand) printChosen(ctx context.Context, v *recordView, r *dataset.Reader) error {
	numbers := c.records
	if c.best {
		s, err := inspect.Summarize(r)
		if err != nil {
			return err
		}
		v.layouts = s.Layouts()
		if numbers = inspect.Best(&s); len(numbers) == 0 {
			return fmt.Errorf("log %s: %w (%s)", c.log, errNothing, count(s.Records, "record"))
		}
		if r, err = dataset.Open(c.log); err != nil {
			return err
		}
		defer r.Close()
	}
	v.several = len(numbers) > 1 || len(c.logs) > 1
	picked, err := inspect.Pick(r, numbers)
	if err != nil {
		return err
	}
	for i := range picked {
		if err := v.print(ctx, c.log, numbers[i], &picked[i]); err != nil {
			return err
		}
	}
	return nil
}

// printWhy prints the contributions to a model's score of a record.
func (c *showCommand) printWhy(ctx context.Context, p *inspect.Programs, r *dataset.Reader, out *bufio.Writer) error {
	why, err := p.Why(ctx, r, c.why, c.model)
	switch {
	case errors.Is(err, models.ErrNone):
		return fmt.Errorf("%w; name the folder of a model with --model", err)
	case err != nil:
		return err
	case c.format == "json":
		return json.NewEncoder(out).Encode(why)
	}
	report.Reason(out, why)
	return nil
}
