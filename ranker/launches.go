package ranker

import (
	"cmp"
	"math"
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// launchVersion changes when a column of launches means something else.
const launchVersion = 2

// launched is how many launches have columns of their own: those that take longest.
const launched = 3

// launches appends what the launches of a GPU program do, LocalityColumns numbers.
func launches(row []float32, b *schedule.Bounds, t target.Target) []float32 {
	d := deviceOf(t)
	var list []launch
	for _, l := range nest.Launches(b, nest.Of(b)) {
		list = append(list, launchOf(l, d))
	}
	slices.SortStableFunc(list, func(x, y launch) int { return cmp.Compare(y.cycles, x.cycles) })
	row = launchesOf(row, b.State.DAG, list, d)
	total := 0.0
	for i := range list {
		total += list[i].cycles
	}
	for k := range launched {
		if k < len(list) {
			row = list[k].columns(row, total, d)
		} else {
			row = append(row, make([]float32, launchColumns)...)
		}
	}
	return row
}

// A device is what features need to know of a GPU.
type device struct {
	units         float64 // multiprocessors
	lanes         float64 // multiply-adds a cycle of one
	warps, blocks float64 // at once on one
	shared        float64 // bytes of one
	rate          float64 // bytes a cycle from memory to one
}

func deviceOf(t target.Target) device {
	m, ok := target.ProcessorOf(t.Arch)
	if !ok {
		m, _ = target.ProcessorOf("sm_80") // an ordinary one
	}
	return device{
		units: multiprocessorsOf(t), lanes: float64(m.Lanes), warps: float64(m.Threads) / warp, blocks: float64(m.Blocks),
		shared: float64(m.SharedBytes), rate: float64(m.BytesPerCycle),
	}
}

// A launch is what a launch would take on a simple GPU. The figures are of the right order, and no more: features
// are their ratios, and what they are worth is learned.
type launch struct {
	*nest.Launch
	main  *nest.Summary // what its threads do most
	warps float64       // of a block

	work     float64 // multiply-adds of a thread
	compute  float64 // cycles of a block, were there nothing else
	shared   float64 // requests of its warps to shared memory, conflicts included
	requests float64 // bytes of whole sectors that its warps ask memory for
	stores   float64 // of these, written
	distinct float64 // bytes of whole sectors, each counted once for each run of the loops outside of the threads

	copies  float64 // elements that a thread copies to shared memory
	idle    float64 // of these, of threads that have none to copy
	sectors float64 // asked for by the copies, over the least for so many elements
	row     float64 // elements that a thread copies at once
	direct  float64 // elements that a thread reads from memory and uses

	inner, outer float64 // multiply-adds behind the innermost and the outermost reduction
	needed, kept float64 // elements that these read
	registers    float64 // of a thread
	byThreads    float64 // blocks that a multiprocessor has room for
	byShared     float64
	byRegisters  float64
	resident     float64 // the least of these
	each         float64 // blocks that the busiest multiprocessor runs
	cycles       float64 // of the whole launch
}

const (
	sector    = 32 // bytes
	banks     = 32 // of shared memory, of 4 bytes
	beginning = 400
	registers = 64 << 10 // of a multiprocessor
	perThread = 255
	addresses = 24 // registers of a thread that hold no operands
	ilp       = 8  // independent multiply-adds of a thread that hide each other's latency
	hiding    = 32 // warps that hide it, if each has one
	callLanes = 8  // multiply-adds that a function such as exp is worth
)

func launchOf(l *nest.Launch, d device) launch {
	c := launch{Launch: l, warps: math.Ceil(l.Threads / warp)}
	most := -1.0
	for _, n := range l.Nests {
		runs := n.Starts() * n.PerThread()
		if n.Memory == tir.Shared {
			c.copies += runs
			c.idle += (1 - min(1, n.Region/(n.PerThread()*l.Threads))) * runs
			c.compute += runs * c.warps * warp / d.lanes
		} else {
			work := runs * max(n.Ops/2, 0.5)
			if work*max(1, n.Ops) > most {
				most, c.main = work*max(1, n.Ops), n
			}
			c.work += work
			c.compute += (work + runs*(callLanes*n.Calls+n.Selects/2)) * c.warps * warp / d.lanes
		}
		c.access(n)
	}
	c.tiles()
	c.rooms(d)
	hidden := min(1, min(c.resident, c.each)*c.warps*min(max(l.Local, 1), ilp)/hiding)
	c.cycles = c.each * (max(c.compute/hidden, c.shared) + c.distinct/d.rate + beginning)
	return c
}

// access adds what a nest asks memory and shared memory for. Registers hold what the loops behind the innermost
// reduction read more than once, and the results of a reduction while it goes on.
func (c *launch) access(n *nest.Summary) {
	inner := n.InnerTile()
	elements := n.Elements(inner)
	for i := range n.Accesses {
		a := &n.Accesses[i]
		if a.Memory == tir.Local {
			continue
		}
		summed := a.Write && n.Op.Combine != nil && n.Memory != tir.Shared
		times := n.Starts() * n.InThread(n.Own, inner, !summed) * elements[i]
		lanes := n.LanesOf(a)
		if a.Memory == tir.Shared {
			c.shared += times * c.warps * conflicts(lanes, a.Bytes)
			continue
		}
		asked := sectorsOf(lanes, a.Bytes) / lanes.Row
		c.requests += times * c.warps * asked * sector
		c.distinct += n.Sectors(a, sector)
		switch {
		case a.Write:
			c.stores += times * c.warps * asked * sector
		case n.Memory == tir.Shared:
			c.sectors += times * asked * sector / (warp * a.Bytes)
			c.row = max(c.row, lanes.Row)
		default:
			c.direct += times
		}
	}
}

// sectorsOf returns how many sectors a warp asks for at once.
func sectorsOf(l nest.Lanes, bytes float64) float64 {
	along, row := min(l.Along, warp), l.Row*bytes
	if l.Apart == 0 {
		return math.Ceil(row/sector) * warp / along
	}
	return min(math.Ceil(((along-1)*l.Apart*bytes+row)/sector), along*math.Ceil(row/sector)) * warp / along
}

// conflicts returns about how often a warp asks shared memory for one element of each thread: those that are in one
// bank come one after another. The root stands for what the compiler makes of it: neighbouring elements of a thread
// come together.
func conflicts(l nest.Lanes, bytes float64) float64 {
	return math.Sqrt(min(max(l.Apart*bytes/4, 1), banks, max(l.Along, 1)))
}

// tiles looks at what the main nest keeps in registers.
func (c *launch) tiles() {
	c.needed, c.kept, c.inner, c.outer = 1, 1, 1, 1
	if n := c.main; n != nil {
		inner, outer := n.InnerTile(), n.OuterTile()
		c.inner, c.outer = n.InThread(inner, len(n.Loops), true), n.InThread(outer, len(n.Loops), true)
		c.needed, c.kept = reads(n, inner), reads(n, outer)
	}
	c.registers = min(perThread, c.Local+c.needed+addresses)
}

// reads returns how many elements the loops from one on read, at least one.
func reads(n *nest.Summary, from int) float64 {
	sum := 0.0
	for i, e := range n.Elements(from) {
		if !n.Accesses[i].Write {
			sum += e
		}
	}
	return max(sum, 1)
}

// rooms finds how many blocks run at once.
func (c *launch) rooms(d device) {
	const none = 1000 // it does not decide
	c.byThreads, c.byShared = max(math.Floor(d.warps/c.warps), 1), none
	if c.Shared > 0 {
		c.byShared = max(math.Floor(d.shared/c.Shared), 1)
	}
	c.byRegisters = max(math.Floor(registers/(math.Ceil(c.registers/8)*8*c.warps*warp)), 1)
	c.resident = min(c.byThreads, c.byShared, c.byRegisters, d.blocks)
	c.each = math.Ceil(c.Blocks / d.units)
}

var launchesNames = []string{
	"cycles", "cycles/ideal", "compute/ideal", "shared/ideal", "requests/tensors", "distinct/tensors",
	"stores/tensors", "work", "flops/byte", "launches", "tensors", "full",
}

// launchesOf describes all launches together, against what the DAG needs at least.
func launchesOf(row []float32, dag *compute.DAG, list []launch, d device) []float32 {
	flops, tensors := max(dag.FLOPs(), 1), bytesOf(dag)
	ideal := max(flops/2/d.lanes, tensors/d.rate) / d.units
	var cycles, compute, shared, requests, distinct, stores, work, full float64
	for _, c := range list {
		cycles += c.cycles
		compute += c.compute * c.Blocks / d.units
		shared += c.shared * c.Blocks / d.units
		requests += c.requests * c.Blocks
		distinct += c.distinct * c.Blocks
		stores += c.stores * c.Blocks
		work += c.work * c.Blocks * c.Threads
		if c.registers == perThread {
			full += c.cycles
		}
	}
	return add(row,
		log(cycles), log(cycles/ideal), log(compute/ideal), log(shared/ideal), log(requests/tensors),
		log(distinct/tensors), log(stores/tensors), log(2*work/flops), log(flops/tensors), float64(len(list)),
		log(tensors), full/cycles,
	)
}

// bytesOf returns the bytes of all tensors.
func bytesOf(d *compute.DAG) float64 {
	tensors := 0.0
	for _, t := range d.Tensors {
		bytes := float64(t.Type.Bytes())
		for _, n := range t.Shape {
			bytes *= float64(n)
		}
		tensors += bytes
	}
	return tensors
}

var launchNames = []string{
	"share", "blocks", "threads", "vthreads", "shared", "registers", "local",
	"occupancy", "resident", "shared/threads", "registers/threads",
	"blocks/units", "waves", "last", "units", "warps", "lanes",
	"work", "inner", "outer", "reads", "inner/reads", "outer/reads",
	"conflicts/compute", "requests/compute", "distinct/compute", "stores/compute", "requests/distinct",
	"copies/work", "idle", "sectors", "row", "direct/work", "unroll", "starts",
	"read0.apart", "read0.along", "read1.apart", "read1.along", "written.sectors",
}

const launchColumns = 40

// columns describes one launch.
func (c *launch) columns(row []float32, total float64, d device) []float32 {
	room, unroll, starts := c.resident*d.units, 0.0, 1.0
	if c.main != nil {
		unroll, starts = float64(c.main.Unroll), c.main.Starts()
	}
	row = add(row,
		c.cycles/total, log(c.Blocks), log(c.Threads), log(c.VThreads), log(c.Shared/d.shared), c.registers/perThread,
		log(c.Local),
		c.resident*c.warps/d.warps, c.resident, log(c.byShared/c.byThreads), log(c.byRegisters/c.byThreads),
		log(c.Blocks/d.units), log(c.Blocks/room), c.Blocks/(math.Ceil(c.Blocks/room)*room), c.Blocks/(c.each*d.units),
		log(min(c.resident, c.each)*c.warps), c.Threads/(c.warps*warp),
		log(c.work), log(c.inner), log(c.outer), log(c.needed), log(c.inner/c.needed), log(c.outer/c.kept),
		log(c.shared/c.compute), log(c.requests/c.compute), log(c.distinct/c.compute), log(c.stores/c.compute),
		log(c.requests/max(c.distinct, 1)),
		log(c.copies/max(c.work, 0.5)), c.idle/max(c.copies, 1), log(c.sectors/max(c.copies, 1)), c.row,
		log(c.direct/max(c.work, 0.5)),
		log((1+unroll)/c.inner), log(starts),
	)
	row = c.reads(row)
	written := &c.Root.Accesses[0]
	return add(row, log(sectorsOf(c.Root.LanesOf(written), written.Bytes)))
}

// reads describes how threads that are neighbours meet the first two reads of the main nest.
func (c *launch) reads(row []float32) []float32 {
	described := 0
	if c.main != nil {
		for i := range c.main.Accesses {
			if a := &c.main.Accesses[i]; !a.Write && described < 2 {
				l := c.main.LanesOf(a)
				row = add(row, log(l.Apart+0.5), log(l.Along))
				described++
			}
		}
	}
	return append(row, make([]float32, 2*(2-described))...)
}
