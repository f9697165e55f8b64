package llvm

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// interleaved writes a loop in a vector that stores to a group of neighbours of each lane, as a copy in the layout of
// an instruction does: one vector for each step, interleaved by shuffles, where each lane of each step would be stored
// alone. It reports false if the loop does something else, and if some lanes do not count.
//
//	vectorize j in 16:
//	  unroll g in 4:                   =>    B_packed[k, 0...15, 0...3] = interleave B[4*k, ...], B[4*k + 1, ...], ...
//	    B_packed[k, j, g] = B[4*k + g, j]
func (f *function) interleaved(s *tir.For, steps int64) bool {
	if f.lane == nil || f.lane.partial() || len(f.guards) > 0 || steps != 2 && steps != 4 {
		return false
	}
	body := s.Body
	for {
		b, ok := body.(*tir.Block)
		if !ok {
			break
		}
		body = b.Body
	}
	st, ok := body.(*tir.Store)
	if !ok || tir.ReadsBuffer(st.Value, st.Buffer) || st.Buffer.Type == tir.Bool {
		return false
	}
	f.vars[s.Var] = arith.Constant(0)
	off := f.place(st.Buffer, st.Index).off
	lanes, first := f.split(off)
	if len(lanes.Terms) != 1 || lanes.Terms[0].Atom != f.lane.atom || lanes.Terms[0].Factor != steps {
		return false
	}
	f.vars[s.Var] = arith.Constant(1)
	if next := f.place(st.Buffer, st.Index).off.Minus(off); !next.IsConst() || next.Const != 1 {
		return false
	}
	list := make([]string, steps)
	for i := range list {
		f.vars[s.Var] = arith.Constant(int64(i))
		list[i] = f.narrow(f.spread(f.expr(st.Value), f.lane.n))
	}
	n, typ := f.lane.n, memoryType(st.Buffer.Type)
	if steps == 4 { // steps 0 and 2, then 1 and 3, so that the last shuffle puts them in order
		list = []string{f.zip(typ, n, list[0], list[2]), f.zip(typ, n, list[1], list[3])}
		n *= 2
	}
	f.settleBuffer(st.Buffer)
	f.line("store %s %s, ptr %s, align %d", vectorType(typ, 2*n), f.zip(typ, n, list[0], list[1]),
		f.address(st.Buffer, first), alignmentAt(st.Buffer, first))
	return true
}

// zip returns the elements of x and y in turns.
func (f *function) zip(typ string, n int64, x, y string) string {
	var order []int64
	for i := range n {
		order = append(order, i, n+i)
	}
	return f.shuffle(vectorType(typ, n), x, y, order)
}
