// Package space names the search spaces: for each kind of target, the tables of
// sketch rules, annotation rules and mutators that candidates come from. It must not
// know how candidates are built or measured.
package space

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/search/template"
	"github.com/wmtune/wmtune/tir/target"
)

// A row is a named space of one kind of target.
type row struct {
	kind     target.Kind
	name     string
	collapse bool
	search.Sketches
	open func(context.Context, *search.Task) (search.Source, error) // nil: the sketches
}

// A Config is what a user may want of a space.
type Config struct {
	Layout target.Layout // where weights stay as they are, none are transformed or put in groups ahead of time
	TF32   bool          // tensor cores may round the float32 operands of products to tf32
}

// rows is the table of spaces; the first row of a kind is its default.
var rows = []row{
	{target.LLVM, "wmtune", true, search.Sketches{Sketch: sketch.CPU, Annotate: annotate.CPU, Mutators: evolve.CPU}, nil},
	{target.LLVM, "autoscheduler", false, search.Sketches{
		Sketch: sketch.AutoScheduler, Annotate: annotate.AutoScheduler, Mutators: evolve.CPU,
	}, nil},
	{target.LLVM, "untiled", false, search.Sketches{
		Sketch: sketch.CPU.Untiled(), Annotate: annotate.CPU, Mutators: evolve.CPU,
	}, nil},
	{target.LLVM, "direct", false, search.Sketches{
		Sketch: sketch.CPU.Direct(), Annotate: annotate.CPU, Mutators: evolve.CPU,
	}, nil},
	{target.LLVM, "template", false, search.Sketches{}, template.Open},
	{target.CUDA, "wmtune", false, search.Sketches{Sketch: sketch.GPU, Annotate: annotate.GPU, Mutators: evolve.GPU}, nil},
	{target.CUDA, "autoscheduler", false, search.Sketches{
		Sketch: sketch.CUDA, Annotate: annotate.AutoSchedulerGPU, Mutators: evolve.AutoSchedulerGPU,
	}, nil},
	{target.CUDA, "template", false, search.Sketches{}, template.Open},
	{target.VDLA, "wmtune", false, search.Sketches{
		Sketch: sketch.Accelerator, Annotate: annotate.Accelerator, Mutators: evolve.Accelerator,
	}, nil},
	{target.VDLA, "one-thread", false, search.Sketches{
		Sketch: sketch.Accelerator, Annotate: annotate.Accelerator.InOneThread(), Mutators: evolve.Accelerator,
	}, nil},
}

// Find returns the space of a name for a kind of target; "" is the default. The error
// lists the known names.
func Find(kind target.Kind, name string, c Config) (search.Space, error) {
	r, err := find(kind, name)
	if err != nil {
		return search.Space{}, err
	}
	if r.open != nil {
		return search.Space{Collapse: r.collapse, Open: r.open}, nil
	}
	r.Sketch.TF32 = c.TF32
	if c.Layout == target.Keep {
		r.Sketch = r.Sketch.Untiled().Plain()
	}
	return search.Space{Collapse: r.collapse, Open: r.Open}, nil
}

// HasTensorTiles reports whether a space has candidates for tensor cores.
func HasTensorTiles(kind target.Kind, name string) (bool, error) {
	r, err := find(kind, name)
	return err == nil && slices.ContainsFunc(r.Sketch.Rules, isTensorRule), err
}

// HasTiles reports whether candidates of a space have tile lengths that can be changed apart from other decisions
// (search.SourceTraits.Retile).
func HasTiles(kind target.Kind, name string) bool {
	r, err := find(kind, name)
	return err == nil && r.open == nil && kind != target.VDLA
}

func isTensorRule(r sketch.Rule) bool { return r.Name == sketch.TensorRule }

func find(kind target.Kind, name string) (row, error) {
	for _, r := range rows {
		if r.kind == kind && (r.name == name || name == "") {
			return r, nil
		}
	}
	return row{}, fmt.Errorf("search space %q: known for %s: %s", name, kind, strings.Join(Names(kind), ", "))
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
func Default(kind target.Kind, c Config) search.Space {
	s, err := Find(kind, "", c)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return s
}
