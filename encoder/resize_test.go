package encoder

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// One loop, and nothing else, has another number of iterations, which the facts of
// the program show.
func TestResize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	told, all := 0, 0
	for _, text := range texts(t) {
		for range 8 {
			all++
			got := Resize(text, rng)
			if got == text {
				t.Fatalf("nothing has changed in\n%s", text)
			}
			was, is := strings.Split(text, "\n"), strings.Split(got, "\n")
			if len(was) != len(is) {
				t.Fatalf("%d lines, of %d", len(is), len(was))
			}
			changed := 0
			for i, line := range is {
				if line == was[i] {
					continue
				}
				changed++
				a, b := strings.Fields(was[i]), strings.Fields(line)
				if len(a) != 3 || len(b) != 3 || a[0] != b[0] || a[1] != b[1] || number(b[2]) < 2 || number(a[2]) == number(b[2]) {
					t.Errorf("%q became %q", was[i], line)
				}
			}
			if changed != 1 {
				t.Errorf("%d lines have changed in\n%s", changed, got)
			}
			if ReadFacts(text) != ReadFacts(got) { // copies are no operations
				told++
			}
		}
	}
	if told < all/2 {
		t.Errorf("facts have changed in %d of %d programs", told, all)
	}
	for _, text := range []string{"", "b0 f32[2^3]\n", "for l0 1\n b0[l0]=0.0\n"} {
		if got := Resize(text, rng); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
