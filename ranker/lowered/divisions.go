package lowered

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Division says how threads divide a stretch of a program: a parallel loop, or what one thread runs.
type Division struct {
	Chunks int64   `json:"chunks"` // iterations of the parallel loop; 1: one thread does all
	Runs   float64 `json:"runs"`   // how often the loop is begun in a run of the program
	Cycles float64 `json:"cycles"` // of all runs on one core, by the estimate of this package

	// Sizes is the work of the iterations, where they differ: how many in a row have the same, and how much that is.
	Sizes [][2]float64 `json:"sizes,omitempty"`
}

// mostSized is how many iterations of a loop are looked at one by one. Of a longer loop each thread has so many that
// the few at an edge do not matter.
const mostSized = 2048

// Divisions returns how a lowered function is divided: first what is serial, then each outermost parallel loop, in
// order. All cycles are of one core of the machine.
func Divisions(f *tir.Func, m Machine) []Division {
	p := read(f, m)
	serial := Division{Chunks: 1, Runs: 1}
	var list []Division
	loops := map[int]int{} // from the number of a parallel loop to its place in the list
	blocks := map[int][]*cost{}
	costs := p.costs()
	for i := range costs {
		c := &costs[i]
		at := slices.IndexFunc(c.loops, func(l nest.Loop[float64]) bool { return l.Ann == schedule.Parallel })
		if at < 0 {
			serial.Cycles += c.alone()
			continue
		}
		number := c.numbers[at]
		k, ok := loops[number]
		if !ok {
			k = len(list)
			loops[number] = k
			list = append(list, Division{Chunks: int64(c.loops[at].Extent), Runs: c.launches})
		}
		list[k].Cycles += c.alone()
		blocks[k] = append(blocks[k], c)
	}
	for k := range list {
		list[k].Sizes = p.sizes(blocks[k], list[k].Chunks)
	}
	if serial.Cycles > 0 {
		list = slices.Insert(list, 0, serial)
	}
	return list
}

// alone is what all runs of a block take on one core, without what it takes to begin a parallel loop. What is read
// under a condition is read as often as that holds.
func (c *cost) alone() float64 {
	sum, share := c.core*c.runs, 0.0
	for _, s := range c.statements {
		share += s.share / float64(len(c.statements))
	}
	for _, m := range c.memory {
		sum += m * share
	}
	return sum
}

// sizes returns the work of each iteration of the parallel loop around some blocks, as Division.Sizes; nil if all have
// the same.
func (p *reading) sizes(blocks []*cost, n int64) [][2]float64 {
	uneven := slices.ContainsFunc(blocks, func(c *cost) bool {
		return slices.ContainsFunc(c.statements, func(s *statement) bool { return len(s.varying) > 0 })
	})
	if !uneven || n < 2 || n > mostSized {
		return nil
	}
	var list [][2]float64
	for i := range n {
		size := 0.0
		for _, c := range blocks {
			some := 0.0
			for _, s := range c.statements {
				some += s.at(i)
			}
			size += c.alone() / float64(n) * some / float64(len(c.statements))
		}
		if last := len(list) - 1; last >= 0 && math.Abs(list[last][1]-size) <= 1e-3*size {
			list[last][0]++
		} else {
			list = append(list, [2]float64{1, size})
		}
	}
	if len(list) == 1 {
		return nil
	}
	return list
}

// at returns how much a statement does in an iteration of the parallel loop around it, relative to the mean.
func (s *statement) at(i int64) float64 {
	size := 1.0
	for _, v := range s.varying {
		size *= v.at(i)
	}
	return size
}

// A varying is a condition or the length of a loop that depends on the parallel loop around.
type varying struct {
	w    *walker // as it was there
	loop int     // the parallel one, in w.vars
	e    tir.Expr
	not  bool    // it is a condition that must not hold
	mean float64 // over all iterations
}

func (v *varying) at(i int64) float64 {
	v.w.env[v.loop], v.w.pinned = i, v.w.vars[v.loop]
	x := v.w.mean(v.e)
	if v.not {
		x = 1 - x
	}
	if v.mean == 0 {
		return 0
	}
	return x / v.mean
}

// vary notes an expression that decides how often what is in it runs, if it depends on the parallel loop around. It
// returns a function that forgets it.
func (w *walker) vary(e tir.Expr, not bool) func() {
	loop := slices.IndexFunc(w.Around, func(k int) bool { return w.Loops[k].Ann == schedule.Parallel })
	if loop < 0 || !tir.Uses(e, w.vars[loop]) {
		return func() {}
	}
	here := &walker{reading: w.reading, vars: slices.Clone(w.vars), env: make(values, len(w.vars))}
	here.extents = make([]float64, len(w.Around))
	for k, n := range w.Around {
		here.extents[k] = w.Loops[n].Extent
	}
	v := varying{w: here, loop: loop, e: e, not: not, mean: here.mean(e)}
	if not {
		v.mean = 1 - v.mean
	}
	w.varying = append(w.varying, v)
	return func() { w.varying = w.varying[:len(w.varying)-1] }
}

// Largest returns the share of a division's work that the thread with the most of it has, of so many threads: each has
// a contiguous part, and the first ones an iteration more, as the pool divides loops.
func (d Division) Largest(threads int) float64 {
	n, parties := d.Chunks, min(int64(threads), d.Chunks)
	if parties < 1 {
		return 1
	}
	each, more := n/parties, n%parties
	if d.Sizes == nil {
		if more > 0 {
			each++
		}
		return float64(each) / float64(n)
	}
	total, largest, part := 0.0, 0.0, 0.0
	left, thread := each+min(more, 1), int64(0)
	for _, s := range d.Sizes {
		for count := int64(s[0]); count > 0; {
			k := min(count, left)
			part += float64(k) * s[1]
			total += float64(k) * s[1]
			count, left = count-k, left-k
			if left > 0 {
				continue
			}
			largest, part = max(largest, part), 0
			if thread++; thread < more {
				left = each + 1
			} else {
				left = each
			}
		}
	}
	if total == 0 {
		return 1
	}
	return largest / total
}

// Idle returns the share of the time of so many threads in which they have nothing to do, while a program that is
// divided like this runs, and the cycles that it takes them. Beginning a loop takes no time.
func Idle(list []Division, threads int) (idle, cycles float64) {
	work := 0.0
	for _, d := range list {
		work += d.Cycles
		cycles += d.Cycles * d.Largest(threads)
	}
	if cycles == 0 {
		return 0, 0
	}
	return 1 - work/(float64(threads)*cycles), cycles
}
