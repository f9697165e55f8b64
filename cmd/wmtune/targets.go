package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// targets is the table of the kinds of targets. A row is all that the command
// knows of one.
func targets() []targetKind {
	return []targetKind{
		llvmTarget,
		cudaTarget,
	}
}

// A targetKind is a kind of target: the spaces that are searched for it, the texts
// that its programs become, and the machine that builds and runs them.
type targetKind struct {
	kind   target.Kind
	help   string // for --target
	spaces []spaceRow
	forms  []codeForm
	packs  bool                                                              // constant operands can be packed ahead of time
	valid  func(text string) error                                           // says what is wrong with --target
	open   func(ctx context.Context, text string, jobs int) (machine, error) // of --target; jobs at once, 0: one per core
}

// A spaceRow is a space of candidates, and how it is sampled.
type spaceRow struct {
	name string // for --space
	search.Space
}

// space returns the space of that name; the first row is the default.
func (k targetKind) space(name string) (search.Space, error) {
	var known []string
	for _, row := range k.spaces {
		if row.name == name {
			return row.Space, nil
		}
		known = append(known, row.name)
	}
	return search.Space{}, usagef("--space %q: known for %s: %s", name, k.kind, strings.Join(known, ", "))
}

// A codeForm is a text that a lowered program becomes, for show --as.
type codeForm struct {
	name    string
	comment string // what begins a comment in the text
	text    func(ctx context.Context, p *programs, f *tir.Func, t target.Target) (string, error)
}

// A machine is a place to build and run the programs of a target.
type machine interface {
	target() target.Target
	builder() search.Builder
	runner() search.Runner

	// setTask makes the runner ready for programs of d: it builds and runs the
	// reference that they are compared with. The seed makes the inputs.
	setTask(ctx context.Context, d *compute.DAG, seed uint64) error

	// baseline builds and times one state that candidates are compared with.
	baseline(ctx context.Context, s *schedule.State) (measure.Result, error)

	// export compiles a program into the files that other programs can use, with a
	// note at their head. An error about the program is one that isRefused tells.
	export(ctx context.Context, f *tir.Func, note string) (exported, error)

	// cannotTime says why programs are not timed here; "" if they are.
	cannotTime() string

	// conditions says how the machine was while programs were timed, where that is known;
	// "" if it is not.
	conditions() string

	close()
}

// targetOfText returns the row of --target: a kind, and options after it.
func targetOfText(text string) (targetKind, error) {
	kind, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	k, err := targetOf(target.Kind(kind))
	if err == nil {
		err = k.valid(text)
	}
	return k, err
}

// targetOf returns the row of a kind.
func targetOf(kind target.Kind) (targetKind, error) {
	var known []string
	for _, t := range targets() {
		if t.kind == kind {
			return t, nil
		}
		known = append(known, string(t.kind))
	}
	return targetKind{}, fmt.Errorf("this version generates no code for target %q; known: %s", kind, strings.Join(known, ", "))
}

// targetHelp lists the kinds for --help.
func targetHelp() string {
	var list []string
	for _, t := range targets() {
		list = append(list, fmt.Sprintf("%s (%s)", t.kind, t.help))
	}
	return strings.Join(list, ", ")
}
