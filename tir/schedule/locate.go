package schedule

import "fmt"

func (s ComputeAt) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	target, _, err := b.iterator(s.Target, s.TargetIter)
	if err != nil {
		return err
	}
	switch {
	case b.isOutput(st):
		return fmt.Errorf("stage %s is an output: it must be computed at the root", st.Op.Name)
	case target.At == Inlined:
		return fmt.Errorf("stage %s is inlined: it has no loops", target.Op.Name)
	}
	for t := s.Target; ; {
		if t == s.At {
			return fmt.Errorf("stage %s would be computed inside itself", st.Op.Name)
		}
		k, ok := b.s.Attach.At(t)
		if !ok {
			break
		}
		t = k.Stage
	}
	st = b.stage(s.At)
	if st.At == Inlined {
		b.reflow()
	}
	st.forgetExtents()
	st.At = AtIter
	b.attach().set(s.At, IterKey{s.Target, s.TargetIter})
	return b.checkNesting()
}

func (s ComputeInline) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	switch {
	case b.isOutput(st):
		return fmt.Errorf("stage %s is an output: it cannot be inlined", st.Op.Name)
	case st.Op.Combine != nil:
		return fmt.Errorf("stage %s reduces: it cannot be inlined", st.Op.Name)
	case b.s.Attach.hasInside(s.At):
		return fmt.Errorf("stage %s has stages attached in it", st.Op.Name)
	}
	if st.At == Inlined {
		return nil
	}
	if st.At == AtIter {
		b.attach().remove(s.At)
	}
	b.stage(s.At).At = Inlined
	b.reflow()
	return nil
}

func (s ComputeRoot) apply(b *builder) error {
	if _, err := b.computed(s.At); err != nil {
		return err
	}
	return b.moveToRoot(s.At)
}

func (b *builder) moveToRoot(stage int) error {
	st := b.stage(stage)
	switch st.At {
	case AtIter:
		b.attach().remove(stage)
	case Inlined:
		b.reflow()
	}
	st.At = AtRoot
	st.forgetExtents()
	return b.checkNesting()
}

// isOutput reports whether a stage computes a result of the program.
func (b *builder) isOutput(st *Stage) bool {
	for _, out := range b.s.DAG.Results() {
		for _, r := range st.Op.Results {
			if r == out {
				return true
			}
		}
	}
	return false
}

// checkNesting returns an error if a stage is attached in a loop and one that
// reads it is computed outside of that loop.
func (b *builder) checkNesting() error {
	if b.s.Attach.target == nil {
		return nil
	}
	for i, readers := range b.s.dataflow().readers {
		at, ok := b.s.Attach.At(i)
		if !ok {
			continue
		}
		for _, r := range readers {
			if !b.s.encloses(at, r) {
				target := b.s.Stages[at.Stage]
				return fmt.Errorf("stage %s, which reads %s, would not be computed inside iterator %s of stage %s",
					b.s.Stages[r].Op.Name, b.s.Stages[i].Op.Name, target.Iters[at.Iter].Name, target.Op.Name)
			}
		}
	}
	return nil
}

// encloses reports whether stage is computed inside the loop named by k.
func (s *State) encloses(k IterKey, stage int) bool {
	for {
		if stage == k.Stage {
			return true
		}
		at, ok := s.Attach.At(stage)
		if !ok {
			return false
		}
		if at.Stage == k.Stage {
			return at.Iter >= k.Iter
		}
		stage = at.Stage
	}
}
