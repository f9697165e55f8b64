package arith

import (
	"slices"
	"testing"
)

func TestSparse(t *testing.T) {
	for _, e := range []int64{5, 7, 17, 22, 23, 29, 49, 61, 127, 197, 331} {
		if !Sparse(e) {
			t.Errorf("%d is not sparse", e)
		}
	}
	for _, e := range []int64{0, 1, 2, 3, 4, 8, 12, 28, 56, 64, 96, 112, 512, 768, 1000, 3072} {
		if Sparse(e) {
			t.Errorf("%d is sparse", e)
		}
	}
}

func TestDivisors(t *testing.T) {
	if got := Divisors(36); !slices.Equal(got, []int64{1, 2, 3, 4, 6, 9, 12, 18, 36}) {
		t.Errorf("Divisors(36) = %v", got)
	}
	if got := Divisors(0); len(got) != 0 {
		t.Errorf("Divisors(0) = %v", got)
	}
}
