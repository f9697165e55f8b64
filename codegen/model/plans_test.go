package model_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
	. "github.com/wmtune/wmtune/tir/tirtest"
)

// several is y = x*w + x for 0, 2 and 8 rows, and for 3 to 7 rows by a plan that takes the extents.
func several() (*model.Program, []byte) {
	w := weights(8 * 100)
	port := func(name string, rows int64, bounded bool) []model.Port {
		return []model.Port{{Name: name, Type: tir.F32, Shape: []int64{rows, 100}, Bounded: bounded, Dims: []string{"rows", ""}}}
	}
	in, out, arena := model.Place{Space: model.Input}, model.Place{Space: model.Output}, model.Place{Space: model.Arena}
	p := &model.Program{
		Name: "several", Inputs: port("x", 8, false), Outputs: port("y", 8, true), Dims: []string{"rows"},
		Arena: 3200, Weights: int64(len(w)), WeightsHash: sha256.Sum256(w),
	}
	exact := func(rows int64) {
		plan := model.Plan{Least: []int64{rows}, Most: []int64{rows}, Inputs: port("x", rows, false),
			Outputs: port("y", rows, false), Arena: rows * 400}
		if rows > 0 {
			k := len(p.Kernels)
			p.Kernels = append(p.Kernels, zip("mul", tir.Mul, rows, 100), zip("add", tir.Add, rows, 100))
			plan.Steps = []model.Step{
				model.Call{Kernel: k, Args: []model.Place{in, {Space: model.Weights}, arena}, Label: "mul"},
				model.Call{Kernel: k + 1, Args: []model.Place{arena, in, out}, Label: "add"},
			}
		}
		p.Plans = append(p.Plans, plan)
	}
	exact(0)
	exact(2)
	n, x, y, by := Buf("n", tir.I64, 1), Buf("x", tir.F32, 7, 100), Buf("y", tir.F32, 7, 100), Buf("w", tir.F32, 8, 100)
	size, i, j := Buf("size", tir.I64, 2), V("i"), V("j")
	value := Add(Mul(At(x, i, j), At(by, i, j)), At(x, i, j))
	rows := Loop(tir.Serial, i, 7, &tir.If{Cond: tir.Bin(tir.LT, i, At(n, N(0))), Then: Loop(tir.Serial, j, 100, Set(y, value, i, j))})
	both := Seq(rows, Set(size, At(n, N(0)), N(0)), Set(size, N(100), N(1)))
	p.Kernels = append(p.Kernels, Fn("padded", 2, both, n, x, by, y, size))
	p.Plans = append(p.Plans, model.Plan{Least: []int64{3}, Most: []int64{7}, Inputs: port("x", 7, false),
		Outputs: port("y", 7, true), Extents: true,
		Steps: []model.Step{model.Call{Kernel: len(p.Kernels) - 1, Label: "padded", Args: []model.Place{
			{Space: model.Input, Index: 1}, in, {Space: model.Weights}, out, {Space: model.OutputShape}}}}})
	exact(8)
	return p, w
}

// TestPlans runs each plan of a library, in turns.
func TestPlans(t *testing.T) {
	p, w := several()
	l, err := load(t, needBundle(t, p, model.Options{}), save(t, "several.weights", w), func(c *model.LoadConfig) {
		c.Extents = []int64{8}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int64{8, 2, 5, 0, 3, 8, 7, 0, 2} {
		l.SetExtents([]int64{rows})
		x, y := fill(l.Input(0)), floats(l.Output(0))
		for i := range y {
			y[i] = -1
		}
		if err := l.Run(t.Context()); err != nil {
			t.Fatalf("%d rows: %v", rows, err)
		}
		for i, got := range y {
			want := x[i]*floats(w)[i] + x[i]
			if i >= 100*int(rows) {
				want = -1
			}
			if got != want {
				t.Fatalf("%d rows, element %d: %v, want %v", rows, i, got, want)
			}
		}
		if s := l.Shape(0); !slices.Equal(s, []int64{rows, 100}) {
			t.Errorf("%d rows: %v", rows, s)
		}
		calls, plan := 0, p.PlanFor([]int64{rows})
		taps := make([][]model.Tap, len(p.Calls()))
		reached, err := l.Watch(t.Context(), taps, 1, func(int, [][]byte) error { calls++; return nil })
		if err != nil || calls != len(p.Plans[plan].Steps) {
			t.Errorf("%d rows: %v, %d calls: %v", rows, reached, calls, err)
		}
	}
	for _, rows := range []int64{9, 1, -1} {
		l.SetExtents([]int64{rows})
		want := "no plan serves these extents: there are rows=0; rows=2; rows=3..7; rows=8"
		if err := l.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
	l.SetExtents([]int64{1, 2})
	if err := l.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "takes the extents of 1 dimensions, not of 2") {
		t.Error(err)
	}
}

// TestPlanErrors: a plan that does not fit its program is rejected.
func TestPlanErrors(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{Workers: 2})
	for says, change := range map[string]func(p *model.Program){
		"extents of 0 and 1 dimensions":       func(p *model.Program) { p.Plans[1].Least = nil },
		"extents from 3 to 2 of rows":         func(p *model.Program) { p.Plans[1].Least = []int64{3} },
		"1 outputs, 4000 bytes":               func(p *model.Program) { p.Plans[1].Arena = 4000 },
		"input x has the shape [8 100]":       func(p *model.Program) { p.Plans[1].Inputs = p.Plans[3].Inputs },
		"output y is not the program's":       func(p *model.Program) { p.Outputs[0].Bounded = false },
		"input 1+0: there is no such memory":  func(p *model.Program) { p.Plans[2].Extents = false },
		"3200 bytes at arena+0: that has 0 b": func(p *model.Program) { p.Plans[3].Arena = 0 },
	} {
		p, _ := several()
		change(p)
		_, err := model.Build(t.Context(), b, p, host(b), model.Options{})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// TestPlanExamples compiles and runs the examples of a library of several plans, and a program that uses all of its
// functions in ways that they must bear.
func TestPlanExamples(t *testing.T) {
	p, w := several()
	dir := folder(t, needBundle(t, p, model.Options{}), w)
	t.Run("C", func(t *testing.T) {
		cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
		source, err := filepath.Abs("testdata/plans.c")
		if err != nil {
			t.Fatal(err)
		}
		with := append(slices.Clone(strict), "-std=c11", "several.o", "-lm", "-lpthread", "-I.", "-o")
		command(t, dir, cc, append([]string{"example.c"}, append(with, "example")...)...)
		if out := command(t, dir, "./example"); !strings.Contains(out, "y[8][100]: ") {
			t.Error(out)
		}
		command(t, dir, cc, append([]string{source}, append(with, "plans")...)...)
		if out := command(t, dir, "./plans"); out != "ok\n" {
			t.Error(out)
		}
		cpp := buildtest.NeedTool(t, "c++", "apt-get install g++")
		if err := os.WriteFile(filepath.Join(dir, "a.cpp"), []byte("#include \"several.h\"\nint main() {}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		command(t, dir, cpp, append(slices.Clone(strict), "-c", "a.cpp")...)
	})
	t.Run("Python", func(t *testing.T) {
		const check = `
import numpy as np
from example import Model
w = 0.5 * np.arange(1, 801, dtype=np.float32).reshape(8, 100)
with Model() as m:
    for n in (0, 8, 5, 2):
        x = np.random.default_rng(1).random((n, 100), dtype=np.float32)
        y = m(x=x)["y"]
        assert y.shape == x.shape and np.allclose(y, x * w[:n] + x), n
    try:
        m(x=np.zeros((1, 100), np.float32))
    except RuntimeError as e:
        print(e)
`
		py := python(t)
		out := command(t, dir, py, "-c", check)
		if !strings.Contains(out, "several: no plan serves these extents: there are rows=0; rows=2; rows=3..7; rows=8") {
			t.Error(out)
		}
		if out := command(t, dir, py, "example.py"); !strings.Contains(out, "y (8, 100) [") {
			t.Error(out)
		}
	})
	t.Run("Go", func(t *testing.T) { runGoExample(t, dir, "several: ", "y [8 100] [") })
}

// TestExtentsOf: extents come from the shapes of inputs, which must agree.
func TestExtentsOf(t *testing.T) {
	dims := []string{"batch", "seq"}
	inputs := []model.Port{
		{Name: "a", Shape: []int64{1, 8, 4}, Dims: []string{"batch", "seq", ""}}, {Name: "b", Shape: []int64{8, 8}, Dims: []string{"seq", "seq"}},
		{Name: "c", Shape: []int64{3}},
	}
	got, err := model.ExtentsOf(dims, nil, nil, inputs, [][]int64{{2, 5, 4}, {5, 5}, {3}})
	if err != nil || !slices.Equal(got, []int64{2, 5}) {
		t.Error(got, err)
	}
	for says, shapes := range map[string][][]int64{
		"dimension seq is 5 in input a and 6 in input b": {{2, 5, 4}, {5, 6}, {3}},
		"input a is [2 5 3]: want [batch seq 4]":         {{2, 5, 3}, {5, 5}, {3}},
		"input b has 1 dimensions: want [seq seq]":       {{2, 5, 4}, {5}, {3}},
		"input c is [2]: want [3]":                       {{2, 5, 4}, {5, 5}, {2}},
	} {
		if _, err := model.ExtentsOf(dims, nil, nil, inputs, shapes); fmt.Sprint(err) != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
