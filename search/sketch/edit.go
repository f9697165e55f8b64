package sketch

import "github.com/wmtune/wmtune/tir/schedule"

// An edit applies steps to one stage of a state until one of them fails. After
// an error the other methods do nothing.
type edit struct {
	state *schedule.State
	stage int
	err   error
}

func (e *edit) apply(step schedule.Step) {
	if e.err != nil {
		return
	}
	s, err := e.state.Apply(step)
	if err != nil {
		e.err = err
		return
	}
	e.state = s
}

// iter returns an iterator of the stage as it is now.
func (e *edit) iter(i int) *schedule.Iterator { return e.state.Stages[e.stage].Iters[i] }

// split splits an iterator, by open lengths if they are 0, and returns the
// number of the step.
func (e *edit) split(iter int, lengths []int64) int {
	if e.err != nil {
		return 0
	}
	e.apply(schedule.Split{
		At: e.stage, Iter: iter, Extent: max(e.iter(iter).Extent, 0), Lengths: lengths, InnerToOuter: true,
	})
	return len(e.state.Steps) - 1
}

func (e *edit) reorder(order []int) { e.apply(schedule.Reorder{At: e.stage, Order: order}) }

// fuseReductions fuses all reduce loops of the stage into one, if they are
// several, and returns its position.
func (e *edit) fuseReductions() int {
	var reduce []int
	for i, it := range e.state.Stages[e.stage].Iters {
		if it.Kind == schedule.Reduction {
			reduce = append(reduce, i)
		}
	}
	if len(reduce) > 1 {
		e.apply(schedule.Fuse{At: e.stage, Iters: reduce})
	}
	return reduce[0]
}

// next returns the edited state as the only derived one.
func (e *edit) next(stage int) ([]Next, error) {
	if e.err != nil {
		return nil, e.err
	}
	return []Next{{e.state, stage}}, nil
}
