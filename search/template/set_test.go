package template

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestUnion: lengths are in the order of CPython's sets. The hash is that of python3's lists of set(divisors)|set(powers
// of two), for each extent from 1 to 4096: the numbers with spaces between them, a line each.
func TestUnion(t *testing.T) {
	hash := sha256.New()
	for n := int64(1); n <= 4096; n++ {
		s := Split{Policy: Verbose, Extent: n}
		fmt.Fprintln(hash, strings.Trim(fmt.Sprint(s.lengths()), "[]"))
	}
	const want = "189a949835e3c8372e404174d49c970ab9dcdcbc715f9a17dbd48ac0618e718d"
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want {
		t.Errorf("the orders hash to %s, want %s", got, want)
	}
	for n, want := range map[int64][]int64{
		112: {32, 1, 2, 64, 4, 7, 8, 14, 16, 112, 56, 28}, 56: {32, 1, 2, 4, 7, 8, 14, 16, 56, 28}, 7: {1, 2, 4, 7},
	} {
		s := Split{Policy: Verbose, Extent: n}
		if got := s.lengths(); !slices.Equal(got, want) {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}
