package touch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// product returns the text of a product of matrices of 4 by 6 by 8 with steps.
func product(t *testing.T, steps ...schedule.Step) *feature.Text {
	t.Helper()
	d, err := compute.Parse("input a: float32[4, 8]\ninput b: float32[8, 6]\n" +
		"c(i: 4, j: 6) = sum(k: 8) a[i, k]*b[k, j]\noutput c\n")
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.ReplayBound(d, steps)
	if err != nil {
		t.Fatal(err)
	}
	text, err := feature.Spell(s, false)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRows: a product of matrices, by hand. Its sum begins in no loop of its own, and a loop of one iteration is there.
func TestRows(t *testing.T) {
	text := product(t,
		schedule.Split{At: 2, Iter: 0, Extent: 4, Lengths: []int64{4}, InnerToOuter: true},
		schedule.Annotate{At: 2, Iter: 1, Ann: schedule.Parallel})
	var got []string
	for _, r := range Rows(text, nil) {
		got = append(got, fmt.Sprintf("%v", r))
	}
	// {annotation length level down up add mul of [{name stride count reuse per thread}]}
	want := []string{
		"{for 1 1 1 192 0 0 0 [{a_0 0 32 6 0 0} {b_0 0 48 4 0 0} {c_0 0 24 8 0 0} {c_1 0 24 8 0 0}]}",
		"{parallel 4 2 4 192 0 0 0 [{a_0 8 32 6 4 1} {b_0 0 48 4 1 4} {c_0 6 24 8 4 1} {c_1 6 24 8 4 1}]}",
		"{for 6 3 24 48 0 0 0 [{a_0 0 8 6 0 0} {b_0 1 48 1 0 0} {c_0 1 6 8 0 0} {c_1 1 6 8 0 0}]}",
		"{for 8 4 192 8 1 1 0 [{a_0 1 8 1 0 0} {b_0 6 8 1 0 0} {c_0 0 1 8 0 0} {c_1 0 1 8 0 0}]}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the rows are\n%q, want\n%q", got, want)
	}
}

// TestRelation: the features of random splits of the product are the paper's formula, evaluated on loops; of count and
// reuse, which both grow outwards, they are the values of AutoTVM's curves.
func TestRelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var steps []schedule.Step
		for iter, n := range []int64{4, 6, 8} {
			lengths := []int64{1, 2, n / 2, n}
			steps = append(steps, schedule.Split{At: 2, Iter: 2 * iter, Extent: n, InnerToOuter: true,
				Lengths: []int64{lengths[rng.IntN(4)]}})
		}
		steps = append(steps, schedule.Reorder{At: 2, Order: rng.Perm(6)})
		rows := Rows(product(t, steps...), nil)
		relation, curve := Relation(rows), Curve(rows)
		names := deepest(rows)
		if len(relation) != 4*Samples*len(names) || len(curve) != 2*len(relation) {
			t.Fatalf("%d and %d numbers of %d buffers", len(relation), len(curve), len(names))
		}
		for b, name := range names {
			for pair := range 4 {
				for at := range Samples {
					got := relation[(4*b+pair)*Samples+at]
					if want := naive(rows, name, pair, at); math.Abs(got-want) > 1e-12 {
						t.Fatalf("%v: relation %d of %s at %d is %v, want %v", rows, pair, name, at, got, want)
					}
					if c := curve[2*((4*b+pair)*Samples+at)]; pair < 2 && math.Abs(got-c) > 1e-12 {
						t.Fatalf("%v: relation %d of %s at %d is %v, of the curve %v", rows, pair, name, at, got, c)
					}
				}
			}
		}
	}
}

// naive is max of Z_i over the loops k with Z_j <= 2^t.
func naive(rows []Row, name string, pair, t int) float64 {
	most := int64(1)
	for _, r := range rows {
		for _, a := range r.Accesses {
			z := [][2]int64{{a.Count, a.Reuse}, {a.Reuse, a.Count}, {a.Count, r.Down}, {r.Down, a.Count}}[pair]
			if a.Name == name && z[0] <= 1<<t {
				most = max(most, z[1])
			}
		}
	}
	return math.Log2(float64(most))
}
