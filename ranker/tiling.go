package ranker

import (
	"fmt"
	"math"

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
	multiprocessors = 64 // of a GPU: targets do not say; an order of magnitude
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
	row = append(row, l.waste(t.Hardware)...)
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
