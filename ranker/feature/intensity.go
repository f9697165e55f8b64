package feature

// intensity sets the curve of arithmetic intensity of a statement at ten places:
// the operations so far from the innermost loop outward against the bytes
// touched, both by their logarithms; the curve is their quotient over the first.
func (x *extractor[N]) intensity(s *Store[N], r *row[N]) {
	var zero N
	r.curve = [samples]N{}
	if s.Ops.Float.total() == 0 || len(x.stack) == 0 {
		return
	}
	var ops, ratios []N
	done := zero.Const(float64(s.Ops.Float.total()))
	for i := len(x.stack) - 1; i >= 0; i-- {
		done = done.Times(x.stack[i].Extent)
		bytes := zero
		for k, a := range s.Accesses {
			bytes = bytes.Plus(x.sizeInside(i, k).Times(zero.Const(x.p.Buffers[a.Buffer].Bytes)))
		}
		ops = append(ops, done.Log2())
		ratios = append(ratios, done.Log2().Over(bytes.Log2()))
	}
	last, p := ops[len(ops)-1], 0
	for i := range r.curve {
		at := last.Times(zero.Const(float64(i + 1))).Over(zero.Const(samples))
		for p < len(ops)-1 && ops[p].Value() < at.Value()-1e-4 {
			p++
		}
		if p == 0 {
			r.curve[i] = ratios[0]
			continue
		}
		slope := ratios[p].Minus(ratios[p-1]).Over(ops[p].Minus(ops[p-1]))
		r.curve[i] = ratios[p-1].Plus(slope.Times(at.Minus(ops[p-1])))
	}
}
