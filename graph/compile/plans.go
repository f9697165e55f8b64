package compile

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/graph/onnx"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tune/budget"
)

// mostPlans bounds the plans of a bundle: each is compiled and verified.
const mostPlans = 256

// ReadPlans reads a model from a file and makes a plan for each combination of the extents. The model that it returns
// is the plan that costs most; its Plans are all of them, the cheapest first. One combination makes a model without
// plans, as Read does. Rules say which values a context keeps; a model that has some has plans.
func ReadPlans(ctx context.Context, path string, dims []Dim, opt pass.Options, states ...StateRule) (*Model, error) {
	plain, told := apart(dims)
	if all, err := combinations(plain); err != nil {
		return nil, err
	} else if len(all) == 1 && !hasRange(plain) && states == nil {
		sums, err := resolve(nil, plain, told)
		if err != nil {
			return nil, err
		}
		return Read(ctx, path, withSums(sums, named(plain, all[0])), opt)
	}
	g, err := onnx.Read(ctx, path, onnx.Options{Memory: opt.Limit.Memory})
	if err != nil {
		return nil, err
	}
	m, err := NewPlans(ctx, g, dims, opt, states...)
	if err == nil {
		m.Path = path
	}
	return m, err
}

// NewPlans is ReadPlans of a graph.
func NewPlans(ctx context.Context, g *graph.Graph, dims []Dim, opt pass.Options, states ...StateRule) (*Model, error) {
	if states != nil {
		return newStateful(ctx, g, dims, states, opt)
	}
	var most []int64
	dims, told := apart(dims)
	sums, err := resolve(g, dims, told)
	if err != nil {
		return nil, err
	}
	from := &source{g, sums}
	for k, d := range dims {
		dims[k].from = d.Extents[0]
		most = append(most, d.Extents[len(d.Extents)-1])
	}
	opt.Tiles = pass.Tiles{}
	if hasRange(dims) { // the largest says the steps
		m, err := newOpen(ctx, from, dims, most, opt, &taskList{}, nil)
		if err != nil {
			return nil, err
		}
		dims = bounded(dims, m.open.dims)
	}
	all, err := combinations(dims)
	if err != nil {
		return nil, err
	}
	return makePlans(ctx, from, dims, all, nil, opt)
}

// makePlans makes the plans for extents, which keep what k says; nil: nothing.
func makePlans(ctx context.Context, from *source, dims []Dim, all [][]int64, k *keeping, opt pass.Options) (*Model,
	error) {
	var names []string
	for _, d := range dims {
		names = append(names, d.Name)
	}
	tasks := &taskList{}
	var plans []*Model
	opt.Tiles = pass.Tiles{}
	for i := range all {
		extents := all[len(all)-1-i] // the largest first: names of tasks begin with its
		m, err := newPlan(ctx, from, dims, extents, opt, tasks, k)
		if err != nil {
			return nil, fmt.Errorf("for %s: %w", Extents(names, extents), err)
		}
		m.Dims, m.Most, m.sums = names, extents, from.sums
		m.dimNames = dimNames(from, names)
		plans = append(plans, m)
	}
	slices.SortStableFunc(plans, func(a, b *Model) int {
		if k != nil { // their memory is the same: the one for fewer rows does less
			return cmp.Compare(graph.Elems(a.Most[:len(names)-1]), graph.Elems(b.Most[:len(names)-1]))
		}
		return cmp.Compare(a.cost(), b.cost())
	})
	largest := plans[len(plans)-1]
	largest.Plans = plans
	for i, m := range plans {
		if m.open != nil {
			m.open.before = plans[:i]
		}
		m.Tasks = tasks.tasks
	}
	return largest, nil
}

// newPlan returns the plan for extents, or for those up to them.
func newPlan(ctx context.Context, from *source, dims []Dim, extents []int64, opt pass.Options, tasks *taskList,
	k *keeping) (*Model, error) {
	if hasRange(dims) {
		return newOpen(ctx, from, dims, extents, opt, tasks, k)
	}
	bound, _ := from.g.Clone()
	if err := from.bind(bound, named(dims, extents)); err != nil {
		return nil, err
	}
	m, err := newModel(ctx, bound, opt, tasks, nil)
	if err == nil {
		m.Least = extents
	}
	return m, err
}

// hasRange reports whether a dimension is a range.
func hasRange(dims []Dim) bool { return slices.ContainsFunc(dims, func(d Dim) bool { return d.Range }) }

// plans returns the plans of m: of a model for one shape, m.
func (m *Model) plans() []*Model {
	if m.Plans == nil {
		return []*Model{m}
	}
	return m.Plans
}

// cost estimates the seconds of a run, to compare plans.
func (m *Model) cost() float64 {
	sum := 0.0
	for _, j := range m.layout.jobs {
		if j.task.DAG != nil {
			sum += budget.Work{FLOPs: max(j.task.DAG.FLOPs(), 0), Bytes: j.task.bytes()}.Guess()
		}
	}
	return sum
}

// combinations returns the extents of all dimensions, for each plan; those of the last dimension vary first.
func combinations(dims []Dim) ([][]int64, error) {
	list := [][]int64{nil}
	for _, d := range dims {
		var next [][]int64
		for _, before := range list {
			for _, n := range d.Extents {
				next = append(next, append(slices.Clone(before), n))
			}
		}
		if list = next; len(list) > mostPlans {
			return nil, fmt.Errorf("--dim: %d plans or more, and a bundle has %d at most: leave out extents", len(list),
				mostPlans)
		}
	}
	return list, nil
}

// named returns extents by the names of dimensions.
func named(dims []Dim, extents []int64) map[string]int64 {
	m := map[string]int64{}
	for k, d := range dims {
		m[d.Name] = extents[k]
	}
	return m
}

// Extents writes extents by the names of dimensions: "batch=1, seq=16".
func Extents(names []string, extents []int64) string {
	return (&model.Plan{Least: extents, Most: extents}).ServesText(names)
}

// dimNames returns the names of the dimensions that the inputs and the outputs of a graph have, port by port; "" where
// an extent is no dimension of the list, nor a sum.
func dimNames(from *source, names []string) map[string][]string {
	list := map[string][]string{}
	for _, s := range from.sums {
		names = append(names[:len(names):len(names)], s.Name)
	}
	for _, v := range slices.Concat(from.g.Inputs, from.g.Outputs) {
		of := make([]string, len(v.Shape))
		for i, d := range v.Shape {
			if name := dimName(v, i); d == graph.Open && slices.Contains(names, name) {
				of[i] = name
			}
		}
		list[v.Name] = of
	}
	return list
}

// severalPlans gives the program the plans, whose steps are those that e makes.
func (m *Model) severalPlans(e *emission) error {
	p := e.p
	p.Dims, p.Sums = m.Dims, m.sums
	if m.open != nil && m.open.keeping != nil {
		p.State = m.open.kept(m)
	}
	for _, sub := range m.Plans {
		e.l = sub.layout
		plan := model.Plan{Least: sub.Least, Most: sub.Most, Arena: sub.layout.plan(),
			Inputs:  ports(sub.Graph.Inputs[:sub.inputs()], sub.Original.Inputs),
			Outputs: ports(sub.Graph.Outputs[:sub.outputs()], sub.Original.Outputs), Extents: sub.open != nil,
		}
		var err error
		if plan.Steps, err = e.steps(sub.actions); err != nil {
			return err
		}
		p.Arena = max(p.Arena, plan.Arena)
		p.Plans = append(p.Plans, plan)
	}
	for i, port := range p.Inputs {
		p.Inputs[i] = unionOf(p, port, m.dimNames[port.Name], func(plan model.Plan) model.Port { return plan.Inputs[i] })
		p.Inputs[i].Bounded = false
	}
	for i, port := range p.Outputs {
		p.Outputs[i] = unionOf(p, port, m.dimNames[port.Name], func(plan model.Plan) model.Port { return plan.Outputs[i] })
	}
	return nil
}

// unionOf returns a port of a program of several plans, with the names of its dimensions: its shape is the largest of
// the plans, and it is bounded if these differ. Of an output the names are a claim of the file.
func unionOf(p *model.Program, port model.Port, names []string, of func(model.Plan) model.Port) model.Port {
	port.Shape, port.Dims = slices.Clone(port.Shape), make([]string, len(port.Shape))
	if len(names) == len(port.Shape) {
		copy(port.Dims, names)
	}
	for _, plan := range p.Plans {
		q := of(plan)
		port.Bounded = port.Bounded || q.Bounded || !slices.Equal(q.Shape, port.Shape)
		for d, n := range q.Shape {
			port.Shape[d] = max(port.Shape[d], n)
			if most, ok := p.Extent(port.Dims[d], plan.Most); ok && n != most {
				port.Dims[d] = ""
			}
		}
	}
	return port
}

// A PlanInfo describes a plan.
type PlanInfo struct {
	Least     []int64   `json:"least"` // extents that it serves, by dimension
	Most      []int64   `json:"most"`
	Outputs   [][]int64 `json:"outputs"` // their shapes: at the most
	Calls     int       `json:"calls"`   // those of the plans follow each other in Result.Calls
	LatencyUS float64   `json:"latency_us"`
	Arena     int64     `json:"arena_bytes"`
	Peak      int64     `json:"live_bytes"`
	Spans     []*Span   `json:"spans"`
}

func (c *compilation) describePlans(p *model.Program) {
	r := &c.result
	r.Dims, r.Sums = p.Told(), p.Sums
	r.State = stateInfo(p)
	for i, plan := range p.Plans {
		at, _ := p.At(i)
		spans := c.model.Plans[i].layout.spans
		var shapes [][]int64
		for _, port := range plan.Outputs {
			shapes = append(shapes, append([]int64{}, port.Shape...))
		}
		r.Plans = append(r.Plans, PlanInfo{Outputs: shapes, Least: plan.Least[:len(r.Dims)], Most: plan.Most[:len(r.Dims)],
			Calls: len(at.Calls()), Arena: plan.Arena,
			Peak: peak(spans), Spans: spans})
		r.Peak = max(r.Peak, r.Plans[i].Peak)
	}
}

// Serves writes the extents that plan i serves: "batch=1, seq=16".
func (r *Result) Serves(i int) string {
	return (&model.Plan{Least: r.Plans[i].Least, Most: r.Plans[i].Most}).ServesText(r.Dims)
}

// serves writes the extents that a plan serves.
func (m *Model) serves() string {
	return (&model.Plan{Least: m.Least, Most: m.Most}).ServesText(m.Dims)
}

// jobs returns the jobs of all plans, those of the last first, as the tasks stand.
func (m *Model) jobs() []*job {
	var list []*job
	for _, plan := range slices.Backward(m.plans()) {
		list = append(list, plan.layout.jobs...)
	}
	return list
}

// callers returns the plans that call a task, by index.
func (m *Model) callers(t *Task) []int {
	var list []int
	for i, plan := range m.Plans {
		if slices.ContainsFunc(plan.layout.jobs, func(j *job) bool { return j.task == t }) {
			list = append(list, i)
		}
	}
	return list
}

// planOf returns the plan that the arrays of a file of inputs are for.
func (m *Model) planOf(path string) (*Model, error) {
	if m.Plans == nil {
		return m, nil
	}
	shapes, ports, err := m.shapesOf(path)
	if err != nil {
		return nil, err
	}
	extents, err := model.ExtentsOf(m.Dims, m.sums, nil, ports, shapes)
	if err != nil {
		return nil, fmt.Errorf("inputs: %s: %w", path, err)
	}
	for _, plan := range m.Plans {
		if slices.Equal(plan.Most, extents) {
			return plan, nil
		}
	}
	return nil, fmt.Errorf("inputs: %s: no plan is for %s", path, Extents(m.Dims, extents))
}

// shapesOf returns the shapes that a file of inputs has, and the inputs with the names of their dimensions.
func (m *Model) shapesOf(path string) (shapes [][]int64, inputs []model.Port, err error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("inputs: %w", err)
	}
	defer f.Close()
	inputs = ports(m.Original.Inputs, m.Original.Inputs)
	for i := range inputs {
		inputs[i].Dims = m.dimNames[inputs[i].Name]
		a := arrayOf(f.Arrays, inputs, i)
		if a == nil {
			return nil, nil, fmt.Errorf("inputs: %s: input %s is missing", path, inputs[i].Name)
		}
		shapes = append(shapes, a.Shape)
	}
	return shapes, inputs, nil
}

// arrayOf returns the array of input i of a file, or nil.
func arrayOf(arrays []*npy.Array, inputs []model.Port, i int) *npy.Array {
	for _, a := range arrays {
		if a.Alone && len(inputs) == 1 || portNamed(inputs, "in", a.Name) == i {
			return a
		}
	}
	return nil
}
