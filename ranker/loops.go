package ranker

import (
	"math"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// loops is what a state's annotated loops add up to, as logarithms to base 2.
type loops struct {
	gpu                       bool
	blocks, threads, vthreads float64 // the most that a stage has
	parallel                  float64
	vector                    float64   // sum over stages
	vectors                   []float64 // one by one
	unroll                    float64   // of 1 + the largest limit
}

// loopsOf looks at a state whose bounds were inferred.
func loopsOf(s *schedule.State) loops {
	var l loops
	for _, st := range s.Stages {
		if st.At == schedule.Inlined {
			continue
		}
		var blocks, threads, vthreads, parallel float64
		for _, it := range st.Iters {
			n := float64(log2(it.Extent))
			switch a := it.Ann; {
			case a == schedule.VThread:
				vthreads += n
			case a.IsBlock():
				blocks += n
			case a.IsThread():
				threads += n
			case a == schedule.Parallel:
				parallel += n
			case a == schedule.Vectorize:
				l.vector += n
				l.vectors = append(l.vectors, n)
			}
			l.gpu = l.gpu || it.Ann.IsThread() || it.Ann.IsBlock()
		}
		l.blocks, l.threads, l.vthreads = max(l.blocks, blocks), max(l.threads, threads), max(l.vthreads, vthreads)
		l.parallel = max(l.parallel, parallel)
		l.unroll = max(l.unroll, float64(log2(1+int64(st.AutoUnroll))))
	}
	return l
}

// waste returns how well numbers of threads, blocks and tasks fill what the
// hardware has: threads beyond full warps, then the share of lanes, of
// multiprocessors and of cores that work on average, and the number of waves of
// blocks and of tasks.
func (l *loops) waste(h target.Hardware) []float64 {
	lanes := float64(warp)
	if h.WarpSize > 0 {
		lanes = float64(h.WarpSize)
	}
	units, cores := float64(multiprocessors), float64(max(h.Cores, 1))
	threads, blocks, tasks := math.Exp2(l.threads), math.Exp2(l.blocks), math.Exp2(l.parallel)
	full := func(n, of float64) (share, waves float64) {
		waves = math.Ceil(math.Round(n) / of)
		return math.Round(n) / (of * waves), waves
	}
	warps, _ := full(threads, lanes)
	wave, waves := full(blocks, units)
	turn, turns := full(tasks, cores)
	return []float64{math.Mod(math.Round(threads), lanes) / lanes, warps, wave, turn, math.Log2(waves), math.Log2(turns)}
}
