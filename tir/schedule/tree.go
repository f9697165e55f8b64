package schedule

import "slices"

// A loopTree says how the loops of a stage derive from the axes of its op. Each
// axis and each loop that a step made is a node; nodes 0, 1, ... are the axes,
// spatial ones first. Relations are kept in the order in which they were made,
// so walking them forward goes from axes to loops, and backward from loops to
// axes. Trees are immutable: split and fuse return new ones.
type loopTree struct {
	nodes  int
	rels   []relation
	leaves []int // node of each iterator
}

// A relation makes outer and inner out of parent (split), or parent out of
// outer and inner (fuse), or parent out of nothing (unit).
type relation struct {
	kind                 relKind
	parent, outer, inner int
	length               int64 // of a split: the extent of inner, or of outer if nparts
	nparts               bool
}

type relKind uint8

const (
	splitRel relKind = iota
	fuseRel
	unitRel // a loop of one iteration
)

func newLoopTree(axes int) loopTree {
	t := loopTree{nodes: axes}
	if axes > 0 {
		t.leaves = make([]int, axes)
		for i := range t.leaves {
			t.leaves[i] = i
		}
	}
	return t
}

// untouched reports whether the loops are the axes in their order.
func (t loopTree) untouched() bool {
	if len(t.rels) > 0 {
		return false
	}
	for i, n := range t.leaves {
		if i != n {
			return false
		}
	}
	return true
}

// split replaces leaf i by len(lengths)+1 leaves.
func (t loopTree) split(i int, lengths []int64, innerToOuter bool) loopTree {
	n := len(lengths)
	pieces := make([]int, n+1)
	rels := append(make([]relation, 0, len(t.rels)+n), t.rels...)
	rest, next := t.leaves[i], t.nodes
	for k := range n {
		r := relation{kind: splitRel, parent: rest, outer: next, inner: next + 1}
		if innerToOuter {
			r.length = lengths[n-1-k]
			pieces[n-k], rest = r.inner, r.outer
		} else {
			r.length, r.nparts = lengths[k], true
			pieces[k], rest = r.outer, r.inner
		}
		rels = append(rels, r)
		next += 2
	}
	if innerToOuter {
		pieces[0] = rest
	} else {
		pieces[n] = rest
	}
	return loopTree{nodes: next, rels: rels, leaves: slices.Concat(t.leaves[:i], pieces, t.leaves[i+1:])}
}

// fuse replaces leaves i..j by one.
func (t loopTree) fuse(i, j int) loopTree {
	rels := append(make([]relation, 0, len(t.rels)+j-i), t.rels...)
	fused, next := t.leaves[i], t.nodes
	for _, inner := range t.leaves[i+1 : j+1] {
		rels = append(rels, relation{kind: fuseRel, parent: next, outer: fused, inner: inner})
		fused = next
		next++
	}
	return loopTree{nodes: next, rels: rels, leaves: slices.Concat(t.leaves[:i], []int{fused}, t.leaves[j+1:])}
}

// unit puts a loop of one iteration in front.
func (t loopTree) unit() loopTree {
	rels := append(slices.Clip(t.rels), relation{kind: unitRel, parent: t.nodes})
	return loopTree{nodes: t.nodes + 1, rels: rels, leaves: slices.Concat([]int{t.nodes}, t.leaves)}
}

// reorder puts leaf order[k] at position k.
func (t loopTree) reorder(order []int) loopTree {
	leaves := make([]int, len(order))
	for k, old := range order {
		leaves[k] = t.leaves[old]
	}
	t.leaves = leaves
	return t
}
