// Package padded makes one graph of fixed shapes of a graph with open dimensions: its shapes are those of upper bounds,
// and one more input has the true extents. The outputs are those of the graph of the true extents.
//
// Elements beyond the true extents may be anything. A table of rules says which operators mix positions of an axis, and
// what stands for the elements beyond in each (rules.go). An operator that has no rule is refused.
//
// The package must not know tasks, schedules or code.
package padded

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/extent"
	_ "github.com/wmtune/wmtune/graph/op/table" // the rows
	"github.com/wmtune/wmtune/tir"
)

// A Dim is an open dimension, and its least and greatest extent.
type Dim struct {
	Name     string
	From, To int64
	Step     int64 // Rewrite sets it: extents are To less a number of steps, others have no shapes
}

// A Result is a graph for all extents within bounds.
type Result struct {
	Graph *graph.Graph
	// Extents is the input of the true extents, an int64 for each dimension; nil if nothing varies.
	Extents *graph.Value
	Dims    []Dim
	States  []*Kept // in the order in which they were told
	Length  int     // the dimension that states are as long as, before a run
	Grows   Growth

	layouts map[*graph.Value]layout
	claims  map[*graph.Value]claim
	space   *space
}

// Rewrite returns a graph that computes what g does for all extents of its open dimensions within bounds. Bind gives
// the dimensions of a copy of g the extents that it is told, by name. An input that has such a dimension is a dense
// array of its true shape, at the beginning of the memory that the bounds need, and so is an output, which has true
// extents (graph.Value.Extents). A state is no dense array: it lies where the bounds have it.
func Rewrite(ctx context.Context, g *graph.Graph, dims []Dim, bind func(*graph.Graph, map[string]int64) error,
	states ...State) (*Result, error) {
	if err := op.Missing(g); err != nil {
		return nil, err
	}
	dims = slices.Clone(dims)
	all, err := takeSamples(ctx, g, dims, bind)
	if err != nil {
		return nil, err
	}
	points := make([][]int64, len(all))
	for k, s := range all {
		points[k] = s.dims
	}
	r := &rewriter{ctx: ctx, g: all[0].g, dims: dims, samples: all, space: newSpace(points), by: all[0].made,
		layouts: map[*graph.Value]layout{}, claims: map[*graph.Value]claim{}, now: map[*graph.Value]*graph.Value{},
		masks: map[string]*graph.Value{}, states: map[*graph.Value]*Kept{},
		copies: map[*graph.Value]*graph.Value{}, rows: map[*graph.Value]*rowForm{}}
	if err := r.findStates(states); err != nil {
		return nil, err
	}
	if err := r.run(); err != nil {
		return nil, err
	}
	return &Result{Graph: r.g, Extents: r.extents, Dims: dims, States: r.kept, Length: r.length, Grows: r.grows,
		layouts: r.layouts, claims: r.claims, space: r.space}, nil
}

// A rewriter has a graph whose shapes are the upper bounds, and makes the new one of it.
type rewriter struct {
	ctx     context.Context
	g       *graph.Graph
	dims    []Dim
	samples []*sample // the first is of the upper bounds
	space   *space
	by      map[string]*graph.Node // the nodes of the file, by what they make

	layouts map[*graph.Value]layout
	claims  map[*graph.Value]claim
	now     map[*graph.Value]*graph.Value // what stands for a value
	masks   map[string]*graph.Value
	nodes   []*graph.Node
	names   int

	rows  map[*graph.Value]*rowForm // of values that have it
	packs bool                      // rows are worth it

	states map[*graph.Value]*Kept        // by input
	copies map[*graph.Value]*graph.Value // of states
	kept   []*Kept
	length int
	grows  Growth

	extents *graph.Value // the input
	entries *graph.Value // the vector of extents
}

// mostEntries is what the length of the vector of extents stays below; it is known at the end.
const mostEntries = 1 << 20

func (r *rewriter) run() error {
	r.extents = &graph.Value{Name: r.free("extents"), Type: tir.I64, Shape: []int64{int64(len(r.dims))}, Ranked: true}
	count := &graph.Node{Op: "Extents", Domain: "wmtune", Inputs: []*graph.Value{r.extents}}
	r.entries = &graph.Value{Name: r.extents.Name + ".all", Type: tir.I64, Shape: []int64{mostEntries}, Ranked: true}
	count.Outputs = []*graph.Value{r.entries}
	r.layouts[r.entries] = r.space.fixedLayout([]int64{1})
	r.nodes = []*graph.Node{count}
	r.packs = r.hasRowProducts()
	for _, v := range r.g.Inputs {
		take := r.input
		if r.states[v] != nil {
			take = r.keepState
		}
		if err := take(v); err != nil {
			return err
		}
	}
	for _, n := range r.g.Nodes {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.visit(n, 0); err != nil {
			return err
		}
	}
	cut := map[*graph.Value]*graph.Value{}
	for i, v := range r.g.Outputs {
		if cut[v] == nil {
			var err error
			if cut[v], err = r.output(v); err != nil {
				return err
			}
		}
		r.g.Outputs[i] = cut[v]
	}
	if err := r.checkStates(); err != nil {
		return err
	}
	r.g.Inputs = append(r.g.Inputs, r.extents)
	least, most, steps := []int64{}, []int64{}, []int64{}
	for _, d := range r.dims {
		least, most, steps = append(least, d.first(d.From)), append(most, d.To), append(steps, d.Step)
	}
	count.SetAttr(extent.FormulaAttrs(least, most, steps, r.space.formulas())...)
	r.entries.Shape = []int64{int64(len(r.space.entries))}
	r.g.Nodes = r.nodes
	return graph.Check(r.g)
}

// free returns a name that begins so, and that no value has.
func (r *rewriter) free(name string) string {
	for r.samples[0].values[name] != nil {
		name += "_"
	}
	return name
}

// input gives the graph what an input has within the bounds.
func (r *rewriter) input(v *graph.Value) error {
	l, err := r.layoutBySamples(v, nil)
	if err != nil {
		return fmt.Errorf("input %s: %w", v, err)
	}
	r.layouts[v] = l
	if axes := outerAxes(l); r.packs && axes > 0 {
		r.rows[v] = &rowForm{l: l, axes: axes}
		return nil
	}
	if l.varies() {
		r.spread(v)
	}
	return nil
}

// spread returns what an input has where the bounds have it.
func (r *rewriter) spread(v *graph.Value) *graph.Value {
	l := r.layouts[v]
	digits, _ := r.space.digits(l)
	w := r.apply(&graph.Node{Version: 13, Outputs: []*graph.Value{v}}, "wmtune.Spread", l, []*graph.Value{v, r.entries},
		extent.Attrs(digits)...)
	r.claims[w] = claim{0, slices.Repeat([]bool{true}, len(l))}
	r.now[v] = w
	return w
}

// output returns a dense array of an output, of the same name unless that is an input's.
func (r *rewriter) output(v *graph.Value) (*graph.Value, error) {
	if f := r.rowsOf(v); f != nil && !f.wide && r.now[v] == nil {
		return r.cutRows(v, f)
	}
	w, err := r.read(v)
	if err != nil || r.isState(w) {
		return w, err
	}
	name, l := v.Name, r.layouts[w]
	given := slices.Contains(r.g.Inputs, v)
	if !l.varies() {
		if w != v && !given && w.Const == nil && !slices.Contains(r.g.Outputs, w) {
			w.Name = name // v is gone
		}
		return w, nil
	}
	if w == v {
		w.Name = r.free(name + ".within")
	} else if given {
		name = r.free(name + ".true")
	}
	y := &graph.Value{Name: name}
	return y, r.cut(w, l, y)
}

// cut adds what makes a dense array of a value of layout l at the bounds.
func (r *rewriter) cut(w *graph.Value, l layout, y *graph.Value, attrs ...graph.Attr) error {
	digits, _ := r.space.digits(l)
	n := &graph.Node{Op: "Cut", Domain: "wmtune", Inputs: []*graph.Value{w, r.entries}, Outputs: []*graph.Value{y}}
	n.SetAttr(append(extent.Attrs(digits), attrs...)...)
	if _, err := op.InferNode(r.ctx, n); err != nil {
		return err
	}
	r.nodes = append(r.nodes, n)
	return nil
}

// visit adds what takes the place of a node.
func (r *rewriter) visit(n *graph.Node, depth int) error {
	rule, known := rules[fullName(n)]
	varying := r.changes(n)
	if r.copiesState(n) {
		return nil
	}
	for i, v := range n.Reads() {
		if r.states[v] != nil && !(n.Op == "Concat" && i == 0) && (known || !decomposes(n)) {
			return r.refuse(n, "it reads state %s as it was before: only a Concat with new rows may", v)
		}
	}
	if done, err := r.inRows(n); done || err != nil {
		return err
	}
	for i, v := range n.Inputs {
		w := v
		if v != nil && !(known && slices.Contains(rule.shapes, i)) {
			var err error
			if w, err = r.read(v); err != nil {
				return fmt.Errorf("%s: %w", n.Label(), err)
			}
		} else if r.now[v] != nil {
			w = r.now[v]
		}
		n.Inputs[i] = w
		varying = varying || w != nil && r.layouts[w].varies()
	}
	for _, v := range n.Reads() {
		varying = varying || r.layouts[v].varies() || r.now[v] != nil && r.layouts[r.now[v]].varies()
	}
	switch {
	case !varying:
		for _, v := range n.Outputs {
			if v != nil {
				r.layouts[v] = r.space.fixedLayout(v.Shape)
			}
		}
		r.nodes = append(r.nodes, n)
		return nil
	case known:
		return rule.apply(r, n)
	}
	if depth < 16 && decomposes(n) {
		return r.decompose(n, depth)
	}
	return r.refuse(n, "wmtune does not know which positions it mixes")
}

// decomposes reports whether other nodes may take the place of a node.
func decomposes(n *graph.Node) bool {
	row, err := op.Find(n)
	return err == nil && row.Form(n) == op.FormDecompose
}

// changes reports whether the shape of an output is another one at another sample.
func (r *rewriter) changes(n *graph.Node) bool {
	for _, v := range n.Outputs {
		if v == nil {
			continue
		}
		for _, s := range r.samples {
			if w := s.values[v.Name]; w != nil && w.Known() && !slices.Equal(w.Shape, v.Shape) {
				return true
			}
		}
	}
	return false
}

// decompose visits the nodes that take the place of a node, at all samples.
func (r *rewriter) decompose(n *graph.Node, depth int) error {
	var list []*graph.Node
	name := ""
	for _, v := range n.Outputs {
		if v != nil {
			name = v.Name
		}
	}
	for k := len(r.samples) - 1; k >= 0; k-- {
		s := r.samples[k]
		m := n
		if k > 0 {
			if m = s.made[name]; m == nil {
				return r.refuse(n, "it is another operator at other extents")
			}
		}
		restore := func() {}
		if k == 0 {
			restore = r.shrinkStates(m)
		}
		nodes, outputs, err := op.Decompose(m)
		restore()
		if err != nil {
			return fmt.Errorf("%s: %w", n.Label(), err)
		}
		for _, p := range nodes {
			s.keep(p)
		}
		for i, v := range m.Outputs {
			if v == nil {
				continue
			}
			s.values[outputs[i].Name] = outputs[i]
			if k == 0 {
				r.now[v] = outputs[i]
				r.stateBecomes(v, outputs[i])
			}
		}
		list = nodes
	}
	for _, p := range list {
		if err := r.visit(p, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// refuse returns an error about a node.
func (r *rewriter) refuse(n *graph.Node, format string, args ...any) error {
	var list []string
	for _, d := range r.dims {
		if d.From < d.To {
			list = append(list, fmt.Sprintf("%s=%d,%d", d.Name, d.From, d.To))
		}
	}
	return fmt.Errorf("%s within a range of extents: %s: that is %w; plans of single extents work, such as --dim %s",
		n.Label(), fmt.Sprintf(format, args...), graph.ErrUnsupported, strings.Join(list, ","))
}

func fullName(n *graph.Node) string {
	if n.Domain == "" {
		return n.Op
	}
	return n.Domain + "." + n.Op
}

// keep adds a node with outputs whose layouts are told.
func (r *rewriter) keep(n *graph.Node, layouts ...layout) error {
	for i, v := range n.Outputs {
		if v != nil && i < len(layouts) {
			r.layouts[v] = layouts[i]
		}
	}
	r.nodes = append(r.nodes, n)
	return nil
}

// apply adds a node of one output, whose type is inferred.
func (r *rewriter) apply(like *graph.Node, name string, l layout, inputs []*graph.Value, attrs ...graph.Attr,
) *graph.Value {
	n := &graph.Node{Inputs: inputs, Version: 13}
	n.Domain, n.Op = op.SplitName(name)
	n.SetAttr(attrs...)
	return r.applied(like, n, l)
}

// applied is apply of a node.
func (r *rewriter) applied(like, n *graph.Node, l layout) *graph.Value {
	n.Name = like.Name
	r.names++
	n.Outputs = []*graph.Value{{Name: fmt.Sprintf("%s.padded%d", like.Outputs[0].Name, r.names)}}
	folded, err := op.InferNode(r.ctx, n)
	if err != nil {
		panic(fmt.Sprintf("BUG: padded: %s for %s: %v", n.Op, like.Label(), err))
	}
	if l == nil {
		l = r.space.fixedLayout(n.Outputs[0].Shape)
	}
	r.layouts[n.Outputs[0]] = l
	if !folded {
		r.nodes = append(r.nodes, n)
	}
	return n.Outputs[0]
}

// becomes has a value stand for the output of a node.
func (r *rewriter) becomes(n *graph.Node, v *graph.Value) error {
	r.now[n.Outputs[0]] = v
	return nil
}

func (r *rewriter) constant(t *graph.Tensor) *graph.Value {
	r.names++
	v := graph.Constant(fmt.Sprint("padded.const", r.names), t)
	r.layouts[v] = r.space.fixedLayout(v.Shape)
	return v
}
