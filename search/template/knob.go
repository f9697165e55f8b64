// Package template has AutoTVM's config spaces: a template is a list of knobs, a configuration is a value of each, and
// its index counts them in mixed radix. Names, values, their order and indices are those of TVM 0.7 to 0.18
// (python/tvm/autotvm/task/space.py; "Learning to Optimize Tensor Programs", Chen et al., 2018).
package template

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Value is one of a knob's: the lengths of a split's pieces, of which the first is -1, what remains; or the JSON of
// another option, such as "true" or "512".
type Value struct {
	Lengths []int64
	Option  string
}

// A Knob is a decision, and its values in AutoTVM's order.
type Knob struct {
	Name   string
	Split  *Split // nil for other options
	Values []Value
}

// A Split is how a loop is cut into pieces.
type Split struct {
	Policy Policy
	Extent int64 // of the loop, at least 1
	Pieces int   // at least 2
	Inner  int64 // the innermost piece is at most so long; 0: no limit
}

// A Policy says which lengths pieces have.
type Policy string

// The policies. Factors cut without a rest.
const (
	Factors Policy = "factors" // divisors of the extent
	Power2  Policy = "power2"  // powers of two up to the extent
	Verbose Policy = "verbose" // both, in the order of a set of CPython
)

// A Space is the knobs of a template for a workload, in order.
type Space []Knob

// split returns a knob that splits a loop: all pieces but the outermost one run through the lengths, the innermost
// slowest.
func split(name string, s Split) Knob {
	k := Knob{Name: name, Split: &s}
	lengths := s.lengths()
	inner := make([]int64, s.Pieces-1) // the innermost first
	var choose func(at int, product int64)
	choose = func(at int, product int64) {
		switch {
		case at < len(inner):
			for _, n := range lengths {
				// A product beyond the extent stays so: lengths are at least 1.
				if inner[at] = n; product <= s.Extent/n {
					choose(at+1, product*n)
				}
			}
		case s.Policy != Factors || s.Extent%product == 0:
			if s.Inner == 0 || inner[0] <= s.Inner {
				of := append(slices.Clone(inner), -1)
				slices.Reverse(of)
				k.Values = append(k.Values, Value{Lengths: of})
			}
		}
	}
	choose(0, 1)
	return k
}

// lengths returns those that a piece may have, in order.
func (s *Split) lengths() []int64 {
	var divisors, powers []int64
	for n := int64(1); n <= s.Extent; n++ {
		if s.Extent%n == 0 {
			divisors = append(divisors, n)
		}
	}
	for n := int64(1); n <= s.Extent; n *= 2 {
		powers = append(powers, n)
	}
	switch s.Policy {
	case Factors:
		return divisors
	case Power2:
		return powers
	case Verbose:
		return union(divisors, powers)
	}
	panic(fmt.Sprintf("BUG: a split by %q", s.Policy))
}

// option returns a knob of other options.
func option(name string, values ...string) Knob {
	k := Knob{Name: name}
	for _, v := range values {
		k.Values = append(k.Values, Value{Option: v})
	}
	return k
}

// Len returns the number of configurations.
func (s Space) Len() int64 {
	n := int64(1)
	for _, k := range s {
		n *= int64(len(k.Values))
	}
	return n
}

// Digits returns which value each knob has in the configuration of an index from 0 to Len-1. The first knob turns
// fastest.
func (s Space) Digits(index int64) []int {
	digits := make([]int, len(s))
	for i, k := range s {
		n := int64(len(k.Values))
		digits[i], index = int(index%n), index/n
	}
	return digits
}

// Index returns the index of a configuration.
func (s Space) Index(digits []int) int64 {
	index := int64(0)
	for i := len(s) - 1; i >= 0; i-- {
		index = index*int64(len(s[i].Values)) + int64(digits[i])
	}
	return index
}

// Walk returns the index of another configuration: knobs that are drawn take values that are drawn until it is another
// one. A space of one configuration has no other.
func (s Space) Walk(index int64, rng *rand.Rand) (int64, error) {
	if s.Len() < 2 {
		return 0, fmt.Errorf("the space has one configuration")
	}
	digits := s.Digits(index)
	for {
		i := rng.IntN(len(s))
		digits[i] = rng.IntN(len(s[i].Values))
		if next := s.Index(digits); next != index {
			return next, nil
		}
	}
}

// Vector returns the knobs of a configuration as numbers, AutoTVM's "knob" features: the lengths of a split with its
// -1, other options as numbers, true as 1.
func (s Space) Vector(index int64) []float64 {
	var vector []float64
	for i, d := range s.Digits(index) {
		v := s[i].Values[d]
		for _, n := range v.Lengths {
			vector = append(vector, float64(n))
		}
		if v.Lengths == nil {
			vector = append(vector, number(v.Option))
		}
	}
	return vector
}

// number reads an option.
func number(text string) float64 {
	switch text {
	case "true":
		return 1
	case "false":
		return 0
	}
	var x float64
	if _, err := fmt.Sscan(text, &x); err != nil {
		panic(fmt.Sprintf("BUG: the option %q is no number", text))
	}
	return x
}
