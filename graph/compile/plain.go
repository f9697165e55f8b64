package compile

import (
	"slices"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// plain returns a schedule that needs no search: stages without reductions are computed where they are read, and each
// other stage has one nest, the outer loops of which run in parallel and the last one as vectors.
func plain(d *compute.DAG) (*schedule.State, error) {
	s := schedule.New(d)
	access := d.Access()
	sizes := map[*compute.Op]int{}
	var inRow []schedule.ComputeAt
	for i, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		for _, from := range access.DirectProducers(op) { // each stage has what was inlined before
			sizes[op] += sizes[from] * loads(op, from.Results[0])
		}
		sizes[op] += lengthOf(op)
		if len(op.ReduceAxes) == 0 && !access.IsOutput(op) && inlines(access, op, sizes[op]) {
			next, err := s.Apply(schedule.ComputeInline{At: i})
			if err == nil {
				s = next
				continue
			}
		}
		delete(sizes, op)
		if r, ok := rowReader(d, access, op); ok {
			inRow = append(inRow, schedule.ComputeAt{At: i, Target: r})
		}
		for _, step := range nestSteps(i, op) {
			next, err := s.Apply(step)
			if err != nil {
				return nil, err
			}
			s = next
		}
	}
	for _, at := range slices.Backward(inRow) {
		if it := s.Stages[at.Target].Iters; len(it) < 2 || it[0].Ann != schedule.Parallel {
			continue
		}
		if next, err := s.Apply(at); err == nil {
			s = next
		}
	}
	return s, nil
}

// rowReader returns the stage in whose rows op is computed: its only reader, which reads the same element several
// times.
func rowReader(d *compute.DAG, access *compute.Access, op *compute.Op) (stage int, ok bool) {
	readers := access.Consumers(op, nil)
	if len(op.ReduceAxes) > 0 || access.IsOutput(op) || len(readers) != 1 || len(readers[0].ReduceAxes) > 0 ||
		!access.ElementwiseMatch(op, readers[0]) {
		return 0, false
	}
	return slices.Index(d.Ops, readers[0]), atOnePlace(readers[0], op.Results[0])
}

// nestSteps are those of a stage. A long last axis becomes two: rows of it are vectors, and what is around is parallel.
func nestSteps(stage int, op *compute.Op) []schedule.Step {
	n, last := len(op.Axes), len(op.Axes)-1
	if len(op.ReduceAxes) > 0 || n == 0 {
		return build.NestSteps(stage, n, len(op.ReduceAxes))
	}
	extent := op.Axes[last].Extent
	row := rowOf(extent)
	if row == 0 || extent <= longRow {
		return build.NestSteps(stage, n, 0)
	}
	split := schedule.Split{At: stage, Iter: last, Extent: extent, Lengths: []int64{row}, InnerToOuter: true}
	return append([]schedule.Step{split}, build.NestSteps(stage, n+1, 0)...)
}

// longRow is the longest row that is copied or computed as vectors. A row starts with a division or two.
const longRow = 1024

// rowOf returns the largest divisor of an axis that is whole vectors and no longer than a row, or 0.
func rowOf(extent int64) int64 {
	for n := min(extent, longRow) / 16 * 16; n >= 64; n -= 16 {
		if extent%n == 0 {
			return n
		}
	}
	return 0
}

// inRows returns d with dimensions made one, for a schedule that needs no search, unless its rows were too long then.
func inRows(d *compute.DAG) *compute.DAG {
	c := compute.Collapse(d)
	for _, op := range c.Ops {
		if last := len(op.Axes) - 1; last >= 0 && op.Axes[last].Extent > longRow && rowOf(op.Axes[last].Extent) == 0 {
			return d
		}
	}
	return c
}

// mostInlined is how large the expressions become that a stage has in the place of another one, which it reads several
// times at one place: that is computed once, but for functions and quotients, which a comparison wants exact.
const mostInlined = 400

// inlines reports whether op, whose expressions are so large, is cheap to compute wherever it is read: at one place, by
// a stage that does not reduce.
func inlines(access *compute.Access, op *compute.Op, size int) bool {
	readers := access.Consumers(op, nil)
	if len(readers) != 1 || len(readers[0].ReduceAxes) > 0 {
		return false
	}
	n := loads(readers[0], op.Results[0])
	return n == 1 || n*size <= mostInlined && !calls(op) && atOnePlace(readers[0], op.Results[0])
}

// calls reports whether op computes a function or a quotient.
func calls(op *compute.Op) bool {
	return slices.ContainsFunc(op.Body, func(e tir.Expr) bool {
		return tir.HasExpr(e, func(x tir.Expr) bool {
			_, call := x.(*tir.Call)
			b, ok := x.(*tir.Binary)
			return call || ok && b.Op == tir.Div
		})
	})
}

// atOnePlace reports whether all that op reads of b is one element.
func atOnePlace(op *compute.Op, b *tir.Buffer) bool {
	var first []tir.Expr
	for _, e := range op.Body {
		for l := range tir.ExprsIn[*tir.Load](e) {
			if l.Buffer == b && first == nil {
				first = l.Index
			}
			if l.Buffer == b && !slices.EqualFunc(first, l.Index, tir.EqualExpr) {
				return false
			}
		}
	}
	return true
}

// lengthOf counts what the expressions of op are made of.
func lengthOf(op *compute.Op) int {
	n := 0
	for _, e := range op.Body {
		tir.VisitExpr(e, func(tir.Expr) bool { n++; return true })
	}
	return n
}

// loads counts the places where op reads b.
func loads(op *compute.Op, b *tir.Buffer) int {
	n := 0
	for _, e := range op.Body {
		for l := range tir.ExprsIn[*tir.Load](e) {
			if l.Buffer == b {
				n++
			}
		}
	}
	return n
}
