package compile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/graph/padded"
	"github.com/wmtune/wmtune/graph/pass"
)

// An opening is what a plan is for that serves ranges of extents, which are its last input.
type opening struct {
	file   *source
	dims   []padded.Dim
	before []*Model // plans that are taken for what they serve

	*keeping       // nil: there is no state
	axes     []int // of states
}

// takes reports whether the plan is the one for extents.
func (o *opening) takes(extents []int64) bool {
	return !slices.ContainsFunc(o.before, func(m *Model) bool {
		return (&model.Plan{Least: m.Least, Most: m.Most}).Serves(extents)
	})
}

// room shortens the state that extents say, so that there is room for what a run adds.
func (o *opening) room(extents []int64) []int64 {
	if k := o.keeping; k != nil {
		by := k.grows.By
		if k.grows.Dim >= 0 {
			by = extents[k.grows.Dim]
		}
		extents[len(extents)-1] = min(extents[len(extents)-1], k.most-by)
	}
	return extents
}

// triedExtents is how many extents are drawn to find those that a plan is for.
const triedExtents = 200

// settle has the extents of inputs be such that the plan is the one for them: as they are, or others, and the smallest
// that are found if they should be the least.
func (m *Model) settle(inputs []*graph.Tensor, least bool, seed uint64) []*graph.Tensor {
	if m.open == nil {
		return inputs
	}
	last := len(inputs) - 1
	node := extent.Reader(m.Original, m.Original.Inputs[last])
	rng := rand.New(rand.NewPCG(seed, 63))
	m.open.room(inputs[last].I)
	best := inputs[last].I
	if !m.open.takes(best) {
		best = m.open.room(slices.Clone(m.Most))
	}
	for range triedExtents {
		if !least && m.open.takes(inputs[last].I) {
			break
		}
		e := m.open.room(extent.Draw(node, rng).I)
		if m.open.takes(e) && graph.Elems(e) < graph.Elems(best) {
			best = e
		}
		if !least && m.open.takes(e) {
			best = e
			break
		}
	}
	inputs[last] = graph.Ints(best...)
	return inputs
}

// mostBounds is how many plans ranges become, if lists beside them do not make more.
const mostBounds = 4

// newOpen returns the plan for all extents of dims up to most.
func newOpen(ctx context.Context, from *source, dims []Dim, most []int64, opt pass.Options, tasks *taskList,
	k *keeping) (*Model, error) {
	var list []padded.Dim
	for k, d := range dims {
		least := most[k]
		if d.Range {
			least = d.from
		}
		list = append(list, padded.Dim{Name: d.Name, From: least, To: most[k]})
	}
	var states []padded.State
	if k != nil {
		states = k.states
	}
	r, err := padded.Rewrite(ctx, from.g, list, from.bind, states...)
	if err != nil {
		return nil, err
	}
	open := &opening{file: from, dims: r.Dims, keeping: k}
	for _, s := range r.States {
		open.axes = append(open.axes, s.Axis)
	}
	m, err := newModel(ctx, r.Graph, opt, tasks, open)
	if err != nil {
		return nil, err
	}
	m.Least = make([]int64, len(dims))
	for k, d := range r.Dims {
		m.Least[k] = d.From + (d.To-d.From)%d.Step
	}
	return m, nil
}

// bounded returns dims with a list of upper bounds in place of each range: its end, the half of that, and so on, the
// steps of each dimension down.
func bounded(dims []Dim, steps []padded.Dim) []Dim {
	list, plans := slices.Clone(dims), 1
	for k, d := range list {
		if d.Range {
			list[k].Extents = d.Extents[len(d.Extents)-1:]
		}
		plans *= len(list[k].Extents)
	}
	for grows := true; grows; {
		grows = false
		for k, d := range list {
			n := d.Extents[0]
			half := n - (n-(n+1)/2)/steps[k].Step*steps[k].Step
			more := plans / len(d.Extents) * (len(d.Extents) + 1)
			if d.Range && half < n && half >= max(d.from, 1) && more <= mostBounds {
				list[k].Extents, plans, grows = slices.Concat([]int64{half}, d.Extents), more, true
			}
		}
	}
	return list
}

// inputs returns how many inputs a plan has: states and extents, which follow, are none of those of the program.
func (m *Model) inputs() int {
	if m.open != nil {
		return len(m.Graph.Inputs) - 1 - len(m.open.axes)
	}
	return len(m.Graph.Inputs)
}

// reference returns what the graph of the file computes: at the exact extents, if these are the last input.
func (m *Model) reference(ctx context.Context, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
	if m.open == nil || m.Rounded > 0 {
		return op.Evaluator().Run(ctx, m.Original, inputs)
	}
	extents := map[string]int64{}
	for k, d := range m.open.dims {
		extents[d.Name] = inputs[len(inputs)-1].I[k]
	}
	exact, _ := m.open.file.g.Clone()
	if err := m.open.file.bind(exact, extents); err != nil {
		return nil, err
	}
	var list []*graph.Tensor
	for i, v := range exact.Inputs {
		x := *inputs[i]
		x.Shape = v.Shape
		if n := v.Elems(); x.F != nil {
			x.F = x.F[:n]
		} else {
			x.I = x.I[:n]
		}
		list = append(list, &x)
	}
	out, err := op.Evaluator().Run(ctx, exact, list)
	if err != nil {
		return nil, fmt.Errorf("for %v: %w", extents, err)
	}
	return out, nil
}
