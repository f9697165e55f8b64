package pass

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
	"github.com/wmtune/wmtune/graph/op/extent"
)

// A Kind says what a group becomes.
type Kind uint8

// The kinds of groups.
const (
	Kernel  Kind = iota // one compute DAG, which is scheduled
	Opaque              // a function written by hand
	Alias               // nothing: its output is its input's memory
	Control             // If, Loop or Scan: steps of their own
)

func (k Kind) String() string { return [...]string{"kernel", "opaque", "alias", "control"}[k] }

// A Group is a set of nodes that become one kernel. Nodes of other kinds than Kernel have a group of their own.
type Group struct {
	Kind    Kind
	Class   op.Class       // of the node that decides: complex-out, else reduction, else injective
	Nodes   []*graph.Node  // in the order of the graph
	Outputs []*graph.Value // what others read, in order
}

func (g *Group) String() string {
	text := g.Kind.String() + " " + g.Class.String()
	for _, n := range g.Nodes {
		text += " " + n.Op
	}
	return text
}

// Partition divides the nodes of g, those of subgraphs excepted, into groups in an order in which they can run. It
// follows TVM's rules (Chen et al., OSDI 2018, section 3; upstream: src/relay/transforms/fuse_ops.cc): elementwise
// nodes join the product or reduction whose result they work on, up to the node where all ways from it meet;
// injective nodes join each other, and reductions that read them. Beyond these, products read what only moves elements
// where they are (feed), write their results in the order of the transposes behind them (arrange), and those of
// attention share a kernel (score).
func Partition(g *graph.Graph) ([]*Group, error) {
	p := &partition{g: g, made: g.Producers(), readers: g.Readers(), group: map[*graph.Node]*Group{},
		place: map[*graph.Node]int{}, elementwise: map[*graph.Node]bool{}}
	for i, n := range g.Nodes {
		p.place[n] = i
		if err := p.start(n); err != nil {
			return nil, err
		}
	}
	p.postDominators()
	for _, class := range []op.Class{op.ComplexOut, op.Reduction, op.Injective} {
		for _, n := range g.Nodes {
			if k := p.group[n]; k.Kind == Kernel && k.Class == class && k.Nodes[0] == n {
				p.grow(k)
				if class == op.ComplexOut && p.arrange(k) {
					p.grow(k)
				}
				p.store(k)
			}
		}
	}
	for _, n := range g.Nodes {
		if n.Domain == "wmtune" && n.Op == "Attend" {
			p.score(n)
		}
	}
	for _, n := range slices.Backward(g.Nodes) {
		if k := p.group[n]; k.Kind == Kernel && k.Class == op.Injective && k.Nodes[0] == n && !p.lend(k) {
			p.feed(k)
		}
	}
	return p.list()
}

type partition struct {
	g           *graph.Graph
	made        map[*graph.Value]*graph.Node
	readers     map[*graph.Value][]*graph.Node
	group       map[*graph.Node]*Group
	place       map[*graph.Node]int
	elementwise map[*graph.Node]bool
	after       map[*graph.Node]*graph.Node // where all ways from a node meet; nil: not before the end
	depth       map[*graph.Node]int         // of that tree
}

func (p *partition) start(n *graph.Node) error {
	r, err := op.Find(n)
	if err != nil {
		return fmt.Errorf("%s: %w", n.Label(), err)
	}
	k := &Group{Kind: Kernel, Class: r.Class, Nodes: []*graph.Node{n}}
	switch {
	case op.IsAlias(n):
		k.Kind = Alias
	case r.Form(n) == op.FormOpaque:
		k.Kind, k.Class = Opaque, op.Opaque
	case r.Form(n) == op.FormDecompose:
		return fmt.Errorf("BUG: %s was not decomposed", n.Label())
	case r.Form(n) == op.FormControl:
		k.Kind, k.Class = Control, op.Opaque
	case r.Form(n) == op.FormNone:
		return fmt.Errorf("%s: %w as part of a program: its operands must be constant", n.Label(), graph.ErrUnsupported)
	}
	p.group[n] = k
	p.elementwise[n] = k.Kind == Kernel && dag.Elementwise(n)
	return nil
}

// uses returns the nodes that read what n makes, each once.
func (p *partition) uses(n *graph.Node) []*graph.Node {
	var list []*graph.Node
	for _, v := range n.Outputs {
		for _, r := range p.readers[v] {
			if !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	return list
}

// leaves reports whether the graph hands out something that n makes.
func (p *partition) leaves(n *graph.Node) bool {
	for _, v := range n.Outputs {
		if v != nil && slices.Contains(p.g.Outputs, v) {
			return true
		}
	}
	return false
}

// postDominators finds where all ways from each node meet, from the last node to the first.
func (p *partition) postDominators() {
	p.after, p.depth = map[*graph.Node]*graph.Node{}, map[*graph.Node]int{}
	for i := len(p.g.Nodes) - 1; i >= 0; i-- {
		n := p.g.Nodes[i]
		uses := p.uses(n)
		if len(uses) == 0 || p.leaves(n) {
			p.depth[n] = 1
			continue
		}
		meet := uses[0]
		for _, u := range uses[1:] {
			meet = p.meet(meet, u)
		}
		p.after[n] = meet
		p.depth[n] = 1
		if meet != nil {
			p.depth[n] = p.depth[meet] + 1
		}
	}
}

func (p *partition) meet(a, b *graph.Node) *graph.Node {
	for a != b {
		if a == nil || b == nil {
			return nil
		}
		if p.depth[a] < p.depth[b] {
			a, b = b, a
		}
		a = p.after[a]
	}
	return a
}

// mostNodes is the number of nodes of the largest kernels: what a kernel takes to compile grows faster than its nodes.
// Kernels of trained models have some ten.
const mostNodes = 512

// grow has the nodes join k that work on its result element by element, as far as they go. What joins depends on k, so
// it is enough to see what the new nodes read: if others of k read what is made of these, k would turn already. For the
// same reason, what was seen not to depend on k does not depend on the new nodes.
func (p *partition) grow(k *Group) {
	last, seen := k.Nodes[len(k.Nodes)-1], map[*Group]bool{}
	for {
		to := p.after[last]
		if to == nil || len(last.Outputs) != 1 {
			return
		}
		path, ok := p.between(last, to, k)
		if !ok || len(k.Nodes)+len(path) > mostNodes || p.turn(path, k, path, seen) {
			return
		}
		for _, n := range path {
			k.Nodes = append(k.Nodes, n)
			p.group[n] = k
		}
		last = to
	}
}

// between returns the nodes on all ways from a node to one after it, the latter included, in order; ok is false if one
// of them cannot join k.
func (p *partition) between(from, to *graph.Node, k *Group) (path []*graph.Node, ok bool) {
	shape := from.Outputs[0].Shape
	found := map[*graph.Node]bool{}
	var visit func(n *graph.Node) bool
	visit = func(n *graph.Node) bool {
		if found[n] {
			return true
		}
		g := p.group[n]
		if g.Kind != Kernel || len(g.Nodes) != 1 || len(n.Outputs) != 1 || n.Outputs[0].Extents != nil {
			return false
		}
		join := p.elementwise[n] && slices.Equal(n.Outputs[0].Shape, shape)
		if k.Class == op.Injective {
			join = g.Class == op.Injective && n.Outputs[0].Elems() <= 4*graph.Elems(shape) && !p.apart(from, n)
		}
		if !join {
			return false
		}
		found[n] = true
		path = append(path, n)
		if n == to {
			return true
		}
		for _, u := range p.uses(n) {
			if !visit(u) {
				return false
			}
		}
		return true
	}
	for _, u := range p.uses(from) {
		if !visit(u) {
			return nil, false
		}
	}
	slices.SortFunc(path, func(a, b *graph.Node) int { return p.place[a] - p.place[b] })
	return path, true
}

// apart reports whether a transpose by blocks is better alone than with the node before it, which has rows where the
// bounds of extents have them: neither is then seen as one move.
func (p *partition) apart(from, n *graph.Node) bool {
	r, err := op.Find(n)
	return err == nil && extent.IsUnpack(from) && r.Alone(n) != nil
}

// turns reports whether a group of k and path, which holds whole groups, would read something that is made of what it
// makes.
func (p *partition) turns(k *Group, path []*graph.Node) bool {
	return p.turn(slices.Concat(k.Nodes, path), k, path, map[*Group]bool{})
}

// turn is turns for some nodes of k and path. Groups in seen are known not to depend on what these make; it adds to
// them.
func (p *partition) turn(nodes []*graph.Node, k *Group, path []*graph.Node, seen map[*Group]bool) bool {
	joins := map[*graph.Node]bool{}
	for _, n := range path {
		joins[n] = true
	}
	inside := func(n *graph.Node) bool { return p.group[n] == k || joins[n] }
	first := p.place[k.Nodes[0]]
	var reaches func(g *Group) bool // a group outside that depends on a node inside
	reaches = func(g *Group) bool {
		if seen[g] {
			return false
		}
		seen[g] = true
		for _, n := range g.Nodes {
			for _, v := range n.Reads() {
				q := p.made[v]
				if q == nil || p.group[q] == g {
					continue
				}
				if inside(q) || p.lastOf(q) > first && reaches(p.group[q]) {
					return true
				}
			}
		}
		return false
	}
	for _, n := range nodes {
		for _, v := range n.Reads() {
			if q := p.made[v]; q != nil && !inside(q) && p.lastOf(q) > first && reaches(p.group[q]) {
				return true
			}
		}
	}
	return false
}

// lastOf returns the place of the last node of n's group.
func (p *partition) lastOf(n *graph.Node) int {
	nodes := p.group[n].Nodes
	return p.place[nodes[len(nodes)-1]]
}

// list returns the groups in an order in which they can run, with their outputs.
func (p *partition) list() ([]*Group, error) {
	var groups []*Group
	state := map[*Group]int{} // 1: being placed, 2: placed
	var place func(k *Group) error
	place = func(k *Group) error {
		switch state[k] {
		case 1:
			return fmt.Errorf("BUG: pass: group %s reads what is made of it", k)
		case 2:
			return nil
		}
		state[k] = 1
		for _, n := range k.Nodes {
			for _, v := range n.Reads() {
				if q := p.made[v]; q != nil && p.group[q] != k {
					if err := place(p.group[q]); err != nil {
						return err
					}
				}
			}
		}
		state[k] = 2
		p.setOutputs(k)
		groups = append(groups, k)
		return nil
	}
	for _, n := range p.g.Nodes {
		if err := place(p.group[n]); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

func (p *partition) setOutputs(k *Group) {
	if k.Kind == Kernel {
		k.Outputs = p.results(k.Nodes)
		return
	}
	for _, n := range k.Nodes {
		for _, v := range n.Outputs {
			if v != nil {
				k.Outputs = append(k.Outputs, v)
			}
		}
	}
}

// results returns what nodes make for others.
func (p *partition) results(nodes []*graph.Node) []*graph.Value {
	var list []*graph.Value
	for _, n := range nodes {
		for _, v := range n.Outputs {
			outside := func(u *graph.Node) bool { return !slices.Contains(nodes, u) }
			if v != nil && (slices.Contains(p.g.Outputs, v) || slices.ContainsFunc(p.readers[v], outside)) {
				list = append(list, v)
			}
		}
	}
	return list
}
