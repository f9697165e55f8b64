package ranker

import (
	"cmp"
	"math"
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// described is how many nests have columns of their own: those that cost most.
const described = 3

// LocalityColumns is the number of locality features.
const LocalityColumns = wholeColumns + described*nestColumns

// locality appends the locality features of a state on a CPU.
func locality(row []float32, b *schedule.Bounds, m machine) []float32 {
	nests := nest.Of(b)
	costs := make([]cost, len(nests))
	order := make([]int, len(nests))
	for i, n := range nests {
		costs[i], order[i] = costOf(n, m), i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(costs[y].cycles, costs[x].cycles) })
	row = wholeOf(row, b.State.DAG, nests, costs, m)
	total := 0.0
	for _, c := range costs {
		total += c.cycles
	}
	for k := range described {
		if k < len(order) {
			row = nestOf(row, nests[order[k]], &costs[order[k]], total, m)
		} else {
			row = append(row, make([]float32, nestColumns)...)
		}
	}
	return row
}

var wholeNames = []string{
	"cycles", "cycles/ideal", "compute/ideal", "loads/ideal", "loads/compute",
	"L1/ideal", "L2/ideal", "L3/ideal", "L1.bytes", "L2.bytes", "L3.bytes", "bytes",
	"tensors/L1", "tensors/L2", "tensors/L3", "flops/byte",
	"scalar", "serial", "spread", "spilled", "recomputed", "launches", "launching", "nests",
}

const wholeColumns = 24

// wholeOf describes all nests together, against what the DAG needs at least.
func wholeOf(row []float32, d *compute.DAG, nests []*nest.Summary, costs []cost, m machine) []float32 {
	var sum cost
	var scalar, serial, spread, recomputed, launched, spilled float64
	for i, c := range costs {
		sum.cycles += c.cycles
		sum.compute += c.compute / c.share / m.cores
		sum.loads += c.loads / c.share / m.cores
		sum.vectors += c.vectors
		sum.least += c.least
		for k := range c.memory {
			sum.memory[k] += c.memory[k] / c.share / m.cores
			sum.bytes[k] += c.bytes[k]
		}
		if c.Lanes == 1 {
			scalar += c.cycles
		}
		if c.launches == 0 {
			serial += c.cycles
		}
		if c.Spread > 0 {
			spread += c.cycles
		}
		if c.spill > 0 {
			spilled += c.cycles
		}
		once := 1.0
		for _, a := range nests[i].Op.Axes {
			once *= float64(a.Extent)
		}
		for _, a := range nests[i].Op.ReduceAxes {
			once *= float64(a.Extent)
		}
		recomputed += (c.runs/once - 1) * c.cycles
		launched += c.launches
	}
	flops := max(d.FLOPs(), 1)
	tensors := bytesOf(d)
	ideal := max(flops/(m.vector/4*4), tensors/bandwidths[2]) / m.cores
	all := sum.cycles
	row = add(row,
		log(all), log(all/ideal), log(sum.compute/ideal), log(sum.loads/ideal), log(sum.loads/sum.compute),
		log(sum.memory[0]/ideal), log(sum.memory[1]/ideal), log(sum.memory[2]/ideal),
		log(sum.bytes[0]/tensors), log(sum.bytes[1]/tensors), log(sum.bytes[2]/tensors), log(sum.least/tensors),
		log(tensors/m.cache[0]), log(tensors/m.cache[1]), log(tensors/m.cache[2]), log(flops/tensors),
		scalar/all, serial/all, spread/all, spilled/all, math.Log2(1+max(0, recomputed/all)), math.Log2(1+launched),
		launched*wake/all, float64(len(nests)),
	)
	return row
}

var nestNames = []string{
	"share", "runs", "reduces", "ops", "calls", "selects", "accesses",
	"lanes/width", "lanes", "innermost", "last",
	"vectors", "vectors/registers", "spill", "steps",
	"reads", "reads/vector", "same", "spread", "stride",
	"loads/compute", "L1/body", "L2/body", "L3/body",
	"L1.again", "L2.again", "L3.again", "bytes/L1", "inner/L1",
	"tasks", "cores", "launches", "task.cycles",
	"around", "unroll", "tiles",
}

const nestColumns = 36

// nestOf describes one nest.
func nestOf(row []float32, n *nest.Summary, c *cost, total float64, m machine) []float32 {
	width := max(m.vector/n.Accesses[0].Bytes, 1)
	perTask := c.cycles / math.Ceil(c.tasks/m.cores)
	reduce := 0.0
	if n.Op.Combine != nil {
		reduce = 1
	}
	around := 1.0 // iterations of the loops that the stage is computed in, parallel ones too
	for _, l := range n.Loops[:n.Own] {
		around *= float64(l.Extent)
	}
	innermost := 1.0
	if len(n.Loops) > n.Own {
		innermost = float64(n.Loops[len(n.Loops)-1].Extent)
	}
	last := 0.0 // whether the innermost loop is a vector, or reduces
	if len(n.Loops) > n.Own {
		switch l := n.Loops[len(n.Loops)-1]; {
		case l.Ann == schedule.Vectorize:
			last = 1
		case l.Reduce:
			last = -1
		}
	}
	body := c.compute + c.loads
	return add(row,
		c.cycles/total, log(c.runs/m.cores), reduce, n.Ops, n.Calls, n.Selects, float64(len(n.Accesses)),
		log(c.Lanes/width), c.Use, log(innermost), last,
		log(c.Tile.Vectors), c.Tile.Vectors/m.registers, c.spill/m.registers, log(c.Steps),
		log(c.Reads), log((1+c.Reads)/c.Tile.Vectors), c.Same/(1+c.Reads), c.Spread/(1+c.Reads), log(c.Stride),
		log(c.loads/c.compute), log(c.memory[0]/body), log(c.memory[1]/body), log(c.memory[2]/body),
		log(c.bytes[0]/c.least), log(c.bytes[1]/c.least), log(c.bytes[2]/c.least),
		log(c.least/m.cache[0]), log(c.inner/m.cache[0]),
		log(c.tasks/m.cores), c.share, math.Log2(1+c.launches), log(perTask),
		log(around), log((1+float64(n.Unroll))/c.Tile.Vectors), log(c.vectors/c.Tile.Vectors),
	)
}

// log returns the logarithm to base 2, that of a small number for less.
func log(v float64) float64 { return math.Log2(max(v, 1.0/(1<<20))) }

func add(row []float32, values ...float64) []float32 {
	for _, v := range values {
		row = append(row, float32(v))
	}
	return row
}

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
	inner    float64 // bytes that the two innermost loops touch
}

const (
	latency  = 8    // accumulators that hide the latency of additions
	callCost = 12   // operations of a function such as exp
	wake     = 2000 // cycles to start a parallel loop
)

// bandwidths are bytes a cycle from beyond each level of cache.
var bandwidths = [3]float64{32, 12, 5}

func costOf(n *nest.Summary, m machine) cost {
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
	return c
}

// parallel finds the outermost parallel loop.
func (c *cost) parallel(n *nest.Summary, m machine) {
	c.tasks, c.share = 1, 1/m.cores
	for k, l := range n.Loops {
		if l.Ann == schedule.Parallel {
			c.tasks, c.launches = float64(l.Extent), n.Runs(k)
			c.share = c.tasks / (math.Ceil(c.tasks/m.cores) * m.cores)
			return
		}
	}
}
