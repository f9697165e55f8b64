package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// A Plan is the steps of a program for extents of its dimensions, and the memory that they need. Kernels and weights
// are those of the program.
type Plan struct {
	Least, Most []int64 // by dimension: the extents that it serves, from the least to the most; one if the two are equal

	// Ports in the order of the program's, with the shapes at the most. The names of dimensions are the program's.
	// An output that the program has as Bounded, and the plan has not, has the shape that is here.
	Inputs, Outputs []Port

	// Extents says that one more input follows: int64, the true extents of Program.Dims. Then inputs are dense arrays of
	// the true shape, which the steps read, and all outputs whose shape follows are Bounded.
	Extents bool

	Arena int64
	Steps []Step
}

// Serves reports whether the plan is for extents.
func (p *Plan) Serves(extents []int64) bool {
	for k, n := range extents {
		if n < p.Least[k] || n > p.Most[k] {
			return false
		}
	}
	return len(extents) == len(p.Least)
}

// At returns plan i as a program: its ports, steps and memory. An output that the program has as Bounded is that. first
// is the index of the plan's first call in Program.Calls. A program without plans is its own plan 0.
func (p *Program) At(i int) (plan *Program, first int) {
	if len(p.Plans) == 0 {
		return p, 0
	}
	for _, before := range p.Plans[:i] {
		first += len(calls(nil, before.Steps))
	}
	plan = p.Plans[i].program(p)
	plan.Inputs = plan.Inputs[:len(p.Inputs)]
	for k := range plan.Outputs {
		plan.Outputs[k].Bounded = p.Outputs[k].Bounded
	}
	return plan, first
}

// PlanFor returns the index of the plan that runs for extents, or -1.
func (p *Program) PlanFor(extents []int64) int {
	return slices.IndexFunc(p.Plans, func(plan Plan) bool { return plan.Serves(extents) })
}

// ShapeText writes the shape with the names of dimensions: [batch 16 384].
func (p Port) ShapeText() string {
	list := make([]string, len(p.Shape))
	for d, n := range p.Shape {
		if list[d] = fmt.Sprint(n); p.Dims != nil && p.Dims[d] != "" {
			list[d] = p.Dims[d]
		}
	}
	return fmt.Sprint(list)
}

// shownPlans is how many plans a sentence lists.
const shownPlans = 12

// PlansText lists what plans serve: "batch=1, seq=16; batch=1, seq=17..32".
func PlansText(dims []string, plans []Plan) string {
	var list []string
	for _, p := range plans[:min(len(plans), shownPlans)] {
		list = append(list, p.ServesText(dims))
	}
	if n := len(plans) - len(list); n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(list, "; ")
}

// ServesText writes the extents that a plan serves, by the names of dimensions: "batch=1, seq=17..32".
func (p *Plan) ServesText(dims []string) string {
	var list []string
	for k, name := range dims {
		text := fmt.Sprintf("%s=%d", name, p.Least[k])
		if p.Most[k] != p.Least[k] {
			text += fmt.Sprintf("..%d", p.Most[k])
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// program returns the plan as a program of its own, with all ports.
func (p *Plan) program(of *Program) *Program {
	q := *of
	q.Dims, q.Sums, q.Plans, q.State, q.Arena, q.Steps = nil, nil, nil, nil, p.Arena, p.Steps
	q.Inputs, q.Outputs = slices.Clone(p.Inputs), slices.Clone(p.Outputs)
	if p.Extents {
		q.Inputs = append(q.Inputs, Port{Name: "extents", Type: tir.I64, Shape: []int64{int64(len(of.Dims))}})
	}
	return &q
}

// newPlanLayout is newLayout of a program of several plans.
func newPlanLayout(p *Program) (*layout, error) {
	shapes := *p
	shapes.Plans, shapes.Steps, shapes.State = nil, nil, nil
	if err := p.checkSums(); err != nil {
		return nil, fmt.Errorf("model: program %s: %w", p.Name, err)
	}
	l, err := newStepLayout(&shapes)
	if err != nil {
		return nil, err
	}
	l.p = p
	for i := range p.Plans {
		plan := &p.Plans[i]
		if err := p.checkPlan(plan); err != nil {
			return nil, fmt.Errorf("model: program %s, plan %d: %w", p.Name, i, err)
		}
		sub, err := newStepLayout(plan.program(p))
		if err != nil {
			return nil, err
		}
		sub.first = l.first // pointers are those of the program
		l.plans, l.calls, l.checks = append(l.plans, sub), l.calls+sub.calls, append(l.checks, sub.checks...)
	}
	l.checks = append(l.checks, fmt.Sprintf("no plan serves these extents: there are %s", PlansText(p.Dims, p.Plans)))
	l.noPlan = len(l.checks)
	if p.State != nil {
		if err := p.checkState(); err != nil {
			return nil, fmt.Errorf("model: program %s: %w", p.Name, err)
		}
		l.checks = append(l.checks, p.stateChecks()...)
	}
	return l, nil
}

// checkPlan makes sure that a plan fits its program.
func (p *Program) checkPlan(plan *Plan) error {
	if len(plan.Least) != len(p.Dims) || len(plan.Most) != len(p.Dims) {
		return fmt.Errorf("extents of %d and %d dimensions, not of %d", len(plan.Least), len(plan.Most), len(p.Dims))
	}
	for k := range p.Dims {
		if plan.Least[k] < 0 || plan.Most[k] < plan.Least[k] {
			return fmt.Errorf("extents from %d to %d of %s", plan.Least[k], plan.Most[k], p.Dims[k])
		}
	}
	if len(plan.Inputs) != len(p.Inputs) || len(plan.Outputs) != len(p.Outputs) || plan.Arena > p.Arena {
		return fmt.Errorf("%d inputs, %d outputs, %d bytes: the program has %d, %d, %d", len(plan.Inputs),
			len(plan.Outputs), plan.Arena, len(p.Inputs), len(p.Outputs), p.Arena)
	}
	for i, port := range plan.Outputs {
		all := p.Outputs[i]
		if !all.Bounded && (port.Bounded || !slices.Equal(port.Shape, all.Shape)) || port.Type != all.Type {
			return fmt.Errorf("output %s is not the program's", port.Name)
		}
	}
	for i, port := range plan.Inputs {
		all := p.Inputs[i]
		if port.Type != all.Type || len(port.Shape) != len(all.Shape) ||
			len(all.Dims) > 0 && len(all.Dims) != len(all.Shape) {
			return fmt.Errorf("input %s is not the program's", port.Name)
		}
		for d, n := range port.Shape {
			want := all.Shape[d]
			if p.dim(all, d) >= 0 {
				want, _ = p.Extent(all.Dims[d], plan.Most)
			}
			if n != want {
				return fmt.Errorf("input %s has the shape %v", port.Name, port.Shape)
			}
		}
	}
	return nil
}

// symbols returns a shape of a port with -1 - k in the place of the extent of dimension k, sums after the others.
func (p *Program) symbols(port Port, shape []int64) []int64 {
	shape = slices.Clone(shape)
	for d := range shape {
		if k := p.dim(port, d); k >= 0 {
			shape[d] = int64(-1 - k)
		}
	}
	return shape
}

func alignedBytes(n int64) int64 { return (n + tensorAlign - 1) / tensorAlign * tensorAlign }

// staging returns how many bytes copies of inputs and outputs take, and the extents: behind the arena.
func (l *layout) staging() int64 {
	most := int64(0)
	for _, plan := range l.plans {
		n := alignedBytes(8 * int64(len(l.p.Dims)))
		for _, port := range plan.p.Inputs {
			n += alignedBytes(port.Bytes())
		}
		for i, port := range plan.p.Outputs {
			n += alignedBytes(port.Bytes())
			if l.p.Outputs[i].Bounded {
				n += alignedBytes(8 * int64(len(port.Shape)))
			}
		}
		most = max(most, n)
	}
	return most
}

// planData writes the constant wmtune_plans, a struct plans of runtime/plans.c.
func (l *layout) planData() string {
	p := l.p
	w := &planWriter{}
	var inputs, plans []string
	for _, port := range p.Inputs {
		inputs = append(inputs, w.tensor(port.Type.Bytes(), p.symbols(port, port.Shape), false))
	}
	for i, plan := range p.Plans {
		outputs, shapes := []string{}, []string{}
		for k, port := range plan.Outputs {
			shape := port.Shape
			if plan.Extents {
				shape = p.symbols(p.Outputs[k], shape)
			}
			outputs = append(outputs, w.tensor(port.Type.Bytes(), shape, port.Bounded))
			shapes = append(shapes, "ptr null")
			if !p.Outputs[k].Bounded {
				continue
			}
			known := "ptr null"
			if !port.Bounded {
				known = w.numbers(port.Shape)
			}
			outputs, shapes = append(outputs, w.tensor(8, []int64{int64(len(port.Shape))}, false)), append(shapes, known)
		}
		plans = append(plans, fmt.Sprintf("{ ptr, ptr, ptr, ptr, i64, ptr } { %s, %s, %s, %s, i64 %d, ptr @%splan_%d }",
			w.numbers(plan.Least), w.numbers(plan.Most), w.array(tensorType, outputs), w.array("ptr", shapes), plan.Arena,
			placeholder, i))
	}
	var sums []int64
	for _, s := range p.Sums {
		sums = append(sums, s.row(p.Dims)...)
	}
	all := fmt.Sprintf("%s, %s, %s, i64 %d, i32 %d, i32 %d, i32 %d, i32 %d, i32 %d",
		w.array("{ ptr, ptr, ptr, ptr, i64, ptr }", plans), w.array(tensorType, inputs), w.numbers(sums),
		alignedBytes(p.Arena), len(plans), len(p.Dims), len(inputs), len(l.outputs), l.noPlan)
	return w.text.String() + fmt.Sprintf("@%splans = hidden constant { ptr, ptr, ptr, i64, i32, i32, i32, i32, i32 } "+
		"{ %s }, align 8\n", placeholder, all)
}

const tensorType = "{ i64, ptr, i32, i32 }"

// A planWriter writes constants that others point to.
type planWriter struct {
	text strings.Builder
	n    int
}

// array writes an array, and returns the address of it.
func (w *planWriter) array(typ string, list []string) string {
	w.n++
	fmt.Fprintf(&w.text, "@%sconst_%d = internal constant [%d x %s] [%s], align 8\n", placeholder, w.n, len(list), typ,
		strings.Join(list, ", "))
	return fmt.Sprintf("ptr @%sconst_%d", placeholder, w.n)
}

func (w *planWriter) numbers(list []int64) string {
	text := make([]string, len(list))
	for i, n := range list {
		text[i] = fmt.Sprintf("i64 %d", n)
	}
	return w.array("i64", text)
}

// tensor returns a struct tensor.
func (w *planWriter) tensor(item int, shape []int64, bounded bool) string {
	return fmt.Sprintf("%s { i64 %d, %s, i32 %d, i32 %d }", tensorType, item, w.numbers(shape), len(shape), bit(bounded))
}
