package schedule

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Groups finds what a scorer that was trained on float32 can tell of programs with instructions of a target: that of
// programs without them that take as long. A group of steps that an instruction makes at once becomes as many steps of
// float32 as its rate says. Groups may be used by several goroutines at once; nil are those of a target without
// instructions.
type Groups struct {
	cpu  string
	list []*tir.Instruction

	mu   sync.Mutex
	of   *compute.DAG            // the DAG that the others were made of
	dags map[string]*compute.DAG // by the text of their groupings
}

// NewGroups returns the Groups of a processor, as tir.InstructionsOf knows it.
func NewGroups(cpu string, has func(feature string) bool, vectorBytes int) *Groups {
	return &Groups{cpu: cpu, list: tir.InstructionsOf(cpu, has, vectorBytes)}
}

// A grouping is a product whose steps an instruction makes in groups.
type grouping struct {
	op    int   // in the DAG
	depth int64 // of a group
	each  int64 // steps of float32 that take as long
}

// plain returns the state of float32 that takes as long as s; s itself if it has no instruction of the target, or loops
// of one that are not as sketches make them:
//
//	y(i, j) = sum(k: 64) int32(x[i, k])*int32(w[k, j])   =>   y(i, j) = sum(k: 16) float32(x[i, k*4])*w[k, j]
//	k (0,64) in pieces of [8, 4], the last tensorized         k (0,16) in pieces of [8]
func (g *Groups) plain(s *State) (*State, error) {
	if g == nil || !slices.ContainsFunc(s.Stages, (*Stage).ByInstruction) {
		return s, nil
	}
	var list []grouping
	steps := slices.Clone(s.Steps)
	isTile := func(i int) bool {
		an, ok := steps[i].(Annotate)
		return ok && an.Ann == Tensorize
	}
	for i := range steps {
		if !isTile(i) {
			continue
		}
		stage := steps[i].Stage()
		for _, later := range steps[i:] {
			if at, n := Adds(later); n > 0 && stage >= at {
				stage += n
			}
		}
		p, ok := g.grouping(s, stage, steps[:i])
		if !ok || !p.regroup(steps[:i+1]) {
			return s, nil
		}
		list = append(list, p)
	}
	return ReplayBound(g.dag(s.DAG, list), Without(steps, isTile))
}

// grouping returns what the groups of a stage are, if it is a product of the DAG. The last split of the steps is that
// of the sum.
func (g *Groups) grouping(s *State, stage int, steps []Step) (p grouping, ok bool) {
	op := s.Stages[stage].Op
	for _, step := range steps {
		if sp, ok := step.(Split); ok && len(sp.Lengths) > 0 {
			p.depth = sp.Lengths[len(sp.Lengths)-1]
		}
	}
	p.op = slices.IndexFunc(s.DAG.Ops, func(of *compute.Op) bool {
		return len(of.ReduceAxes) > 0 && len(op.ReduceAxes) > 0 && of.ReduceAxes[0] == op.ReduceAxes[0]
	})
	for _, i := range g.list {
		if p.op >= 0 && i.Group() == p.depth && Computes(i, s.DAG.Ops[p.op]) {
			p.each = max(1, int64(math.Round(i.Time(i.Depth, g.cpu)*float64(i.Group())/float64(i.Depth))))
			return p, true
		}
	}
	return p, false
}

// regroup rewrites the tile of a product, which the last one of the steps tensorizes: the innermost pieces of the sum
// go. It reports false if it is not as sketches have it.
func (p grouping) regroup(steps []Step) bool {
	last := len(steps) - 1
	at := steps[last].Stage()
	first := last - 2
	for first > 0 && steps[first-1].Kind() == SP && steps[first-1].Stage() == at {
		first--
	}
	if first == last-2 || steps[last-1].Kind() != AN {
		return false
	}
	order, ok := steps[last-2].(Reorder)
	if !ok || order.At != at {
		return false
	}
	levels := len(steps[first].(Split).Lengths)
	var gone []int // loops, before they are put in order
	loop := 0
	for i := first; i < last-2; i++ {
		sp := steps[i].(Split)
		n := len(sp.Lengths)
		if sp.Iter != loop || !sp.InnerToOuter || n == 0 || n != levels && n != levels-1 {
			return false
		}
		loop += n + 1
		sp.Iter -= len(gone)
		if n < levels {
			gone = append(gone, loop-1)
			sp.Lengths = slices.Clone(sp.Lengths[:n-1])
		}
		if i == last-3 {
			if n == levels || n < 2 {
				return false
			}
			sp.Extent = (sp.Extent + p.depth - 1) / p.depth * p.each
			sp.Lengths[n-2] *= p.each
		}
		steps[i] = sp
	}
	var kept []int
	for _, k := range order.Order {
		if at, is := slices.BinarySearch(gone, k); !is {
			kept = append(kept, k-at)
		}
	}
	steps[last-2] = Reorder{At: at, Order: kept}
	return true
}

// dag returns the DAG whose products have groups as steps.
func (g *Groups) dag(d *compute.DAG, list []grouping) *compute.DAG {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of != d {
		g.of, g.dags = d, map[string]*compute.DAG{}
	}
	key := fmt.Sprint(list)
	if g.dags[key] == nil {
		g.dags[key] = grouped(d, list)
	}
	return g.dags[key]
}

func grouped(d *compute.DAG, list []grouping) *compute.DAG {
	to := map[*tir.Buffer]*tir.Buffer{}
	for _, p := range list {
		op := d.Ops[p.op]
		sum := *op.Results[0]
		sum.Type = tir.F32
		to[op.Results[0]] = &sum
		if own, dim, ok := ownOperand(d, op); ok {
			groups := *own
			groups.Type, groups.Shape, groups.Given = tir.F32, slices.Clone(own.Shape), nil
			groups.Shape[dim] = (own.Shape[dim] + p.depth - 1) / p.depth * p.each
			to[own] = &groups
		}
	}
	renamed := func(list []*tir.Buffer) []*tir.Buffer {
		list = slices.Clone(list)
		for i, b := range list {
			if to[b] != nil {
				list[i] = to[b]
			}
		}
		return list
	}
	n := &compute.DAG{Tensors: renamed(d.Tensors), Outputs: d.Outputs}
	for i, op := range d.Ops {
		c := *op
		c.Results, c.Attrs.LayoutFree = renamed(op.Results), renamed(op.Attrs.LayoutFree)
		c.Body = slices.Clone(op.Body)
		if at := slices.IndexFunc(list, func(p grouping) bool { return p.op == i }); at >= 0 {
			list[at].product(&c, to)
		} else {
			for k, e := range op.Body {
				c.Body[k] = readingSums(e, to)
			}
		}
		n.Ops = append(n.Ops, &c)
	}
	return n
}

// ownOperand returns the operand of a product that each lane has elements of its own of, and its dimension along the
// steps, if it is an input that nothing else reads.
func ownOperand(d *compute.DAG, op *compute.Op) (b *tir.Buffer, dim int, ok bool) {
	x, y, _ := Multiplied(op)
	if lane := op.Axes[len(op.Axes)-1].Var; tir.Uses(x, lane) {
		y = x
	}
	steps := tir.Expr(op.ReduceAxes[len(op.ReduceAxes)-1].Var)
	dim = slices.Index(y.Index, steps)
	readers := 0
	for _, o := range d.Ops {
		if slices.Contains(o.Reads(), y.Buffer) {
			readers++
		}
	}
	return y.Buffer, dim, dim >= 0 && readers == 1 && slices.Contains(d.Inputs(), y.Buffer)
}

// product has a product multiply groups of steps in float32. Where an operand stays as it is, one element in each group
// is read.
func (p grouping) product(op *compute.Op, to map[*tir.Buffer]*tir.Buffer) {
	x, y, _ := Multiplied(op)
	last := len(op.ReduceAxes) - 1
	steps := *op.ReduceAxes[last]
	steps.Extent = (steps.Extent + p.depth - 1) / p.depth * p.each
	op.ReduceAxes = slices.Clone(op.ReduceAxes)
	op.ReduceAxes[last] = &steps
	at := map[*tir.Var]tir.Expr{steps.Var: tir.Bin(tir.Mul, steps.Var, tir.Int(p.depth/p.each))}
	element := func(l *tir.Load) tir.Expr {
		if b := to[l.Buffer]; b != nil {
			return &tir.Load{Buffer: b, Index: l.Index}
		}
		return &tir.Cast{To: tir.F32, X: tir.Substitute(l, at)}
	}
	op.Body[0] = tir.Bin(tir.Mul, element(x), element(y))
	op.Combine = compute.NewCombiner(compute.Sum, tir.F32)
}

// readingSums has an expression read sums of float32.
func readingSums(e tir.Expr, to map[*tir.Buffer]*tir.Buffer) tir.Expr {
	sum := func(e tir.Expr) (tir.Expr, tir.DType) {
		if l, ok := e.(*tir.Load); ok && to[l.Buffer] != nil {
			return &tir.Load{Buffer: to[l.Buffer], Index: l.Index}, l.Buffer.Type
		}
		return nil, tir.Invalid
	}
	if c, ok := e.(*tir.Cast); ok && c.To == tir.F32 {
		if l, _ := sum(c.X); l != nil {
			return l
		}
	}
	if l, was := sum(e); l != nil {
		if was == tir.F32 {
			return l
		}
		return &tir.Cast{To: was, X: l}
	}
	return tir.MapOperands(e, func(e tir.Expr) tir.Expr { return readingSums(e, to) })
}
