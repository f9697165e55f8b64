package graph

import "unsafe"

// spare is memory for the numbers of large constants, which one node after another reads: gigabytes of weights that
// each get memory of their own cost more in pages than in numbers.
type spare struct {
	lent   []*Tensor // to the node that is computed
	floats [][]float64
	ints   [][]int64
}

// spareLeast is how many numbers a constant has that is worth it, and spareMost how many pieces of memory are kept.
const (
	spareLeast = 1 << 16
	spareMost  = 4
)

// tensor returns the numbers of c until take is called.
func (s *spare) tensor(c *Const) *Tensor {
	n := int(Elems(c.Shape))
	if n < spareLeast {
		return c.Tensor()
	}
	t := &Tensor{Type: c.Type, Shape: c.Shape}
	if c.Type.IsFloat() {
		t.F = fitting(&s.floats, n)
	} else {
		t.I = fitting(&s.ints, n)
	}
	c.fill(t)
	s.lent = append(s.lent, t)
	return t
}

// fitting takes memory for n numbers out of a list, or makes it.
func fitting[T any](list *[][]T, n int) []T {
	for i, m := range *list {
		if cap(m) >= n {
			*list = append((*list)[:i], (*list)[i+1:]...)
			return m[:n]
		}
	}
	return make([]T, n)
}

// take takes back the memory of a node's operands, unless a result is in it.
func (s *spare) take(out []*Tensor) {
	for _, t := range s.lent {
		used := false
		for _, o := range out {
			used = used || o != nil && (within(o.F, t.F) || within(o.I, t.I))
		}
		switch {
		case used:
		case t.F != nil:
			s.floats = append(s.floats, t.F)
		default:
			s.ints = append(s.ints, t.I)
		}
	}
	s.lent = s.lent[:0]
	s.floats, s.ints = s.floats[max(0, len(s.floats)-spareMost):], s.ints[max(0, len(s.ints)-spareMost):]
}

// within reports whether x begins in the memory of list.
func within[T any](x, list []T) bool {
	if len(x) == 0 || len(list) == 0 {
		return false
	}
	at, from := uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&list[0]))
	return at >= from && at-from < uintptr(cap(list))*unsafe.Sizeof(list[0])
}
