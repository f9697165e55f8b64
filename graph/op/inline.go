package op

import (
	"errors"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A copier copies nodes into another graph. Values that it was told of are replaced, those that nodes make get new
// names, and all others, constants and values of graphs around, stay.
type copier struct {
	To     map[*graph.Value]*graph.Value
	rename func(name string) string
}

func NewCopier(rename func(name string) string) *copier {
	return &copier{To: map[*graph.Value]*graph.Value{}, rename: rename}
}

func (c *copier) read(v *graph.Value) *graph.Value {
	if w, ok := c.To[v]; ok {
		return w
	}
	return v
}

func (c *copier) Define(v *graph.Value) *graph.Value {
	if v == nil || c.To[v] != nil {
		return c.To[v]
	}
	w := *v
	w.Name, w.Shape, w.DimNames = c.rename(v.Name), slices.Clone(v.Shape), slices.Clone(v.DimNames)
	c.To[v] = &w
	w.Extents = c.Define(v.Extents)
	return &w
}

func (c *copier) nodes(list []*graph.Node) []*graph.Node {
	var copies []*graph.Node
	for _, n := range list {
		k := *n
		k.Inputs, k.Outputs, k.Attrs = nil, nil, slices.Clone(n.Attrs)
		for _, v := range n.Inputs {
			k.Inputs = append(k.Inputs, c.read(v))
		}
		for i, a := range k.Attrs {
			k.Attrs[i].Graphs = nil
			for _, g := range a.Graphs {
				k.Attrs[i].Graphs = append(k.Attrs[i].Graphs, c.Graph(g))
			}
		}
		for _, v := range n.Outputs {
			k.Outputs = append(k.Outputs, c.Define(v))
		}
		copies = append(copies, &k)
	}
	return copies
}

func (c *copier) Graph(g *graph.Graph) *graph.Graph {
	k := &graph.Graph{Name: g.Name, Meta: g.Meta}
	for _, v := range g.Inputs {
		k.Inputs = append(k.Inputs, c.Define(v))
	}
	k.Nodes = c.nodes(g.Nodes)
	for _, v := range g.Outputs {
		k.Outputs = append(k.Outputs, c.read(v))
	}
	return k
}

func SameName(name string) string { return name }

// CopyGraph returns a copy of a graph, whose values have the same names: it must take the place of g.
func CopyGraph(g *graph.Graph) *graph.Graph { return NewCopier(SameName).Graph(g) }

// prefix returns what no name in the graph that is inferred begins with.
func (f *inferrer) prefix(n *graph.Node) string {
	if f.prefixes == nil {
		f.prefixes, f.numbers = map[string]bool{}, map[string]int{}
		eachNode(f.root, func(n *graph.Node) {
			for _, v := range slices.Concat(n.Inputs, n.Outputs) {
				if v != nil {
					f.named(v.Name)
				}
			}
		})
	}
	base := n.Op
	for _, v := range n.Outputs {
		if v != nil {
			base = v.Name
			break
		}
	}
	for ; ; f.numbers[base]++ {
		if p := fmt.Sprintf("%s.%d.", base, f.numbers[base]); !f.prefixes[p] {
			return p
		}
	}
}

// named keeps the prefixes of a name that prefix might return.
func (f *inferrer) named(name string) string {
	number := false // since the last dot, there are digits alone
	for i, c := range []byte(name) {
		switch {
		case c == '.':
			if number {
				f.prefixes[name[:i+1]] = true
			}
			number = i > 0 && i+1 < len(name) && name[i+1] != '.'
		case c < '0' || c > '9':
			number = false
		}
	}
	return name
}

// place copies nodes of a graph that stands in an attribute of n to where n stands, and returns them and the values
// that stand for the graph's outputs.
func (f *inferrer) place(n *graph.Node, g *graph.Graph, args []*graph.Value) ([]*graph.Node, []*graph.Value, error) {
	if len(args) != len(g.Inputs) {
		return nil, nil, fmt.Errorf("its graph %s has %d inputs, not %d", g.Name, len(g.Inputs), len(args))
	}
	p := f.prefix(n)
	c := NewCopier(func(name string) string { return f.named(p + name) })
	for i, v := range g.Inputs {
		c.To[v] = args[i]
	}
	k := c.Graph(&graph.Graph{Nodes: g.Nodes, Outputs: g.Outputs})
	return k.Nodes, k.Outputs, nil
}

// identities returns nodes that make outputs of n of other values.
func identities(n *graph.Node, values []*graph.Value) []*graph.Node {
	var list []*graph.Node
	for i, v := range n.Outputs {
		if v != nil {
			list = append(list, &graph.Node{Name: n.Name, Op: "Identity", Version: n.Version,
				Inputs: []*graph.Value{values[i]}, Outputs: []*graph.Value{v}})
		}
	}
	return list
}

// inline infers an If whose condition is constant, as the nodes of its branch, and a Loop, unrolled or as it is. It
// reports false for other nodes.
func (f *inferrer) inline(n *graph.Node) (bool, error) {
	switch {
	case n.Domain == "" && n.Op == "If" && n.Input(0) != nil && n.Input(0).Const != nil:
		nodes, err := f.branch(n)
		if err != nil {
			return true, err
		}
		return true, f.nodes(nodes)
	case n.Domain == "" && n.Op == "Loop":
		return true, f.loop(n)
	}
	return false, nil
}

func (f *inferrer) branch(n *graph.Node) ([]*graph.Node, error) {
	if err := EnterIf(n); err != nil {
		return nil, err
	}
	name := "else_branch"
	if n.Inputs[0].Const.Tensor().At(0) != 0 {
		name = "then_branch"
	}
	nodes, outputs, err := f.place(n, n.Graph(name), nil)
	if err != nil {
		return nil, err
	}
	return append(nodes, identities(n, outputs)...), nil
}

// Limits of unrolling, in nodes that come about: loops that need not be unrolled are if they are as small as this, and
// those whose shapes follow from the iteration if they are at most as large as that. All copies together of a loop in
// one that is unrolled are at most as large as that, too.
const (
	unrollSmall = 64
	unrollLarge = 20000
)

// loop infers a Loop: as the nodes of all iterations if those are few, or if it cannot stay a loop, since shapes follow
// from the iteration.
func (f *inferrer) loop(n *graph.Node) error {
	l, err := LoopOf(n)
	if err != nil {
		return err
	}
	trips, constant := l.Trips()
	nodes := int64(0)
	eachNode(l.Body, func(*graph.Node) { nodes++ })
	may := constant && l.Endless() && trips > 0
	fits := func(limit int64) bool { return may && trips <= min(limit, unrollLarge/f.meter.copies)/max(nodes, 1) }
	if fits(unrollSmall) {
		return f.unroll(n, l, trips)
	}
	trial := *n
	trial.Attrs = slices.Clone(n.Attrs)
	trial.Outputs = nil
	for _, v := range n.Outputs {
		if v == nil {
			trial.Outputs = append(trial.Outputs, nil)
			continue
		}
		w := *v
		trial.Outputs = append(trial.Outputs, &w)
	}
	trial.SetAttr(graph.Attr{Name: "body", Kind: graph.AttrGraph, Graphs: []*graph.Graph{CopyGraph(l.Body)}})
	before := *f.meter
	_, err = inferNode(f.ctx, &trial, f.meter)
	var changing *ChangingError
	var open *OpenError
	switch {
	case err == nil:
		n.Attrs = trial.Attrs
		for i, v := range n.Outputs {
			if v != nil {
				*v = *trial.Outputs[i]
			}
		}
		f.kept = append(f.kept, n)
		return nil
	case (errors.As(err, &changing) || errors.As(err, &open)) && fits(unrollLarge):
		*f.meter = before
		return f.unroll(n, l, trips)
	}
	return err
}

// unroll infers a Loop that runs trips times as the nodes of all iterations.
func (f *inferrer) unroll(n *graph.Node, l loopParts, trips int64) error {
	nodes, err := f.iterations(n, l, trips)
	if err != nil {
		return err
	}
	defer func(copies int64) { f.meter.copies = copies }(f.meter.copies)
	f.meter.copies *= trips
	return f.nodes(nodes)
}

// iterations returns the nodes of a Loop that runs trips times.
func (f *inferrer) iterations(n *graph.Node, l loopParts, trips int64) ([]*graph.Node, error) {
	nodes := []*graph.Node{}
	values := slices.Clone(n.Inputs[min(2, len(n.Inputs)):])
	scans := make([][]*graph.Value, l.Scans)
	p := f.prefix(n)
	constant := func(name string, t *graph.Tensor) *graph.Value {
		return &graph.Value{Name: f.named(p + name), Type: t.Type, Shape: t.Shape, Ranked: true, Const: t.Const()}
	}
	add := func(op string, version int, out string, inputs []*graph.Value, attrs ...graph.Attr) *graph.Value {
		k := &graph.Node{Name: n.Name, Op: op, Version: version, Inputs: inputs,
			Outputs: []*graph.Value{{Name: f.named(p + out)}}}
		k.SetAttr(attrs...)
		nodes = append(nodes, k)
		return k.Outputs[0]
	}
	for i := range trips {
		if err := f.ctx.Err(); err != nil {
			return nil, err
		}
		args := append([]*graph.Value{
			constant(fmt.Sprint("i", i), Counter(l.Body.Inputs[0], tir.I64, i)),
			constant(fmt.Sprint("on", i), Counter(l.Body.Inputs[1], tir.Bool, 1)),
		}, values...)
		body, outputs, err := f.place(n, l.Body, args)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, body...)
		values = outputs[1 : 1+l.Carried]
		for k := range scans {
			scans[k] = append(scans[k], add("Unsqueeze", 11, fmt.Sprintf("scan%d.%d", k, i),
				[]*graph.Value{outputs[1+l.Carried+k]}, graph.IntsAttr("axes", 0)))
		}
	}
	results := slices.Clone(values)
	for k, list := range scans {
		results = append(results, add("Concat", 11, fmt.Sprint("scans", k), list, graph.IntAttr("axis", 0)))
	}
	return append(nodes, identities(n, results)...), nil
}

// Counter returns a number for an input of the body of a Loop: a scalar, or a vector of one element if that is what the
// file says.
func Counter(v *graph.Value, t tir.DType, number int64) *graph.Tensor {
	x := graph.Scalar(t, float64(number))
	if v.Ranked && len(v.Shape) == 1 {
		x.Shape = []int64{1}
	}
	return x
}
