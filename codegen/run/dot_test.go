package run_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// groups are the steps that instructions make at once, by the type of the second operand.
var groups = map[tir.DType][]int64{tir.I8: {4, 2}, tir.BF16: {2}}

// newDot returns a random product with a sum whose steps instructions may make: of matrices, of stacks of them, or of
// images and windows, as a model has it, in multi-level tiles of any size.
func newDot(seed uint64) *program {
	r := rand.New(rand.NewPCG(seed, 2))
	p := &program{seed: seed, layout: target.Rewrite, args: extremes}
	types, of := [2]string{"uint8", "int8"}, tir.I8
	sum := "int32"
	if r.IntN(3) == 0 {
		types, of, sum = [2]string{"bfloat16", "bfloat16"}, tir.BF16, "float32"
	}
	size := func(n int) int { return 1 + r.IntN(n) }
	free := []string{"", " layout_free w"}[min(r.IntN(4), 1)]
	var text string
	switch r.IntN(3) {
	case 0:
		m, n, k := size(20), size(70), size(70)
		text = fmt.Sprintf("input x: %[1]s[%[4]d, %[6]d]\ninput w: %[2]s[%[6]d, %[5]d]\n"+
			"y(i: %[4]d, j: %[5]d) = sum(k: %[6]d) %[3]s(x[i, k])*%[3]s(w[k, j])%[7]s\noutput y\n",
			types[0], types[1], sum, m, n, k, free)
	case 1:
		m, n, k := size(20), size(70), size(40)
		text = fmt.Sprintf("input x: %[1]s[2, %[4]d, %[6]d]\ninput w: %[2]s[2, %[5]d, %[6]d]\n"+
			"y(b: 2, i: %[4]d, j: %[5]d) = sum(k: %[6]d) %[3]s(x[b, i, k])*%[3]s(w[b, j, k])%[7]s\noutput y\n",
			types[0], types[1], sum, m, n, k, free)
	default:
		h, n, k := size(8), size(40), size(20)
		image, pad := "x", ""
		if r.IntN(2) == 0 {
			image, pad = "p", fmt.Sprintf("p(h: %[1]d, v: %[1]d, k: %[2]d) = if_then_else(h >= 1 && h < %[3]d && v >= 1 && v < %[3]d, "+
				"x[h - 1, v - 1, k], %[4]d)\n", h+2, k, h+1, size(2)*of.Bits()%16*13)
		}
		text = fmt.Sprintf("input x: %[1]s[%[8]d, %[8]d, %[6]d]\ninput w: %[2]s[3, 2, %[6]d, %[5]d]\n%[9]s"+
			"y(h: %[4]d, v: %[4]d, j: %[5]d) = sum(a: 3, b: 2, k: %[6]d) %[3]s(%[10]s[h + a, v + b, k])*%[3]s(w[a, b, k, j])%[7]s\n"+
			"output y\n", types[0], types[1], sum, h, n, k, free, h+2-2*len(pad)/max(len(pad), 1), pad, image)
	}
	d, err := compute.Parse(text)
	if err != nil {
		panic(err)
	}
	p.kind, p.dag = "dot", d
	depth := groups[of][r.IntN(len(groups[of]))]
	p.steps = dotSteps(r, d, depth)
	if depth == 2 && of == tir.I8 {
		p.lacks = []string{"avx512vnni", "avxvnni"}
	}
	return p
}

// dotSteps tiles the product as the sketch does, with random lengths.
func dotSteps(r *rand.Rand, d *compute.DAG, depth int64) []schedule.Step {
	op := d.Ops[len(d.Ops)-1]
	at := slices.Index(d.Ops, op)
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
	for i, a := range op.Axes {
		inner := any(6)
		if i == len(op.Axes)-1 {
			inner = any(40)
		}
		split(a, []int{0, 1, 3, 5}, any(2), any(2), inner)
	}
	for i, a := range op.ReduceAxes {
		inner, steps := any(3), int64(1)
		if i == len(op.ReduceAxes)-1 {
			steps = depth
			if a.Extent%depth != 0 && r.IntN(2) == 0 {
				inner = (a.Extent + depth - 1) / depth
			}
		}
		split(a, []int{2, 4, 6}, inner, steps)
	}
	steps = append(steps, schedule.Reorder{At: at, Order: slices.Concat(levels[:]...)})
	if pad := at - 1; !d.Ops[pad].IsPlaceholder() {
		steps = append(steps, [][]schedule.Step{nil, {schedule.ComputeInline{At: pad}},
			{schedule.ComputeAt{At: pad, Target: at, TargetIter: len(op.Axes) - 1}}}[r.IntN(3)]...)
	}
	last := iter - 1
	steps = append(steps, schedule.Annotate{At: at, Iter: last - len(op.ReduceAxes), Ann: schedule.Vectorize},
		schedule.Annotate{At: at, Iter: last, Ann: schedule.Tensorize})
	if r.IntN(2) == 0 {
		steps = append(steps, schedule.Annotate{At: at, Iter: 0, Ann: schedule.Parallel})
	}
	return append(steps, schedule.Pragma{At: at, Iter: 0, Text: schedule.UnrollPragma([]int{0, 16, 64, 512}[r.IntN(4)])})
}

// extremes fills inputs with the ends of their types, of one half, and with any numbers; floats are small integers.
func extremes(r *rand.Rand, d *compute.DAG) []*interp.Tensor {
	args := interp.NewTensors(d.Tensors)
	for i, t := range args[:len(d.Inputs())] {
		for k := range t.Len() {
			switch b := d.Tensors[i]; {
			case b.Type.IsFloat():
				t.SetFloat(k, float64(r.IntN(9)-4)/4)
			case r.IntN(2) == 0:
				t.SetInt(k, []int64{0, 255, -128, 127, 1, -1}[r.IntN(6)])
			default:
				t.SetInt(k, r.Int64N(256))
			}
		}
	}
	return args
}

// TestDots: instructions compute what the loops do that they take the place of, on every kind of end of rows, columns
// and sums, and on the ends of the types.
func TestDots(t *testing.T) {
	d := newDifferential(t)
	d.tryMany(t, newDot)
	for _, i := range tir.InstructionsOf(d.host.CPU, d.host.Has, d.host.Hardware.VectorBytes) {
		if *programs >= 100 && d.instructions[i.Name] == 0 {
			t.Errorf("no program has %s", i.Name)
		}
	}
	t.Logf("loops by instruction: %v", d.instructions)
}

// TestDotSums: sums of products of the largest numbers, which wrap around, and are not saturated on the way.
func TestDotSums(t *testing.T) {
	d := newDifferential(t)
	x := d.executor()
	defer x.Close()
	const text = "input x: uint8[3, 70000]\ninput w: int8[70000, 16]\n" +
		"y(i: 3, j: 16) = sum(k: 70000) int32(x[i, k])*int32(w[k, j]) layout_free w\noutput y\n"
	dag, err := compute.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for seed, w := range []int64{127, -128, 127} {
		p := &program{seed: uint64(seed), layout: target.Rewrite, dag: dag}
		p.args = func(*rand.Rand, *compute.DAG) []*interp.Tensor {
			args := interp.NewTensors(dag.Tensors)
			for i, v := range []int64{255, w} {
				for k := range args[i].Len() {
					args[i].SetInt(k, v)
				}
			}
			return args
		}
		for _, p.lacks = range [][]string{nil, {"avx512vnni", "avxvnni"}} {
			depth := int64(4 / max(1, 2*min(len(p.lacks), 1)))
			p.steps = []schedule.Step{
				schedule.Split{At: 2, Iter: 2, Extent: 70000, Lengths: []int64{depth}, InnerToOuter: true},
				schedule.Reorder{At: 2, Order: []int{0, 2, 1, 3}},
				schedule.Annotate{At: 2, Iter: 2, Ann: schedule.Vectorize}, schedule.Annotate{At: 2, Iter: 3, Ann: schedule.Tensorize},
			}
			if err := d.try(x, p); err != nil {
				t.Errorf("weights of %d without %v: %v", w, p.lacks, err)
			}
		}
	}
}

// TestDotTiles: tiles of sums as large as the registers and larger, sums of all ends, and an image whose lines are padded
// and whose columns are the steps.
func TestDotTiles(t *testing.T) {
	d := newDifferential(t)
	x := d.executor()
	defer x.Close()
	for _, types := range [][4]string{{"uint8", "int8", "int32", "4"}, {"uint8", "int8", "int32", "2"}, {"bfloat16", "bfloat16", "float32", "2"}} {
		depth := int64(types[3][0] - '0')
		for n, size := range [][3]int64{{7, 64, 17}, {7, 64, 18}, {7, 64, 19}, {14, 32, 21}, {6, 64, 1}, {10, 48, 5}, {3, 9, 3}} {
			for seed := range uint64(3) {
				text := fmt.Sprintf("input x: %s[%d, %d, 1]\ninput w: %s[3, %d, %d]\n", types[0], size[0]+2, 40+size[0], types[1], size[2], size[1]) +
					fmt.Sprintf("p(h: %d, v: %d, z: 1) = if_then_else(h >= 1 && h < %d && v >= 9 && v < %d, x[h - 1, v - 9, z], %d)\n",
						size[0]+4, 60+size[0], size[0]+3, 49+size[0], 7*(depth/4)) +
					fmt.Sprintf("y(i: %d, j: %d) = sum(a: 3, k: %d) %[4]s(p[i + a, i*2 + k, 0])*%[4]s(w[a, k, j]) layout_free w\noutput y\n",
						size[0], size[1], size[2], types[2])
				dag, err := compute.Parse(text)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				p := &program{seed: seed + 3*uint64(n), kind: "dot", layout: target.Rewrite, args: extremes, dag: dag, steps: []schedule.Step{
					schedule.Split{At: 3, Iter: 3, Extent: size[2], Lengths: []int64{depth}, InnerToOuter: true},
					schedule.Reorder{At: 3, Order: []int{2, 3, 0, 1, 4}},
					schedule.Annotate{At: 3, Iter: 2, Ann: schedule.Unroll},
					schedule.Annotate{At: 3, Iter: 3, Ann: schedule.Vectorize},
					schedule.Annotate{At: 3, Iter: 4, Ann: schedule.Tensorize}}}
				if err := d.try(x, p); err != nil {
					t.Fatalf("%v of %v: %v\n%s", size, types, err, p)
				}
			}
		}
	}
	t.Logf("loops by instruction: %v", d.instructions)
}
