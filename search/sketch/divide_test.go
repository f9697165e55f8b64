package sketch

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
)

// hopper is a GPU of 132 multiprocessors.
func hopper() *Generator {
	g := gpu()
	g.Policy, g.Target.Arch = GPU, "sm_90"
	return g
}

func TestWhenDivided(t *testing.T) {
	few := state(matmul(128, 768, 768)...)
	divided := apply(t, few,
		schedule.Split{At: 2, Iter: 2, Extent: 768, Lengths: []int64{2}},
		schedule.Rfactor{At: 2, Iter: 2, FactorIter: 0})
	tiled := apply(t, few, schedule.Split{At: 2, Iter: 0, Extent: 128, Lengths: []int64{8}, InnerToOuter: true})
	checkWhen(t, hopper(), whenDivided, []whenCase{
		{"an input", few, 0, Skip},
		{"few tiles", few, 2, Apply},
		{"short sums", state(matmul(128, 768, 126)...), 2, Skip},
		{"sums that are just long enough", state(matmul(128, 768, 128)...), 2, Apply},
		{"an odd length", state(matmul(128, 768, 767)...), 2, Skip},
		{"many tiles", state(matmul(1056, 1026, 768)...), 2, Skip},
		{"just few enough", state(matmul(1056, 1024, 768)...), 2, Apply},
		{"sums that start from 5", state(startAt5(matmul(128, 768, 768))...), 2, Skip},
		{"sums of rows", state(rowSum(128, 768)...), 1, Skip},
		{"no sum", state(epilogue(matmul(128, 768, 768), "D", relu)...), 3, Skip},
		{"a cached stage", apply(t, few, schedule.CacheWrite{At: 2, Scope: "local"}), 2, Skip},
		{"a tiled stage", tiled, 2, Skip},
		{"partial sums", divided, 2, Skip},
		{"the sums of them", divided, 3, Skip},
	})
	checkWhen(t, gpu(), whenDivided, []whenCase{{"a GPU that is not known", few, 2, Skip}})
}

func TestPartCounts(t *testing.T) {
	for _, c := range []struct {
		m, n, k int64
		want    []int64
	}{
		{128, 768, 768, []int64{2, 4, 8}},
		{128, 768, 192, []int64{2}},
		{128, 2560, 2560, []int64{2, 4}},
		{49, 512, 4608, []int64{4, 8, 16}},
		{128, 768, 500, []int64{2, 4}},
	} {
		s := state(matmul(c.m, c.n, c.k)...)
		if got := partCounts(hopper(), s, 2, 2); !slices.Equal(got, c.want) {
			t.Errorf("%d x %d of %d: %v, want %v", c.m, c.n, c.k, got, c.want)
		}
	}
}

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		name string
		s    *schedule.State
		want string
	}{
		{"an output", state(matmul(128, 768, 128)...), `[["SP", 2, 2, 128, [2], 0], ["RF", 2, 2, 0]]`},
		{"a sum that is read", state(epilogue(matmul(128, 768, 128), "D", relu)...),
			`[["SP", 2, 2, 128, [2], 0], ["RF", 2, 2, 0], ["CA", 3, 4, 1]]`},
	} {
		got, err := divide(hopper(), c.s, 2)
		if err != nil || len(got) != 1 || got[0].Stage != 2 {
			t.Errorf("%s: %v, %v", c.name, got, err)
			continue
		}
		if text := string(schedule.FormatSteps(got[0].State.Steps)); text != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, text, c.want)
		}
	}
}

// The partial sums are tiled with a part in each block; how many parts there are stays.
func TestDividedSketch(t *testing.T) {
	list, err := generate(t, hopper(), state(epilogue(matmul(128, 768, 128), "D", relu)...).DAG)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range list {
		for i, step := range s.Steps {
			if _, ok := step.(schedule.Rfactor); !ok {
				continue
			}
			found = true
			if parts := s.Steps[i-1].(schedule.Split); parts.InnerToOuter || parts.Lengths[0] != 2 {
				t.Errorf("parts %v", parts)
			}
			axis := s.Steps[i+3].(schedule.Split)
			if axis.Extent != 2 || !slices.Equal(axis.Lengths, []int64{1, 1, 1, 1}) {
				t.Errorf("the axis of parts is split by %v", axis)
			}
			tiled := slices.IndexFunc(s.Stages, func(st *schedule.Stage) bool { return st.Op.Name == "C.rf.local" })
			if got := Splits(s, tiled); len(got) != 4 {
				t.Errorf("the partial sums have splits %v, want those of parts, rows, columns and steps", got)
			}
		}
	}
	if !found {
		t.Error("no sketch divides sums")
	}
}

// So are those that tensor cores compute.
func TestDividedTensorSketch(t *testing.T) {
	w, err := op.Parse("matmul:m=32,n=48,k=256,dtype=f16")
	if err != nil {
		t.Fatal(err)
	}
	list, err := generate(t, hopper(), w.DAG)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range list {
		text := string(schedule.FormatSteps(s.Steps))
		if !strings.Contains(text, `"RF"`) || !slices.ContainsFunc(s.Stages, (*schedule.Stage).IsTensorized) {
			continue
		}
		found = true
		if !strings.Contains(text, ", 0, 4, [1, 1, 1, 1], 1]") && !strings.Contains(text, ", 0, 2, [1, 1, 1, 1], 1]") {
			t.Errorf("the axis of parts is split otherwise: %s", text)
		}
	}
	if !found {
		t.Error("no sketch divides sums for tensor cores")
	}
}
