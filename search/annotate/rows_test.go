package annotate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// softmax of rows of 16.
func softmax(t *testing.T, rows int) *schedule.State {
	t.Helper()
	return parsed(t, softmaxText(rows))
}

func softmaxText(rows int) string {
	return fmt.Sprintf(`input x: float32[%[1]d, 16]
maxelem(i: %[1]d) = max(k1: 16) x[i, k1]
exp(i: %[1]d, j: 16) = exp(x[i, j] - maxelem[i])
expsum(i: %[1]d) = sum(k2: 16) exp[i, k2]
norm(i: %[1]d, j: 16) = exp[i, j]/expsum[i]
output norm
`, rows)
}

func parsed(t *testing.T, text string) *schedule.State {
	t.Helper()
	d, err := compute.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return schedule.New(d)
}

func inRows(t *testing.T, s *schedule.State, rng int) *schedule.State {
	t.Helper()
	s, err := computeInRows(&choice{Sampler: sampler(t, 32, 2), rng: Rand(1, 3, rng)}, s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestComputeInRows names all that is drawn: nothing, and each number of rows that
// divides theirs and leaves every core several groups.
func TestComputeInRows(t *testing.T) {
	const together = `["CA", 3, 4, 0], ["CA", 2, 4, 0], ["CA", 1, 4, 0]]`
	for _, c := range []struct {
		rows int
		want []string
	}{
		{64, []string{"[]", "[" + together, `[["SP", 4, 0, 64, [2], 1], ` + together, `[["SP", 4, 0, 64, [4], 1], ` + together,
			`[["SP", 4, 0, 64, [8], 1], ` + together}},
		{18, []string{"[]", "[" + together, `[["SP", 4, 0, 18, [2], 1], ` + together}},
		{7, []string{"[]", "[" + together}},
	} {
		var seen []string
		for i := range 64 {
			if text := steps(inRows(t, softmax(t, c.rows), i)); !slices.Contains(seen, text) {
				seen = append(seen, text)
			}
		}
		slices.Sort(seen)
		slices.Sort(c.want)
		if !slices.Equal(seen, c.want) {
			t.Errorf("%d rows: %q, want %q", c.rows, seen, c.want)
		}
	}
}

// TestRowsOfHeads: loops around that over rows keep cores busy, too.
func TestRowsOfHeads(t *testing.T) {
	s := parsed(t, `input x: float32[12, 64, 16]
maxelem(h: 12, i: 64) = max(k1: 16) x[h, i, k1]
exp(h: 12, i: 64, j: 16) = exp(x[h, i, j] - maxelem[h, i])
expsum(h: 12, i: 64) = sum(k2: 16) exp[h, i, k2]
norm(h: 12, i: 64, j: 16) = exp[h, i, j]/expsum[h, i]
output norm
`)
	const together = `["CA", 3, 4, 1], ["CA", 2, 4, 1], ["CA", 1, 4, 1]]`
	seen := map[string]bool{}
	for i := range 64 {
		rows, err := computeInRows(&choice{Sampler: sampler(t, 32, 16), rng: Rand(1, 3, i)}, s)
		if err != nil {
			t.Fatal(err)
		}
		seen[steps(rows)] = true
	}
	want := []string{"[" + together, "[]"} // 16 rows would leave 48 groups for 16 cores
	for _, n := range []int{2, 4, 8} {
		want = append(want, fmt.Sprintf(`[["SP", 4, 1, 64, [%d], 1], %s`, n, together))
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRowsStay holds that the rule after it leaves the stages where they are, and
// that the state is good.
func TestRowsStay(t *testing.T) {
	for i := range 32 {
		s := inRows(t, softmax(t, 64), i)
		if len(s.Steps) == 0 {
			continue
		}
		next, err := changeComputeLocation(&choice{Sampler: sampler(t, 32, 2), rng: Rand(1, 3, i)}, s)
		if err != nil {
			t.Fatal(err)
		}
		if steps(next) != steps(s) {
			t.Errorf("%s became %s", steps(s), steps(next))
		}
		if _, err := next.Nests(); err != nil {
			t.Error(err)
		}
	}
}

// TestRowGroup names what keeps stages from being computed in rows.
func TestRowGroup(t *testing.T) {
	norm := softmax(t, 64)
	if group, depth := rowGroup(norm, 4); fmt.Sprint(group, depth) != "[1 2 3] 1" {
		t.Errorf("softmax: %v %d", group, depth)
	}
	for what, c := range map[string]struct {
		s     *schedule.State
		stage int
	}{
		"no output":      {norm, 3},
		"an input":       {norm, 0},
		"a tiled output": {apply1(t, norm, schedule.Split{At: 4, Iter: 0, Lengths: []int64{2}, InnerToOuter: true}), 4},
		"computed in it": {apply1(t, norm, schedule.ComputeAt{At: 3, Target: 4, TargetIter: 0}), 4},
		"one reduction": {parsed(t, `input x: float32[64, 16]
s(i: 64) = sum(k: 16) x[i, k]
y(i: 64, j: 16) = x[i, j]/s[i]
output y
`), 2},
		"a maximum that is an output": {parsed(t, strings.Replace(softmaxText(64), "output norm", "output norm, maxelem", 1)), 4},
		"columns, not rows": {parsed(t, `input x: float32[64, 64]
m(i: 64) = max(k: 64) x[k, i]
s(i: 64) = sum(k: 64) x[k, i]
y(i: 64, j: 64) = x[i, j]*(s[j] + m[j])
output y
`), 3},
		"a reduction": {parsed(t, `input x: float32[64, 16]
m(i: 64) = max(k: 16) x[i, k]
s(i: 64) = sum(k: 16) x[i, k] - m[i]
output s
`), 2},
		"a product": {conv(8, 8), 4},
	} {
		if group, depth := rowGroup(c.s, c.stage); group != nil {
			t.Errorf("%s: %v at %d", what, group, depth)
		}
	}
}
