package transition_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
	"github.com/wmtune/wmtune/transition"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

func stepsOf(t *testing.T, text string) []schedule.Step {
	t.Helper()
	steps, err := schedule.ParseSteps([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// last returns the action of the last step of a list. The DAG is one of tirtest or, if it has a colon, of op.
func last(t *testing.T, dag, steps string) transition.Action {
	t.Helper()
	d := dagOf(t, dag)
	list := stepsOf(t, steps)
	s, err := schedule.Replay(d, list[:len(list)-1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(list[len(list)-1]); err != nil {
		t.Fatal(err)
	}
	return transition.Resolve(s, list[len(list)-1])
}

func dagOf(t *testing.T, text string) *compute.DAG {
	t.Helper()
	if strings.Contains(text, ":") {
		w, err := op.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return w.DAG
	}
	d, err := tirtest.Named(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// tiled is what most schedules of a matmul begin with.
const tiled = `["SP", 2, 0, 448, [2, 1, 8], 1], ["SP", 2, 4, 64, [1, 2, 16], 1], ["SP", 2, 8, 36, [5], 1],
	["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]]`

// slots are expected values of a group of slots, from its first one on.
type slots struct {
	first int
	want  []float64
}

// TestVector holds each group of slots to the table of the note on the action
// vector: their numbers here are those of the table.
func TestVector(t *testing.T) {
	l2 := math.Log2
	zero := func(n int) []float64 { return make([]float64, n) }
	length := func(size, two, three, five, seven, rest float64) []float64 {
		return []float64{1, l2(size) / 16, two / 8, three / 8, five / 8, seven / 8, l2(rest) / 16}
	}
	const mm = "matmul 448 64 36"
	for _, c := range []struct {
		name, dag, steps string
		groups           []slots
	}{
		{"kind, role, state, loop of a split", mm, `[["SP", 2, 0, 448, [2, 1, 8], 1]]`, []slots{
			{0, []float64{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
			{14, []float64{0, 0, 1, 0, 0, 0, 1, 0}},
			{22, []float64{2. / 3, 0, 3. / 16, 0}},
			{26, []float64{0, 2. / 32, 1, 0, 0, l2(448) / 16}},
			{32, slices.Concat(length(28, 2, 0, 0, 1, 1), length(2, 1, 0, 0, 0, 1), length(1, 0, 0, 0, 0, 1),
				length(8, 3, 0, 0, 0, 1), zero(7))},
			{67, []float64{3. / 4, 1, 16. / 448, 1}},
			{71, zero(57)},
		}},
		{"the same stage as before, a split that does not divide", mm,
			`[["SP", 2, 0, 448, [8], 1], ["SP", 2, 3, 36, [5], 1]]`, []slots{
				{22, []float64{2. / 3, 1. / 64, 3. / 16, 1}},
				{26, []float64{3. / 32, 0, 0, 1, 0, l2(36) / 16}},
				{32, slices.Concat(length(8, 3, 0, 0, 0, 1), length(5, 0, 0, 1, 0, 1), zero(21))},
				{67, []float64{1. / 4, 0, 5. / 36, 1}},
				{114, []float64{l2(8*5./36) / 2}},
			}},
		{"a length with a large prime", "matmul 22 64 36", `[["SP", 2, 0, 22, [22], 1]]`, []slots{
			{39, length(22, 1, 0, 0, 0, 11)},
		}},
		{"pieces of more than four times the extent", "matmul 7 64 36", `[["SP", 2, 0, 7, [32, 16], 1]]`, []slots{
			{114, []float64{1}},
		}},
		{"FSP has the lengths of its source", mm,
			`[["CHW", 2, "local"], ["SP", 2, 0, 448, [2, 4, 8], 1], ["FSP", 3, 0, 1, 2]]`, []slots{
				{0, []float64{0, 0, 0, 0, 0, 1, 0}},
				{32, slices.Concat(length(7, 0, 0, 0, 1, 1), length(2, 1, 0, 0, 0, 1), length(32, 5, 0, 0, 0, 1), zero(14))},
				{67, []float64{2. / 4, 1, 64. / 448, 1}},
			}},
		{"FFSP has the product of its sources", mm, `[["SP", 2, 0, 448, [2, 4], 1], ["SP", 2, 3, 64, [8, 2], 1],
			["FFSP", 2, 6, [0, 1], 0, 1]]`, []slots{
			{0, []float64{0, 0, 0, 0, 0, 0, 1}},
			{32, slices.Concat(length(3, 0, 1, 0, 0, 1), length(16, 4, 0, 0, 0, 1), zero(21))},
			{67, []float64{1. / 4, 0, 16. / 36, 1}},
			{114, []float64{l2(3*16./36) / 2}},
		}},
		{"annotation", mm, `[["AN", 2, 0, 3]]`, []slots{
			{0, []float64{1, 0}}, {26, []float64{0, 2. / 32, 1, 0, 0, l2(448) / 16}},
			{71, []float64{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}},
		}},
		{"pragma", mm, `[["PR", 2, 0, "auto_unroll_max_step$63"]]`,
			[]slots{{0, []float64{0, 0, 1}}, {83, []float64{6. / 10, 0, 0}}}},
		{"a pragma that limits no unrolling", mm, `[["PR", 2, 0, "double_buffer$2"]]`,
			[]slots{{0, []float64{0, 0, 1}}, {83, []float64{0, 1, 0}}}},
		{"pragma of nothing, on a loop of one iteration", "matmul 1 64 36", `[["PR", 2, 0, "auto_unroll_max_step$0"]]`,
			[]slots{
				{83, []float64{0, 1, 1}},
			}},
		{"fusion", mm, `[["FU", 2, [0, 1]]]`, []slots{{0, []float64{0, 1}}, {86, []float64{2. / 16, l2(448*64) / 24, 1, 0}}}},
		{"fusion of a spatial and a reduce loop", mm, `[["FU", 2, [1, 2]]]`,
			[]slots{{86, []float64{2. / 16, l2(64*36) / 24, 0, 0}}}},
		{"fusion around a stage", mm, `[["CHW", 2, "local"], ["CA", 2, 3, 1], ["FU", 3, [0, 1]]]`, []slots{
			{86, []float64{2. / 16, l2(448*64) / 24, 1, 1}},
		}},
		{"order", mm, "[" + tiled + "]", []slots{
			{0, []float64{0, 0, 0, 1}},
			// i0 | j0 i1 | j1 k0 | i2 | j2 k1 | i3 j3
			{90, []float64{1, l2(28) / 24, 1, l2(2*2) / 24, .5, l2(8) / 24, 1, 0, .5, l2(2*5) / 24, 1, l2(8*16) / 24}},
		}},
		{"place", mm, `[["CHW", 2, "local"], ["SP", 3, 0, 448, [8], 1], ["CA", 2, 3, 1]]`, []slots{
			{0, []float64{0, 0, 0, 0, 0, 0, 0, 0, 1}},
			{14, []float64{0, 0, 1, 0, 1, 0, 0, 0}},
			{102, []float64{1, 0, 0, 1, 1. / 32, 1. / 32, l2(448) / 24, l2(64) / 24}},
		}},
		{"extents of a stage that was moved", mm,
			`[["CHW", 2, "local"], ["SP", 3, 0, 448, [8], 1], ["CA", 2, 3, 0], ["AN", 2, 0, 1]]`, []slots{
				{26, []float64{0, 2. / 32, 1, 0, 0, l2(8) / 16}},
			}},
		{"cache of an input", mm, `[["CHR", 0, "shared", [2]]]`, []slots{
			{0, []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}}, {14, []float64{1, 0, 0, 0, 0, 0, 0, 0}},
			{110, []float64{0, 1, 0, 1. / 4}},
		}},
		{"cache of the result", mm, `[["CHW", 2, "local"]]`, []slots{{110, []float64{1, 0, 0, 0}}}},
		{"a stage that reads into a cache", mm, `[["CHR", 0, "shared", [2]], ["AN", 1, 0, 1]]`,
			[]slots{{14, []float64{0, 1, 0, 1, 0, 0, 0, 0}}}},
		{"tiles of Winograd", "conv2d:h=5,w=6,ci=2,co=3,k=3,p=1", `[["WG", 3, 4]]`, []slots{
			{0, zero(14)}, {14, []float64{0, 0, 1, 0, 0, 0, 1, 0}}, {115, []float64{1, 4. / 8}},
		}},
		{"phases", "conv2d_transpose:h=5,w=6,ci=2,co=3,k=3,s=2", `[["PH", 3]]`, []slots{
			{0, zero(14)}, {14, []float64{0, 0, 1, 0, 0, 0, 1, 0}}, {115, zero(2)},
		}},
		{"a factored reduction", mm, `[["SP", 2, 2, 36, [4], 1], ["RF", 2, 2, 2], ["AN", 2, 0, 3]]`, []slots{
			{14, []float64{0, 0, 1, 0, 0, 1, 0, 0}},
		}},
	} {
		a := last(t, c.dag, c.steps)
		v := slices.Repeat([]float32{7}, transition.Size)
		a.Vector(v)
		for _, g := range c.groups {
			for i, want := range g.want {
				if got := float64(v[g.first+i]); math.Abs(got-want) > 1e-6 {
					t.Errorf("%s: slot %d is %v, want %v", c.name, g.first+i, got, want)
				}
			}
		}
		if v[115] != 0 && a.Kind != schedule.WG {
			t.Errorf("%s: the slot of WG holds %v", c.name, v[115])
		}
		for i, x := range v[117:] {
			if x != 0 {
				t.Errorf("%s: slot %d is reserved and holds %v", c.name, 117+i, x)
			}
		}
	}
}

// TestText prints actions. A case in text.txt is a line "dag NAME NUMBERS...", a
// line with steps, and a line for each of them.
func TestText(t *testing.T) {
	const path = "testdata/text.txt"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		lines := strings.SplitN(block, "\n", 3)
		d := dagOf(t, strings.TrimPrefix(lines[0], "dag "))
		var got []string
		s := schedule.New(d)
		for _, step := range stepsOf(t, lines[1]) {
			a := transition.Resolve(s, step)
			got = append(got, a.Text())
			var err error
			if s, err = s.Apply(step); err != nil {
				t.Fatal(err)
			}
		}
		if want := strings.Join(append(lines, "")[2:3], ""); strings.Join(got, "\n") != want && !*update {
			t.Errorf("%s\n%s: got\n%s\nwant\n%s", lines[0], lines[1], strings.Join(got, "\n"), want)
		}
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "%s\n%s\n%s\n", lines[0], lines[1], strings.Join(got, "\n"))
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRandom encodes all steps of random lists: nothing is out of range, and steps
// that differ in what they do differ in their vectors.
func TestRandom(t *testing.T) {
	seen := map[schedule.Kind]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		_, d := tirtest.RandomDAG(r)
		steps := tirtest.RandomSteps(r, d, 12)
		if seed%3 == 0 {
			steps = tirtest.RandomGPUSteps(r, d, 12)
		}
		s := schedule.New(d)
		v := make([]float32, transition.Size)
		for _, step := range steps {
			a := transition.Resolve(s, step)
			a.Vector(v)
			seen[a.Kind]++
			for i, x := range v {
				if !(x >= 0 && x <= 4) {
					t.Fatalf("seed %d: %s: slot %d is %v", seed, step, i, x)
				}
			}
			if _, ok := step.(schedule.Split); ok != (a.Kind == schedule.SP) || ok && a.Split == nil {
				t.Fatalf("seed %d: %s is %+v", seed, step, a)
			}
			var err error
			if s, err = s.Apply(step); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("only kinds %v occur", seen)
	}
}

// BenchmarkResolve encodes the last step of a tiling.
func BenchmarkResolve(b *testing.B) {
	d, err := tirtest.Named("matmul 448 64 36")
	if err != nil {
		b.Fatal(err)
	}
	steps, err := schedule.ParseSteps([]byte("[" + tiled + "]"))
	if err != nil {
		b.Fatal(err)
	}
	n := len(steps) - 1
	s, err := schedule.Replay(d, steps[:n])
	if err != nil {
		b.Fatal(err)
	}
	v := make([]float32, transition.Size)
	for b.Loop() {
		a := transition.Resolve(s, steps[n])
		a.Vector(v)
	}
}
