package pass

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
)

// minRun is the number of elements side by side in what a product writes, and in what it writes in another order, from
// which on the latter is as fast: a cache line of floats.
const minRun = 16

// arrange has the transposes join a product k that alone read its result, and the reshapes between: the product then
// writes its result as they order it. It reports whether there are any. Runs of elements must stay together, and no
// axis of the product may be divided, since its tiles would be no larger than the parts.
//
//	y = MatMul(p: [12, 128, 128], v: [12, 128, 64]); z = Transpose(y) perm=[1, 0, 2]
func (p *partition) arrange(k *Group) bool {
	last := k.Nodes[len(k.Nodes)-1]
	var path []*graph.Node
	for n := p.only(last); n != nil && (p.alias(n) || p.keepsRuns(n)); n = p.only(n) {
		path = append(path, n)
	}
	for len(path) > 0 && p.alias(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	if len(path) == 0 || p.turns(k, path) {
		return false
	}
	before, err := dag.Compose(k.Nodes, p.results(k.Nodes))
	if err != nil {
		return false
	}
	nodes := slices.Concat(k.Nodes, path)
	after, err := dag.Compose(nodes, p.results(nodes))
	if err != nil || len(after.DAG.Ops) > len(before.DAG.Ops) || after.Quotients() > before.Quotients() ||
		after.Axes() > before.Axes() {
		return false
	}
	p.join(k, path)
	return true
}

// only returns the one node that reads the one result of n, or nil.
func (p *partition) only(n *graph.Node) *graph.Node {
	uses := p.uses(n)
	if len(n.Outputs) != 1 || len(uses) != 1 || p.leaves(n) {
		return nil
	}
	return uses[0]
}

// alias reports whether n is a reshape that a kernel may read through.
func (p *partition) alias(n *graph.Node) bool {
	r, err := op.Find(n)
	return err == nil && p.group[n].Kind == Alias && r.Body != nil && n.Outputs[0].Extents == nil &&
		n.Inputs[0].Extents == nil
}

// keepsRuns reports whether n is a transpose that nothing has joined, after which runs of elements are as before.
func (p *partition) keepsRuns(n *graph.Node) bool {
	perm := permOf(n)
	if perm == nil || len(p.group[n].Nodes) != 1 {
		return false
	}
	run := int64(1)
	for d := len(perm) - 1; d >= 0 && perm[d] == int64(d); d-- {
		run *= n.Outputs[0].Shape[d]
	}
	return run >= minRun
}

// join has nodes join k.
func (p *partition) join(k *Group, nodes []*graph.Node) {
	k.Nodes = slices.Concat(nodes, k.Nodes)
	slices.SortFunc(k.Nodes, func(a, b *graph.Node) int { return p.place[a] - p.place[b] })
	for _, n := range nodes {
		p.group[n] = k
	}
}

// feed has an injective group join the one group that reads it, perhaps through reshapes: a reduction, or a product if
// all that k does is to move elements, which the product then reads where they are. The index must stay a sum of
// multiples of loop variables. Through reshapes, a product must not go in wider steps along the axis that it reduces:
// rows far apart share few sets of a cache. What an instruction multiplies in groups stays side by side, and so do the
// channels of a transposed convolution: a 2x2 one of 128x64x64 takes 0.64 ms in place of 1.09.
func (p *partition) feed(k *Group) {
	last := k.Nodes[len(k.Nodes)-1]
	nodes := slices.Clone(k.Nodes)
	for n := p.only(last); n != nil && p.alias(n); n = p.only(n) {
		nodes, last = append(nodes, n), n
	}
	if len(last.Outputs) != 1 || p.leaves(last) {
		return
	}
	var to *Group
	for _, u := range p.uses(last) {
		if to != nil && p.group[u] != to {
			return
		}
		to = p.group[u]
	}
	if to == nil || to.Kind != Kernel || to == k || to.Class == op.Injective || len(nodes)+len(to.Nodes) > mostNodes ||
		p.turns(to, nodes) {
		return
	}
	through := len(nodes) > len(k.Nodes)
	if to.Class == op.ComplexOut || through {
		alone, err := dag.Compose(k.Nodes, p.results(k.Nodes))
		if err != nil || to.Class == op.ComplexOut && !alone.Moves() {
			return
		}
		before, err := dag.Compose(to.Nodes, p.results(to.Nodes))
		if err != nil {
			return
		}
		joined := slices.Concat(nodes, to.Nodes)
		after, err := dag.Compose(joined, p.results(joined))
		if err != nil || after.Quotients() > before.Quotients()+alone.Quotients() ||
			through && after.Steps() > before.Steps() ||
			slices.ContainsFunc(to.Nodes, byGroups) && after.Neighbours() < before.Neighbours() ||
			slices.ContainsFunc(to.Nodes, spreads) && slices.ContainsFunc(nodes, turnsLast) {
			return
		}
	}
	p.join(to, nodes)
}

// score has the product that makes the scores of attention, with what follows it, join the attention, if nothing else
// reads them: they then need not leave the cache.
func (p *partition) score(n *graph.Node) {
	to := p.group[n]
	made := p.made[n.Inputs[0]]
	var path []*graph.Node
	for made != nil && p.alias(made) && p.only(made) != nil {
		path = append(path, made)
		made = p.made[made.Inputs[0]]
	}
	if made == nil || p.only(made) == nil {
		return
	}
	k := p.group[made]
	if k.Kind != Kernel || k.Class != op.ComplexOut || k.Nodes[0].Op != "MatMul" {
		return
	}
	if nodes := slices.Concat(k.Nodes, path); !p.turns(to, nodes) {
		p.join(to, nodes)
	}
}

// byGroups reports whether n is a product of operands of which instructions multiply groups of neighbours at once.
func byGroups(n *graph.Node) bool { return multipliesBytes(n) || multipliesWhole(n) }

// spreads reports whether n is a product of images between whose elements there are zeros: their phases are copied,
// which should read elements side by side.
func spreads(n *graph.Node) bool {
	return n.Op == "ConvTranspose" && n.Domain == "wmtune" && n.Has("last")
}

// turnsLast reports whether n is a transpose that takes the elements of a row apart.
func turnsLast(n *graph.Node) bool {
	perm := permOf(n)
	return perm != nil && perm[len(perm)-1] != int64(len(perm)-1)
}
