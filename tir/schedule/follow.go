package schedule

import (
	"fmt"
	"math"
)

// SplitLengths returns what a SP, FSP or FFSP step would split an iterator of s by,
// and whether these are the lengths of the inner pieces. It is an error if the
// step is of another kind, or if what it follows is no split.
func (s *State) SplitLengths(step Step) (lengths []int64, innerToOuter bool, err error) {
	b := &builder{s: s}
	switch step := step.(type) {
	case Split:
		return step.Lengths, step.InnerToOuter, nil
	case FollowSplit:
		lengths, err = step.lengths(b)
		return lengths, true, err
	case FollowFusedSplit:
		lengths, err = step.lengths(b)
		return lengths, step.Factor, err
	}
	return nil, false, fmt.Errorf("schedule: a %s splits nothing", step.Kind())
}

func (s FollowSplit) apply(b *builder) error {
	lengths, err := s.lengths(b)
	if err != nil {
		return err
	}
	return b.split(s.At, s.Iter, lengths, true)
}

func (s FollowSplit) lengths(b *builder) ([]int64, error) {
	src, err := b.source(s.Src)
	if err != nil {
		return nil, err
	}
	if s.Parts < 1 || s.Parts > len(src.Lengths)+1 {
		return nil, fmt.Errorf("%d parts of step %d, which has %d", s.Parts, s.Src, len(src.Lengths)+1)
	}
	lengths := make([]int64, 0, s.Parts)
	lengths = append(lengths, src.Lengths[:s.Parts-1]...)
	last, err := product(src.Lengths[s.Parts-1:])
	if err != nil {
		return nil, err
	}
	return append(lengths, last), nil
}

func (s FollowFusedSplit) apply(b *builder) error {
	lengths, err := s.lengths(b)
	if err != nil {
		return err
	}
	return b.split(s.At, s.Iter, lengths, s.Factor)
}

func (s FollowFusedSplit) lengths(b *builder) ([]int64, error) {
	list := make([]int64, len(s.Srcs))
	for i, at := range s.Srcs {
		src, err := b.source(at)
		if err != nil {
			return nil, err
		}
		if s.Level < 0 || s.Level >= len(src.Lengths) {
			return nil, fmt.Errorf("no length %d in step %d, which has %d", s.Level, at, len(src.Lengths))
		}
		list[i] = src.Lengths[s.Level]
	}
	p, err := product(list)
	if err != nil {
		return nil, err
	}
	return []int64{p}, nil
}

// source returns the Split that another step follows.
func (b *builder) source(i int) (Split, error) {
	if i < 0 || i >= len(b.s.Steps) {
		return Split{}, fmt.Errorf("step %d, which it follows, does not come before it", i)
	}
	sp, ok := b.s.Steps[i].(Split)
	if !ok {
		return Split{}, fmt.Errorf("step %d, which it follows, is a %s, not a SP", i, b.s.Steps[i].Kind())
	}
	return sp, nil
}

// product multiplies lengths; it is open if one of them is.
func product(lengths []int64) (int64, error) {
	p := int64(1)
	for _, l := range lengths {
		p *= l
		if p > math.MaxInt32 {
			return 0, fmt.Errorf("the product of lengths %v is out of range", lengths)
		}
	}
	return p, nil
}
