package feature

// stride returns by how many elements one step of a loop moves an access in the
// whole tensor, or 0 if it does not; the smallest over the places of the access.
// Position is that of the loop around the statement.
func (x *extractor[N]) stride(a *Access[N], g *region[N], loop, position int) N {
	shape := x.p.Buffers[a.Buffer].Shape
	smallest, found := x.outer.Const(0), false
	if len(shape) == 0 {
		return smallest.Const(1)
	}
	for p, at := range a.At {
		inner := 1.0
		for d := len(at) - 1; d >= 0; d-- {
			if g.masks[p*g.dims+d]>>position&1 != 0 {
				v := absolute(coefficient(&at[d], loop)).Times(smallest.Const(inner))
				if !found || v.Value() < smallest.Value() {
					smallest, found = v, true
				}
				break
			}
			inner *= shape[d]
		}
	}
	return smallest
}

// A coefficients is a walk over the text of an index, in which TVM guesses the
// coefficient of a variable (CoefficientExtractor). It is right for the last
// variable, and for a sum that begins with it; for others it finds the
// coefficient of a later one.
type coefficients[N Number[N]] struct {
	loop               int
	seen, product, sum bool
	value              N
}

// coefficient returns TVM's guess of the coefficient of a loop in an index that
// depends on it.
func coefficient[N Number[N]](e *Index[N], loop int) N {
	c := coefficients[N]{loop: loop}
	c.index(e)
	if c.seen && !c.product && !c.sum {
		return e.Const.Const(1)
	}
	return c.value
}

func (c *coefficients[N]) index(e *Index[N]) {
	for k := range e.Terms {
		t := &e.Terms[k]
		c.term(t)
		if k > 0 && t.Coef.Value() > 0 { // what is subtracted does not count
			c.added()
		}
	}
	if e.Const.Value() > 0 && len(e.Terms) > 0 {
		c.added()
	}
}

func (c *coefficients[N]) added() {
	if c.seen && !c.product {
		c.sum, c.value = true, c.value.Const(1)
	}
}

func (c *coefficients[N]) term(t *Term[N]) {
	switch {
	case t.Of != nil:
		c.index(t.Of)
	case t.Loop == c.loop:
		c.seen, c.value = true, c.value.Const(2)
	}
	if v := absolute(t.Coef); v.Value() != 1 && c.seen && !c.sum {
		c.product, c.value = true, v
	}
}
