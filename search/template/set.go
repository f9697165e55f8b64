package template

// AutoTVM takes the lengths of a verbose split from a set of Python, whose order is that of its hash table. An integer
// is its own hash. The table is CPython's (Objects/setobject.c, versions 3.7 to 3.13).
const (
	leastSlots = 8
	neighbours = 9 // slots behind the first that are looked at before the next jump
	perturbing = 5 // bits that a jump takes from the hash
)

// A set is a table of integers from 1 on; 0 is an empty slot.
type set struct {
	slots []int64
	used  int
}

func newSet() *set { return &set{slots: make([]int64, leastSlots)} }

// union returns the members of two lists without doubles in the order of set(a) | set(b).
func union(a, b []int64) []int64 {
	first, second := newSet(), newSet()
	for _, n := range a {
		first.add(n)
	}
	for _, n := range b {
		second.add(n)
	}
	both := newSet()
	both.merge(first)
	both.merge(second)
	return both.list()
}

func (s *set) list() []int64 {
	var list []int64
	for _, n := range s.slots {
		if n != 0 {
			list = append(list, n)
		}
	}
	return list
}

// place puts n into its slot. It reports whether n was not there.
func (s *set) place(n int64) bool {
	mask := uint64(len(s.slots) - 1)
	perturb := uint64(n)
	for i := uint64(n) & mask; ; i = (i*5 + 1 + perturb) & mask {
		last := i
		if i+neighbours <= mask {
			last += neighbours
		}
		for k := i; k <= last; k++ {
			switch s.slots[k] {
			case 0:
				s.slots[k] = n
				s.used++
				return true
			case n:
				return false
			}
		}
		perturb >>= perturbing
	}
}

func (s *set) add(n int64) {
	if s.place(n) && s.used*5 >= (len(s.slots)-1)*3 {
		s.resize(s.used * 4) // of more than 50,000, twice; no loop has as many divisors
	}
}

// merge adds the members of another set, after room for all was made at once.
func (s *set) merge(o *set) {
	if (s.used+o.used)*5 >= (len(s.slots)-1)*3 {
		s.resize((s.used + o.used) * 2)
	}
	if s.used == 0 && len(s.slots) == len(o.slots) {
		copy(s.slots, o.slots)
		s.used = o.used
		return
	}
	empty := s.used == 0
	for _, n := range o.list() {
		if empty {
			s.place(n) // there is room, and none is there twice
		} else {
			s.add(n)
		}
	}
}

// resize makes a table of more than so many slots.
func (s *set) resize(least int) {
	n := leastSlots
	for n <= least {
		n *= 2
	}
	old := s.list()
	s.slots, s.used = make([]int64, n), 0
	for _, m := range old {
		s.place(m)
	}
}
