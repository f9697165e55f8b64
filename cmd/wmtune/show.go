package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wmtune/wmtune/dataset/workload"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/lower"
)

const showArgs = "LOG [--best | --record N,... | --all | --why N] [--as FORM] [--json | --csv | --bench]"

const showWhat = `Show prints the records of a tuning log. By default it ranks the fastest programs
and counts the statuses of the other records. With --json, --csv or --bench it
prints every record. --why also lists the records nearest to the explained one.`

const showExamples = `  wmtune show tune.arrow                        the fastest programs
  wmtune show tune.arrow --best --as llvm       the winner's LLVM IR
  wmtune show tune.arrow --why 3                what a model makes of record 3, step by step
  wmtune show tune.arrow --as roofline          how near the winner is to this machine's peaks
  wmtune show tune.arrow --best --as tir --after simplify   the program before it is made fast
  wmtune show tune.arrow --best --passes        each pass: its time, and the size of the program
  wmtune show tune.arrow --json | jq .cost_us   one JSON object a line
  wmtune show gpu.arrow --best --as usage       registers and memory accesses, without the GPU
  wmtune show tune.arrow --csv --follow         while a search is writing it
  wmtune show old.arrow --best --bench > old; wmtune show new.arrow --best --bench > new; benchstat old new
`

// A showCommand is a parsed command line of show.
type showCommand struct {
	log     string
	best    bool
	all     bool
	records []int // ascending; nil without --record
	top     int
	why     int          // record to explain; -1: none
	model   string       // folder of the model that explains; "" means the one in the program
	as      string       // "" means none
	lower   lower.Config // which passes --as runs
	format  string       // "text", "json", "csv" or "bench"
	follow  bool
}

// show prints the records of a tuning log.
func (c *showCommand) show(ctx context.Context, find func(text string) (workload.Workload, error), stdout, stderr io.Writer) error {
	p := newPrograms(find)
	defer p.close()
	out := bufio.NewWriter(stdout)
	p.lowering = c.lower
	err := c.run(ctx, p, out, stderr)
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}

func declareShow(fs *pflag.FlagSet) action { return declareShowOf(fs, workload.Find) }

// declareShowOf is declareShow with the workloads that find knows.
func declareShowOf(fs *pflag.FlagSet, find func(text string) (workload.Workload, error)) action {
	c := &showCommand{}
	fs.BoolVar(&c.best, "best", false, "only the fastest record of each task")
	fs.BoolVar(&c.all, "all", false, "all records, one by one")
	record := fs.String("record", "", "only the records with these `numbers`, from 0, as in 3,5,9")
	fs.IntVar(&c.why, "why", -1, "`number` of the record whose score a model explains, step by step")
	fs.StringVar(&c.model, "model", "", "`folder` of the model for --why; empty: the built-in model")
	fs.IntVar(&c.top, "top", 10, "`number` of programs in the ranking")
	fs.StringVar(&c.as, "as", "", "`form` of programs: "+strings.Join(formNames(), ", "))
	passes := fs.Bool("passes", false, "table of passes: time, and size of the program after each")
	fs.StringVar(&c.lower.Until, "after", "", "last `pass` to run for --as tir")
	skip := fs.String("skip-pass", "", "`names` of passes to leave out, as in join,promote")
	json := fs.Bool("json", false, "one JSON object per line")
	csv := fs.Bool("csv", false, "comma-separated values with a header")
	bench := fs.Bool("bench", false, "Go benchmark format, for benchstat")
	fs.BoolVar(&c.follow, "follow", false, "wait for further records until interrupted; with --json, --csv or --bench")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
		if len(args) == 0 {
			return usagef("needs the path of a log")
		}
		c.log = args[0]
		if *skip != "" {
			c.lower.Skip = strings.Split(*skip, ",")
		}
		if *passes && c.as == "" {
			c.as = "passes"
		} else if *passes && c.as != "passes" {
			return usagef("--passes is --as passes, not --as %s", c.as)
		} else if c.lower.Until != "" && c.as == "" {
			c.as = "tir"
		}
		if c.format, err = showFormat(*json, *csv, *bench); err != nil {
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

// recordNumbers parses the value of --record.
func recordNumbers(text string) ([]int, error) {
	seen := map[int]bool{}
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return nil, usagef("--record takes numbers from 0 on, separated by commas, not %q", text)
		}
		if !seen[n] {
			list = append(list, n)
		}
		seen[n] = true
	}
	return list, nil
}

// check refuses choices that exclude each other.
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
	case c.why < -1:
		return usagef("--why takes the number of a record from 0 on, not %d", c.why)
	case c.model != "" && c.why < 0:
		return usagef("--model is that of --why")
	case c.why >= 0 && (c.as != "" || c.follow || c.format == "csv" || c.format == "bench"):
		return usagef("--why takes --json, and none of --as, --follow, --csv and --bench")
	case c.top < 1:
		return usagef("--top takes a number from 1 on, not %d", c.top)
	case c.as != "" && !isForm(c.as):
		return usagef("--as takes %s, not %q", strings.Join(formNames(), ", "), c.as)
	case c.lower.Valid() != nil:
		return usagef("%v", c.lower.Valid())
	case c.lower.Until != "" && c.as != "tir" && c.as != "passes":
		return usagef("--after is for --as tir and --as passes, not %q", c.as)
	case c.lower.Skip != nil && (c.as == "" || slices.Contains([]string{"steps", "state", "features", "roofline"}, c.as)):
		return usagef("--skip-pass is for --as tir, passes, and the forms of code")
	case c.as != "" && c.format == "bench":
		return usagef("--bench shows no programs: leave out --as")
	case c.follow && (c.format == "text" || c.best || c.records != nil):
		return usagef("--follow prints each record as it comes: it takes --json, --csv or --bench, and no choice of records")
	case c.format != "text" && choices == 0:
		c.all = true
	case c.as != "" && choices == 0:
		c.best = true
	}
	return nil
}

// run opens the log and prints what was asked for.
func (c *showCommand) run(ctx context.Context, p *programs, out *bufio.Writer, stderr io.Writer) error {
	r, err := dataset.Open(c.log)
	if err != nil {
		return err
	}
	defer r.Close()
	switch {
	case c.why >= 0:
		err = c.printWhy(ctx, p, r, out)
	case c.follow:
		err = c.printAll(ctx, p, r.Follow(ctx, 250*time.Millisecond), out)
	case c.all:
		err = c.printAll(ctx, p, r.Rounds(), out)
	case c.best || c.records != nil:
		err = c.printChosen(ctx, p, r, out)
	default:
		var s dataset.Summary
		if s, err = summarize(r); err == nil {
			printRanking(out, c.log, &s, c.top, p)
		}
	}
	for _, w := range r.Warnings() {
		fmt.Fprintln(stderr, "warning:", w)
	}
	return err
}

// summarize counts the records of a log.
func summarize(r *dataset.Reader) (dataset.Summary, error) {
	var s dataset.Summary
	for rec, err := range r.Records() {
		if err != nil {
			return s, err
		}
		s.Add(&rec)
	}
	return s, nil
}

// printAll prints records as they are read, round by round.
func (c *showCommand) printAll(ctx context.Context, p *programs, rounds iter.Seq2[[]dataset.Record, error], out *bufio.Writer) error {
	v := newRecordView(c, p, out)
	number := 0
	for round, err := range rounds {
		if err != nil {
			return err
		}
		for i := range round {
			if err := v.print(ctx, number, &round[i]); err != nil {
				return err
			}
			number++
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return v.end()
}

// printChosen prints the records that --best or --record names.
func (c *showCommand) printChosen(ctx context.Context, p *programs, r *dataset.Reader, out *bufio.Writer) error {
	numbers, again, layouts := c.records, r, false
	if c.best {
		s, err := summarize(r)
		if err != nil {
			return err
		}
		layouts = s.Layouts()
		for i := range s.Tasks {
			if best, ok := s.Tasks[i].Best(); ok {
				numbers = append(numbers, best.Record)
			}
		}
		if len(numbers) == 0 {
			return fmt.Errorf("log %s: %w (%s)", c.log, errNothing, count(s.Records, "record"))
		}
		if again, err = dataset.Open(c.log); err != nil {
			return err
		}
		defer again.Close()
	}
	found, total, err := pick(again, numbers)
	if err != nil {
		return err
	}
	v := newRecordView(c, p, out)
	v.several, v.layouts = len(numbers) > 1, layouts
	for _, n := range numbers {
		rec, ok := found[n]
		if !ok {
			return fmt.Errorf("log %s: there is no record %d: it holds %s, numbered from 0", c.log, n, count(total, "record"))
		}
		if err := v.print(ctx, n, &rec); err != nil {
			return err
		}
	}
	return v.end()
}

// pick reads a log and returns the records with the given numbers, and how many
// there are in all.
func pick(r *dataset.Reader, numbers []int) (map[int]dataset.Record, int, error) {
	want := map[int]bool{}
	for _, n := range numbers {
		want[n] = true
	}
	found, total := map[int]dataset.Record{}, 0
	for rec, err := range r.Records() {
		if err != nil {
			return nil, 0, err
		}
		if want[total] {
			found[total] = rec
		}
		total++
	}
	return found, total, nil
}

// A recordView prints records one by one in the format of the command.
type recordView struct {
	format  string
	form    string // of the program; "" for none
	several bool   // texts of programs need a line that says whose they are
	number  bool   // benchmarks need a name per record
	layouts bool   // and one per layout
	p       *programs
	out     io.Writer
	csv     *dataset.CSVWriter
	bench   *dataset.BenchWriter

	printed int
	missing []error // why programs have no text in this form
}

func newRecordView(c *showCommand, p *programs, out io.Writer) *recordView {
	v := &recordView{format: c.format, form: c.as, several: true, number: !c.best, p: p, out: out}
	switch c.format {
	case "json", "csv":
		if v.form == "" {
			v.form = "steps"
		}
	}
	v.csv, v.bench = dataset.NewCSVWriter(out, v.form), dataset.NewBenchWriter(out)
	return v
}

// print prints a record. A program that has no text in the wanted form is no
// reason to stop: end tells of it.
func (v *recordView) print(ctx context.Context, number int, r *dataset.Record) error {
	text := ""
	if v.form != "" {
		var err error
		if text, err = v.p.text(ctx, v.form, r); err != nil {
			if ctx.Err() != nil {
				return errInterrupted
			}
			v.missing = append(v.missing, fmt.Errorf("record %d has no %s: %w", number, v.form, err))
		}
	}
	v.printed++
	switch v.format {
	case "json":
		return dataset.WriteJSON(v.out, number, r, dataset.Field{Name: v.form, Text: text})
	case "csv":
		return v.csv.Write(number, r, text)
	case "bench":
		suffix := ""
		switch {
		case v.number:
			suffix = fmt.Sprintf("record=%d", number)
		case v.layouts:
			suffix = fmt.Sprintf("layout=%s", r.Layout)
		}
		return v.bench.Write(r, suffix)
	}
	if v.form == "" {
		return printRecord(v.out, number, r)
	}
	if v.several {
		if _, err := fmt.Fprintf(v.out, "%s record %d of %s: %s\n", commentOf(v.form), number, r.Title(), r.Outcome()); err != nil {
			return err
		}
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(v.out, text)
	return err
}

// end closes the view and says which programs could not be shown.
func (v *recordView) end() error {
	if v.format == "csv" {
		if err := v.csv.Flush(); err != nil {
			return err
		}
	}
	if len(v.missing) > 1 {
		return fmt.Errorf("%d of %d records have no %s; the first: %w", len(v.missing), v.printed, v.form, v.missing[0])
	}
	return errors.Join(v.missing...)
}
