// Package compute holds compute DAGs: what to compute, as tensor expressions,
// with no word on how. It prints them in the text whose md5 is the workload key
// of public tuning logs, and reads and prints a text of its own that determines
// them, the format of workload files. It counts their FLOPs, analyses how
// operations access each other's results, and computes single elements to check
// others by.
//
// It must not know of schedules, operators by name (tir/op) or targets.
package compute

import (
	"slices"
	"sync"

	"github.com/wmtune/wmtune/tir"
)

// A DAG is an immutable set of operations that read each other's results. A
// Builder makes one, or FromOps, or Parse.
type DAG struct {
	// Tensors are the arguments of the program: the inputs in the order given,
	// then the outputs.
	Tensors []*tir.Buffer
	Outputs int // number of Tensors at the end that are outputs

	// Ops are all operations, placeholders included. Their order is that of
	// TVM's schedules, and so the numbering of stages: a post-order walk from
	// the outputs over inputs in first-read order.
	Ops []*Op

	analyse sync.Once
	access  *Access // set by analyse
	hashed  sync.Once
	hash    [16]byte // set by hashed
	derive  sync.Once
	derived any // set by derive
}

// An Op is a placeholder, or computes each element of its results by an
// expression over its axes. Ops are immutable; their identity is their address.
type Op struct {
	Name    string
	Results []*tir.Buffer // one; several only for tuple reductions, all of one shape

	Axes       []*Axis    // spatial, one per dimension of the results; nil for a placeholder
	ReduceAxes []*Axis    // nil without a reduction
	Body       []tir.Expr // per result, over the axes; the source of the reduction if there is one
	Combine    *Combiner  // nil without a reduction
	Attrs      Attrs
}

// An Axis is a variable that ranges over 0..Extent-1.
type Axis struct {
	Var    *tir.Var
	Extent int64
}

// A Combiner says how a reduction folds values: acc = Result(acc, source). It
// has as many Acc, Src, Result and Identity entries as the op has results. Result
// and Identity are what TVM's text says; programs compute Fold from Start on.
type Combiner struct {
	Kind     CombineKind
	Acc, Src []*tir.Var
	Result   []tir.Expr // over Acc and Src
	Identity []tir.Expr // the initial accumulator

	// Wide is for sums of float32: programs keep partial sums in float64. So the error depends neither on the schedule
	// nor on the length. An output of the DAG accumulates in its own type.
	Wide bool
}

// A CombineKind names the common combiners; Tuple is any other. FirstLargest folds pairs of a place and a value to
// the place of the largest value, of equals the first one.
type CombineKind uint8

// The kinds of combiners.
const (
	Tuple CombineKind = iota
	Sum
	MaxOf
	MinOf
	FirstLargest
)

// Attrs are the attributes of an op that sketch rules and layout rewriting read.
// The first three, called auto_scheduler_simplify_const_tensor_indices and so on
// in AutoScheduler, hold names of axes of the op.
type Attrs struct {
	SimplifyConstTensorIndices []string
	NoSplitAtInner             []string
	AlwaysUnrollInner          []string

	// WholeOutside are axes whose loops are not divided and stay outside of tiles: phases and taps of a sum that a
	// step made (schedule.Phases). No text has them.
	WholeOutside []string

	// LayoutFree are inputs that the op reads whose layout may be chosen ahead of
	// time, as they are constant: weights. Names would not do, since several
	// inputs of a DAG may have one.
	LayoutFree []*tir.Buffer

	FLOP int64 // if not 0, overrides the count
}

// IsPlaceholder reports whether op is an input of the DAG.
func (op *Op) IsPlaceholder() bool { return op.Body == nil }

// Producer returns the op that computes b, or nil if b is not of this DAG.
func (d *DAG) Producer(b *tir.Buffer) *Op {
	for _, op := range d.Ops {
		if slices.Contains(op.Results, b) {
			return op
		}
	}
	return nil
}

// Inputs returns the buffers that the program reads.
func (d *DAG) Inputs() []*tir.Buffer { return d.Tensors[:len(d.Tensors)-d.Outputs] }

// Results returns the buffers that the program writes.
func (d *DAG) Results() []*tir.Buffer { return d.Tensors[len(d.Tensors)-d.Outputs:] }

// Constants returns the inputs that an op declares layout-free, in their order.
func (d *DAG) Constants() []*tir.Buffer {
	var list []*tir.Buffer
	for _, b := range d.Inputs() {
		if slices.ContainsFunc(d.Ops, func(op *Op) bool { return slices.Contains(op.Attrs.LayoutFree, b) }) {
			list = append(list, b)
		}
	}
	return list
}
