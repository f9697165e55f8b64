package transition

import (
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Path is a state on the way, to which steps are applied one after the other,
// each resolved before. Bounds that were inferred for one step serve the next, where
// they cannot have changed.
type Path struct {
	State *schedule.State
	bound *schedule.State // State with bounds, up to annotations; nil if not asked for
}

// NewPath begins with no steps.
func NewPath(d *compute.DAG) Path { return Path{State: schedule.New(d)} }

// Resolve returns the action of a step that can be applied. It equals the function
// Resolve.
func (p *Path) Resolve(step schedule.Step) Action {
	r := resolver{s: p.State, bound: p.bound}
	a := r.resolve(step)
	p.bound = r.bound
	return a
}

// Apply returns the path after a step.
func (p Path) Apply(step schedule.Step) (Path, error) {
	s, err := p.State.Apply(step)
	if err != nil {
		return p, err
	}
	next := Path{State: s}
	if keepsBounds(step) {
		next.bound = p.bound
	}
	return next, nil
}

// keepsBounds reports whether no bound depends on a step: annotations decide on
// bounds only where loops become threads, that share memory.
func keepsBounds(step schedule.Step) bool {
	switch step := step.(type) {
	case schedule.Annotate:
		return !step.Ann.IsThread()
	case schedule.Pragma:
		return strings.HasPrefix(step.Text, "auto_unroll_max_step")
	}
	return false
}

// Vectors returns the vectors of a list of steps, Size numbers each.
func Vectors(d *compute.DAG, steps []schedule.Step) ([]float32, error) {
	out := make([]float32, len(steps)*Size)
	p := NewPath(d)
	for t, step := range steps {
		next, err := p.Apply(step)
		if err != nil {
			return nil, err
		}
		a := p.Resolve(step)
		a.Vector(out[t*Size:])
		next.inherit(&p, step)
		p = next
	}
	return out, nil
}

// inherit takes over bounds that were inferred after the step was applied.
func (p *Path) inherit(before *Path, step schedule.Step) {
	if keepsBounds(step) {
		p.bound = before.bound
	}
}
