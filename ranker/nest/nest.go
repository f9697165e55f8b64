// Package nest has the form in which features see loop nests (Program), and describes those of a state, and the
// launches of a GPU program, without lowering it (Summary): how often each statement runs, how far loops reach along
// the axes of tensors, what each level of a nest touches, and what its innermost tile reads.
//
// It must not know what a machine makes of it, nor what is learned from it.
package nest

import (
	"cmp"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// maxAccesses bounds the accesses of a statement that are looked at: transforms of
// Winograd's read dozens of elements of one tensor.
const maxAccesses = 12

// A Summary is what is known of the nest of one stage before its program is written: the loops that the stage is
// computed in, and its own, and how far they reach.
type Summary struct {
	Stage    int
	Op       *compute.Op
	Loops    []Loop[int64] // outermost first
	Own      int           // the first of the stage's own
	Accesses []Operand
	Unroll   int     // the limit of its pragma
	Ops      float64 // floating-point operations of the statement
	Calls    float64 // of them, functions such as exp
	Selects  float64 // choices in it, such as of padding
	Memory   tir.Scope
	Region   float64 // elements that one run of its own loops computes; 0 before Launches, and of a root

	reach []int64 // by loop and axis: see counts
	axes  int
}

// counts returns over how many values each axis of the stage runs, spatial ones first, in the
// loops from one on, while those before it stand still.
func (n *Summary) counts(from int) []int64 { return n.reach[from*n.axes : (from+1)*n.axes] }

// Runs returns how often what is inside the first loops is carried out.
func (n *Summary) Runs(loops int) float64 {
	runs := 1.0
	for _, l := range n.Loops[:loops] {
		runs *= float64(l.Extent)
	}
	return runs
}

// Of returns the summaries of a state's nests, in the order of its stages; none of
// placeholders and inlined stages.
func Of(b *schedule.Bounds) []*Summary {
	s := b.State
	constants := s.Constants()
	of := make([]*Summary, len(s.Stages))
	var work []int64
	for i, st := range slices.Backward(s.Stages) { // readers before what they read
		if st.Op.IsPlaceholder() || st.At == schedule.Inlined {
			continue
		}
		n := &Summary{Stage: i, Op: st.Op, Unroll: st.AutoUnroll, axes: len(st.Op.Axes) + len(st.Op.ReduceAxes)}
		n.Memory = memoryOf(s, i)
		n.statement(s)
		n.access(s, constants)
		if at, ok := s.Attach.At(i); ok {
			n.enclose(b, of[at.Stage], at.Iter)
		}
		n.Own = len(n.Loops)
		for _, it := range st.Iters {
			n.Loops = append(n.Loops, Loop[int64]{Extent: it.Extent, Ann: it.Ann, Reduce: it.Kind == schedule.Reduction})
		}
		own := len(n.reach)
		n.reach = slices.Grow(n.reach, (len(st.Iters)+1)*n.axes)[:own+(len(st.Iters)+1)*n.axes]
		for k := range len(st.Iters) + 1 {
			work = b.Reach(i, k, n.reach[own+k*n.axes:own+(k+1)*n.axes], work)
		}
		of[i] = n
	}
	return slices.DeleteFunc(of, func(n *Summary) bool { return n == nil })
}

// enclose puts the loops around that the stage is computed in: those of a reader up
// to one, and what that is in. What the stage computes for them is what the reader
// reads.
func (n *Summary) enclose(b *schedule.Bounds, in *Summary, iter int) {
	count := in.Own + iter + 1
	n.Loops = append(n.Loops, in.Loops[:count]...)
	region := b.Region(n.Stage)
	spatial := len(n.Op.Axes)
	for k := range count {
		row := slices.Clone(region)
		outside := in.counts(k)
		for _, a := range in.Accesses {
			if a.From != n.Stage || a.Write {
				continue
			}
			for d := range min(spatial, len(a.dims)) {
				span, _ := a.dims[d].span(outside)
				row[d] = max(row[d], int64(span))
			}
		}
		n.reach = append(n.reach, row...)
	}
}

// access lists what the statement touches: what it writes, and what it reads.
func (n *Summary) access(s *schedule.State, constants []*tir.Buffer) {
	axes := axesOf(n.Op)
	for _, r := range n.Op.Results {
		w := Operand{From: n.Stage, Memory: n.Memory, Write: true, Bytes: float64(r.Type.Bytes()), Whole: 1}
		w.dims = make([]dim, len(r.Shape))
		for d, size := range r.Shape {
			w.Whole *= float64(size)
			w.dims[d] = dim{terms: []term{{d, 1}}, limit: float64(size), shape: float64(size)}
		}
		n.Accesses = append(n.Accesses, w)
	}
	s.EachLoad(n.Stage, func(from int, index []tir.Expr) {
		if len(n.Accesses) == maxAccesses {
			return
		}
		b := s.Stages[from].Op.Results[0]
		a := accessTo(b, from, index, axes)
		a.Memory = memoryOf(s, from)
		if slices.ContainsFunc(n.Accesses, func(x Operand) bool { return a.same(&x) }) {
			return
		}
		a.Packed = slices.Contains(constants, b)
		n.Accesses = append(n.Accesses, a)
	})
}

// memoryOf returns where the results of a stage are. Those of a stage that is computed in another, and that no step
// put elsewhere, are what a thread keeps.
func memoryOf(s *schedule.State, stage int) tir.Scope {
	memory := cmp.Or(s.Stages[stage].Op.Results[0].Scope, tir.Global)
	if _, inside := s.Attach.At(stage); inside && memory == tir.Global {
		return tir.Local
	}
	return memory
}

// statement counts what the statement computes.
func (n *Summary) statement(s *schedule.State) {
	count := func(e tir.Expr) {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			switch e := e.(type) {
			case *tir.Load:
				return false
			case *tir.Binary:
				if e.X.DType().IsFloat() {
					n.Ops++
				}
			case *tir.Call:
				n.Calls++
			case *tir.Select:
				n.Selects++
			}
			return true
		})
	}
	for _, e := range s.InlinedBody(n.Stage) {
		count(e)
	}
	if n.Op.Combine != nil {
		for _, e := range n.Op.Combine.Result {
			count(e)
		}
	}
}

// An Operand is what a statement reads or writes of one tensor.
type Operand struct {
	From   int // the stage that computes the tensor
	Memory tir.Scope
	Write  bool
	Packed bool    // its layout follows the loops: a constant operand
	Bytes  float64 // of an element
	Whole  float64 // elements of the tensor
	dims   []dim
}

// A dim is how an index of an access depends on the axes: on each by a factor.
// Quotients have fractions, and remainders are cut at the divisor.
type dim struct {
	terms []term
	limit float64 // how many values it has at most
	shape float64
}

type term struct {
	axis   int
	factor float64
}

// axesOf lists the axes of an op, spatial ones first.
func axesOf(op *compute.Op) []*compute.Axis {
	return append(op.Axes[:len(op.Axes):len(op.Axes)], op.ReduceAxes...)
}

func accessTo(b *tir.Buffer, from int, index []tir.Expr, axes []*compute.Axis) Operand {
	a := Operand{From: from, Bytes: float64(b.Type.Bytes()), Whole: 1, dims: make([]dim, len(index))}
	for i, e := range index {
		shape := float64(b.Shape[i])
		a.Whole *= shape
		d := dim{limit: shape, shape: shape}
		d.add(e, 1, axes)
		a.dims[i] = d
	}
	return a
}

// add adds factor times e.
func (d *dim) add(e tir.Expr, factor float64, axes []*compute.Axis) {
	switch e := e.(type) {
	case *tir.Var:
		for k, x := range axes {
			if x.Var == e {
				d.term(k, factor)
			}
		}
	case *tir.Binary:
		c, constant := constantOf(e.Y)
		switch {
		case e.Op == tir.Add:
			d.add(e.X, factor, axes)
			d.add(e.Y, factor, axes)
		case e.Op == tir.Sub:
			d.add(e.X, factor, axes)
			d.add(e.Y, -factor, axes)
		case e.Op == tir.Mul && constant:
			d.add(e.X, factor*c, axes)
		case e.Op == tir.FloorDiv && constant:
			d.add(e.X, factor/c, axes)
		case e.Op == tir.FloorMod && constant:
			d.limit = min(d.limit, math.Abs(factor)*c)
			d.add(e.X, factor, axes)
		default:
			d.add(e.X, factor, axes)
			d.add(e.Y, factor, axes)
		}
	case *tir.Cast:
		d.add(e.X, factor, axes)
	case *tir.Select:
		d.add(e.Then, factor, axes)
	}
}

func constantOf(e tir.Expr) (float64, bool) {
	if c, ok := e.(*tir.IntImm); ok && c.Value != 0 {
		return float64(c.Value), true
	}
	return 0, false
}

func (d *dim) term(axis int, factor float64) {
	for k := range d.terms {
		if d.terms[k].axis == axis {
			d.terms[k].factor += factor
			return
		}
	}
	d.terms = append(d.terms, term{axis, factor})
}

// span returns over how many places the index runs, and how many of them it can
// touch, when each axis takes so many values in a row.
func (d *dim) span(counts []int64) (span, touched float64) {
	span, touched = 1, 1
	for _, t := range d.terms {
		n := float64(counts[t.axis])
		span += math.Abs(t.factor) * (n - 1)
		touched *= n
	}
	span = min(math.Ceil(span), d.limit)
	return span, min(touched, span)
}

// same reports whether two accesses are of the same elements.
func (a *Operand) same(b *Operand) bool {
	if a.From != b.From || a.Write != b.Write || len(a.dims) != len(b.dims) {
		return false
	}
	for i := range a.dims {
		x, y := &a.dims[i], &b.dims[i]
		if len(x.terms) != len(y.terms) {
			return false
		}
		for k := range x.terms {
			if x.terms[k] != y.terms[k] {
				return false
			}
		}
	}
	return true
}

// Elements returns how many elements are touched when each axis takes so many
// values in a row.
func (a *Operand) Elements(counts []int64) float64 {
	n := 1.0
	for i := range a.dims {
		_, touched := a.dims[i].span(counts)
		n *= touched
	}
	return n
}

// Footprint returns how many bytes of whole cache lines are touched then. What is
// packed lies in one piece.
func (a *Operand) Footprint(counts []int64, line float64) float64 {
	if a.Packed || len(a.dims) == 0 {
		return math.Ceil(a.Elements(counts)*a.Bytes/line) * line
	}
	lines := Lines(len(a.dims), a.Bytes, line, func(d int) (span, touched, shape float64) {
		span, touched = a.dims[d].span(counts)
		return span, touched, a.dims[d].shape
	})
	return min(lines*line, math.Ceil(a.Whole*a.Bytes/line)*line)
}

// Lines returns how many cache lines are touched of a tensor. Along says of a dimension, the last of which is the
// innermost: from the first element that is touched to the last, how many are, and how many there are.
func Lines(dims int, bytes, line float64, along func(d int) (span, touched, shape float64)) float64 {
	run, row, d := 1.0, 1.0, dims-1 // elements in a row, and touched ones of them
	for ; d >= 0; d-- {
		span, touched, shape := along(d)
		run, row = run*span, row*touched
		if span < shape {
			d--
			break
		}
	}
	lines := min(math.Ceil(run*bytes/line), row)
	for ; d >= 0; d-- {
		_, touched, _ := along(d)
		lines *= touched
	}
	return lines
}

// Stride returns by how many elements the place in memory moves with one step of an
// axis: 0 if it does not, and 1 if the axis runs along memory or the access is
// packed for it.
func (a *Operand) Stride(axis int) float64 {
	stride, row := 0.0, 1.0
	for i := len(a.dims) - 1; i >= 0; i-- {
		for _, t := range a.dims[i].terms {
			if t.axis == axis {
				stride += math.Abs(t.factor) * row
			}
		}
		row *= a.dims[i].shape
	}
	if a.Packed && stride > 0 {
		return 1
	}
	return stride
}

// A Tile is the innermost loops of a nest: those inside the innermost loop that
// reduces, or of a stage that does not reduce, the vector and what is next to it.
type Tile struct {
	Lanes   float64 // of the vectorized loop; 1 if there is none
	Vectors float64 // registers of results
	Steps   float64 // how many steps of the reduction the results stay for
	Reads   float64 // vectors that one step reads
	Spread  float64 // loads of one step that take lanes apart, times lanes
	Same    float64 // loads of one step that all lanes share
	Use     float64 // the share of lanes that work
	Stride  float64 // of the result along the vector
}

// Tile describes the innermost tile, for vectors of so many bytes.
func (n *Summary) Tile(vectorBytes float64) Tile {
	reduce, vector := -1, -1
	for k := n.Own; k < len(n.Loops); k++ {
		l := n.Loops[k]
		if l.Reduce && l.Extent > 1 {
			reduce = k
		}
		if l.Ann == schedule.Vectorize {
			vector = k
		}
	}
	t := Tile{Lanes: 1, Vectors: 1, Steps: 1, Use: 1}
	width := max(vectorBytes/n.Accesses[0].Bytes, 1)
	from := reduce + 1
	if reduce < 0 {
		from = max(vector, n.Own)
		if vector < 0 {
			from = len(n.Loops)
		}
	}
	axis := -1
	t.Use = 1 / width
	if vector >= 0 {
		t.Lanes = float64(n.Loops[vector].Extent)
		t.Use = t.Lanes / (math.Ceil(t.Lanes/width) * width)
		axis = n.axisOf(vector)
	}
	for k := from; k < len(n.Loops); k++ {
		e := float64(n.Loops[k].Extent)
		if k == vector {
			e = math.Ceil(e / width)
		}
		t.Vectors *= e
	}
	for k := reduce; k >= n.Own && (n.Loops[k].Reduce || n.Loops[k].Extent == 1); k-- {
		t.Steps *= float64(n.Loops[k].Extent)
	}
	counts := n.counts(from)
	for i := range n.Accesses {
		a := &n.Accesses[i]
		stride := 0.0
		if axis >= 0 {
			stride = a.Stride(axis)
		}
		if a.Write {
			t.Stride = stride
			continue
		}
		elements := a.Elements(counts)
		switch {
		case vector < 0 || vector < from:
			t.Spread += elements
			t.Reads += elements
		case stride == 0:
			t.Same += elements
			t.Reads += elements
		case stride == 1:
			t.Reads += elements / t.Lanes * math.Ceil(t.Lanes/width)
		default:
			t.Spread += elements
			t.Reads += elements
		}
	}
	return t
}

// axisOf returns the axis along which a loop runs fastest: the one that it alone
// moves by the smallest reach; -1 if it moves none.
func (n *Summary) axisOf(loop int) int {
	inner, outer := n.counts(loop+1), n.counts(loop)
	for axis := range outer {
		if outer[axis] > inner[axis] {
			last := axis
			for k := axis + 1; k < len(outer); k++ {
				if outer[k] > inner[k] {
					last = k
				}
			}
			return last
		}
	}
	return -1
}

// Traffic returns how many bytes come from beyond a cache of some size, for one
// run of the program, and how many would if it were large enough. The nest's
// accesses together fit from some loop on; each is loaded once for each run of the
// loops outside of that, but for those next to it that it does not depend on.
func (n *Summary) Traffic(feet [][]float64, size float64) (bytes, least float64) {
	level := len(n.Loops)
	for k := range len(n.Loops) + 1 {
		sum := 0.0
		for _, f := range feet[k] {
			sum += f
		}
		if sum <= size {
			level = k
			break
		}
	}
	for a := range n.Accesses {
		least += feet[0][a]
		k := level
		for k > 0 && feet[k-1][a] == feet[k][a] {
			k--
		}
		bytes += feet[level][a] * n.Runs(k)
	}
	return bytes, least
}

// Footprints returns, for the loops from each on, the bytes of each access.
func (n *Summary) Footprints(line float64) [][]float64 {
	all := make([]float64, (len(n.Loops)+1)*len(n.Accesses))
	list := make([][]float64, len(n.Loops)+1)
	for k := range list {
		list[k], all = all[:len(n.Accesses):len(n.Accesses)], all[len(n.Accesses):]
		if k > 0 && n.Loops[k-1].Extent == 1 {
			copy(list[k], list[k-1])
			continue
		}
		for a := range n.Accesses {
			list[k][a] = n.Accesses[a].Footprint(n.counts(k), line)
		}
	}
	return list
}
