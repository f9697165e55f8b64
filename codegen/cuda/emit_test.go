package cuda_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldenSchedules are those of testdata/NAME.cu: a DAG of tirtest.Named and
// steps in the form of records.
var goldenSchedules = []struct{ name, dag, steps string }{
	{"matmul", "matmul_relu 64 64 32", `[["SP", 2, 0, 64, [2, 4, 2, 2], 1], ["SP", 2, 5, 64, [1, 8, 2, 2], 1], ["SP", 2, 10, 32, [2, 4], 1],
		["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], ["CA", 2, 3, 5],
		["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 6],
		["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 6],
		["FU", 3, [0, 1]], ["SP", 3, 0, 0, [4], 1], ["AN", 3, 1, 2], ["FFSP", 3, 0, [0, 1], 2, 1], ["AN", 3, 1, 6],
		["FU", 1, [0, 1]], ["SP", 1, 0, 0, [4], 1], ["AN", 1, 1, 2], ["FFSP", 1, 0, [0, 1], 2, 1], ["AN", 1, 1, 6],
		["PR", 4, 0, "auto_unroll_max_step$64"]]`},
	{"shared", "matmul 16 8 8", `[["CHR", 0, "shared", [2]], ["SP", 3, 0, 16, [4], 1], ["SP", 3, 3, 8, [4], 1], ["CA", 1, 3, 3], ["AN", 3, 0, 5], ["AN", 3, 1, 6],
		["FU", 1, [0, 1]], ["SP", 1, 0, 0, [4], 1], ["AN", 1, 1, 6]]`},
	{"twobuffers", "matmul 16 8 12", `[["CHR", 0, "shared", [2]], ["SP", 3, 0, 16, [4], 1], ["SP", 3, 3, 12, [4], 1], ["RE", 3, [0, 1, 3, 2, 4]], ["CA", 1, 3, 2], ["AN", 3, 0, 5], ["AN", 3, 1, 6],
		["FU", 1, [0, 1]], ["SP", 1, 0, 0, [4], 1], ["AN", 1, 1, 6], ["PR", 1, 0, "double_buffer$1"]]`},
	{"async", "matmul 16 8 12", `[["CHR", 0, "shared", [2]], ["SP", 3, 0, 16, [4], 1], ["SP", 3, 3, 12, [4], 1], ["RE", 3, [0, 1, 3, 2, 4]], ["CA", 1, 3, 2], ["AN", 3, 0, 5], ["AN", 3, 1, 6],
		["FU", 1, [0, 1]], ["SP", 1, 0, 0, [4, 2], 1], ["AN", 1, 1, 6], ["AN", 1, 2, 2], ["PR", 1, 0, "double_buffer$2"]]`},
	{"asyncpad", "conv 9 9 4 8 3", `[["CHR", 1, "shared", [3]], ["RE", 4, [0, 1, 2, 5, 3, 4]], ["AN", 4, 0, 5], ["AN", 4, 1, 7], ["AN", 4, 2, 6], ["CA", 2, 4, 3],
		["FU", 2, [0, 1, 2]], ["SP", 2, 0, 0, [8], 1], ["AN", 2, 1, 6], ["CI", 1], ["PR", 2, 0, "double_buffer$2"]]`},
	{"padded", "matmul 32 32 16", `[["CHR", 1, "shared", [2]], ["CHR", 0, "shared", [3]], ["SP", 4, 0, 32, [4], 1], ["SP", 4, 3, 16, [8], 1], ["RE", 4, [0, 3, 1, 2, 4]], ["AN", 4, 0, 5],
		["CA", 1, 4, 1], ["CA", 3, 4, 1], ["AN", 4, 3, 6], ["SA", 1, 0, 8, 4], ["FU", 1, [0, 1]], ["SP", 1, 0, 32, [8, 4], 1], ["AN", 1, 1, 6], ["AN", 1, 2, 2],
		["SA", 3, 0, 2, 1], ["FU", 3, [0, 1]], ["SP", 3, 0, 256, [32, 4], 1], ["AN", 3, 1, 6], ["AN", 3, 2, 2]]`},
	{"tensor", "float16 matmul_relu 64 32 64", `[["SP", 2, 0, 64, [1, 2, 2, 16], 1], ["SP", 2, 5, 32, [1, 1, 2, 8], 1], ["SP", 2, 10, 64, [2, 16], 1],
		["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["AN", 2, 10, 11], ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
		["SP", 3, 7, 0, [8], 1], ["SP", 3, 6, 0, [16], 1], ["RE", 3, [0, 1, 2, 3, 4, 5, 6, 8, 7, 9]], ["AN", 3, 8, 11], ["CA", 2, 3, 5],
		["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 6],
		["SA", 1, 0, 16, 8], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 8],
		["FU", 3, [0, 1]], ["SP", 3, 0, 0, [8], 1], ["AN", 3, 1, 2], ["SP", 3, 0, 0, [32], 1], ["FFSP", 3, 0, [0, 1], 1, 1], ["AN", 3, 1, 8], ["AN", 3, 2, 6],
		["FU", 1, [0, 1]], ["SP", 1, 0, 0, [8], 1], ["AN", 1, 1, 2], ["SP", 1, 0, 0, [32], 1], ["FFSP", 1, 0, [0, 1], 1, 1], ["AN", 1, 1, 8], ["AN", 1, 2, 6],
		["PR", 4, 0, "auto_unroll_max_step$64"]]`},
	{"tensortf32", "matmul_relu 64 32 32", `[["SP", 2, 0, 64, [1, 2, 2, 16], 1], ["SP", 2, 5, 32, [1, 1, 2, 8], 1], ["SP", 2, 10, 32, [2, 8], 1],
		["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["AN", 2, 10, 11], ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
		["SP", 3, 7, 0, [8], 1], ["SP", 3, 6, 0, [16], 1], ["RE", 3, [0, 1, 2, 3, 4, 5, 6, 8, 7, 9]], ["AN", 3, 8, 11], ["CA", 2, 3, 5],
		["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 6],
		["SA", 1, 0, 8, 4], ["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 8],
		["FU", 3, [0, 1]], ["SP", 3, 0, 0, [4], 1], ["AN", 3, 1, 2], ["SP", 3, 0, 0, [32], 1], ["FFSP", 3, 0, [0, 1], 1, 1], ["AN", 3, 1, 8], ["AN", 3, 2, 6],
		["FU", 1, [0, 1]], ["SP", 1, 0, 0, [4], 1], ["AN", 1, 1, 2], ["SP", 1, 0, 0, [32], 1], ["FFSP", 1, 0, [0, 1], 1, 1], ["AN", 1, 1, 8], ["AN", 1, 2, 6],
		["PR", 4, 0, "auto_unroll_max_step$64"]]`},
	{"crossfolds", "sum 3 500", `[["SP", 1, 1, 500, [250], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6]]`},
	{"crossthread", "sum 4 30", `[["SP", 1, 1, 30, [8], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6]]`},
	{"softmax", "softmax 16 40", `[["SP", 1, 1, 40, [8], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6], ["FU", 2, [0, 1]], ["SP", 2, 0, 640, [32], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 6],
		["SP", 3, 1, 40, [8], 1], ["AN", 3, 0, 5], ["AN", 3, 2, 6], ["FU", 4, [0, 1]], ["SP", 4, 0, 640, [32], 1], ["AN", 4, 0, 5], ["AN", 4, 1, 6]]`},
	{"conv", "conv 9 9 4 8 3", `[["CHR", 1, "shared", [3]], ["AN", 4, 0, 5], ["SP", 4, 1, 9, [2], 1], ["AN", 4, 2, 7], ["AN", 4, 3, 6], ["CA", 2, 4, 3],
		["FU", 2, [0, 1, 2]], ["SP", 2, 0, 0, [8], 1], ["AN", 2, 1, 6], ["CI", 1]]`},
	{"vthread", "add 64 30", `[["FU", 2, [0, 1]], ["SP", 2, 0, 1920, [2, 32], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 4], ["AN", 2, 2, 6]]`},
	{"vectors", "add 16 24", `[["SP", 2, 1, 24, [8], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 6], ["AN", 2, 2, 2]]`},
	{"twokernels", "chain 16 6", `[["AN", 1, 0, 5], ["AN", 1, 1, 6], ["SP", 2, 1, 6, [2], 1], ["AN", 2, 0, 6]]`},
	{"looped", "matmul 6 8 4", `[["CHR", 0, "shared", [2]], ["AN", 3, 1, 6], ["CA", 1, 3, 0], ["AN", 1, 1, 6]]`},
}

// A goldenProgram is a program of testdata/NAME.cu, and what its arguments are to
// become.
type goldenProgram struct {
	shimProgram
	name string
	want []*interp.Tensor
}

// goldenPrograms returns the schedules, and programs that no schedule gives.
func goldenPrograms(t *testing.T) []goldenProgram {
	t.Helper()
	var list []goldenProgram
	for _, c := range goldenSchedules {
		p, want := golden(t, c.dag, c.steps)
		list = append(list, goldenProgram{p, c.name, want})
	}
	for _, c := range writtenPrograms() {
		if err := tir.Check(c.f); err != nil {
			t.Fatal(err)
		}
		p := shimProgram{fn: c.f, args: interp.NewTensors(c.f.Params)}
		r := rand.New(rand.NewPCG(1, 0))
		for _, a := range p.args {
			for i := range a.Len() {
				a.SetFloat(i, float64(r.IntN(100)))
			}
		}
		g := goldenProgram{shimProgram: p, name: c.name}
		for _, a := range p.args {
			g.want = append(g.want, a.Clone())
		}
		if err := interp.Run(c.f, g.want, interp.Options{}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		list = append(list, g)
	}
	return list
}

// TestEmit compares emitted text with testdata/*.cu, which begin with the program
// as TensorIR.
func TestEmit(t *testing.T) {
	for _, c := range goldenPrograms(t) {
		p := c.shimProgram
		got := "// " + strings.ReplaceAll(strings.TrimSpace(p.fn.String()), "\n", "\n// ") + "\n\n" + emit(t, p.fn)
		path := filepath.Join("testdata", c.name+".cu")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s", path, got)
		}
	}
}

// TestEmitRolled: the text is that of Emit but for what it says of unrolling, which is
// something of every loop, and never more than Emit unrolls.
func TestEmitRolled(t *testing.T) {
	pragma := regexp.MustCompile(`(?m)^ *#pragma unroll( 1)?\n`)
	loop := regexp.MustCompile(`(?m)^ *for \(`)
	fewer := 0
	for _, c := range goldenPrograms(t) {
		usual, rolled := emit(t, c.fn), emitRolled(t, c.fn)
		if pragma.ReplaceAllString(usual, "") != pragma.ReplaceAllString(rolled, "") {
			t.Errorf("%s: got\n%s", c.name, rolled)
		}
		if said, loops := len(pragma.FindAllString(rolled, -1)), len(loop.FindAllString(rolled, -1)); said != loops {
			t.Errorf("%s: %d loops, of which %d say whether to be unrolled\n%s", c.name, loops, said, rolled)
		}
		before, after := strings.Count(usual, "#pragma unroll\n"), strings.Count(rolled, "#pragma unroll\n")
		if after > before {
			t.Errorf("%s: %d unrolled loops, %d with Emit", c.name, after, before)
		}
		if after < before {
			fewer++
		}
	}
	if fewer == 0 {
		t.Error("no program has a loop that is unrolled for another reason than registers")
	}
}

func emitRolled(t *testing.T, f *tir.Func) string {
	t.Helper()
	var b strings.Builder
	if err := cuda.EmitRolled(&b, f, targetOf(f)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden returns a program and what its arguments are to become.
func golden(t *testing.T, dag, steps string) (p shimProgram, want []*interp.Tensor) {
	t.Helper()
	d, err := tirtest.Named(dag)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, list)
	if err != nil {
		t.Fatalf("%s: %v", dag, err)
	}
	on := gpu
	if strings.Contains(steps, schedule.BufferPragma(schedule.TwoBuffersByAsync)) {
		on = ampere
	}
	if p.fn, err = lower.Lower(s, lower.Config{Target: on, Check: lower.CheckEach}); err != nil {
		t.Fatalf("%s: %v", dag, err)
	}
	p.args = tirtest.Args(rand.New(rand.NewPCG(1, 0)), d)
	for _, a := range p.args {
		want = append(want, a.Clone())
	}
	if err := interp.RunDAG(d, want); err != nil {
		t.Fatal(err)
	}
	return p, want
}

// barrier matches barriers of blocks and of warps.
var barrier = regexp.MustCompile(`__sync(threads|warp)\(\);`)

// TestGoldenRuns holds that the texts of TestEmit compute what they should, and
// that they do not without one of their barriers: threads in ascending or in
// descending order read what is not there.
func TestGoldenRuns(t *testing.T) {
	var list []shimProgram
	var want [][]*interp.Tensor
	var about []string
	var broken []bool
	add := func(p shimProgram, w []*interp.Tensor, name string, isBroken bool) {
		list, want, about, broken = append(list, p), append(want, w), append(about, name), append(broken, isBroken)
	}
	for _, c := range goldenPrograms(t) {
		p, w := c.shimProgram, c.want
		add(p, w, c.name, false)
		rolled := p
		rolled.text = emitRolled(t, p.fn)
		add(rolled, w, c.name+", rolled", false)
		text := emit(t, p.fn)
		for i, at := range barrier.FindAllStringIndex(text, -1) {
			q := p
			q.text = text[:at[0]] + text[at[1]:]
			add(q, w, fmt.Sprintf("%s without barrier %d", c.name, i), true)
		}
		if strings.Contains(text, "    wait_async();\n") {
			q := p
			q.text = strings.ReplaceAll(text, "    wait_async();\n", "")
			add(q, w, c.name+" without its wait", true)
		}
	}
	s := newShim(t, list)
	wrong := make([]bool, len(list))
	for _, backwards := range []bool{false, true} {
		got, err := s.run(t, backwards)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if err := compareOutputs(list[i].fn, got[i], want[i]); err != nil {
				wrong[i] = true
				if !broken[i] {
					t.Errorf("%s: backwards %v: %v", about[i], backwards, err)
				}
			}
		}
	}
	for i := range list {
		if broken[i] && !wrong[i] {
			t.Errorf("%s: the results are right: the barrier is not needed, or the shim does not see it", about[i])
		}
	}
}

func compareOutputs(f *tir.Func, got, want []*interp.Tensor) error {
	for i := len(f.Inputs()); i < len(got); i++ {
		if err := tirtest.Compare(got[i], want[i], got...); err != nil {
			return fmt.Errorf("output %s: %w", f.Params[i].Name, err)
		}
	}
	return nil
}
