package pass

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
)

// store has the nodes leave a group that dequantize its result at the end, if their readers' kernels can do that: then
// bytes lie between the kernels.
//
//	a = Conv(x, w); b = QuantizeLinear(a, s, z); c = DequantizeLinear(b, s, z)    =>    a, b; c is a group
func (p *partition) store(k *Group) {
	for i := len(k.Nodes) - 1; i > 0; i-- {
		n := k.Nodes[i]
		if !dequantizes(n) || p.leaves(n) || !slices.ContainsFunc(p.uses(n), p.readsBytes) {
			return
		}
		k.Nodes = k.Nodes[:i]
		p.group[n] = &Group{Kind: Kernel, Class: op.Injective, Nodes: []*graph.Node{n}}
	}
}

// readsBytes reports whether a kernel of n may dequantize what n reads: a product would do it again and again.
func (p *partition) readsBytes(n *graph.Node) bool {
	k := p.group[n]
	return k.Kind == Kernel && (p.elementwise[n] || k.Class != op.ComplexOut)
}

// dequantizes reports whether n is a DequantizeLinear.
func dequantizes(n *graph.Node) bool { return n != nil && n.Domain == "" && n.Op == "DequantizeLinear" }

// lend has a group join that of its only reader, perhaps through reshapes, which works element by element, if the group
// dequantizes bytes, or widens numbers of 16 bits, or is one of the small factors and addends of a product of bytes:
//
//	a = MatMul(x: uint8, w: int8); b = Mul(z, sums); y = Sub(a, b)
func (p *partition) lend(k *Group) bool {
	n, nodes := k.Nodes[0], slices.Clone(k.Nodes)
	to := p.only(n)
	for to != nil && p.alias(to) {
		nodes, to = append(nodes, to), p.only(to)
	}
	if len(k.Nodes) > 1 || to == nil || !p.elementwise[n] || !p.elementwise[to] || p.group[to].Kind != Kernel {
		return false
	}
	target := p.group[to]
	small := slices.ContainsFunc(target.Nodes, multipliesBytes) && n.Outputs[0].Elems() < first(to).Elems()
	small = small && n.Domain == "" && slices.Contains([]string{"Cast", "Mul", "Add", "Sub", "Div"}, n.Op)
	if !dequantizes(n) && !widens(n) && !small ||
		len(target.Nodes)+len(nodes) > mostNodes || p.turns(target, nodes) ||
		len(nodes) > 1 && !p.readsThrough(target, nodes) {
		return false
	}
	p.join(target, nodes)
	return true
}

// readsThrough reports whether a group that nodes join has no more quotients in its indices.
func (p *partition) readsThrough(k *Group, nodes []*graph.Node) bool {
	before, err := dag.Compose(k.Nodes, p.results(k.Nodes))
	if err != nil {
		return false
	}
	joined := slices.Concat(nodes, k.Nodes)
	slices.SortFunc(joined, func(a, b *graph.Node) int { return p.place[a] - p.place[b] })
	after, err := dag.Compose(joined, p.results(joined))
	return err == nil && after.Quotients() <= before.Quotients()
}

// multipliesBytes reports whether n is a product of integers of 8 bits.
func multipliesBytes(n *graph.Node) bool {
	return (n.Op == "MatMul" || n.Op == "Conv") && n.Inputs[0].Type.Bytes() == 1
}
