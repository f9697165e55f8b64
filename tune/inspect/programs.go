// Package inspect computes what there is to see in a tuning log: the ranking of its
// programs, a program in every form, how near its time is to the machine's peaks, and what
// a model's score of it is made of.
//
// It must not print, and must not know how candidates are searched.
package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Form is a text that the program of a record becomes.
type Form struct {
	Name    string
	Comment string // what begins a comment in the text
	text    func(ctx context.Context, p *Programs, r *dataset.Record) (string, error)
}

// Forms lists the forms, from the steps to machine code, and how near the program comes to
// the machine's peaks.
func Forms() []Form {
	forms := []Form{
		{"steps", "#", stepsText},
		{"state", "#", stateText},
		{"tir", "#", tirText},
		{"passes", "#", passesText},
		{"features", "#", featuresText},
	}
	for _, f := range machine.Forms() {
		forms = append(forms, Form{f.Name, f.Comment, codeText(f)})
	}
	return append(forms, Form{"roofline", "#", rooflineText})
}

// FormNames lists the names of the forms.
func FormNames() []string {
	var names []string
	for _, f := range Forms() {
		names = append(names, f.Name)
	}
	return names
}

// FindForm returns the form of a name.
func FindForm(name string) (Form, error) {
	forms := Forms()
	i := slices.IndexFunc(forms, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return Form{}, fmt.Errorf("inspect: there is no form %q; the forms are %s", name, strings.Join(FormNames(), ", "))
	}
	return forms[i], nil
}

// Programs makes the programs of records, and their texts. It keeps what several records
// share: their workloads, the compilers, and the measured peaks of this machine. The zero
// value knows the workloads of package workload and runs all passes. It may be used by one
// goroutine at a time; Close ends the compilers.
type Programs struct {
	Find    func(text string) (workload.Workload, error) // the workload of a record's text; nil means workload.Find
	Passes  lower.Config                                 // which passes run; target and layout are each record's
	Machine machine.Options                              // of compilers, and of this machine for the roofline
	Memory  uint64                                       // limit of the records that Why holds, in bytes; 0 means none

	known   map[string]foundWorkload
	printer machine.Printer
	roof    *roof // nil until the first roofline
}

type foundWorkload struct {
	workload.Workload
	err error
}

// Close ends the compilers.
func (p *Programs) Close() { p.printer.Close() }

// workload returns the workload of a record's text.
func (p *Programs) workload(text string) (workload.Workload, error) {
	f, ok := p.known[text]
	if !ok {
		find := p.Find
		if find == nil {
			find = workload.Find
		}
		f.Workload, f.err = find(text)
		if p.known == nil {
			p.known = map[string]foundWorkload{}
		}
		p.known[text] = f
	}
	return f.Workload, f.err
}

// FLOPs returns the operations of one run of a workload, or 0 if they are not known.
func (p *Programs) FLOPs(text string) float64 {
	w, err := p.workload(text)
	if err != nil {
		return 0
	}
	return w.FLOPs
}

// Workload returns the workload of a record. It is an error if this version does not know
// its text, or if the text stands for another compute DAG now.
func (p *Programs) Workload(r *dataset.Record) (workload.Workload, error) {
	w, err := p.workload(r.Workload)
	if err != nil {
		return w, fmt.Errorf("its workload %q is not known: %w", r.Title(), err)
	}
	if w.Key != r.WorkloadKey {
		return w, fmt.Errorf("its workload %q has the key %s in this wmtune, and had %s when it was measured; use the "+
			"wmtune that wrote the log",
			r.Title(), w.Key, r.WorkloadKey)
	}
	return w, nil
}

// State replays the steps of a record on its workload and infers bounds.
func (p *Programs) State(r *dataset.Record) (*schedule.State, error) {
	w, err := p.Workload(r)
	if err != nil {
		return nil, err
	}
	return schedule.ReplayBound(w.DAG, r.Steps)
}

// Lower lowers the state of a record, by the passes of p.
func (p *Programs) Lower(r *dataset.Record) (*tir.Func, error) { return p.lower(r, p.Passes) }

func (p *Programs) lower(r *dataset.Record, cfg lower.Config) (*tir.Func, error) {
	s, err := p.State(r)
	if err != nil {
		return nil, err
	}
	cfg.Target, cfg.Layout = r.Target, r.Layout
	return lower.Lower(s, cfg)
}

// Text returns the program of a record in a form.
func (p *Programs) Text(ctx context.Context, form Form, r *dataset.Record) (string, error) {
	return form.text(ctx, p, r)
}

func stepsText(_ context.Context, _ *Programs, r *dataset.Record) (string, error) {
	return string(schedule.FormatSteps(r.Steps)), nil
}

func stateText(_ context.Context, p *Programs, r *dataset.Record) (string, error) {
	s, err := p.State(r)
	if err != nil {
		return "", err
	}
	return s.String(), nil
}

func tirText(_ context.Context, p *Programs, r *dataset.Record) (string, error) {
	f, err := p.Lower(r)
	if err != nil {
		return "", err
	}
	return f.String(), nil
}

// passesText is a table of the passes: the time of each, and the size of the program after it.
func passesText(_ context.Context, p *Programs, r *dataset.Record) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-15s %12s %12s %12s\n", "pass", "time", "statements", "expressions")
	cfg := p.Passes
	cfg.Report = func(s lower.PassReport) {
		change := ""
		if !s.Changed {
			change = "  unchanged"
		}
		fmt.Fprintf(&b, "%-15s %9.3f ms %12d %12d%s\n", s.Pass, 1e3*s.Time.Seconds(), s.After.Statements,
			s.After.Expressions, change)
	}
	_, err := p.lower(r, cfg)
	return b.String(), err
}

// featuresText is one line for each buffer that is stored to: the columns that
// are not 0.
func featuresText(_ context.Context, p *Programs, r *dataset.Record) (string, error) {
	s, err := p.State(r)
	if err != nil {
		return "", err
	}
	outline, err := feature.Outline(s)
	if err != nil {
		return "", err
	}
	rows, err := feature.Rows(outline, float64(r.Target.Hardware.CacheLineBytes))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	names := feature.Names()
	for row := range slices.Chunk(rows, feature.Columns) {
		for k, v := range row {
			if v != 0 {
				fmt.Fprintf(&b, "%s=%.7g ", names[k], float64(v))
			}
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

func codeText(form machine.Form) func(context.Context, *Programs, *dataset.Record) (string, error) {
	return func(ctx context.Context, p *Programs, r *dataset.Record) (string, error) {
		f, err := p.Lower(r)
		if err != nil {
			return "", err
		}
		p.printer.Options = p.Machine
		return p.printer.Text(ctx, form, f, r.Target)
	}
}
