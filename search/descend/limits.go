package descend

import (
	"math"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tape"
	"github.com/wmtune/wmtune/tir/target"
)

// limits are what lengths must keep: their product is at most what is split, and on a GPU a block has so many
// threads and so much memory. Each is the logarithm of a quotient that must not be above 0.
type limits struct {
	vars    []schedule.Length
	tape    *tape.Tape
	over    []tape.Real
	weights []float64
	by      []float64
}

func newLimits(t target.Target, s *schedule.State, vars []schedule.Length, free func(step int) bool) (*limits, error) {
	l := &limits{vars: vars, tape: &tape.Tape{Sharpness: 1}, by: make([]float64, len(vars))}
	if t.Kind != target.CUDA {
		return l, nil
	}
	r, err := s.Relax(l.tape, free)
	if err != nil {
		return nil, err
	}
	h := t.Hardware
	var kernels []int
	shared, local := map[int]tape.Real{}, map[int]tape.Real{}
	for i, n := range r.Nests {
		if n == nil {
			continue
		}
		root := i
		for at, ok := s.Attach.At(root); ok; at, ok = s.Attach.At(root) {
			root = at.Stage
		}
		if root == i {
			kernels = append(kernels, i)
		}
		one := tape.Real{}.Const(1)
		threads, virtual, size := one, one, one
		for k, e := range n.Loops {
			switch ann := r.State.Stages[i].Iters[k].Ann; {
			case ann == schedule.VThread:
				virtual = virtual.Times(e)
			case ann.IsThread() && !ann.IsBlock():
				threads = threads.Times(e)
			}
		}
		l.keep(threads, float64(h.MaxThreads))
		l.keep(virtual, float64(h.MaxVthread))
		op := r.State.Stages[i].Op
		for d := range op.Axes {
			size = size.Times(n.Region[d])
		}
		size = size.Times(one.Const(float64(op.Results[0].Type.Bytes())))
		switch op.Results[0].Scope {
		case tir.Shared:
			shared[root] = shared[root].Plus(size)
		case tir.Local:
			local[root] = local[root].Plus(size)
		}
	}
	for _, k := range kernels {
		l.keep(shared[k], float64(h.SharedBytes))
		l.keep(local[k], 4*(target.RegistersPerThread-spareRegisters))
	}
	return l, nil
}

// spareRegisters hold what is not a thread's own memory, as package annotate has it.
const spareRegisters = 32

// keep has a number be at most most.
func (l *limits) keep(x tape.Real, most float64) {
	if !x.IsConst() {
		l.over = append(l.over, x.Over(x.Const(most)).Log2())
	}
}

// value returns the sum of the squares of what is over limits, and sets its derivatives.
func (l *limits) value(y, by []float64) float64 {
	l.tape.Run(y)
	l.weights = l.weights[:0]
	sum := 0.0
	for _, x := range l.over {
		g := max(x.At(), 0) * math.Ln2
		sum += g * g
		l.weights = append(l.weights, 2*g*math.Ln2)
	}
	clear(by)
	if len(l.over) > 0 {
		l.tape.Slopes(l.over, l.weights, by)
	}
	for from := 0; from < len(l.vars); {
		end, inside := from, 0.0
		for ; end < len(l.vars) && l.vars[end].Step == l.vars[from].Step; end++ {
			inside += y[end]
		}
		if g := inside - math.Log(float64(l.vars[from].Extent)); g > 1e-9 {
			sum += g * g
			for k := from; k < end; k++ {
				by[k] += 2 * g
			}
		}
		from = end
	}
	return sum
}
