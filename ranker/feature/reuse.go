package feature

// A reuseKind says how data is used again.
type reuseKind uint8

const (
	loopReuse   reuseKind = iota // by the next iterations of a loop
	serialReuse                  // by another statement
	noReuse
)

// A reuse is how the data of an access is used again: after how many iterations
// and bytes, and how often.
type reuse[N Number[N]] struct {
	kind                     reuseKind
	iterations, bytes, count N
}

// reuse looks for the innermost loop in which the data of access k is used
// again.
func (x *extractor[N]) reuse(s *Store[N], k int) reuse[N] {
	buffer := s.Accesses[k].Buffer
	distance := x.outer.Const(1)
	for i := len(s.Loops) - 1; i >= 0; i-- {
		t := x.touchedIn(s.Loops[i])
		extent := x.stack[i].Extent
		if x.regions[k].mask>>i&1 == 0 {
			bytes := distance.Const(t.elements)
			if i < len(s.Loops)-1 {
				bytes = x.touchedIn(s.Loops[i+1]).bytes
			}
			return reuse[N]{loopReuse, distance, bytes, extent}
		}
		distance = distance.Times(extent)
		if n, smallest := t.of(buffer); n > 1 {
			return reuse[N]{serialReuse, smallest.Over(extent), t.bytes.Over(extent), extent.Const(float64(n - 1))}
		}
	}
	return reuse[N]{kind: noReuse}
}

// of returns how many statements touch a buffer, and the smallest size.
func (t *touches[N]) of(buffer int) (n int, smallest N) {
	for _, u := range t.list {
		if u.buffer != buffer {
			continue
		}
		if n == 0 {
			smallest = u.size
		}
		n, smallest = n+1, least(smallest, u.size)
	}
	return n, smallest
}

func (r *reuse[N]) write(w *writer[N]) {
	w.oneHot(int(r.kind), 3)
	w.scaled(r.iterations)
	w.scaled(r.bytes)
	w.scaled(r.count)
}
