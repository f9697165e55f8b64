package schedule

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A Nest is what lowering needs to know of one stage that is neither a
// placeholder nor inlined. All expressions are over loop variables: those of
// this nest, and those of the nests it is attached in, outside the attach point.
type Nest struct {
	Stage int
	Loops []Loop // one per iterator, outermost first, extent-1 loops included

	// Region is the part of the op's domain that this nest computes, per root
	// axis, spatial then reduce: the smallest box that inference could prove to
	// cover what the readers need. Min does not depend on this nest's loops.
	Region []Range

	// Value is each root axis in terms of the loops: a value of the op's domain.
	Value []tir.Expr

	// Guards are conditions, beyond the bounds of the loops, under which the
	// body must run: pieces of splits that do not divide, and parts of a region
	// that overhang the op's domain. Constant-true ones are left out.
	Guards []tir.Expr

	tree    loopTree
	extents []int64 // by node of the tree
}

// A Loop is the loop of one iterator.
type Loop struct {
	Var    *tir.Var
	Extent int64
	Iter   *Iterator
}

// A Range is Min, Min+1, ... Min+Extent-1.
type Range struct {
	Min    tir.Expr
	Extent int64
}

// Nests runs bound inference and returns one Nest per stage, nil for
// placeholders and inlined stages. It is an error if s is not concrete, or if a
// nest has more iterations than can be counted.
func (s *State) Nests() ([]*Nest, error) {
	in, err := infer(s, func(it *Iterator) string { return varName(it.Name) })
	if err != nil {
		return nil, err
	}
	out := make([]*Nest, len(in.nests))
	for i, n := range in.nests {
		if n != nil {
			out[i] = in.nestOf(i, n)
		}
	}
	return out, nil
}

func (in *inference) nestOf(i int, n *nest) *Nest {
	st := in.s.Stages[i]
	out := &Nest{Stage: i, tree: st.loops, extents: n.extents, Loops: make([]Loop, len(st.Iters)),
		Region: make([]Range, len(n.region)), Value: make([]tir.Expr, len(n.region))}
	for k, it := range n.boundIters(st) {
		out.Loops[k] = Loop{Var: n.vars[k], Extent: it.Extent, Iter: it}
	}
	off := n.values(st, in.bounds)
	for d, b := range n.region {
		out.Region[d] = Range{b.min.Expr(), b.extent}
		out.Value[d] = b.min.Plus(off[d]).Expr()
	}
	out.Guards = n.guards(st, off, in.bounds)
	return out
}

// Derive returns a value for each root axis, relative to the start of the region,
// from one for each loop: as Value does, in an arithmetic of the caller's. What a
// split made into outer and inner was outer*extent + inner; outer and inner that
// were fused are the quotient and the remainder of what they became by extent.
func Derive[T any](n *Nest, loop func(k int) T, split func(outer, inner T, extent int64) T,
	fuse func(fused T, extent int64) (outer, inner T),
) []T {
	at := make([]T, n.tree.nodes)
	for k, leaf := range n.tree.leaves {
		at[leaf] = loop(k)
	}
	for _, r := range slices.Backward(n.tree.rels) {
		switch r.kind {
		case splitRel:
			at[r.parent] = split(at[r.outer], at[r.inner], n.extents[r.inner])
		case fuseRel:
			at[r.outer], at[r.inner] = fuse(at[r.parent], n.extents[r.inner])
		}
	}
	return at[:len(n.Region)]
}
