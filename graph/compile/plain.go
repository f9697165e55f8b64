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
		for _, step := range build.NestSteps(i, len(op.Axes), len(op.ReduceAxes)) {
			next, err := s.Apply(step)
			if err != nil {
				return nil, err
			}
			s = next
		}
	}
	return s, nil
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
