package model_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/tir"
	. "github.com/wmtune/wmtune/tir/tirtest"
)

// wild is the program y[n[0]] = 1 after a harmless call, and then an endless loop if b.
func wild() *model.Program {
	shape := []int64{800}
	n, y, i := Buf("n", tir.I64, 1), Buf("y", tir.F32, 800), V("i")
	gather := Fn("gather", 1, Seq(Loop(tir.Serial, i, 800, Set(y, tir.Const(tir.F32, 0), i)),
		Set(y, tir.Const(tir.F32, 1), At(n, N(0)))), n, y)
	in, out, arena := model.Place{Space: model.Input}, model.Place{Space: model.Output}, model.Place{Space: model.Arena}
	return &model.Program{
		Name:    "wild",
		Inputs:  []model.Port{{Name: "n", Type: tir.I64, Shape: []int64{1}}, {Name: "b", Type: tir.Bool}},
		Outputs: []model.Port{{Name: "y", Type: tir.F32, Shape: []int64{800}}, {Name: "z", Type: tir.F32, Shape: shape}},
		Kernels: []*tir.Func{zip("add", tir.Add, 8, 100), gather}, Arena: 3200,
		Steps: []model.Step{
			model.Copy{From: in, To: arena, Bytes: 8},
			model.Call{Kernel: 0, Args: []model.Place{arena, arena, {Space: model.Output, Index: 1}}},
			model.Call{Kernel: 1, Args: []model.Place{in, out}},
			model.Loop{Cond: model.Place{Space: model.Input, Index: 1}},
		},
	}
}

// TestCrash: a bundle that faults or hangs ends its worker; the error says how, and where.
func TestCrash(t *testing.T) {
	bundle := needBundle(t, wild(), model.Options{})
	start := func() *model.Loaded {
		l, err := load(t, bundle, "", func(c *model.LoadConfig) {
			c.Labels = []string{"the first", "the gather"}
			c.Timeout = 2 * time.Second
		})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, c := range []struct {
		index int64
		loop  byte
		says  string
	}{
		{799, 0, ""},
		{800, 0, "crashed: SIGSEGV, probably in step 1 (the gather)"}, // one past the end
		{-200000, 0, "crashed: SIGSEGV, probably in step 1 (the gather)"},
		{1 << 40, 0, "crashed: SIGSEGV, probably in step 1 (the gather)"},
		{0, 1, "did not finish in 2s"},
	} {
		l := start()
		asInts(l.Input(0))[0], l.Input(1)[0] = c.index, c.loop
		err := l.Run(t.Context())
		if c.says == "" {
			if err != nil || floats(l.Output(0))[c.index] != 1 {
				t.Errorf("index %d: %v", c.index, err)
			}
			continue
		}
		var crash *model.CrashError
		if !errors.As(err, &crash) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("index %d: %v, want %s", c.index, err, c.says)
		}
		var dead *worker.DeathError
		if c.loop == 0 && (!errors.As(err, &dead) || dead.How() != "SIGSEGV") {
			t.Errorf("index %d: %#v", c.index, err)
		}
		if err := l.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "crashed") {
			t.Errorf("after the crash: %v", err)
		}
		l.Close()
	}
}

// TestLoadErrors: what is wrong is said with the file's name.
func TestLoadErrors(t *testing.T) {
	p, w := scaled("two")
	bundle := needBundle(t, p, model.Options{})
	good := save(t, "two.weights", w)
	for says, change := range map[string]func(*model.LoadConfig){
		"nothing.so":                        func(c *model.LoadConfig) { c.Library = "/tmp/nothing.so" },
		"is not the library of a bundle":    func(c *model.LoadConfig) { c.Name = "three" },
		"cannot open the weights file":      func(c *model.LoadConfig) { c.Weights = "missing" },
		"another size":                      func(c *model.LoadConfig) { c.Weights = save(t, "x", w[1:]) },
		"there are no weights inside":       nil,
		"the number of threads is negative": func(c *model.LoadConfig) { c.Threads = 257 },
		"too short for 3200 bytes at 64": func(c *model.LoadConfig) {
			c.InputFiles = map[int]model.FilePart{0: {Path: good, Offset: 64}}
		},
		"tensor 0 has 3200 bytes there and 3196 here": func(c *model.LoadConfig) {
			c.Inputs = []model.Port{{Name: "x", Type: tir.F32, Shape: []int64{799}}}
		},
		"tensor 2 has -1 bytes there and 8 here": func(c *model.LoadConfig) {
			c.Outputs = append(slices.Clone(c.Outputs), model.Port{Name: "z", Type: tir.I64})
		},
		"tensor 1 has 3200 bytes there and -1 here": func(c *model.LoadConfig) { c.Outputs = nil },
	} {
		if change == nil {
			says, change = "the library has no weights inside", func(c *model.LoadConfig) { c.Weights = "" }
		}
		if _, err := load(t, bundle, good, change); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// TestFileTensors: inputs are read from parts of a file, and outputs written to them; this
// is how constants are packed.
func TestFileTensors(t *testing.T) {
	p, w := scaled("two")
	bundle := needBundle(t, p, model.Options{})
	x := make([]float32, 800)
	for i := range x {
		x[i] = float32(i%5) - 1
	}
	const before, start = 100, 3 * 4096 / 2
	in := save(t, "in", append(bytes.Repeat([]byte{1}, before), asBytes(x)...)) // at an odd place
	out := save(t, "out", bytes.Repeat([]byte{0xee}, 3*start))
	l, err := load(t, bundle, save(t, "two.weights", w), func(c *model.LoadConfig) {
		c.InputFiles = map[int]model.FilePart{0: {Path: in, Offset: before}}
		c.OutputFiles = map[int]model.FilePart{0: {Path: out, Offset: start}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if l.Input(0) != nil || l.Output(0) != nil {
		t.Error("tensors with files have memory, too")
	}
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	wantScaled(t, x, floats(data[start:start+3200]))
	rest := append(bytes.Clone(data[:start]), data[start+3200:]...)
	if len(data) != 3*start || bytes.Count(rest, []byte{0xee}) != len(rest) {
		t.Error("the rest of the file has changed")
	}
}

// TestRepeat: warm runs are not counted, and time ends the runs.
func TestRepeat(t *testing.T) {
	p, w := scaled("two")
	l, err := load(t, needBundle(t, p, model.Options{}), save(t, "two.weights", w), nil)
	if err != nil {
		t.Fatal(err)
	}
	times, err := l.Time(t.Context(), model.Repeat{Warm: 3, Calls: 1 << 30, Total: 50 * time.Millisecond})
	if err != nil || len(times) == 0 {
		t.Fatalf("%d times: %v", len(times), err)
	}
	sum := time.Duration(0)
	for _, d := range times[:len(times)-1] { // the last one begins in time, and may be delayed
		sum += d
	}
	if sum > 50*time.Millisecond {
		t.Errorf("%s before the last one", sum)
	}
	for _, calls := range []int{0, 2} {
		if times, err = l.Time(t.Context(), model.Repeat{Warm: 3, Calls: calls}); err != nil || len(times) != max(calls, 1) {
			t.Errorf("%d calls: %v %v", calls, times, err)
		}
	}
}

// TestNoWeights: a program may have no weights, no inputs and no arena.
func TestNoWeights(t *testing.T) {
	y := Buf("y", tir.F64)
	p := &model.Program{Name: "seven",
		Outputs: []model.Port{{Name: "y", Type: tir.F64}, {Name: "none", Type: tir.I8, Shape: []int64{3, 0}}},
		Kernels: []*tir.Func{Fn("k", 1, Set(y, tir.Const(tir.F64, 7)), y)},
		Steps:   []model.Step{model.Call{Args: []model.Place{{Space: model.Output}}}}}
	bundle := needBundle(t, p, model.Options{})
	l, err := load(t, bundle, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Run(t.Context()); err != nil || asInts(l.Output(0))[0] != 0x401c<<48 || len(l.Output(1)) != 0 {
		t.Errorf("%v %x", err, l.Output(0))
	}
	dir := folder(t, bundle, nil)
	out := command(t, dir, python(t), "example.py")
	if !strings.Contains(out, "y () [7.]") || !strings.Contains(out, "none (3, 0) []") {
		t.Error(out)
	}
}

// TestOtherProcessor: a bundle for a processor with more features is not run here.
func TestOtherProcessor(t *testing.T) {
	p, w := scaled("two")
	b := buildtest.NeedLLVM(t, build.Config{})
	other := host(b)
	if other.Has("avx512fp16") { // and with it all others: one that no processor has
		defer model.AddFeature("of-no-processor")()
		other.Features = append(slices.Clone(other.Features), "of-no-processor")
	} else {
		other.CPU, other.Features = "sapphirerapids", append(slices.Clone(other.Features), "avx512f", "avx512fp16")
	}
	_, err := load(t, needBundleFor(t, p, model.Options{}, other), save(t, "two.weights", w), nil)
	if err == nil || !strings.Contains(err.Error(), "this processor lacks instructions") {
		t.Error(err)
	}
}
