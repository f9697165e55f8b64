package sketch

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

func TestWhenInlineable(t *testing.T) {
	chain := state(epilogue(epilogue(matmul(8, 8, 8), "D", relu), "E", relu)...)
	costly := state(epilogue(epilogue(matmul(8, 8, 8), "D", exp), "E", relu)...)
	checkWhen(t, cpu(4), whenInlineable, []whenCase{
		{"an input", chain, 0, Skip},
		{"a reduction", chain, 2, Skip},
		{"an elementwise stage", chain, 3, ApplyAndSkipRest},
		{"an output", chain, 4, Skip},
		{"a stage with exp", costly, 3, Skip},
	})
	checkWhen(t, gpu(), whenInlineable, []whenCase{
		{"a stage with exp on a GPU", costly, 3, ApplyAndSkipRest},
		{"an output on a GPU", costly, 4, Skip},
	})
}

func TestInlineRefuses(t *testing.T) {
	s := state(epilogue(epilogue(matmul(8, 8, 8), "D", relu), "E", relu)...)
	s = apply(t, s, schedule.ComputeAt{At: 2, Target: 3, TargetIter: 0})
	if _, err := inline(cpu(4), s, 3); err == nil {
		t.Error("a stage with another one inside was inlined")
	}
}

func TestWhenFactored(t *testing.T) {
	big, deep := state(matmul(512, 512, 512)...), state(matmul(8, 8, 512)...)
	cached := apply(t, deep, schedule.CacheWrite{At: 2, Scope: "local"})
	checkWhen(t, cpu(4), whenFactored, []whenCase{
		{"an input", deep, 0, Skip},
		{"many spatial iterations", big, 2, Skip},
		{"few spatial iterations", deep, 2, Apply},
		{"as many as 16 a core", state(matmul(8, 8, 64)...), 2, Apply},
		{"more than 16 a core", state(matmul(8, 9, 512)...), 2, Skip},
		{"more than reduce iterations", state(matmul(8, 8, 63)...), 2, Skip},
		{"a stage made by a cache write", cached, 2, Skip},
		{"a long sum that is not tiled", state(rowSum(1000, 5)...), 1, Apply},
		{"a sum as long as there are cores", state(rowSum(1000, 4)...), 1, Skip},
		{"a long sum that starts from 5", state(startAt5(rowSum(1000, 5))...), 1, Skip},
		{"a product that starts from 5", state(startAt5(matmul(8, 8, 512))...), 2, Skip},
	})
}

// Rfactor makes two sketches: the first keeps the outer part of the reduction,
// the second the inner, moved innermost; several reduce loops are fused first.
func TestFactor(t *testing.T) {
	for _, c := range []struct {
		ops  []*compute.Op
		want [2]string
	}{
		{matmul(8, 8, 512), [2]string{
			`[["SP", 2, 2, 512, [1], 1], ["RF", 2, 2, 2]]`,
			`[["SP", 2, 2, 512, [1], 1], ["RF", 2, 3, 2], ["RE", 2, [0, 1, 3, 2]]]`,
		}},
		{pool(8, 3), [2]string{
			`[["FU", 1, [1, 2]], ["SP", 1, 1, 9, [1], 1], ["RF", 1, 1, 1]]`,
			`[["FU", 1, [1, 2]], ["SP", 1, 1, 9, [1], 1], ["RF", 1, 2, 1], ["RE", 1, [0, 2, 1]]]`,
		}},
	} {
		stage := len(c.ops) - 1
		got, err := factor(cpu(4), state(c.ops...), stage)
		if err != nil || len(got) != 2 {
			t.Fatalf("%d states, %v", len(got), err)
		}
		for i, n := range got {
			if text := string(schedule.FormatSteps(n.State.Steps)); text != c.want[i] {
				t.Errorf("state %d: %s\nwant %s", i, text, c.want[i])
			}
			if n.Stage != stage-1 {
				t.Errorf("state %d goes on at stage %d", i, n.Stage)
			}
		}
	}
}

// pool sums a window: A, C[i] += A[i, r, s].
func pool(n, k int64) []*compute.Op {
	i, r, s := axis("i", n), axis("r", k), axis("s", k)
	a := input("A", n, k, k)
	return []*compute.Op{a, sum(compute1("C", load(a, i, r, s), i), r, s)}
}

func TestWhenCachedAndTiled(t *testing.T) {
	alone, read := state(matmul(512, 512, 512)...), state(epilogue(matmul(512, 512, 512), "D", relu)...)
	cached := apply(t, alone, schedule.CacheWrite{At: 2, Scope: "local"})
	sums := state(rowSum(64, 64)...)
	checkWhen(t, cpu(4), whenCached, []whenCase{
		{"no reader", alone, 2, Apply},
		{"an elementwise reader", read, 2, Skip},
		{"a cached stage", cached, 2, Skip},
		{"nothing to tile", sums, 1, Skip},
		{"the copy", cached, 3, Skip},
	})
	checkWhen(t, cpu(4), whenTiledAndFused, []whenCase{
		{"no reader", alone, 2, Skip},
		{"an elementwise reader", read, 2, Apply},
		{"a cached stage", cached, 2, ApplyAndSkipRest},
		{"nothing to tile", sums, 1, Skip},
	})
	checkWhen(t, cpu(4), whenTiled, []whenCase{
		{"a product", alone, 2, ApplyAndSkipRest},
		{"a sum", sums, 1, Skip},
		{"an input", alone, 0, Skip},
	})
	checkWhen(t, gpu(), whenCached, []whenCase{{"on a GPU", alone, 2, ApplyAndSkipRest}})
	checkWhen(t, gpu(), whenTiledAndFused, []whenCase{{"on a GPU", read, 2, ApplyAndSkipRest}})
}

func TestTile(t *testing.T) {
	got, err := tile(cpu(4), state(matmul(512, 256, 128)...), 2)
	if err != nil || len(got) != 1 || got[0].Stage != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	want := `[["SP", 2, 0, 512, [0, 0, 0], 1], ["SP", 2, 4, 256, [0, 0, 0], 1], ["SP", 2, 8, 128, [0], 1], ` +
		`["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]]]`
	if text := string(schedule.FormatSteps(got[0].State.Steps)); openText(text) != openText(want) {
		t.Errorf("%s\nwant %s", text, want)
	}
	var names []string
	for _, it := range got[0].State.Stages[2].Iters {
		names = append(names, it.Name)
	}
	if text := strings.Join(names, " "); text != "i.0 j.0 i.1 j.1 k.0 i.2 j.2 k.1 i.3 j.3" {
		t.Errorf("loops %s", text)
	}
}

// openText writes open lengths in one way, whatever way they are recorded in.
func openText(s string) string { return strings.ReplaceAll(s, "null", "0") }

// Axes that must not be split stay whole, in front of the innermost level.
func TestTileKeepsAxesWhole(t *testing.T) {
	ops := matmul(512, 256, 128)
	ops[2].Attrs.NoSplitAtInner = []string{"i", "k"}
	got, err := tile(cpu(4), state(ops...), 2)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, it := range got[0].State.Stages[2].Iters {
		names = append(names, it.Name)
	}
	if text := strings.Join(names, " "); text != "j.0 j.1 j.2 k i j.3" {
		t.Errorf("loops %s", text)
	}
}

func TestTileRefusesMixedLoops(t *testing.T) {
	s := apply(t, state(matmul(8, 8, 8)...), schedule.Fuse{At: 2, Iters: []int{1, 2}})
	if _, err := tile(cpu(4), s, 2); err == nil || !strings.Contains(err.Error(), "neither spatial nor a reduction") {
		t.Errorf("error %v", err)
	}
}

// On a CPU a tile is computed inside the first or the second level of its
// reader; on a GPU inside the third.
func TestTileAndFuse(t *testing.T) {
	s := state(epilogue(matmul(512, 512, 512), "D", relu)...)
	for _, c := range []struct {
		g    *Generator
		want []string
	}{
		{cpu(4), []string{"ax0.0 ax1.0 | ax0.1 ax1.1", "ax0.0 ax1.0 ax0.1 ax1.1 | ax0.2 ax1.2"}},
		{gpu(), []string{"ax0.0 ax1.0 ax0.1 ax1.1 ax0.2 ax1.2 | ax0.3 ax1.3"}},
	} {
		got, err := tileAndFuse(c.g, s, 2)
		if err != nil || len(got) != len(c.want) {
			t.Fatalf("%d states, %v", len(got), err)
		}
		for i, n := range got {
			at, _ := n.State.Attach.At(2)
			var names []string
			for k, it := range n.State.Stages[3].Iters {
				names = append(names, it.Name)
				if at.Stage == 3 && at.Iter == k {
					names = append(names, "|")
				}
			}
			if text := strings.Join(names, " "); text != c.want[i] {
				t.Errorf("reader's loops %s, want %s", text, c.want[i])
			}
		}
	}
}

// Annotations of the reader move with its pieces.
func TestFollowTilingKeepsAnnotations(t *testing.T) {
	s := state(epilogue(matmul(64, 64, 64), "D", relu)...)
	s = apply(t, s, schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel}, schedule.Annotate{At: 3, Iter: 1, Ann: schedule.Vectorize})
	tiled, splits, err := multiLevelTiling(s, 2, "SSRSRS", openLengths(s, 2))
	if err != nil {
		t.Fatal(err)
	}
	s, err = followTiling(tiled, 3, 2, splits, 1)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []schedule.Annotation
	for _, it := range s.Stages[3].Iters {
		kinds = append(kinds, it.Ann)
	}
	if kinds[0] != schedule.Parallel || kinds[3] != schedule.Vectorize || kinds[1] != schedule.None || kinds[2] != schedule.None {
		t.Errorf("annotations %v", kinds)
	}
}

func TestFollowTilingRefuses(t *testing.T) {
	s := state(epilogue(matmul(64, 64, 64), "D", relu)...)
	tiled, splits, err := multiLevelTiling(s, 2, "SSRSRS", openLengths(s, 2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := followTiling(tiled, 3, 2, splits[:1], 1); err == nil || !strings.Contains(err.Error(), "more than 1 loops") {
		t.Errorf("too few splits: %v", err)
	}
	if _, err := followTiling(tiled, 3, 2, append(splits, splits[0]), 1); err == nil || !strings.Contains(err.Error(), "not 3") {
		t.Errorf("too many splits: %v", err)
	}
	bound := apply(t, tiled, schedule.Annotate{At: 3, Iter: 0, Ann: schedule.ThreadX})
	if _, err := followTiling(bound, 3, 2, splits, 1); err == nil || !strings.Contains(err.Error(), "bound to threads") {
		t.Errorf("a thread loop: %v", err)
	}
	if _, err := followTiling(state(matmul(8, 8, 8)...), 2, 2, splits, 1); err == nil {
		t.Error("a reader with a reduction was tiled")
	}
}

func TestConstTensor(t *testing.T) {
	ops := matmul(4, 64, 4)
	g := cpu(4)
	checkWhen(t, g, whenConstTensor, []whenCase{{"no attribute", state(ops...), 2, Skip}})
	ops[2].Attrs.SimplifyConstTensorIndices = []string{"i", "k"}
	s := state(ops...)
	checkWhen(t, g, whenConstTensor, []whenCase{{"an attribute", s, 2, ApplyAndSkipRest}})
	checkWhen(t, g, whenTiled, []whenCase{{"it is not tiled", s, 2, Skip}})
	got, err := unrollConstTensor(g, s, 2)
	if err != nil || len(got) != 1 {
		t.Fatalf("%d states, %v", len(got), err)
	}
	text := ""
	for _, it := range got[0].State.Stages[2].Iters {
		text += it.Name + ":" + it.Ann.String() + " "
	}
	if text != "j.0:for j.1:for i:unroll k:unroll " {
		t.Errorf("loops %s", text)
	}
	ops[2].Attrs.SimplifyConstTensorIndices = []string{"i"}
	if _, err := unrollConstTensor(g, state(ops...), 2); err == nil || !strings.Contains(err.Error(), "axis k is a reduction") {
		t.Errorf("a reduction that is not named: %v", err)
	}
}

func TestWhenCrossThread(t *testing.T) {
	checkWhen(t, gpu(), whenCrossThread, []whenCase{
		{"an input", state(matmul(8, 8, 512)...), 0, Skip},
		{"few spatial iterations", state(matmul(8, 8, 1024)...), 2, Apply},
		{"more than reduce iterations", state(matmul(512, 512, 512)...), 2, Skip},
		{"more than a block has threads", state(matmul(64, 64, 8192)...), 2, Skip},
		{"a long sum", state(rowSum(8, 33)...), 1, Apply},
		{"a sum as long as a warp", state(rowSum(8, 32)...), 1, Skip},
		{"a long sum that starts from 5", state(startAt5(rowSum(8, 33))...), 1, Skip},
		{"a cached stage", apply(t, state(matmul(8, 8, 1024)...), schedule.CacheWrite{At: 2, Scope: "local"}), 2, Skip},
	})
}

func TestWhenCacheRead(t *testing.T) {
	s := state(matmul(64, 64, 64)...)
	across := apply(t, s, schedule.Annotate{At: 2, Iter: 2, Ann: schedule.ThreadX})
	checkWhen(t, gpu(), whenCacheRead, []whenCase{
		{"read by a product", s, 0, ApplyAndSkipRest},
		{"not read", s, 2, Skip},
		{"read by a sum", state(rowSum(8, 32)...), 0, Skip},
		{"read by a reduction across threads", across, 0, Skip},
	})
}

func TestSingleReader(t *testing.T) {
	s := state(epilogue(matmul(8, 8, 8), "D", relu)...)
	if r, ok := SingleReader(s, 2); !ok || r != 3 {
		t.Errorf("reader %d, %v", r, ok)
	}
	if _, ok := SingleReader(s, 3); ok {
		t.Error("an output has a reader")
	}
	ops := epilogue(matmul(8, 8, 8), "D", relu)
	i, j := axis("i", 8), axis("j", 8)
	two := state(append(ops, compute1("E", mul(load(ops[2], i, j), load(ops[3], i, j)), i, j))...)
	if _, ok := SingleReader(two, 2); ok {
		t.Error("one of two root readers was chosen")
	}
	two = apply(t, two, schedule.ComputeAt{At: 3, Target: 4, TargetIter: 0})
	if r, ok := SingleReader(two, 2); !ok || r != 4 {
		t.Errorf("readers inside stage 4 have root %d, %v", r, ok)
	}
}
