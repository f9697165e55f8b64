package schedule

import (
	"fmt"
	"math"
)

func (s FollowSplit) apply(b *builder) error {
	src, err := b.source(s.Src)
	if err != nil {
		return err
	}
	if s.Parts < 1 || s.Parts > len(src.Lengths)+1 {
		return fmt.Errorf("%d parts of step %d, which has %d", s.Parts, s.Src, len(src.Lengths)+1)
	}
	lengths := make([]int64, 0, s.Parts)
	lengths = append(lengths, src.Lengths[:s.Parts-1]...)
	last, err := product(src.Lengths[s.Parts-1:])
	if err != nil {
		return err
	}
	return b.split(s.At, s.Iter, append(lengths, last), true)
}

func (s FollowFusedSplit) apply(b *builder) error {
	list := make([]int64, len(s.Srcs))
	for i, at := range s.Srcs {
		src, err := b.source(at)
		if err != nil {
			return err
		}
		if s.Level < 0 || s.Level >= len(src.Lengths) {
			return fmt.Errorf("no length %d in step %d, which has %d", s.Level, at, len(src.Lengths))
		}
		list[i] = src.Lengths[s.Level]
	}
	p, err := product(list)
	if err != nil {
		return err
	}
	return b.split(s.At, s.Iter, []int64{p}, s.Factor)
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
