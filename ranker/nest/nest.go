package nest

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// maxAccesses bounds the accesses of a statement that are looked at: transforms of
// Winograd's read dozens of elements of one tensor.
const maxAccesses = 12

// A Nest is the loops around the statement of one stage: those that the stage is
// computed in, and its own.
type Nest struct {
	Stage    int
	Op       *compute.Op
	Loops    []Loop // outermost first
	Own      int    // the first of the stage's own
	Accesses []Access
	Unroll   int     // the limit of its pragma
	Ops      float64 // floating-point operations of the statement
	Calls    float64 // of them, functions such as exp
	Selects  float64 // choices in it, such as of padding

	reach []int64 // by loop and axis: see counts
	axes  int
}

// A Loop is one loop of a nest.
type Loop struct {
	Extent int64
	Ann    schedule.Annotation
	Reduce bool // it only reduces
}

// counts returns over how many values each axis runs in the loops from one on.
func (n *Nest) counts(from int) []int64 { return n.reach[from*n.axes : (from+1)*n.axes] }

// Counts returns over how many values each axis of the stage runs, spatial ones
// first, in the loops from one on, while those before it stand still.
func (n *Nest) Counts(from int) []int64 { return n.counts(from) }

// Runs returns how often what is inside the first loops is carried out.
func (n *Nest) Runs(loops int) float64 {
	runs := 1.0
	for _, l := range n.Loops[:loops] {
		runs *= float64(l.Extent)
	}
	return runs
}

// Of returns the nests of a state, in the order of its stages; none of
// placeholders and inlined stages.
func Of(b *schedule.Bounds) []*Nest {
	s := b.State
	constants := s.DAG.Constants()
	of := make([]*Nest, len(s.Stages))
	var work []int64
	for i, st := range slices.Backward(s.Stages) { // readers before what they read
		if st.Op.IsPlaceholder() || st.At == schedule.Inlined {
			continue
		}
		n := &Nest{Stage: i, Op: st.Op, Unroll: st.AutoUnroll, axes: len(st.Op.Axes) + len(st.Op.ReduceAxes)}
		n.statement(s)
		n.access(s, constants)
		if at, ok := s.Attach.At(i); ok {
			n.enclose(b, of[at.Stage], at.Iter)
		}
		n.Own = len(n.Loops)
		for _, it := range st.Iters {
			n.Loops = append(n.Loops, Loop{it.Extent, it.Ann, it.Kind == schedule.Reduction})
		}
		own := len(n.reach)
		n.reach = slices.Grow(n.reach, (len(st.Iters)+1)*n.axes)[:own+(len(st.Iters)+1)*n.axes]
		for k := range len(st.Iters) + 1 {
			work = b.Reach(i, k, n.reach[own+k*n.axes:own+(k+1)*n.axes], work)
		}
		of[i] = n
	}
	return slices.DeleteFunc(of, func(n *Nest) bool { return n == nil })
}

// enclose puts the loops around that the stage is computed in: those of a reader up
// to one, and what that is in. What the stage computes for them is what the reader
// reads.
func (n *Nest) enclose(b *schedule.Bounds, in *Nest, iter int) {
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
func (n *Nest) access(s *schedule.State, constants []*tir.Buffer) {
	axes := axesOf(n.Op)
	for _, r := range n.Op.Results {
		w := Access{From: n.Stage, Write: true, Bytes: float64(r.Type.Bytes()), Whole: 1, dims: make([]dim, len(r.Shape))}
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
		if slices.ContainsFunc(n.Accesses, func(x Access) bool { return a.same(&x) }) {
			return
		}
		a.Packed = slices.Contains(constants, b)
		n.Accesses = append(n.Accesses, a)
	})
}

// statement counts what the statement computes.
func (n *Nest) statement(s *schedule.State) {
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
