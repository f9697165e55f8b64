package bench

import (
	"slices"
	"strings"
	"testing"
)

// TestDraw: a seed draws the same workloads again, another one others; all are different, and of the operators asked
// for.
func TestDraw(t *testing.T) {
	texts := func(d Draw) []string {
		list, err := d.workloads()
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, w := range list {
			if !fits(w.DAG) {
				t.Errorf("%s is too large or too small", w.Text)
			}
			all = append(all, w.Text)
		}
		return all
	}
	a, b, other := texts(Draw{Rows: 150, Seed: 3}), texts(Draw{Rows: 150, Seed: 3}), texts(Draw{Rows: 150, Seed: 4})
	if !slices.Equal(a, b) || slices.Equal(a, other) {
		t.Errorf("drawn %q, again %q, by another seed %q", a[:3], b[:3], other[:3])
	}
	for _, name := range SurveyOperators() {
		if !slices.ContainsFunc(slices.Concat(a, other), func(s string) bool { return strings.HasPrefix(s, name+":") }) {
			t.Errorf("among 300 workloads is no %s", name)
		}
	}
	low := texts(Draw{Rows: 60, Seed: 3, Types: []string{"bf16", "i8"}})
	of := func(ending string) int {
		return len(slices.DeleteFunc(slices.Clone(low), func(s string) bool { return !strings.HasSuffix(s, ending) }))
	}
	if bf16, i8 := of(",dtype=bf16"), of(",dtype=i8"); bf16 < 15 || i8 < 15 || bf16+i8 != len(low) {
		t.Errorf("of %d workloads %d are of bf16 and %d of i8: %q", len(low), bf16, i8, low)
	}
	_, err := Draw{Rows: 1, Types: []string{"f8"}}.workloads()
	if err == nil || !strings.Contains(err.Error(), "they know f32") {
		t.Errorf("an unknown type: %v", err)
	}
	const many = 2000 // of one operator: without a check some are drawn twice
	all := texts(Draw{Rows: many, Only: []string{"mean"}})
	if slices.Sort(all); len(slices.Compact(all)) != many {
		t.Error("a workload was drawn twice")
	}
	for _, s := range texts(Draw{Rows: 20, Only: []string{"argmax", "dense"}}) {
		if !strings.HasPrefix(s, "argmax:") && !strings.HasPrefix(s, "dense:") {
			t.Errorf("%s was not asked for", s)
		}
	}
	for _, c := range []struct {
		d    Draw
		want string
	}{{Draw{}, "0 rows"}, {Draw{Rows: 1, Only: []string{"fft"}}, `"fft"; they know matmul dense`}} {
		if _, err := c.d.workloads(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.d, err)
		}
	}
}
