package interp

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// mma compiles the product of two tiles: a thread computes the 4 elements of the tile that
// are its own. What it reads must have been written before the last barrier, even if by
// itself: on a GPU, other lanes of its warp read it, too.
func (c *compiler) mma(s *tir.MMA) stmtFn {
	e, k := tir.NewVar("e"), tir.NewVar("k")
	elem, depth, lane := c.slot(e), c.slot(k), c.intExpr(s.Lane)
	row, col := tir.MMAPlace(s.Lane, e)
	a, b := c.operand(s.A.At(row, k)), c.operand(s.B.At(k, col))
	own := &tir.Load{Buffer: s.Buffer, Index: append(s.Index[:len(s.Index):len(s.Index)], e)}
	place := c.read(own)
	return func(f *frame) {
		f.at = s
		if f.thread == nil {
			f.fail("mma outside of thread loops")
		}
		if want, got := f.thread.index["threadIdx.x"], lane(f); want != got || got >= tir.WarpLanes {
			f.fail("mma: thread %d along threadIdx.x is said to be lane %d", want, got)
		}
		f.active[elem], f.active[depth] = true, true
		for i := range int64(tir.MMAElems) {
			f.vars[elem] = i
			own := place(f)
			sum := loadFloat(tir.F32, own.p.data, int(own.i))
			for j := range s.Depth() {
				f.vars[depth] = j
				sum = float64(float32(sum + float64(float32(a(f)*b(f)))))
			}
			storeFloat(tir.F32, own.p.data, int(own.i), sum)
		}
		f.active[elem], f.active[depth] = false, false
	}
}

// operand compiles a load of an element of shared memory that any lane of the warp may carry out.
func (c *compiler) operand(l *tir.Load) floatFn {
	read, t := c.read(l), l.Buffer.Type
	return func(f *frame) float64 {
		e := read(f)
		if c.opt.Races {
			known := e.byThreads()
			if known.writerEpoch == f.run.epoch {
				f.fail("race: a warp reads %s, which thread %d wrote with no barrier between", e.m.position(e.at), known.writer)
			}
			known.reader = severalReaders
		}
		v := loadFloat(t, e.p.data, int(e.i))
		if t == tir.F32 {
			return float64(roundTF32(float32(v)))
		}
		return v
	}
}

// roundTF32 rounds to 10 bits of mantissa, halves away from zero: as tensor cores take what
// they multiply.
func roundTF32(v float32) float32 {
	if v != v {
		return v
	}
	const left = 23 - 10 // bits that are not kept
	return math.Float32frombits((math.Float32bits(v) + 1<<(left-1)) &^ (1<<left - 1))
}
