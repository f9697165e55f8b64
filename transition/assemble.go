package transition

import "slices"

// assemble makes a batch of samples, and says which sample is in each of its places:
// the longest is first. Rows of actions are in the order in which they are first
// met.
func assemble(d *Data, list []picked, scale, start affineScale) (b *batch, order []int) {
	order = make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return len(list[k].sample.Actions) - len(list[i].sample.Actions) })
	b = &batch{}
	row := map[int32]int32{}
	begin := map[int]int{}
	for _, i := range order {
		p := list[i]
		s, known := begin[p.group]
		if !known {
			s = len(begin)
			begin[p.group] = s
			b.starts = append(b.starts, start.apply(d.Groups[p.group].Start)...)
		}
		b.start = append(b.start, s)
		steps := make([]int32, len(p.sample.Actions))
		for t, a := range p.sample.Actions {
			at, known := row[a]
			if !known {
				at = int32(b.rows)
				row[a] = at
				b.rows++
				b.actions = slices.Grow(b.actions, Size)[:b.rows*Size]
				scale.into(b.actions[int(at)*Size:], d.action(a))
			}
			steps[t] = at
		}
		b.steps = append(b.steps, steps)
	}
	return b, order
}
