package schedule

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/wmtune/wmtune/tir"
)

func (s Split) apply(b *builder) error {
	return b.split(s.At, s.Iter, s.Lengths, s.InnerToOuter)
}

// split does the work of the three splitting steps.
func (b *builder) split(stage, iter int, lengths []int64, innerToOuter bool) error {
	_, it, err := b.iterator(stage, iter)
	if err != nil {
		return err
	}
	for _, l := range lengths {
		if l < 0 || l > math.MaxInt32 {
			return fmt.Errorf("length %d of iterator %s is out of range", l, it.Name)
		}
	}
	st := b.stage(stage)
	st.Iters = slices.Concat(st.Iters[:iter], splitPieces(it, lengths, innerToOuter), st.Iters[iter+1:])
	st.loops = st.loops.split(iter, lengths, innerToOuter)
	if len(lengths) > 0 && b.s.Attach.hasInside(stage) {
		b.attach().mapIters(stage, func(k int) int {
			if k >= iter {
				return k + len(lengths)
			}
			return k
		})
	}
	return nil
}

// splitPieces returns the iterators that it becomes, outermost first. The
// lengths are taken away one after the other, from inside with innerToOuter,
// and the first of them keeps the minimum; once one is open, extents are
// unknown.
func splitPieces(it *Iterator, lengths []int64, innerToOuter bool) []*Iterator {
	n := len(lengths)
	list := make([]Iterator, n+1)
	rest, lo := it.Extent, it.Min
	for k := range n {
		pos := k
		if innerToOuter {
			pos = n - k
		}
		l := lengths[k]
		if innerToOuter {
			l = lengths[n-1-k]
		}
		p := Iterator{Extent: Unknown}
		if l != OpenLength && rest != Unknown {
			p.Min, p.Extent = lo, l
			lo, rest = tir.Expr(nil), (rest+l-1)/l
		} else {
			lo, rest = nil, Unknown
		}
		list[pos] = p
	}
	pos := n
	if innerToOuter {
		pos = 0
	}
	list[pos] = Iterator{Min: lo, Extent: rest}
	out := make([]*Iterator, n+1)
	for k := range list {
		list[k].Name = it.Name + "." + strconv.Itoa(k)
		list[k].Kind = it.Kind
		out[k] = &list[k]
	}
	return out
}
