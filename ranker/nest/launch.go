package nest

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Launch is what one kernel of a GPU program runs: a stage that is computed in no other one, and what is computed
// in it.
type Launch struct {
	Root   *Summary
	Nests  []*Summary // Root among them, in the order of the stages from the last
	Blocks float64
	// Of a block. Copies for it are made by all threads together.
	Threads, VThreads float64
	Shared            float64 // bytes of its copies
	Local             float64 // elements that one thread keeps, for all of its virtual threads
}

// Launches returns the launches of a program, that of the last stage first. Nests are those of the same bounds.
func Launches(b *schedule.Bounds, nests []*Summary) []*Launch {
	of := map[int]*Launch{}
	var list []*Launch
	for _, n := range slices.Backward(nests) {
		root := n.Stage
		for at, ok := b.State.Attach.At(root); ok; at, ok = b.State.Attach.At(root) {
			root = at.Stage
		}
		l := of[root]
		if l == nil {
			l = &Launch{Root: n, Blocks: 1, Threads: 1, VThreads: 1}
			of[root] = l
			list = append(list, l)
		}
		l.Nests = append(l.Nests, n)
		n.onGPU(b)
		l.Blocks = max(l.Blocks, product(n.Loops, schedule.Annotation.IsBlock))
		l.VThreads = max(l.VThreads, product(n.Loops, isVirtual))
		l.Threads = max(l.Threads, product(n.Loops[:n.Own], isThread), product(n.Loops[n.Own:], isThread))
		if n == l.Root {
			continue
		}
		n.Region = 1
		for _, extent := range b.Region(n.Stage)[:len(n.Op.Axes)] {
			n.Region *= float64(extent)
		}
		if n.Memory == tir.Shared {
			l.Shared += n.Region * float64(n.Op.Results[0].Type.Bytes())
		} else {
			l.Local += n.Region * product(n.Loops[:n.Own], isVirtual)
		}
	}
	return list
}

// onGPU says of accesses what is so on a GPU: nothing is packed, and a copy for a block has the size of its region.
func (n *Summary) onGPU(b *schedule.Bounds) {
	for i := range n.Accesses {
		a := &n.Accesses[i]
		if a.Packed = false; a.Memory == tir.Shared {
			for d, extent := range b.Region(a.From)[:len(a.dims)] {
				a.dims[d].shape = float64(extent)
			}
		}
	}
}

func isVirtual(a schedule.Annotation) bool { return a == schedule.VThread }
func isThread(a schedule.Annotation) bool {
	return a.IsThread() && !a.IsBlock() && !isVirtual(a)
}

// inThread reports whether a thread carries out a loop by itself, as all iterations of a virtual thread.
func inThread(a schedule.Annotation) bool { return !a.IsThread() || isVirtual(a) }

// product multiplies the extents of the loops of some kind.
func product(loops []Loop[int64], is func(schedule.Annotation) bool) float64 {
	p := 1.0
	for _, l := range loops {
		if is(l.Ann) {
			p *= float64(l.Extent)
		}
	}
	return p
}

// Starts returns how often a thread begins the nest's own loops. What all threads of a block make together does not
// depend on their virtual threads.
func (n *Summary) Starts() float64 {
	p := product(n.Loops[:n.Own], inThread)
	if n.Memory == tir.Shared {
		p /= product(n.Loops[:n.Own], isVirtual)
	}
	return p
}

// PerThread returns how often a thread carries out the statement, each time that it begins the nest's own loops.
func (n *Summary) PerThread() float64 { return product(n.Loops[n.Own:], inThread) }

// InThread multiplies the extents of the loops of a thread from one loop to another, reductions or not.
func (n *Summary) InThread(from, to int, reductions bool) float64 {
	p := 1.0
	for _, l := range n.Loops[min(from, to):to] {
		if inThread(l.Ann) && (reductions || !l.Reduce) {
			p *= float64(l.Extent)
		}
	}
	return p
}

// InnerTile and OuterTile return the first loop behind the innermost and behind the outermost own loop that
// reduces, and behind all loops over threads; the number of loops if none reduces.
func (n *Summary) InnerTile() int { return n.tile(len(n.Loops)-1, -1) }

// OuterTile is explained with InnerTile.
func (n *Summary) OuterTile() int { return n.tile(n.Own, 1) }

func (n *Summary) tile(from, step int) int {
	for k := from; k >= n.Own && k < len(n.Loops); k += step {
		if n.Loops[k].Reduce && n.Loops[k].Extent > 1 {
			return max(k, n.threadLoop()) + 1
		}
	}
	return len(n.Loops)
}

// Elements returns how many elements of each access the loops from one on touch.
func (n *Summary) Elements(from int) []float64 {
	out := make([]float64, len(n.Accesses))
	for i := range n.Accesses {
		out[i] = n.Accesses[i].Elements(n.counts(from))
	}
	return out
}

// Sectors returns the bytes that a block takes from memory for an access, each time that it begins the nest's own
// loops if all of it makes a copy together, and else in all, in whole sectors of so many bytes.
func (n *Summary) Sectors(a *Operand, sector float64) float64 {
	if n.Memory == tir.Shared {
		return a.Footprint(n.counts(n.Own), sector) * n.Starts()
	}
	k := 0 // behind the blocks, and where the threads begin if there are some
	for i, l := range slices.Backward(n.Loops) {
		if l.Ann.IsBlock() {
			k = max(k, i+1)
		} else if l.Ann.IsThread() {
			k = i
		}
	}
	return a.Footprint(n.counts(k), sector) * product(n.Loops[:k], inThread)
}

// threadLoop returns the innermost loop over threads, -1 if there is none.
func (n *Summary) threadLoop() int {
	for k := len(n.Loops) - 1; k >= 0; k-- {
		if isThread(n.Loops[k].Ann) {
			return k
		}
	}
	return -1
}

// Lanes says how the threads of a warp meet an access.
type Lanes struct {
	Apart float64 // elements between those of neighbours; 0: they share one
	Along float64 // threads in a row that are so far apart
	Row   float64 // elements in a row that one of them takes
}

// LanesOf describes an access as threads that are neighbours meet it.
func (n *Summary) LanesOf(a *Operand) Lanes {
	l := Lanes{Along: 1, Row: 1}
	k := n.threadLoop()
	if k < 0 {
		return l
	}
	axis := n.axisOf(k)
	if axis < 0 {
		return l
	}
	inner, outer := float64(n.counts(k + 1)[axis]), float64(n.counts(k)[axis])
	l.Along, l.Apart = math.Ceil(outer/inner), a.Stride(axis)*inner
	if last := len(n.Loops) - 1; n.Loops[last].Ann == schedule.Vectorize {
		if x := n.axisOf(last); x >= 0 && a.Stride(x) == 1 {
			l.Row = float64(n.Loops[last].Extent)
		}
	}
	return l
}
