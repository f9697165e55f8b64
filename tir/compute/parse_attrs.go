package compute

import "slices"

// attrs reads the clauses after the value of an op.
func (p *parser) attrs(op *Op) error {
	for p.peek(0).kind == nameToken {
		word := p.take().text
		switch word {
		case "layout_free":
			refs, err := p.names("an input")
			if err != nil {
				return err
			}
			for _, ref := range refs {
				t, err := p.lookup(ref)
				switch {
				case err != nil:
					return err
				case !p.b.producer[t.Buffer].IsPlaceholder() || !slices.Contains(op.Reads(), t.Buffer):
					return p.fail("layout_free %s: no input that the op reads", ref)
				}
				op.Attrs.LayoutFree = append(op.Attrs.LayoutFree, t.Buffer)
			}
			continue
		case "flop":
			n, err := p.int("a number of operations")
			if err != nil {
				return err
			}
			if n < 1 {
				return p.fail("flop %d: must be at least 1", n)
			}
			op.Attrs.FLOP = n
			continue
		}
		if err := p.axisAttr(op, word); err != nil {
			return err
		}
	}
	return nil
}

// axisAttr reads a clause that lists axes.
func (p *parser) axisAttr(op *Op, word string) error {
	for _, row := range attrWords {
		if word != row.word {
			continue
		}
		names, err := p.names("an axis")
		if err != nil {
			return err
		}
		for _, n := range names {
			if !slices.ContainsFunc(slices.Concat(op.Axes, op.ReduceAxes), func(a *Axis) bool { return a.Var.Name == n }) {
				return p.fail("%s %s: no such axis", word, n)
			}
		}
		*row.axes(&op.Attrs) = names
		return nil
	}
	return p.fail("unexpected %q: after the value may come simplify_const_tensor_indices no_split_at_inner "+
		"always_unroll_inner layout_free flop", word)
}
