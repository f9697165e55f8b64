package main

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
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A programForm is a form in which a record's program can be shown.
type programForm struct {
	name    string // of --as
	comment string // what begins a comment in the text
	text    func(ctx context.Context, p *programs, r *dataset.Record) (string, error)
	kind    target.Kind // of the records that have it; "" means all
}

// programForms is the table of forms, from the steps to machine code, and what
// the program makes of the machine.
func programForms() []programForm {
	forms := []programForm{
		{name: "steps", comment: "#", text: stepsText},
		{name: "state", comment: "#", text: stateText},
		{name: "tir", comment: "#", text: tirText},
		{name: "passes", comment: "#", text: passesText},
		{name: "features", comment: "#", text: featuresText},
	}
	for _, f := range machine.Forms() {
		forms = append(forms, programForm{f.Name, f.Comment, codeText(f), f.Kind})
	}
	return append(forms, programForm{name: "roofline", comment: "#", text: rooflineText})
}

func formNames() []string {
	var names []string
	for _, f := range programForms() {
		names = append(names, f.name)
	}
	return names
}

func isForm(name string) bool {
	for _, f := range programForms() {
		if f.name == name {
			return true
		}
	}
	return false
}

func commentOf(name string) string {
	for _, f := range programForms() {
		if f.name == name {
			return f.comment
		}
	}
	return "#"
}

// programs makes the texts of records' programs. It keeps what several records
// share: their workloads and the compiler.
type programs struct {
	find    func(text string) (workload.Workload, error)
	known   map[string]foundWorkload
	roof    *roof // nil until the first --as roofline
	printer machine.Printer

	lowering lower.Config // which passes to run
}

type foundWorkload struct {
	workload.Workload
	err error
}

func newPrograms(find func(text string) (workload.Workload, error)) *programs {
	return &programs{find: find, known: map[string]foundWorkload{}, printer: machine.Printer{Options: machineOptions(0)}}
}

// workload returns the workload of a canonical text.
func (p *programs) workload(text string) (workload.Workload, error) {
	f, ok := p.known[text]
	if !ok {
		f.Workload, f.err = p.find(text)
		p.known[text] = f
	}
	return f.Workload, f.err
}

// flop returns the operations of a workload, or 0 if they are not known.
func (p *programs) flop(text string) float64 {
	w, err := p.workload(text)
	if err != nil {
		return 0
	}
	return w.FLOPs
}

// dag returns the DAG that the steps of a record were made for. It is an error
// if the workload's text stands for another one now.
func (p *programs) dag(r *dataset.Record) (*compute.DAG, error) {
	w, err := p.workload(r.Workload)
	if err != nil {
		return nil, fmt.Errorf("its workload %q is not known: %w", r.Title(), err)
	}
	if w.Key != r.WorkloadKey {
		return nil, fmt.Errorf("its workload %q has the key %s in this wmtune, and had %s when it was measured; use the wmtune that wrote the log",
			r.Title(), w.Key, r.WorkloadKey)
	}
	return w.DAG, nil
}

func (p *programs) close() {
	p.printer.Close()
}

// text returns the program of a record in a form.
func (p *programs) text(ctx context.Context, form string, r *dataset.Record) (string, error) {
	var text func(context.Context, *programs, *dataset.Record) (string, error)
	for _, f := range programForms() {
		if f.name == form && (text == nil || f.kind == r.Target.Kind) {
			text = f.text
		}
	}
	if text == nil {
		panic("BUG: show: no form " + form)
	}
	return text(ctx, p, r)
}

func stepsText(_ context.Context, _ *programs, r *dataset.Record) (string, error) {
	return string(schedule.FormatSteps(r.Steps)), nil
}

func stateText(_ context.Context, p *programs, r *dataset.Record) (string, error) {
	s, err := p.state(r)
	if err != nil {
		return "", err
	}
	return s.String(), nil
}

func tirText(_ context.Context, p *programs, r *dataset.Record) (string, error) {
	f, err := p.lower(r)
	if err != nil {
		return "", err
	}
	return f.String(), nil
}

// passesText is a table of the passes: what each took, and the size of the program after it.
func passesText(_ context.Context, p *programs, r *dataset.Record) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-15s %12s %12s %12s\n", "pass", "time", "statements", "expressions")
	q := *p
	q.lowering.Report = func(s lower.PassReport) {
		change := ""
		if !s.Changed {
			change = "  unchanged"
		}
		fmt.Fprintf(&b, "%-15s %9.3f ms %12d %12d%s\n", s.Pass, 1e3*s.Time.Seconds(), s.After.Statements, s.After.Expressions, change)
	}
	_, err := q.lower(r)
	return b.String(), err
}

// featuresText is one line for each buffer that is stored to: the columns that
// are not 0.
func featuresText(_ context.Context, p *programs, r *dataset.Record) (string, error) {
	s, err := p.state(r)
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

func codeText(form machine.Form) func(context.Context, *programs, *dataset.Record) (string, error) {
	return func(ctx context.Context, p *programs, r *dataset.Record) (string, error) {
		f, err := p.lower(r)
		if err != nil {
			return "", err
		}
		return p.printer.Text(ctx, form, f, r.Target)
	}
}

// state replays the steps of a record on its workload, bounds inferred.
func (p *programs) state(r *dataset.Record) (*schedule.State, error) {
	dag, err := p.dag(r)
	if err != nil {
		return nil, err
	}
	s, err := schedule.Replay(dag, r.Steps)
	if err != nil {
		return nil, err
	}
	return s.InferBound()
}

func (p *programs) lower(r *dataset.Record) (*tir.Func, error) {
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	cfg := p.lowering
	cfg.Target, cfg.Layout = r.Target, r.Layout
	return lower.Lower(s, cfg)
}
