package pass

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRegroup names what may and may not stand behind a reshape.
func TestRegroup(t *testing.T) {
	type l = []int64
	for _, c := range []struct {
		name                          string
		in, perm, out, shape, inOrder l
	}{
		{"a dimension divided", l{1, 196, 64}, l{0, 2, 1}, l{1, 64, 14, 14}, l{1, 14, 14, 64}, l{0, 3, 1, 2}},
		{"neighbours joined", l{1, 14, 14, 64}, l{0, 3, 1, 2}, l{1, 64, 196}, l{1, 196, 64}, l{0, 2, 1}},
		{"one between neighbours", l{14, 1, 14, 64}, l{3, 0, 1, 2}, l{64, 196}, l{196, 64}, l{1, 0}},
		{"joined and divided", l{6, 4, 5}, l{2, 0, 1}, l{5, 8, 3}, l{8, 3, 5}, l{2, 0, 1}},
		{"no neighbours", l{1, 12, 128, 64}, l{0, 2, 1, 3}, l{1, 128, 768}, nil, nil},
		{"the other way round", l{4, 5}, l{1, 0}, l{20}, nil, nil},
		{"across", l{4, 6}, l{1, 0}, l{8, 3}, nil, nil},
		{"nothing but ones", l{1, 1}, l{1, 0}, l{1}, nil, nil},
	} {
		shape, order := regroup(c.in, c.perm, c.out)
		if !slices.Equal(shape, c.shape) || !slices.Equal(order, c.inOrder) {
			t.Errorf("%s: %d in the order %d, want %d and %d", c.name, shape, order, c.shape, c.inOrder)
		}
	}
}

// TestRegroupRandom: elements come to lie where a transpose and then a reshape have them.
func TestRegroupRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	found := 0
	for range 3000 {
		in := make([]int64, 1+r.IntN(4))
		for d := range in {
			in[d] = []int64{1, 2, 3, 4, 6}[r.IntN(5)]
		}
		perm := make([]int64, len(in))
		for i, p := range r.Perm(len(in)) {
			perm[i] = int64(p)
		}
		left := int64(1)
		for _, n := range in {
			left *= n
		}
		whole := left
		var out []int64
		for left > 1 || r.IntN(2) == 0 {
			n := int64(1 + r.IntN(int(left)))
			for left%n != 0 {
				n--
			}
			out, left = append(out, n), left/n
		}
		shape, order := regroup(in, perm, out)
		if order == nil {
			continue
		}
		found++
		list := make([]int64, whole)
		for i := range list {
			list[i] = int64(i)
		}
		if got, want := transposed(list, shape, order), transposed(list, in, perm); !slices.Equal(got, want) ||
			!slices.Equal(permute(shape, order), out) {
			t.Fatalf("%d in the order %d as %d is not %d in the order %d", in, perm, out, shape, order)
		}
	}
	if found < 300 {
		t.Errorf("only %d of 3000 are regrouped", found)
	}
}

// transposed returns the elements of a tensor in the order that they have after its dimensions are in another one.
func transposed(list, shape, perm []int64) []int64 {
	strides := make([]int64, len(shape))
	for d, s := len(shape)-1, int64(1); d >= 0; d-- {
		strides[d], s = s, s*shape[d]
	}
	r := []int64{0}
	for _, p := range perm {
		var next []int64
		for _, at := range r {
			for i := range shape[p] {
				next = append(next, at+i*strides[p])
			}
		}
		r = next
	}
	for i, at := range r {
		r[i] = list[at]
	}
	return r
}
