package touch

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/nest"
)

// Columns is how many numbers Tree has of a loop: its length, 11 flags, the product of the lengths from the outermost
// on, count and reuse of up to 5 buffers, and the limit of unrolling.
const Columns = 24

// buffers is how many buffers of a loop Tree tells of.
const buffers = 5

// Tree returns the loops of a program in order of entry, for a network on its tree: the loop around each, -1 if there
// is none, and Columns numbers of each. The loops are those of Rows, and so are the numbers; all but flags are
// log2(x+1).
// It is of any numbers, for lengths that carry derivatives. Where statements in a loop access one buffer, the first
// counts.
func Tree[N feature.Number[N]](p *nest.Program[N]) (up []int32, x []N) {
	var zero N
	log := func(v N) N { return v.Plus(zero.Const(1)).Log2() }
	up, x = slices.Repeat([]int32{-1}, len(p.Loops)), slices.Repeat([]N{zero.Const(0)}, len(p.Loops)*Columns)
	touched := make([][]touches[N], len(p.Loops))
	for i := range p.Nests {
		n := &p.Nests[i]
		for k, l := range n.Loops[min(1, len(n.Loops)):] {
			up[l] = int32(n.Loops[k])
		}
		if k := len(n.Loops) - 1; k >= 0 {
			x[n.Loops[k]*Columns+Columns-1] = log(zero.Const(float64(max(n.Unroll, 0))))
		}
		for _, a := range n.Accesses {
			t := touches[N]{a.Buffer, zero.Const(1), zero.Const(1)}
			for _, l := range slices.Backward(n.Loops) {
				if moves(p, a.At, l) {
					t.count = t.count.Times(p.Loops[l].Extent)
				} else {
					t.reuse = t.reuse.Times(p.Loops[l].Extent)
				}
				if !slices.ContainsFunc(touched[l], func(u touches[N]) bool { return u.buffer == a.Buffer }) {
					touched[l] = append(touched[l], t)
				}
			}
		}
	}
	down := make([]N, len(p.Loops))
	for l, loop := range p.Loops {
		row := x[l*Columns:][:Columns]
		down[l] = loop.Extent
		if up[l] >= 0 {
			down[l] = down[l].Times(down[up[l]])
		}
		row[0], row[1+len(annotations)] = log(loop.Extent), log(down[l])
		if k := slices.Index(annotations, loop.Ann); k >= 0 {
			row[1+k] = zero.Const(1)
		}
		slices.SortStableFunc(touched[l], func(t, u touches[N]) int {
			return cmp.Compare(p.Buffers[t.buffer].Name, p.Buffers[u.buffer].Name)
		})
		for k, t := range touched[l][:min(buffers, len(touched[l]))] {
			row[13+2*k], row[14+2*k] = log(t.count), log(t.reuse)
		}
	}
	return up, x
}

// A touches is what a run of a loop touches of a buffer.
type touches[N any] struct {
	buffer       int
	count, reuse N
}

// moves reports whether a loop's variable is in an index. Of a fused loop only parts count that have more than one
// value at the lengths that there are.
func moves[N feature.Number[N]](p *nest.Program[N], at [][]nest.Index[N], loop int) bool {
	var has func(i nest.Index[N]) bool
	has = func(i nest.Index[N]) bool {
		return slices.ContainsFunc(i.Terms, func(t nest.Term[N]) bool {
			if t.Of != nil {
				return has(*t.Of)
			}
			part := t.Divided || t.Reduced
			single := part && t.Bounded && t.Most.Value() < 0.5 && p.Loops[loop].Extent.Value() > 1.5
			return t.Loop == loop && !single
		})
	}
	return slices.ContainsFunc(at, func(index []nest.Index[N]) bool { return slices.ContainsFunc(index, has) })
}
