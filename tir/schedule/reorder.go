package schedule

import "fmt"

func (s Reorder) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	if len(s.Order) != len(st.Iters) {
		return fmt.Errorf("the order names %d iterators: stage %s has %d", len(s.Order), st.Op.Name, len(st.Iters))
	}
	iters := make([]*Iterator, len(s.Order))
	seen := make([]bool, len(s.Order))
	for k, old := range s.Order {
		if old < 0 || old >= len(seen) || seen[old] {
			return fmt.Errorf("the order %v is not a permutation", s.Order)
		}
		seen[old] = true
		iters[k] = st.Iters[old]
	}
	st = b.stage(s.At)
	st.Iters = iters
	st.loops = st.loops.reorder(s.Order)
	return nil
}
