package lowered

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// described is how many blocks have columns of their own: those that take longest.
const described = 3

// Columns is the number of features of a lowered program.
const Columns = wholeColumns + described*blockColumns

// Version is that of the columns: it changes when one means something else.
const Version = 1

// Names returns the names of the columns.
func Names() []string {
	var list []string
	for _, n := range wholeNames {
		list = append(list, "low."+n)
	}
	for k := range described {
		for _, n := range blockNames {
			list = append(list, fmt.Sprintf("low%d.%s", k, n))
		}
	}
	return list
}

// Of returns the features of a lowered function, Columns numbers. FLOPs are those that the task needs at least.
func Of(f *tir.Func, flops float64, m Machine) []float32 {
	p := read(f, m)
	costs := p.costs()
	order := make([]int, len(costs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(costs[b].cycles, costs[a].cycles) })
	row := p.whole(make([]float32, 0, Columns), flops, costs)
	total := 0.0
	for _, c := range costs {
		total += c.cycles
	}
	for k := range described {
		if k < len(order) {
			row = p.describe(row, &costs[order[k]], total)
		} else {
			row = append(row, make([]float32, blockColumns)...)
		}
	}
	return row
}

// A cost is what a block would take on a simple machine, in cycles: two operations and two loads, one store, five
// instructions a cycle. It need not be right: features are ratios.
type cost struct {
	*block
	mix
	runs     float64
	live     float64 // vectors in registers
	spill    float64 // of them, beyond the registers that there are
	compute  float64 // cycles of a run
	moves    float64 // loads and stores, spills included
	front    float64
	wait     float64
	core     float64 // the largest of them
	bytes    [3]float64
	memory   [3]float64 // cycles of all runs
	tasks    float64    // of the parallel loop around; 1
	launches float64
	share    float64 // of the cores that work
	cycles   float64 // in all
}

const (
	latency = 4    // cycles of a multiply-add
	wake    = 2000 // cycles to start a parallel loop
)

var bandwidths = [3]float64{32, 12, 5}

func (p *reading) costs() []cost {
	m := p.touch()
	var traffic [3][]float64
	for c, size := range p.machine.Cache {
		traffic[c] = p.traffic(m, size)
	}
	list := make([]cost, len(p.blocks))
	for i, b := range p.blocks {
		c := &list[i]
		c.block, c.runs, c.tasks, c.share = b, 1, 1, 1/p.machine.Cores
		for _, l := range b.loops {
			if l.Ann == schedule.Parallel && c.launches == 0 {
				c.launches, c.tasks = c.runs, l.Extent
				c.share = l.Extent / (math.Ceil(l.Extent/p.machine.Cores) * p.machine.Cores)
			}
			c.runs *= l.Extent
		}
		for _, s := range b.statements {
			c.mix.add(s.mix, s.share)
		}
		c.live = p.live(b)
		c.spill = max(0, c.live+2-p.machine.Registers)
		c.compute = c.operations() / 2
		c.moves = max((c.loads+2*c.spill)/2, c.stores+c.spill)
		c.front = (c.all() + 3*c.spill + 3) / 5
		c.wait = c.chain * latency
		c.core = max(c.compute, c.moves, c.front, c.wait)
		sum := c.core * c.runs
		for k := range traffic {
			c.bytes[k] = traffic[k][i]
			c.memory[k] = c.bytes[k] / bandwidths[k]
			sum += c.memory[k]
		}
		c.cycles = sum/(c.share*p.machine.Cores) + c.launches*wake/float64(max(1, p.under(b)))
	}
	return list
}

// under returns how many blocks are in the parallel loop of one.
func (p *reading) under(b *block) int {
	at := slices.IndexFunc(b.loops, func(l nest.Loop[float64]) bool { return l.Ann == schedule.Parallel })
	if at < 0 {
		return 1
	}
	n := 0
	for _, o := range p.blocks {
		if len(o.loops) > at && o.numbers[at] == b.numbers[at] {
			n++
		}
	}
	return n
}

// live returns how many vectors the values take that a block has in registers.
func (p *reading) live(b *block) float64 {
	var list []place
	for _, s := range b.statements {
		for i := range s.accesses {
			a := &s.accesses[i]
			if !a.register {
				continue
			}
			n := 1.0
			for k := s.code(); k < len(s.loops); k++ {
				switch {
				case !a.moves[k]:
				case s.loops[k].Ann == schedule.Vectorize:
					n *= math.Ceil(s.loops[k].Extent * float64(p.Buffers[a.Buffer].Type.RegisterBytes()) / p.machine.Vector)
				default:
					n *= s.loops[k].Extent
				}
			}
			list = put(list, a.Buffer, n)
		}
	}
	sum := 0.0
	for _, x := range list {
		sum += x.bytes
	}
	return sum
}

var wholeNames = []string{
	"cycles", "cycles/ideal", "core/ideal", "compute/ideal", "moves/ideal", "front/ideal", "L1/ideal", "L2/ideal",
	"L3/ideal",
	"operations", "loads", "stores", "lanes", "index", "copied", "scalar", "use", "spilled", "waiting", "serial", "edges",
	"launches", "tasks/cores", "balance", "code", "largest", "blocks", "temporaries/L1", "temporaries/L2", "tensors/L2",
	"tensors/L3", "L2.bytes", "L3.bytes",
}

const wholeColumns = 33

// whole describes all blocks together, against what the task needs at least.
func (p *reading) whole(row []float32, flops float64, costs []cost) []float32 {
	var sum mix
	var cycles, core, compute, moves, front, code, largest, spilled, waiting, serial, edges, launches, balance float64
	var memory, bytes [3]float64
	tasks := 1.0
	for i := range costs {
		c := &costs[i]
		sum.add(c.mix, c.runs)
		of := c.share * p.machine.Cores
		cycles += c.cycles
		core += c.core * c.runs / of
		compute += c.compute * c.runs / of
		moves += c.moves * c.runs / of
		front += c.front * c.runs / of
		for k := range memory {
			memory[k] += c.memory[k] / of
			bytes[k] += c.bytes[k]
		}
		var here float64
		for _, s := range c.statements {
			here += s.mix.all()
		}
		code += here
		largest = max(largest, here)
		if c.spill > 0 {
			spilled += c.cycles
		}
		if c.core == c.wait {
			waiting += c.cycles
		}
		if c.launches == 0 {
			serial += c.cycles
		}
		if slices.ContainsFunc(c.statements, func(s *statement) bool { return s.share < 0.5 }) {
			edges += c.cycles
		}
		launches = max(launches, c.launches)
		tasks = max(tasks, c.tasks)
		balance += c.share * c.cycles
	}
	tensors, temporaries := 0.0, 0.0
	for i, b := range p.Buffers {
		switch {
		case i < p.params:
			tensors += float64(b.Bytes())
		case !p.registers[i]:
			temporaries += float64(b.Bytes())
		}
	}
	ideal := max(max(flops, 1)/p.machine.Vector, tensors/bandwidths[2]) / p.machine.Cores
	m := p.machine
	all, tensors, cycles := max(sum.all(), 1e-9), max(tensors, 1), max(cycles, 1e-9)
	return add(row,
		log(cycles), log(cycles/ideal), log(core/ideal), log(compute/ideal), log(moves/ideal), log(front/ideal),
		log(memory[0]/ideal), log(memory[1]/ideal), log(memory[2]/ideal),
		log(sum.operations()/m.Cores/2/ideal), log(sum.loads/all), log(sum.stores/all), sum.lanes/all, sum.index/all,
		sum.copied/max(sum.vectors, 1), sum.scalar/max(sum.vectors, 1), sum.used/max(sum.wide, 1),
		spilled/cycles, waiting/cycles, serial/cycles, edges/cycles,
		log(1+launches), log(tasks/m.Cores), balance/cycles, log(code), log(largest), float64(len(costs)),
		log(temporaries/m.Cache[0]), log(temporaries/m.Cache[1]), log(tensors/m.Cache[1]), log(tensors/m.Cache[2]),
		log(bytes[1]/tensors), log(bytes[2]/tensors),
	)
}

var blockNames = []string{
	"share", "runs", "depth", "statements", "operations", "multiply", "slow", "loads/operations", "stores/operations",
	"lanes",
	"same", "index", "copied", "scalar", "use", "live", "live/registers", "spill", "wait/compute", "front/core",
	"moves/compute", "L1/core", "L2/core", "L3/core", "code", "task", "edge", "innermost",
}

const blockColumns = 28

// describe describes one block.
func (p *reading) describe(row []float32, c *cost, total float64) []float32 {
	m := p.machine
	all := max(c.all(), 1e-9)
	core := max(c.core*c.runs, 1e-9)
	edge, innermost := 0.0, 1.0
	for _, s := range c.statements {
		edge = max(edge, 1-s.share)
	}
	if n := len(c.loops); n > 0 {
		innermost = c.loops[n-1].Extent
	}
	operations := max(c.operations(), 1e-9)
	return add(row,
		c.cycles/total, log(c.runs/m.Cores), float64(len(c.loops)), float64(len(c.statements)), log(operations),
		c.multiply/all, (c.slow+c.calls)/all, log(c.loads/operations), log(c.stores/operations), c.lanes/all,
		c.same/all, c.index/all, c.copied/max(c.vectors, 1e-9), c.scalar/max(c.vectors, 1e-9), c.used/max(c.wide, 1e-9),
		log(1+c.live), c.live/m.Registers, c.spill/m.Registers, log(c.wait/max(c.compute, 1e-9)), c.front/max(c.core, 1e-9),
		log(c.moves/max(c.compute, 1e-9)), log(c.memory[0]/core), log(c.memory[1]/core), log(c.memory[2]/core),
		log(all), log(c.cycles*c.share*m.Cores/c.tasks), edge, log(innermost),
	)
}

// log returns the logarithm to base 2, that of a small number for less.
func log(v float64) float64 { return math.Log2(min(max(v, 1.0/(1<<20)), 1<<60)) }

func add(row []float32, values ...float64) []float32 {
	for _, v := range values {
		row = append(row, float32(v))
	}
	return row
}
