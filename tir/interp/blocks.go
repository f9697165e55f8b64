package interp

import (
	"context"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// CheckBlocks looks for what threads of a GPU must not do, whatever they compute: a
// read or a write of what another one wrote, or a write of what another one read,
// with no barrier between; a barrier that some do not come to; an index outside of
// a dimension. It runs the first and the last iteration of each loop around the
// thread loops of f, and of loops with a barrier inside the first two and the last;
// other nests are left out. The error is an *Error, or the context's. The memory that
// it takes follows what these blocks touch, not how large the tensors are.
//
// Values do not matter, and are not looked at: inputs are zero, and so is what is
// not written.
func CheckBlocks(ctx context.Context, f *tir.Func) error {
	part := Part{Only: map[*tir.For][]int64{}, Holes: true}
	part.blocks(f.Body)
	return execute(ctx, f, Options{Races: true}, part, func(i int) *memory { return newMemory(f.Params[i]) })
}

// blocks chooses iterations of the loops outside of thread loops.
func (p *Part) blocks(s tir.Stmt) {
	tir.Visit(s, func(t tir.Stmt) bool {
		l, ok := t.(*tir.For)
		switch {
		case !ok:
			return true
		case l.Kind == tir.ThreadBound && strings.HasPrefix(l.Thread, "threadIdx."):
			p.rounds(l.Body)
			return false
		case !holds(l, func(t tir.Stmt) bool {
			l, ok := t.(*tir.For)
			return ok && l.Kind == tir.ThreadBound && strings.HasPrefix(l.Thread, "threadIdx.")
		}):
			p.Only[l] = []int64{}
			return false
		}
		p.only(l, 0)
		return true
	})
}

// rounds chooses iterations of the loops with barriers.
func (p *Part) rounds(s tir.Stmt) {
	tir.Visit(s, func(t tir.Stmt) bool {
		if l, ok := t.(*tir.For); ok && holds(l, func(t tir.Stmt) bool { _, ok := t.(*tir.Barrier); return ok }) {
			p.only(l, 0, 1)
		}
		return true
	})
}

// only keeps the given iterations of a loop, and the last one.
func (p *Part) only(l *tir.For, list ...int64) {
	if n, ok := l.Extent.(*tir.IntImm); ok && n.Value > int64(len(list)) {
		p.Only[l] = append(slices.Clone(list), n.Value-1)
	}
}

// holds reports whether one of the statements in s is as wanted.
func holds(s tir.Stmt, wanted func(tir.Stmt) bool) bool {
	found := false
	tir.Visit(s, func(t tir.Stmt) bool {
		found = found || wanted(t)
		return !found
	})
	return found
}
