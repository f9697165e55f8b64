package run_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/codegen/llvm/tiletest"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A tiling is what the random products of a test are tiled for.
type tiling struct {
	gains      []string // features of a processor with the instructions
	wide       int      // bytes of its vectors
	rows, cols int      // of a tile
	groups     int      // of four bytes that a tile has along the sum
	group      int64    // bytes of a column that lie side by side
	most       int      // quarters of the largest sizes
}

// Tiles of AMX, pairs of NEON's, sums of float16, and instructions of NEON's vectors.
var (
	ofAMX   = tiling{[]string{"amx-bf16", "amx-int8"}, 64, 16, 16, 16, 4, 4}
	ofPairs = tiling{[]string{"i8mm"}, 16, 2, 2, 1, 8, 2}
	ofHalf  = tiling{[]string{"avx512fp16"}, 64, 1, 16, 1, 4, 1}
	ofNEON  = tiling{[]string{"bf16", "dotprod", "i8mm"}, 16, 4, 12, 4, 4, 2}
)

// build compiles a program, on a processor that tiles are emulated on.
func (d *differential) build(f *tir.Func, t target.Target) (r measure.BuildResult, err error) {
	if !slices.ContainsFunc(t.Features, func(f string) bool { return !d.host.Has(f) }) {
		return d.builder.BuildFunc(context.Background(), f, t)
	}
	var text bytes.Buffer
	if err := llvm.Emit(&text, f, t); err != nil {
		return r, err
	}
	ir, err := tiletest.Emulated(text.String())
	if err != nil {
		return r, fmt.Errorf("%w\n%s", err, text.String())
	}
	r = measure.BuildResult{Status: measure.OK, Symbol: llvm.Symbol, Growth: f.Growth}
	r.Object, err = d.builder.Compile(context.Background(), []byte(ir), build.Options{CPU: d.host.CPU, Features: d.host.Features})
	for i, b := range f.Params {
		if f.Pack(i) != nil {
			r.Packs = append(r.Packs, measure.Pack{Param: i, Symbol: llvm.PackSymbol(i), Name: f.Plain(i).Name, Shape: b.Shape, Bytes: b.Bytes()})
		}
	}
	return r, err
}

// newTiled returns a random product in tiles: of matrices, of stacks of them, or of images and windows, with a reader
// or without, and with all kinds of ends of rows, columns and sums.
func newTiled(seed uint64) *program { return newTiledFor(seed, ofAMX) }

// newNEON returns such a product for NEON.
func newNEON(seed uint64) *program {
	return newTiledFor(seed, []tiling{ofPairs, ofNEON}[seed%2])
}

func newTiledFor(seed uint64, of tiling) *program {
	r := rand.New(rand.NewPCG(seed, 3))
	p := &program{seed: seed, layout: target.Rewrite, args: extremes, gains: of.gains, wide: of.wide}
	bytes := []string{"uint8", "int8"}
	x, w, sum, group := bytes[r.IntN(2)], bytes[r.IntN(2)], "int32", of.group
	switch {
	case of.rows == 1:
		x, w, sum, group = "float16", "float16", "float16", 2
	case r.IntN(4) == 0 && of.group == 4:
		x, w, sum, group = "bfloat16", "bfloat16", "float32", 2
	}
	size := func(n, unit int) int {
		n = n * of.most / 4
		if r.IntN(2) == 0 {
			return unit * (1 + r.IntN(max(1, n/unit)))
		}
		return 1 + r.IntN(n)
	}
	free := []string{"", " layout_free w"}[min(r.IntN(8), 1)]
	var text string
	switch r.IntN(3) {
	case 0:
		text = fmt.Sprintf("input x: %[1]s[%[4]d, %[6]d]\ninput w: %[2]s[%[6]d, %[5]d]\n"+
			"y(i: %[4]d, j: %[5]d) = sum(k: %[6]d) %[3]s(x[i, k])*%[3]s(w[k, j])%[7]s\n",
			x, w, sum, size(80, 16), size(80, 16), size(300, 64), free)
	case 1:
		text = fmt.Sprintf("input x: %[1]s[2, %[4]d, %[6]d]\ninput w: %[2]s[2, %[5]d, %[6]d]\n"+
			"y(b: 2, i: %[4]d, j: %[5]d) = sum(k: %[6]d) %[3]s(x[b, i, k])*%[3]s(w[b, j, k])%[7]s\n",
			x, w, sum, size(50, 16), size(50, 16), size(200, 64), free)
	default:
		h := size(24, 16)
		text = fmt.Sprintf("input x: %[1]s[%[8]d, %[8]d, %[6]d]\ninput w: %[2]s[3, 2, %[6]d, %[5]d]\n"+
			"y(h: %[4]d, v: %[4]d, j: %[5]d) = sum(a: 3, b: 2, k: %[6]d) %[3]s(x[h + a, v + b, k])*%[3]s(w[a, b, k, j])%[7]s\n",
			x, w, sum, h, size(40, 16), size(100, 64), free, h+2)
	}
	d, err := compute.Parse(text + "output y\n")
	if err != nil {
		panic(err)
	}
	op := d.Ops[2]
	read, register := r.IntN(2) == 0, sum
	if sum == "float16" {
		register = "float32"
	}
	if read {
		axes, index := "", ""
		for i, a := range op.Axes {
			sep := ", "
			if i == 0 {
				sep = ""
			}
			axes += fmt.Sprintf("%s%s: %d", sep, a.Var.Name, a.Extent)
			index += sep + a.Var.Name
		}
		if d, err = compute.Parse(text + fmt.Sprintf("z(%[1]s) = max(%[3]s(y[%[2]s]), %[3]s(0))\noutput z\n", axes, index, register)); err != nil {
			panic(err)
		}
		op = d.Ops[2]
	}
	p.kind, p.dag = "tiles", d
	p.steps = tileSteps(r, op, of, group, read)
	return p
}

// tileSteps tiles a product, stage 2, as the sketch does, with random numbers of tiles, and computes it in its reader
// or not.
func tileSteps(r *rand.Rand, op *compute.Op, of tiling, group int64, read bool) []schedule.Step {
	const at = 2
	var steps []schedule.Step
	var levels [7][]int
	iter := 0
	split := func(a *compute.Axis, into []int, lengths ...int64) {
		steps = append(steps, schedule.Split{At: at, Iter: iter, Extent: a.Extent, Lengths: lengths, InnerToOuter: true})
		for _, l := range into {
			levels[l] = append(levels[l], iter)
			iter++
		}
	}
	any := func(n int) int64 { return 1 + r.Int64N(int64(n)) }
	most := func(n int) []int64 { return []int64{int64(n), int64(n), any(n), int64(n)} }
	rows := len(op.Axes) - 2
	for i := range op.Axes {
		inner, tiles := int64(1), any(2)
		switch i {
		case rows:
			inner = min(most(of.rows)[r.IntN(3)], op.Axes[i].Extent)
		case rows + 1:
			inner = most(of.cols)[r.IntN(4)]
		default:
			tiles = 1
		}
		split(op.Axes[i], []int{0, 1, 3, 5}, any(2), tiles, inner)
	}
	for i, a := range op.ReduceAxes {
		inner, steps := int64(1), int64(1)
		if i == len(op.ReduceAxes)-1 {
			inner, steps = most(of.groups)[r.IntN(3)], group
		}
		split(a, []int{2, 4, 6}, inner, steps)
	}
	order := []int{}
	for _, l := range levels {
		order = append(order, l...)
	}
	steps = append(steps, schedule.Reorder{At: at, Order: order})
	last := iter - 1
	steps = append(steps, schedule.Annotate{At: at, Iter: last - len(op.ReduceAxes), Ann: schedule.Vectorize},
		schedule.Annotate{At: at, Iter: last, Ann: schedule.Tensorize})
	if read && r.IntN(3) > 0 {
		n, inner := len(op.Axes), 3
		var order []int
		for i := range op.Axes {
			steps = append(steps, schedule.FollowSplit{At: at + 1, Iter: i * inner, Src: i, Parts: inner - 1})
		}
		for l := range inner {
			for i := range op.Axes {
				order = append(order, i*inner+l)
			}
		}
		steps = append(steps, schedule.Reorder{At: at + 1, Order: order},
			schedule.ComputeAt{At: at, Target: at + 1, TargetIter: n*(1+r.IntN(2)) - 1})
		if r.IntN(2) == 0 {
			steps = append(steps, schedule.Annotate{At: at + 1, Iter: 0, Ann: schedule.Parallel})
		}
	} else if r.IntN(2) == 0 {
		steps = append(steps, schedule.Annotate{At: at, Iter: 0, Ann: schedule.Parallel})
	}
	return append(steps, schedule.Pragma{At: at, Iter: 0, Text: schedule.UnrollPragma([]int{0, 16, 64, 512}[r.IntN(4)])})
}

// TestTiles: programs whose tiles are emulated compute what the interpreter does, on every kind of end of rows, columns
// and sums, and on the ends of the types.
func TestTiles(t *testing.T) {
	d := newDifferential(t)
	d.tryMany(t, newTiled)
	for _, i := range tir.Instructions() {
		if i.Scopes[2] == tir.Tile && *programs >= 100 && d.instructions[i.Name] == 0 {
			t.Errorf("no program has %s", i.Name)
		}
	}
	t.Logf("loops by instruction: %v", d.instructions)
}

// TestNEON: programs whose instructions of NEON are emulated compute what the interpreter does, as TestTiles has it.
func TestNEON(t *testing.T) {
	d := newDifferential(t)
	d.tryMany(t, newNEON)
	for _, name := range []string{"smmla", "usmmla", "ummla", "usdot", "sdot", "udot", "bfdot"} {
		if *programs >= 100 && d.instructions[name] == 0 {
			t.Errorf("no program has %s", name)
		}
	}
	t.Logf("loops by instruction: %v", d.instructions)
}

// newHalves returns such a product of float16, whose sums are float16.
func newHalves(seed uint64) *program { return newTiledFor(seed, ofHalf) }

// TestHalfProducts: programs that multiply and add float16 compute what the interpreter does. Where the processor
// cannot, LLVM computes them in float32.
func TestHalfProducts(t *testing.T) {
	d := newDifferential(t)
	d.tryMany(t, newHalves)
	if *programs >= 100 && d.instructions["vfmaddph.512"] == 0 {
		t.Error("no program has vfmaddph.512")
	}
	t.Logf("loops by instruction: %v", d.instructions)
}
