package ranker

import (
	"math"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A cost is what a nest would take on a simple machine, in cycles of one core: two
// vector operations and two loads a cycle, and so many bytes a cycle from each
// level of the memory. The figures are of the right order, and no more: features
// are their ratios, and what they are worth is learned.
type cost struct {
	nest.Tile
	runs    float64 // of the statement
	vectors float64 // operations of vectors, as many lanes as work
	compute float64 // cycles
	loads   float64
	memory  [3]float64 // beyond each level of cache
	bytes   [3]float64 // from beyond each level of cache
	least   float64    // bytes, if each cache line came once
	spill   float64    // registers that the tile needs beyond those that there are

	tasks    float64 // iterations of the parallel loop; 1 if there is none
	launches float64 // how often it is started; 0 if there is none
	share    float64 // of the cores that work on average
	cycles   float64 // in all, on all cores
	unrolled float64 // operations that the pragma allows for each of the tile
	inner    float64 // bytes that the two innermost loops touch
}

const (
	latency  = 8    // accumulators that hide the latency of additions
	callCost = 12   // operations of a function such as exp
	wake     = 2000 // cycles to start a parallel loop
)

// bandwidths are bytes a cycle from beyond each level of cache.
var bandwidths = [3]float64{32, 12, 5}

func costOf(n *nest.Nest, m machine) cost {
	c := cost{Tile: n.Tile(m.vector), runs: n.Runs(len(n.Loops))}
	width := max(m.vector/n.Accesses[0].Bytes, 1)
	c.vectors = c.runs / (c.Use * width)
	operations := max(n.Ops/2, 0.5) + callCost*n.Calls + n.Selects/2
	c.compute = c.vectors * operations / 2
	if n.Op.Combine != nil {
		c.compute *= max(1, latency/c.Tile.Vectors)
	}
	c.spill = max(0, c.Tile.Vectors+3-m.registers)
	steps := c.vectors / c.Tile.Vectors
	c.loads = steps * (c.Reads + c.Spread + 2*c.Tile.Vectors/c.Steps + 2*min(c.spill, c.Tile.Vectors)) / 2
	feet := n.Footprints(m.line)
	for k, size := range m.cache {
		c.bytes[k], c.least = n.Traffic(feet, size)
		c.memory[k] = c.bytes[k] / bandwidths[k]
	}
	for _, f := range feet[max(len(n.Loops)-2, 0)] {
		c.inner += f
	}
	c.parallel(n, m)
	c.cycles = (max(c.compute, c.loads)+c.memory[0]+c.memory[1]+c.memory[2])/(c.share*m.cores) + c.launches*wake
	c.unrolled = float64(n.Unroll) / c.Tile.Vectors
	return c
}

// parallel finds the outermost parallel loop.
func (c *cost) parallel(n *nest.Nest, m machine) {
	c.tasks, c.share = 1, 1/m.cores
	for k, l := range n.Loops {
		if l.Ann == schedule.Parallel {
			c.tasks, c.launches = float64(l.Extent), n.Runs(k)
			c.share = c.tasks / (math.Ceil(c.tasks/m.cores) * m.cores)
			return
		}
	}
}
