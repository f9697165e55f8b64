package model_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
	. "github.com/wmtune/wmtune/tir/tirtest"
)

func asInts(b []byte) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// The kernels of random programs.
const (
	addKernel = iota
	minKernel
	heapKernel
	lessKernel
	stepKernel
	sizeKernel
)

func kernels() []*tir.Func {
	i, j, k, l := V("i"), V("j"), V("k"), V("l")
	row := Buf("A", tir.F32, 8, 100)
	out := Buf("C", tir.F32, 8, 100)
	// Temporaries that do not fit the stack: one of the whole kernel, two of each thread.
	whole, each, more := Local("T", tir.F32, 8, 5000), Local("U", tir.F32, 20000), Local("V", tir.F32, 40000)
	m, rowOf, columnOf := V("m"), tir.Bin(tir.FloorMod, l, N(8)), tir.Bin(tir.FloorDiv, l, N(8))
	heap := Alloc(whole,
		Loop(tir.Parallel, i, 8, Alloc(each, Alloc(more,
			Loop(tir.Vectorized, j, 100, Set(each, At(row, i, j), Mul(j, N(7)))),
			Loop(tir.Serial, m, 100, Set(more, At(each, Mul(m, N(7))), Mul(m, N(399)))),
			Loop(tir.Vectorized, k, 100, Set(whole, At(more, Mul(k, N(399))), i, Mul(k, N(3))))))),
		Loop(tir.Serial, l, 800, Set(out, At(whole, rowOf, Mul(columnOf, N(3))), rowOf, columnOf)))
	counter, flag, moved := Buf("n", tir.I64, 1), Buf("less", tir.Bool, 1), Buf("m", tir.I64, 1)
	n, size := At(counter, N(0)), Buf("shape", tir.I64, 2)
	return []*tir.Func{
		addKernel:  zip("add", tir.Add, 8, 100),
		minKernel:  zip("min", tir.Min, 8, 100),
		heapKernel: Fn("heap", 1, heap, row, out),
		lessKernel: Fn("less", 1, Set(flag, tir.Bin(tir.LT, n, N(2)), N(0)), counter, flag),
		stepKernel: Fn("next", 1, Set(moved, tir.Bin(tir.FloorMod, Add(n, N(1)), N(4)), N(0)), counter, moved),
		sizeKernel: Fn("size", 1, Seq(Set(size, n, N(0)), Set(size, N(100), N(1))), counter, size),
	}
}

// Places of random programs: tensors of 3200 bytes, then counters, then flags, then error codes.
const (
	slotBytes = 3200 + 64
	nSlots    = 5
	nScalars  = 4
)

func slot(i int) model.Place { return model.Place{Space: model.Arena, Offset: int64(i) * slotBytes} }

func scalar(kind, i int) model.Place {
	return model.Place{Space: model.Arena, Offset: nSlots*slotBytes + int64(kind*nScalars+i)*64}
}

func counterAt(i int) model.Place { return scalar(0, i) }
func flagAt(i int) model.Place    { return scalar(1, i) }
func errorAt(i int) model.Place   { return scalar(2, i) }

// A generator writes random programs.
type generator struct {
	*rand.Rand
	left, depth, loops int // steps still to be written
}

func (g *generator) program(name string, steps int) *model.Program {
	shape := []int64{8, 100}
	w := weights(800)
	p := &model.Program{Name: name, Kernels: kernels(), Weights: 3200, WeightsHash: sha256.Sum256(w),
		Inputs: []model.Port{{Name: "x", Type: tir.F32, Shape: shape}, {Name: "n", Type: tir.I64, Shape: []int64{nScalars}},
			{Name: "b", Type: tir.Bool, Shape: []int64{nScalars}}, {Name: "e", Type: tir.I32, Shape: []int64{nScalars}}},
		Outputs: []model.Port{{Name: "y", Type: tir.F32, Shape: shape},
			{Name: "z", Type: tir.F32, Shape: shape, Bounded: true}},
		Arena: nSlots*slotBytes + 3*nScalars*64,
	}
	in := func(i int, offset int64) model.Place {
		return model.Place{Space: model.Input, Index: i, Offset: offset}
	}
	for i := range nSlots {
		p.Steps = append(p.Steps, model.Copy{From: in(0, 0), To: slot(i), Bytes: 3200})
	}
	for i := range nScalars {
		p.Steps = append(p.Steps, model.Copy{From: in(1, int64(8*i)), To: counterAt(i), Bytes: 8},
			model.Copy{From: in(2, int64(i)), To: flagAt(i), Bytes: 1},
			model.Copy{From: in(3, int64(4*i)), To: errorAt(i), Bytes: 4})
	}
	for i := range 2 {
		to := model.Place{Space: model.Output, Index: i}
		p.Steps = append(p.Steps, model.Copy{From: model.Place{Space: model.Weights}, To: to, Bytes: 3200})
	}
	p.Steps = append(p.Steps,
		model.Call{Kernel: sizeKernel, Args: []model.Place{counterAt(0), {Space: model.OutputShape, Index: 1}}})
	g.left, g.depth, g.loops = steps, 0, 0
	for g.left > 0 {
		p.Steps = append(p.Steps, g.steps(g.left)...)
	}
	return p
}

func (g *generator) steps(atMost int) []model.Step {
	var list []model.Step
	for range 1 + g.IntN(max(atMost, 1)) {
		if g.left--; g.left < 0 {
			break
		}
		list = append(list, g.step())
	}
	return list
}

func (g *generator) step() model.Step {
	n := g.IntN(20)
	switch {
	case n < 3 && g.depth < 4:
		g.depth++
		defer func() { g.depth-- }()
		return model.If{Cond: flagAt(g.IntN(nScalars)), Then: g.steps(5), Else: g.steps(3)}
	case n < 6 && g.loops < 3:
		g.loops++
		defer func() { g.loops-- }()
		l := model.Loop{Trip: counterAt(g.IntN(nScalars))}
		if g.IntN(2) == 0 {
			l.Cond = flagAt(g.IntN(nScalars))
		}
		if g.IntN(2) == 0 {
			l.Counter = counterAt(g.IntN(nScalars))
		}
		l.Body = g.steps(5)
		return l
	case n < 8:
		return model.Check{Error: errorAt(g.IntN(nScalars)), Message: fmt.Sprintf("check \"%d\" failed, 100%%\n", g.left)}
	case n < 10:
		from, to := g.tensor(), g.target()
		offset := int64(g.IntN(50))
		from.Offset += offset
		return model.Copy{From: from, To: to, Bytes: 3200 - offset}
	case n < 11:
		return model.Call{Kernel: lessKernel, Args: []model.Place{counterAt(g.IntN(nScalars)), flagAt(g.IntN(nScalars))}}
	case n < 13:
		from := g.IntN(nScalars)
		to := (from + 1 + g.IntN(nScalars-1)) % nScalars
		return model.Call{Kernel: stepKernel, Args: []model.Place{counterAt(from), counterAt(to)}}
	case n < 14:
		from := g.tensor()
		return model.Call{Kernel: heapKernel, Args: []model.Place{from, g.targetBeside(from)}, Threads: g.IntN(4)}
	}
	x, y := g.tensor(), g.tensor()
	return model.Call{Kernel: g.IntN(2), Args: []model.Place{x, y, g.targetBeside(x, y)}, Threads: g.IntN(4)}
}

// targetBeside is a target that is none of the places that a call reads.
func (g *generator) targetBeside(read ...model.Place) model.Place {
	to := g.target()
	for slices.Contains(read, to) {
		to = g.target()
	}
	return to
}

// tensor is a place to read, target one to write.
func (g *generator) tensor() model.Place {
	switch g.IntN(6) {
	case 0:
		return model.Place{Space: model.Input}
	case 1:
		return model.Place{Space: model.Weights}
	}
	return g.target()
}

func (g *generator) target() model.Place {
	if g.IntN(4) == 0 {
		return model.Place{Space: model.Output, Index: g.IntN(2)}
	}
	return slot(g.IntN(nSlots))
}

// TestRandomPrograms compares bundles of random steps with the interpreter: on inputs that
// pass all checks, and on some that do not.
func TestRandomPrograms(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{Workers: 2})
	cache := &memoryCache{}
	failed := 0
	for seed := range uint64(12) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		p := g.program("random", []int{30, 100, 700}[seed%3])
		bundle, err := model.Build(t.Context(), b, p, host(b), model.Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		l, err := load(t, bundle, save(t, "random.weights", weights(800)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 6 {
			fill(l.Input(0))
			for i := range nScalars {
				asInts(l.Input(1))[i] = int64(g.IntN(4))
				l.Input(2)[i] = byte(g.IntN(2))
			}
			clear(l.Input(3))
			if round%3 == 2 {
				l.Input(3)[4*g.IntN(nScalars)] = 1
			}
			failed += compare(t, p, l, fmt.Sprintf("seed %d, round %d", seed, round))
		}
		l.Close()
	}
	if failed < 6 {
		t.Errorf("only %d runs failed a check", failed)
	}
}

// TestManySteps: none of the steps of a long program is lost, and each is profiled.
func TestManySteps(t *testing.T) {
	const n = 1001
	l, err := load(t, needBundle(t, chain(n, tir.Parallel, 1), model.Options{}), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range floats(l.Input(0)) {
		floats(l.Input(0))[i] = 1
	}
	profile, err := l.Profile(t.Context(), model.Repeat{Calls: 2})
	if err != nil || len(profile.Steps) != n || slices.Min(profile.Steps) <= 0 {
		t.Errorf("%d steps took at least %v: %v", len(profile.Steps), slices.Min(profile.Steps), err)
	}
	if y := floats(l.Output(0)); slices.Min(y) != n+1 || slices.Max(y) != n+1 {
		t.Errorf("y is %g to %g, want %d", slices.Min(y), slices.Max(y), n+1)
	}
}

// compare runs a bundle and the interpreter, and returns 1 if a check of the program failed.
func compare(t *testing.T, p *model.Program, l *model.Loaded, where string) int {
	t.Helper()
	var inputs [][]byte
	for i := range p.Inputs {
		inputs = append(inputs, slices.Clone(l.Input(i)))
	}
	x := newInterpreter(p, weights(800), inputs)
	want, err := x.run(p.Steps), l.Run(t.Context())
	var check failedCheck
	if errors.As(want, &check) {
		if err == nil || !strings.Contains(err.Error(), string(check)) {
			t.Fatalf("%s: %v, want %v", where, err, want)
		}
		return 1
	}
	if want != nil || err != nil {
		t.Fatalf("%s: %v; interpreter: %v", where, err, want)
	}
	for i := range p.Outputs {
		want := floats(x.outputs[i])
		for at, v := range floats(l.Output(i)) { // values, for the minimum of 0 and -0 may be either
			if v != want[at] && (v == v || want[at] == want[at]) {
				t.Fatalf("%s: output %d at %d: %g, want %g", where, i, at, v, want[at])
			}
		}
		if p.Outputs[i].Bounded && !slices.Equal(l.Shape(i), asInts(x.shapes[i])) {
			t.Fatalf("%s: output %d has the shape %v, want %v", where, i, l.Shape(i), asInts(x.shapes[i]))
		}
	}
	return 0
}

// TestFlush: denormals are kept, unless the bundle or who loads it says otherwise.
func TestFlush(t *testing.T) {
	for _, c := range []struct{ bundle, load, zero bool }{
		{false, false, false}, {true, false, true}, {false, true, true},
	} {
		bundle := needBundle(t, chain(1, tir.Serial, 0), model.Options{FlushDenormals: c.bundle})
		l, err := load(t, bundle, "", func(cfg *model.LoadConfig) { cfg.FlushDenormals = c.load })
		if err != nil {
			t.Fatal(err)
		}
		x, y := floats(l.Input(0)), floats(l.Output(0))
		x[0] = 0x1p-140
		p, err := l.Profile(t.Context(), model.Repeat{})
		if err != nil || (y[0] == 0) != c.zero || p.Denormals == c.zero {
			t.Errorf("%+v: %v %g %v", c, err, y[0], p.Denormals)
		}
		dir := folder(t, bundle, nil)
		text, err := os.ReadFile(filepath.Join(dir, "chain.h"))
		if err != nil || strings.Contains(string(text), "A new context flushes them.") != c.bundle {
			t.Errorf("%v: %s", err, text)
		}
	}
}

// TestLargeArena: memory of several huge pages, of an odd size, is there to its end, and is
// freed.
func TestLargeArena(t *testing.T) {
	const size = 5<<20 + 64
	port := model.Port{Name: "x", Type: tir.U8, Shape: []int64{size}}
	arena := model.Place{Space: model.Arena, Offset: size}
	p := &model.Program{Name: "large", Inputs: []model.Port{port}, Outputs: []model.Port{port}, Arena: 2 * size}
	p.Steps = []model.Step{
		model.Copy{From: model.Place{Space: model.Input}, To: arena, Bytes: size},
		model.Copy{From: arena, To: model.Place{Space: model.Arena}, Bytes: size},
		model.Copy{From: model.Place{Space: model.Arena}, To: model.Place{Space: model.Output}, Bytes: size},
	}
	p.Outputs[0].Name = "y"
	bundle := needBundle(t, p, model.Options{})
	l, err := load(t, bundle, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.Input(0) {
		l.Input(0)[i] = byte(i * 7 >> 3)
	}
	if err := l.Run(t.Context()); err != nil || !bytes.Equal(l.Input(0), l.Output(0)) {
		t.Errorf("%v: %d bytes differ", err, size)
	}
	dir, cc := folder(t, bundle, nil), buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	const code = `
#include <stdio.h>
#include <string.h>
#include "large.h"
static long pages(void) {
	long n = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld", &n) != 1) return -1;
	fclose(f);
	return n;
}
int main(void) {
	large_context *c;
	long before = 0;
	for (int i = 0; i < 50; i++) {
		if (large_open(&c, NULL, 1)) return 1;
		large_close(c);
		if (i == 5) before = pages();
	}
	if (pages() > before + 100) return 2;
	return 0;
}
`
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, dir, cc, append([]string{"a.c", "large.o", "-o", "a", "-lpthread"}, strict...)...)
	command(t, dir, "./a")
}
