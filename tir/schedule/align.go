package schedule

import (
	"fmt"
	"math"
	"slices"
)

func (s StorageAlign) apply(b *builder) error {
	st, it, err := b.iterator(s.At, s.Iter)
	if err != nil {
		return err
	}
	dim := st.loops.leaves[s.Iter]
	switch {
	case dim >= len(st.Op.Axes):
		return fmt.Errorf("iterator %s is not a whole spatial axis of stage %s", it.Name, st.Op.Name)
	case s.Factor < 1 || s.Offset < 0 || s.Factor > math.MaxInt32 || s.Offset > math.MaxInt32:
		return fmt.Errorf("factor %d or offset %d is out of range", s.Factor, s.Offset)
	}
	st = b.stage(s.At)
	st.StorageOffset = int(s.Offset)
	st.Aligns = append(slices.Clip(st.Aligns), Align{Dim: dim, Factor: s.Factor, Offset: s.Offset})
	return nil
}
