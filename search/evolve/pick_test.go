package evolve

import (
	"testing"
)

func scoredList(ids ...byte) []Scored {
	var list []Scored
	for _, id := range ids {
		list = append(list, Scored{Signature: [16]byte{id}})
	}
	return list
}

func ids(list []Scored) string {
	b := make([]byte, len(list))
	for i, s := range list {
		b[i] = s.Signature[0]
	}
	return string(b)
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		name         string
		best, random string
		n            int
		eps          float64
		want         string
	}{
		{"the best first", "abcdef", "xyz", 4, 0, "abcd"},
		{"a share of random ones", "abcdef", "xyz", 4, 0.5, "abxy"},
		{"a share is rounded", "abcdef", "xyz", 4, 0.2, "abcx"},
		{"a small share is none", "abcdef", "xyz", 4, 0.05, "abcd"},
		{"random ones fill in", "ab", "xyz", 4, 0, "abxy"},
		{"the best fill in", "abcdef", "x", 4, 0.5, "abxc"},
		{"nothing twice", "abab", "axa", 4, 0.5, "abx"},
		{"nothing to pick from", "", "", 4, 0.5, ""},
		{"all random", "abc", "xyz", 2, 1, "xy"},
	} {
		reserved := Places(c.eps, c.n)
		got := ids(Pick(c.n, Share{scoredList([]byte(c.best)...), c.n - reserved}, Share{scoredList([]byte(c.random)...), reserved}))
		if got != c.want {
			t.Errorf("%s: picked %q, want %q", c.name, got, c.want)
		}
	}
}

// Of several shares each has its places, what is known from another does not count, and
// the first fills in.
func TestPickShares(t *testing.T) {
	shares := []Share{{scoredList('a', 'b', 'c', 'd', 'e'), 3}, {scoredList('b', 'x', 'y'), 1}, {nil, 2}, {scoredList('z'), 1}}
	if got := ids(Pick(7, shares...)); got != "abcxzde" {
		t.Errorf("picked %q", got)
	}
}
