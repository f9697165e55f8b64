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
	slices.SortStableFunc(order, func(i, k int) int { return list[k].steps() - list[i].steps() })
	b = &batch{}
	row := map[int32]int32{}
	begin := map[[2]int]int{}
	for _, i := range order {
		p := list[i]
		s, known := begin[[2]int{p.group, p.state}]
		if !known {
			s = len(begin)
			begin[[2]int{p.group, p.state}] = s
			v := slices.Clone(d.Groups[p.group].Start)
			if p.state > 0 {
				copy(v, d.Vectors[p.state-1])
			}
			b.starts = append(b.starts, start.apply(v)...)
		}
		b.start = append(b.start, s)
		steps := make([]int32, p.steps())
		for t, a := range p.sample.Actions[p.from:] {
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

// steps is how many steps a picked sample has.
func (p *picked) steps() int { return len(p.sample.Actions) - p.from }
