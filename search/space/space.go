// Package space names the search spaces: for each kind of target, the tables of
// sketch rules, annotation rules and mutators that candidates come from. It must not
// know how candidates are built or measured.
package space

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/target"
)

// A row is a named space of one kind of target.
type row struct {
	kind target.Kind
	name string
	search.Space
}

// rows is the table of spaces; the first row of a kind is its default.
var rows = []row{
	{target.LLVM, "wmtune", search.Space{
		Collapse: true, Sketch: sketch.CPU, Annotate: annotate.CPU, Mutators: evolve.CPU,
	}},
	{target.LLVM, "autoscheduler",
		search.Space{Sketch: sketch.AutoScheduler, Annotate: annotate.AutoScheduler, Mutators: evolve.CPU}},
	{target.LLVM, "untiled", search.Space{Sketch: sketch.CPU.Untiled(), Annotate: annotate.CPU, Mutators: evolve.CPU}},
	{target.LLVM, "direct", search.Space{Sketch: sketch.CPU.Direct(), Annotate: annotate.CPU, Mutators: evolve.CPU}},
	{target.CUDA, "wmtune", search.Space{Sketch: sketch.GPU, Annotate: annotate.GPU, Mutators: evolve.GPU}},
	{target.CUDA, "autoscheduler", search.Space{
		Sketch: sketch.CUDA, Annotate: annotate.AutoSchedulerGPU, Mutators: evolve.AutoSchedulerGPU,
	}},
	{target.VDLA, "wmtune", search.Space{
		Sketch: sketch.Accelerator, Annotate: annotate.Accelerator, Mutators: evolve.Accelerator,
	}},
	{target.VDLA, "one-thread", search.Space{
		Sketch: sketch.Accelerator, Annotate: annotate.Accelerator.InOneThread(), Mutators: evolve.Accelerator,
	}},
}

// Find returns the space of a name for a kind of target; "" is the default. The error
// lists the known names.
func Find(kind target.Kind, name string) (search.Space, error) {
	for _, r := range rows {
		if r.kind == kind && (r.name == name || name == "") {
			return r.Space, nil
		}
	}
	return search.Space{}, fmt.Errorf("search space %q: known for %s: %s", name, kind, strings.Join(Names(kind), ", "))
}

// In returns a space for a weight layout. Where weights stay as they are, none are transformed or put in groups ahead
// of time.
func In(s search.Space, l target.Layout) search.Space {
	if l == target.Keep {
		s.Sketch = s.Sketch.Untiled().Plain()
	}
	return s
}

// Names lists the spaces of a kind of target, the default first.
func Names(kind target.Kind) []string {
	var list []string
	for _, r := range rows {
		if r.kind == kind {
			list = append(list, r.name)
		}
	}
	return list
}

// Default returns the default space of a kind of target. A kind without one is a defect.
func Default(kind target.Kind) search.Space {
	s, err := Find(kind, "")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return s
}
