package compile

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// The model of what a parallel loop costs, in nanoseconds. BenchmarkParallel of codegen/model measures it: on two cores
// of an EPYC (Zen 3), a loop that takes 1.2 us on one thread takes 0.8 to 1.4 on two, and one of 4.8 takes 2.5 to 3.2.
const (
	handOver = 500 // until another core has begun its part, and has said that it is done
	cycle    = 0.3 // of a processor
	perByte  = 1.0 / 30
)

// serialLoops has one thread run the parallel loops of f that several would not shorten: they are so short that handing
// parts out and waiting takes longer than what the other threads save, or have one iteration. Loops whose length is not
// known stay parallel.
func serialLoops(f *tir.Func, t target.Target) *tir.Func {
	g := *f
	g.Body = serial(f.Body, int64(t.Hardware.Cores))
	return &g
}

// serial maps the outermost parallel loops of s.
func serial(s tir.Stmt, threads int64) tir.Stmt {
	loop, ok := s.(*tir.For)
	if !ok || loop.Kind != tir.Parallel {
		return tir.MapChildren(s, func(t tir.Stmt) tir.Stmt { return serial(t, threads) })
	}
	n, ok := loop.Extent.(*tir.IntImm)
	if !ok {
		return s
	}
	alone, ok := loopTime(loop)
	if longest := float64((n.Value + threads - 1) / threads); !ok || alone*(1-longest/float64(n.Value)) > handOver {
		return s
	}
	one := *loop
	one.Kind = tir.Serial
	return &one
}

// loopTime estimates what a loop takes on one core, in nanoseconds: the time of its instructions, or that of moving
// what it reads and writes of the parameters, whichever is more. It is false if a loop in it has no constant length.
func loopTime(loop *tir.For) (ns float64, ok bool) {
	w := work{bytes: map[*tir.Buffer]float64{}, known: true}
	w.stmt(loop, 1, 1)
	bytes := 0.0
	for b, n := range w.bytes {
		bytes += min(n, float64(b.Bytes()))
	}
	return max(w.cycles*cycle, bytes*perByte), w.known
}

// A work is what a statement does.
type work struct {
	cycles float64
	bytes  map[*tir.Buffer]float64 // read or written, as often as that happens
	known  bool
}

// stmt adds what s does in so many iterations, of which so many lanes are one instruction.
func (w *work) stmt(s tir.Stmt, times, lanes float64) {
	switch s := s.(type) {
	case *tir.For:
		n, ok := s.Extent.(*tir.IntImm)
		if !ok {
			w.known = false
			return
		}
		if s.Kind == tir.Vectorized {
			lanes = min(float64(n.Value), vectorLanes)
		}
		if s.Kind == tir.Tensorized && s.Instruction != nil { // all steps at once
			times /= float64(n.Value)
		}
		w.stmt(s.Body, times*float64(n.Value), lanes)
	case *tir.Store:
		w.cycles += (0.5*inMemory(s.Buffer) + instructions(s.Value)) * times / lanes
		w.move(s.Buffer, times)
		for l := range tir.ExprsIn[*tir.Load](s.Value) {
			w.move(l.Buffer, times)
		}
	case *tir.If:
		w.stmt(s.Then, times, lanes)
		if s.Else != nil {
			w.stmt(s.Else, times, lanes)
		}
	default:
		tir.MapChildren(s, func(t tir.Stmt) tir.Stmt { w.stmt(t, times, lanes); return t })
	}
}

func (w *work) move(b *tir.Buffer, times float64) {
	w.bytes[b] += times * inMemory(b) * float64(b.Type.Bytes())
}

// inMemory is 1 for a buffer in memory and 0 for one of a thread's own, which is in registers or near.
func inMemory(b *tir.Buffer) float64 {
	if b.Scope == "" || b.Scope == tir.Global {
		return 1
	}
	return 0
}

// vectorLanes is how many lanes an instruction is taken to have: the estimate is for no processor in particular.
const vectorLanes = 8

// instructions is about how many cycles an element takes. Indices and conditions count nothing: most are the same for
// all lanes, and known before the loop.
func instructions(e tir.Expr) float64 {
	n := 0.0
	tir.VisitExpr(e, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Load:
			n += 0.25 * inMemory(e.Buffer)
			return false
		case *tir.Binary:
			if n += 0.25; e.Op == tir.Div || e.Op == tir.FloorDiv || e.Op == tir.FloorMod {
				n += 4
			}
		case *tir.Call:
			n += 6
		case *tir.Select:
			n += 0.5 + instructions(e.Then) + instructions(e.Else)
			return false
		case *tir.Cast:
			n += 0.5
		}
		return true
	})
	return n
}
