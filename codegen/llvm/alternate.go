package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// alternate reads every second element, as a window of stride 2 does along a row:
//
//	x[i + lane*2]   =>   a = x[i ... i+15], b = x[i+15 ... i+30], each as a vector
//	                     elements 0, 2, 4, ... of a, then 1, 3, 5, ... of b
//
// The second vector begins where the first one ends, so that nothing behind the last element is read. It reports false
// for another distance, or if the vectors may leave the buffer.
func (f *function) alternate(b *tir.Buffer, p place) (value, bool) {
	v, u := f.split(p.off)
	n := f.lane.n
	if n < 4 || len(v.Terms) != 1 || v.Terms[0].Atom != f.lane.atom || v.Terms[0].Factor != 2 {
		return value{}, false
	}
	if in, _ := f.bounds(u); !in.Within(arith.Between(0, b.Extent()-2*n+1)) {
		return value{}, false
	}
	typ := vectorType(memoryType(b.Type), n)
	half := func(at arith.Linear) string {
		return f.read(b, fmt.Sprintf("load %s%s, ptr %s, align %d", f.onStack(b, at), typ, f.address(b, at),
			alignmentAt(b, at)))
	}
	order := make([]int64, n)
	for l := range n {
		if order[l] = 2 * l; 2*l >= n {
			order[l]++
		}
	}
	return f.widen(b.Type, f.shuffle(typ, half(u), half(u.AddConst(n-1)), order), n), true
}
