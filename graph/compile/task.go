package compile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/target"
)

// A Task is a kernel that groups of the model need: a compute DAG that is scheduled, or a function written by hand. It
// stands apart from search.Task because most are not searched, and because it holds the schedule that was found.
type Task struct {
	Name   string // such as conv2d_relu_3: what it computes and its number
	Class  op.Class
	DAG    *compute.DAG // nil for a function written by hand
	Text   string       // of the DAG; equal tasks have equal texts
	Weight int          // how many groups need it

	Func   *tir.Func // once it is scheduled
	Source Source    // what the schedule is
	Choice string    // how the schedule was found
	Steps  string    // of the schedule, in AutoScheduler's form

	forTarget func(target.Target) (*tir.Func, error) // a function by hand that suits a target, if it has forms for them
	divides   bool                                   // a function by hand: threads may divide its loops otherwise
}

// A Source says what the schedule of a task is.
type Source string

// The sources of schedules.
const (
	Tuned        Source = "tuned"    // the fastest of measured candidates, some of them of this compilation
	FromDatabase Source = "database" // the same, of earlier ones only
	Scored       Source = "scorer"   // the scorer's choice
	Untuned      Source = "untuned"  // a plain one, since the scorer found none
	Plain        Source = "plain"    // a plain one: the task is too small for a search
	ByHand       Source = "hand"     // none: the function is written by hand
)

// A job is a group with its task.
type job struct {
	group   *pass.Group
	task    *Task
	inputs  []*graph.Value // of the task's function, in order
	outputs []*graph.Value // of the task's function, in order; nil: an error flag
	flag    *graph.Value   // of the error flag
	inPlace bool           // the first output lies where the first input of the node does
	within  bool           // behind the inputs, the kernel is given the vector of extents
}

// A taskList finds the task of each group: equal groups have one.
type taskList struct {
	tasks  []*Task
	byText map[string]*Task
}

// job returns the job of a group that becomes a kernel.
func (l *taskList) job(k *pass.Group, inPlace bool) (*job, error) {
	r, err := op.Find(k.Nodes[0])
	if err != nil {
		return nil, err
	}
	if k.Kind == pass.Opaque {
		return l.byHand(k, r.Opaque, inPlace)
	}
	if f := r.Alone(k.Nodes[0]); f != nil && len(k.Nodes) == 1 {
		return l.byHand(k, f, false)
	}
	p, err := dag.Compose(k.Nodes, k.Outputs)
	if err != nil {
		return nil, fmt.Errorf("group of %s: %w", k.Nodes[0].Label(), err)
	}
	dag := collapse(p.DAG)
	if k.Class == op.Injective {
		dag = inRows(p.DAG)
	}
	text := dag.Text()
	t := l.task(text, k, func() *Task { return &Task{Class: k.Class, DAG: dag, Text: text} })
	return &job{group: k, task: t, inputs: p.Inputs, outputs: p.Outputs}, nil
}

// collapse returns d with dimensions made one (compute.Collapse), but for convolutions whose window is one element, if
// their images have axes of many divisors only: kernels are as fast then, or slower.
func collapse(d *compute.DAG) *compute.DAG {
	c := compute.Collapse(d)
	window := func(a *compute.Axis) bool { return a.Extent == 1 }
	for _, op := range d.Ops {
		if len(op.ReduceAxes) > 1 && slices.ContainsFunc(op.ReduceAxes, window) && !compute.FewerSparse(d, c) {
			return d
		}
	}
	return c
}

func (l *taskList) task(text string, k *pass.Group, make func() *Task) *Task {
	if l.byText == nil {
		l.byText = map[string]*Task{}
	}
	t := l.byText[text]
	if t == nil {
		t = make()
		t.Name = fmt.Sprintf("%s_%d", groupName(k), len(l.tasks))
		l.byText[text] = t
		l.tasks = append(l.tasks, t)
	}
	t.Weight++
	return t
}

// byHand returns the job of a group of one node whose function is written by hand.
func (l *taskList) byHand(k *pass.Group, by *op.Function, inPlace bool) (*job, error) {
	n := k.Nodes[0]
	var f *tir.Func
	var err error
	if inPlace {
		f, err = by.Update(n)
		inPlace = !errors.Is(err, graph.ErrUnsupported)
	}
	if !inPlace {
		f, err = by.Make(n)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.Label(), err)
	}
	for _, p := range f.Params {
		if p.Elems() == 0 {
			return nil, fmt.Errorf("%s: %w", n.Label(), op.Unsupported("an operand without elements, %s,", p))
		}
	}
	if err := tir.Check(f); err != nil {
		return nil, fmt.Errorf("BUG: %s: %w", n.Label(), err)
	}
	j := &job{group: k, inPlace: inPlace}
	for i, v := range n.Inputs {
		if v != nil && !(inPlace && i == 0) {
			j.inputs = append(j.inputs, v)
		}
	}
	for _, v := range n.Outputs {
		if v != nil {
			j.outputs = append(j.outputs, v)
		}
	}
	for _, v := range n.Outputs {
		if v != nil && v.Extents != nil {
			j.outputs = append(j.outputs, v.Extents)
		}
	}
	if len(f.Params) == len(j.inputs)+len(j.outputs)+1 && f.Params[len(f.Params)-1].Name == "error" {
		j.outputs = append(j.outputs, nil)
	}
	if len(f.Params) != len(j.inputs)+len(j.outputs) || f.Outputs != len(j.outputs) {
		return nil, fmt.Errorf("BUG: %s: its function has %d parameters, %d of them outputs", n.Label(), len(f.Params),
			f.Outputs)
	}
	h := f.Hash()
	j.task = l.task(string(h[:]), k, func() *Task {
		t := &Task{Class: op.Opaque, Func: f, Text: f.String(), Source: ByHand, Choice: "written by hand",
			divides: by.Divides}
		if by.For != nil {
			t.forTarget = func(m target.Target) (*tir.Func, error) { return by.For(n, m) }
		}
		return t
	})
	return j, nil
}

// groupName names a kernel after the operators in it, at most three.
func groupName(k *pass.Group) string {
	var list []string
	for _, n := range k.Nodes {
		list = append(list, strings.ToLower(n.Op))
	}
	if len(list) > 3 {
		list = append(list[:3], "more")
	}
	return strings.Join(list, "_")
}
