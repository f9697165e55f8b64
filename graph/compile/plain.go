package compile

import (
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
	for i, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		if len(op.ReduceAxes) == 0 && !access.IsOutput(op) && inlines(access, op) {
			next, err := s.Apply(schedule.ComputeInline{At: i})
			if err == nil {
				s = next
				continue
			}
		}
		for _, step := range nestSteps(i, op) {
			next, err := s.Apply(step)
			if err != nil {
				return nil, err
			}
			s = next
		}
	}
	return s, nil
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

// inlines reports whether op is cheap to compute wherever it is read: at one place, by a stage that does not reduce.
func inlines(access *compute.Access, op *compute.Op) bool {
	readers := access.Consumers(op, nil)
	return len(readers) == 1 && len(readers[0].ReduceAxes) == 0 && loads(readers[0], op.Results[0]) == 1
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
