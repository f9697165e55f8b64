package ranker

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TilingColumns is the number of tiling features.
const TilingColumns = 62

// A shape is how multi-level tiling works on a kind of target: how many lengths a
// split of a spatial and of a reduce axis has, and which levels are in a register
// tile.
type shape struct {
	spatial, reduce int
	register        []int
}

var (
	cpuShape = shape{spatial: 3, reduce: 1, register: []int{2, 3}}
	gpuShape = shape{spatial: 4, reduce: 2, register: []int{1, 3, 4}}
)

const (
	warp            = 32 // lanes, where the target does not say
	multiprocessors = 64 // of a GPU, where its architecture does not say; an order of magnitude
)

// Tiling returns the tiling features of a state, TilingColumns numbers: what a
// light replay knows of tile sizes, threads, waste and footprints. Sizes are
// logarithms to base 2. The main stage is the one with most splits of all
// levels; level 0 is the outermost.
//
//	 0  by level, sums over its spatial axes (5) and its reduce axes (3)
//	 8  splits that do not divide: of spatial axes, of reduce axes, others
//	11  levels of the last spatial axis (5)
//	16  blocks, threads, virtual threads (the most of a stage), vector (sum), parallel (most)
//	21  threads mod warp; how full warps, waves of blocks and waves of cores are; their numbers
//	27  the first four vector lengths
//	31  register tile, reduction of a block tile, and what they multiply to with threads
//	37  block tile and register tile of up to four axes
//	45  footprints of a block tile and its intensity
//	50  register tile of the last axis, of the others, and its intensity
//	53  of the first three other splits: extent, last length, what is left for a thread
//
// It is an error if bounds cannot be inferred.
func Tiling(s *schedule.State, t target.Target) ([]float32, error) {
	bound, err := s.InferBound()
	if err != nil {
		return nil, fmt.Errorf("ranker: %w", err)
	}
	return tilingRow(s.Steps, bound, t), nil
}

// tilingRow returns the tiling features of steps after which bounds were inferred.
func tilingRow(steps []schedule.Step, bound *schedule.State, t target.Target) []float32 {
	l := loopsOf(bound)
	form := cpuShape
	if t.Kind == target.CUDA || l.gpu {
		form = gpuShape
	}
	f := tilingOf(splitsOf(steps), form.spatial, form.reduce)
	spatial, reduce := levelSums(f.spatial, 5), levelSums(f.reduce, 3)
	row := append(spatial, reduce...)
	row = append(row, uneven(f.spatial), uneven(f.reduce), uneven(f.other))
	end := last(f.spatial)
	row = append(row, padded(end.levels, 5)...)
	row = append(row, l.blocks, l.threads, l.vthreads, l.vector, l.parallel)
	row = append(row, l.waste(t)...)
	row = append(row, padded(l.vectors, 4)...)

	inner, redin := 0.0, reduce[1]+reduce[2]
	for _, k := range form.register {
		inner += spatial[k]
	}
	row = append(row, inner, redin, inner+redin, l.threads+inner, l.threads+inner+redin, l.unroll-(inner+redin))
	row = append(row, tiles(f.spatial, form)...)
	all := 0.0
	for _, s := range f.spatial {
		all += s.inner()
	}
	one := end.inner()
	others := addLog2(all-one+redin, one+redin)
	row = append(row, all-one+redin, one+redin, all, others, all+redin-others)
	lastReg := end.sum(form.register...)
	rest := inner - lastReg
	row = append(row, lastReg, rest, inner-addLog2(lastReg, rest))
	row = append(row, fetches(f.other, l.threads)...)
	if len(row) != TilingColumns {
		panic(fmt.Sprintf("BUG: ranker: %d tiling features", len(row)))
	}
	out := make([]float32, len(row))
	for i, v := range row {
		out[i] = float32(v)
	}
	return out
}

// tiles returns the block tiles and the register tiles of the first four axes.
func tiles(spatial []split, form shape) []float64 {
	var block, register []float64
	for _, s := range spatial {
		block = append(block, s.inner())
		register = append(register, s.sum(form.register...))
	}
	return append(padded(block, 4), padded(register, 4)...)
}

// fetches describes the first three splits that are not of the main stage: those
// of stages that fetch what it reads.
func fetches(other []split, threads float64) []float64 {
	var out []float64
	for _, s := range other[:min(3, len(other))] {
		length := s.levels[len(s.levels)-1]
		out = append(out, s.extent, length, s.extent-length-threads)
	}
	return padded(out, 9)
}

// addLog2 returns log2(2^a + 2^b).
func addLog2(a, b float64) float64 { return math.Log2(math.Exp2(a) + math.Exp2(b)) }

// A split is a Split step as tile sizes.
type split struct {
	stage   int       // of the state after all steps
	extent  float64   // log2
	levels  []float64 // log2 of the loops, outermost first
	divides bool
}

// sum returns the sum of some levels.
func (s *split) sum(levels ...int) float64 {
	sum := 0.0
	for _, k := range levels {
		if k < len(s.levels) {
			sum += s.levels[k]
		}
	}
	return sum
}

// inner returns the sum of all levels but the outermost.
func (s *split) inner() float64 {
	sum := 0.0
	for _, v := range s.levels[1:] {
		sum += v
	}
	return sum
}

// splitsOf returns the Split steps of a state. A step names its stage by the
// number at that time; later steps insert stages before it.
func splitsOf(steps []schedule.Step) []split {
	var list []split
	for _, step := range steps {
		at, n := schedule.Adds(step)
		for i := range list {
			if list[i].stage >= at {
				list[i].stage += n
			}
		}
		if s, ok := step.(schedule.Split); ok {
			list = append(list, splitOf(s))
		}
	}
	return list
}

func splitOf(s schedule.Split) split {
	out := split{stage: s.At, extent: float64(log2(s.Extent)), levels: []float64{float64(log2(outerExtent(s)))}}
	left := s.Extent // of which the lengths so far take a part, without a rest
	out.divides = true
	for _, n := range s.Lengths {
		out.levels = append(out.levels, float64(log2(n)))
		out.divides = out.divides && left%max(n, 1) == 0
		left /= max(n, 1)
	}
	if !s.InnerToOuter { // the lengths are those of the outer loops
		out.levels = append(out.levels[1:], out.levels[0])
	}
	return out
}

// A tiling is the splits of a state by what they split.
type tiling struct {
	spatial, reduce []split // of the main stage: the one with most splits of all levels
	other           []split
}

// tilingOf sorts splits. Those of all levels have so many lengths for spatial axes
// and so many for reduce axes.
func tilingOf(list []split, spatial, reduce int) tiling {
	full := func(s split) bool { return len(s.levels) == 1+spatial }
	count := map[int]int{}
	main, most := -1, 0
	for _, s := range list {
		if !full(s) {
			continue
		}
		if count[s.stage]++; count[s.stage] > most {
			main, most = s.stage, count[s.stage]
		}
	}
	var t tiling
	for _, s := range list {
		switch {
		case s.stage == main && full(s):
			t.spatial = append(t.spatial, s)
		case s.stage == main && len(s.levels) == 1+reduce:
			t.reduce = append(t.reduce, s)
		default:
			t.other = append(t.other, s)
		}
	}
	return t
}

// uneven returns how many splits do not divide their extent.
func uneven(list []split) float64 {
	n := 0
	for _, s := range list {
		if !s.divides {
			n++
		}
	}
	return float64(n)
}

// last returns the last split, or an empty one.
func last(list []split) split {
	if len(list) == 0 {
		return split{levels: []float64{0}}
	}
	return list[len(list)-1]
}

// levelSums returns, for each of n levels, the sum over splits.
func levelSums(list []split, n int) []float64 {
	sums := make([]float64, n)
	for _, s := range list {
		for k := range min(n, len(s.levels)) {
			sums[k] += s.levels[k]
		}
	}
	return sums
}

// padded returns the first n values, zeros behind them if there are fewer.
func padded(v []float64, n int) []float64 {
	return append(slices.Clone(v), make([]float64, n)...)[:n]
}

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
func (l *loops) waste(t target.Target) []float64 {
	h := t.Hardware
	lanes := float64(warp)
	if h.WarpSize > 0 {
		lanes = float64(h.WarpSize)
	}
	units, cores := multiprocessorsOf(t), float64(max(h.Cores, 1))
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

// multiprocessorsOf returns how many a GPU has.
func multiprocessorsOf(t target.Target) float64 {
	if n := t.Multiprocessors(); n > 0 {
		return float64(n)
	}
	return multiprocessors
}
