package sketch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// layers is a perceptron of n products, each with its relu.
func layers(n int) string {
	text := "input x0: float32[64, 64]\n"
	for l := 1; l <= n; l++ {
		text += fmt.Sprintf("input w%d: float32[64, 64]\n", l)
	}
	for l := 1; l <= n; l++ {
		text += fmt.Sprintf("y%d(i: 64, j: 64) = sum(k: 64) x%d[i, k]*w%d[k, j]\nx%d(i: 64, j: 64) = max(y%d[i, j], 0)\n", l, l-1, l, l, l)
	}
	return text + fmt.Sprintf("output x%d\n", n)
}

// A workload of many products has more sketches than are kept. Of those that are, each stage is
// in every one of its forms in some, and they are the same each time.
func TestManySketches(t *testing.T) {
	few, err := Generate(t.Context(), CPU, parsed(t, layers(1)).DAG, cpu(4).Target)
	if err != nil || len(few) != 3 {
		t.Fatalf("%d sketches of one product, %v", len(few), err)
	}
	for _, n := range []int{7, 11} {
		s := parsed(t, layers(n))
		list, err := Generate(t.Context(), CPU, s.DAG, cpu(4).Target)
		if err != nil || len(list) < keptSketches/2 || len(list) > maxSketches {
			t.Fatalf("%d products: %d sketches, %v", n, len(list), err)
		}
		for l := 1; l <= n; l++ {
			forms := map[string]int{}
			for _, s := range list {
				name := fmt.Sprintf("y%d.local", l)
				if !slices.ContainsFunc(s.Stages, func(st *schedule.Stage) bool { return st.Op.Name == name }) {
					name = fmt.Sprintf("y%d", l)
				}
				at, inside := s.Attach.At(stageOf(t, s, name))
				forms[fmt.Sprint(name, inside, at.Iter)]++
			}
			for form, k := range forms {
				if k < len(list)/10 {
					t.Errorf("%d products: %d of %d sketches have %s", n, k, len(list), form)
				}
			}
			if len(forms) != 3 {
				t.Errorf("%d products: forms %v", n, forms)
			}
		}
		again, err := Generate(t.Context(), CPU, s.DAG, cpu(4).Target)
		if err != nil || !slices.EqualFunc(list, again, func(a, b *schedule.State) bool {
			return string(schedule.FormatSteps(a.Steps)) == string(schedule.FormatSteps(b.Steps))
		}) {
			t.Errorf("%d products: other sketches the second time, %v", n, err)
		}
	}
}

// Where there are too many states, the few that are done stay, or the few that are under work.
func TestFewStay(t *testing.T) {
	plain := state(rowSum(64, 64)...)
	few := apply(t, plain, schedule.Annotate{At: 1, Iter: 1, Ann: schedule.Unroll})
	for _, c := range []struct {
		what          string
		first, second []Next // derived of the first state, and of those that it becomes
	}{
		{"done", []Next{{few, -1}, {plain, 0}}, slices.Repeat([]Next{{plain, -1}}, maxSketches)},
		{"under work", append(slices.Repeat([]Next{{plain, -1}}, maxSketches-2), Next{few, 0}),
			slices.Repeat([]Next{{few, -1}}, 3)},
	} {
		rule := Rule{"many", always, func(_ *Generator, _ *schedule.State, stage int) ([]Next, error) {
			return [][]Next{c.second, c.first}[stage], nil
		}}
		list, err := Generate(t.Context(), Policy{Rules: []Rule{rule}}, plain.DAG, cpu(4).Target)
		if err != nil || !slices.ContainsFunc(list, func(s *schedule.State) bool { return len(s.Steps) == 1 }) {
			t.Errorf("of %d sketches none is of the few that were %s, %v", len(list), c.what, err)
		}
	}
}

func TestSome(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for n := range 12 {
		got := some(list, n)
		if len(got) != min(n, 10) || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%d: %v", n, got)
		}
		if n >= 2 && (got[0] != 0 || got[len(got)-1] != 9) {
			t.Errorf("%d: %v without an end", n, got)
		}
	}
}

// What is said of loops to keep whole, or of constant tensors, is advice: no workload is without
// sketches for it.
func TestAdvice(t *testing.T) {
	for _, c := range []struct{ product, reader string }{
		{"no_split_at_inner j", ""},
		{"", "no_split_at_inner j"},
		{"no_split_at_inner i, j", "no_split_at_inner j"},
		{"no_split_at_inner k", ""},
		{"simplify_const_tensor_indices j", ""},
		{"simplify_const_tensor_indices j, k", ""},
	} {
		for _, last := range []string{"z", "y"} {
			text := "input x: float32[64, 64]\ninput w: float32[64, 8]\ny(i: 64, j: 8) = sum(k: 64) x[i, k]*w[k, j]\n    " + c.product + "\n"
			if last == "z" {
				text += "z(i: 64, j: 8) = max(y[i, j], 0)\n    " + c.reader + "\n"
			}
			d, err := compute.Parse(strings.ReplaceAll(text, "    \n", "") + "output " + last + "\n")
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range []*Generator{cpu(4), gpu()} {
				if list, err := generate(t, g, d); err != nil || len(list) == 0 {
					t.Errorf("%q, %q, output %s, %s: %d sketches, %v", c.product, c.reader, last, g.Tiling, len(list), err)
				}
			}
		}
	}
}
