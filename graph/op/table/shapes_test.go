package table

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

var shapeCases = flag.Uint64("shapes", 20_000, "number of nodes whose shapes are inferred")

// TestShapes infers nodes whose extents and operands are as large as numbers are.
func TestShapes(t *testing.T) {
	for seed := range *shapeCases {
		if err := shapeCase(seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// FuzzShapes is TestShapes of seeds that the fuzzer chooses.
func FuzzShapes(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if err := shapeCase(seed); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOverflow: products beyond 64 bits are the usual error, whichever operator makes them.
func TestOverflow(t *testing.T) {
	for _, shape := range [][]int64{{1 << 32, 1 << 32}, {1 << 40, 1 << 23}, {4043312912, 4562284561}, {0, 1 << 32, 1 << 32},
		{1 << 33, 1 << 33, 1 << 33}, {1 << 32, 1 << 32, 1}, {math.MaxInt64, 2}, {1, 1 << 41}} {
		for _, name := range []string{"ConstantOfShape", "Expand", "Tile", "Pad", "CenterCropPad"} {
			n := largeNode(name, shape)
			if _, err := op.InferNode(t.Context(), n); err == nil || !strings.Contains(err.Error(), "it has more than") {
				t.Errorf("%s of %v: %v", name, shape, err)
			}
		}
	}
}

// largeNode returns a node that makes a tensor of a shape.
func largeNode(name string, shape []int64) *graph.Node {
	one := largeValue(tir.F32, make([]int64, len(shape))...)
	for d := range one.Shape {
		one.Shape[d] = 1
	}
	n := &graph.Node{Op: name, Version: 18, Inputs: []*graph.Value{one, listValue(shape)},
		Outputs: []*graph.Value{{Name: "y"}}}
	switch name {
	case "ConstantOfShape":
		n.Inputs = n.Inputs[1:]
	case "Pad":
		pads := make([]int64, 2*len(shape))
		for d, e := range shape {
			pads[d] = e - 1
		}
		n.Inputs[1] = listValue(pads)
	}
	return n
}

func largeValue(t tir.DType, shape ...int64) *graph.Value {
	return &graph.Value{Name: "x", Type: t, Shape: shape, Ranked: true}
}

func listValue(list []int64) *graph.Value { return graph.Constant("list", graph.Ints(list...)) }

// A shapeDraw draws a node, and what its operands say.
type shapeDraw struct {
	*rand.Rand
	n *graph.Node
}

// extent draws an extent that a tensor may have.
func (d shapeDraw) extent() int64 {
	switch d.IntN(8) {
	case 0:
		return 0
	case 1, 2, 3:
		return d.Int64N(9)
	}
	return 1<<d.IntN(41) - d.Int64N(2)
}

// number draws any number, most of them near a power of 2.
func (d shapeDraw) number() int64 {
	switch d.IntN(8) {
	case 0:
		return []int64{-1, -2, math.MinInt64, math.MaxInt64, 4043312912, 4562284561}[d.IntN(6)]
	case 1, 2, 3:
		return d.Int64N(9)
	}
	return (1<<d.IntN(64) - d.Int64N(2)) * (1 - 2*d.Int64N(8)/7)
}

func (d shapeDraw) numbers(count int) []int64 {
	list := make([]int64, count)
	for i := range list {
		list[i] = d.number()
	}
	return list
}

// shape draws the shape of a tensor.
func (d shapeDraw) shape(rank int) []int64 {
	list := make([]int64, rank)
	for i := range list {
		if list[i] = d.extent(); graph.CheckShape(list[:i+1]) != nil {
			list[i] = d.Int64N(2)
		}
	}
	return list
}

func (d shapeDraw) input(shape ...int64) []int64 {
	d.n.Inputs = append(d.n.Inputs, largeValue(tir.F32, shape...))
	return shape
}

func (d shapeDraw) list(values ...int64) []int64 {
	d.n.Inputs = append(d.n.Inputs, listValue(values))
	return values
}

// exact is the number that f makes of extents in numbers without an end.
func exact(a int64, f func(z, x, y *big.Int) *big.Int, b ...int64) *big.Int {
	z := big.NewInt(a)
	for _, y := range b {
		z = f(new(big.Int), z, big.NewInt(y))
	}
	return z
}

func plus(a int64, b ...int64) *big.Int  { return exact(a, (*big.Int).Add, b...) }
func times(a int64, b ...int64) *big.Int { return exact(a, (*big.Int).Mul, b...) }

// shapeDraws draw nodes of operators whose shapes are more than those of their inputs, and return the true shape; nil:
// it is not known.
var shapeDraws = []func(d shapeDraw) []*big.Int{
	func(d shapeDraw) (want []*big.Int) {
		d.n.Op = "ConstantOfShape"
		for _, e := range d.list(d.numbers(1 + d.IntN(4))...) {
			want = append(want, times(e))
		}
		return want
	},
	func(d shapeDraw) (want []*big.Int) {
		d.n.Op = "Tile"
		x := d.input(d.shape(1 + d.IntN(4))...)
		for i, e := range d.list(d.numbers(len(x))...) {
			want = append(want, times(e, x[i]))
		}
		return want
	},
	func(d shapeDraw) (want []*big.Int) {
		d.n.Op = "Pad"
		x := d.input(d.shape(1 + d.IntN(4))...)
		p := d.list(d.numbers(2 * len(x))...)
		for i, e := range x {
			want = append(want, plus(e, p[i], p[len(x)+i]))
		}
		return want
	},
	func(d shapeDraw) []*big.Int {
		d.n.Op, d.n.Inputs = "Expand", nil
		d.input(1)
		d.list(d.numbers(1 + d.IntN(4))...)
		return nil
	},
	func(d shapeDraw) []*big.Int {
		d.n.Op = "Range"
		v := d.numbers(3)
		for _, e := range v {
			d.n.Inputs = append(d.n.Inputs, graph.Constant("n", &graph.Tensor{Type: tir.I64, I: []int64{e}}))
		}
		if v[2] == 0 {
			return nil
		}
		span, count := exact(v[1], (*big.Int).Sub, v[0]), new(big.Int)
		if span.Sign() == big.NewInt(v[2]).Sign() {
			count.Add(count.Quo(span.Sub(span, big.NewInt(int64(span.Sign()))), big.NewInt(v[2])), big.NewInt(1))
		}
		return []*big.Int{count}
	},
	func(d shapeDraw) []*big.Int {
		d.n.Op = "Concat"
		sum := new(big.Int)
		for range 1 + d.IntN(3) {
			sum.Add(sum, big.NewInt(d.input(d.extent())[0]))
		}
		d.n.SetAttr(graph.IntAttr("axis", 0))
		return []*big.Int{sum}
	},
	func(d shapeDraw) []*big.Int {
		d.n.Op = "OneHot"
		x := d.input(d.extent())
		depth := d.list(d.number())
		d.input(2)
		return []*big.Int{times(x[0]), times(depth[0])}[:2*d.IntN(2)/2] // a large depth is rounded
	},
	func(d shapeDraw) []*big.Int { // as many elements as before, or an error
		d.n.Op = "Reshape"
		d.input(d.shape(d.IntN(4))...)
		d.list(d.numbers(1 + d.IntN(4))...)
		return nil
	},
	func(d shapeDraw) []*big.Int {
		d.n.Op = []string{"MaxPool", "AveragePool", "MaxUnpool"}[d.IntN(3)]
		x := d.input(d.shape(4)...)
		if d.n.Op == "MaxUnpool" {
			d.n.Inputs = append(d.n.Inputs, largeValue(tir.I64, x...))
		}
		d.window("kernel_shape", 2)
		return nil
	},
	func(d shapeDraw) []*big.Int {
		d.n.Op = []string{"Conv", "ConvTranspose"}[d.IntN(2)]
		d.input(append([]int64{d.extent(), 1}, d.shape(2)...)...)
		d.input(append([]int64{1, 1}, d.shape(2)...)...)
		d.window([]string{"output_shape", "output_padding", "unused"}[d.IntN(3)], 2)
		return nil
	},
	func(d shapeDraw) []*big.Int {
		d.n.Op = "Col2Im"
		d.input(d.shape(3)...)
		d.list(d.numbers(2)...)
		d.list(d.numbers(2)...)
		d.window("unused", 2)
		return nil
	},
	func(d shapeDraw) []*big.Int {
		d.n.Op = "Resize"
		x := d.input(d.shape(2)...)
		d.n.Inputs = append(d.n.Inputs, nil, nil)
		if d.IntN(2) == 0 {
			d.list(d.numbers(2)...)
			return nil
		}
		d.n.Inputs[2] = graph.Constant("s", &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(x))},
			F: []float64{math.Exp(100 * d.NormFloat64()), math.Inf(1 - 2*d.IntN(2))}})
		return nil
	},
	func(d shapeDraw) []*big.Int { // of a shape that follows from two numbers, or one
		d.n.Op = []string{"HannWindow", "MelWeightMatrix", "AffineGrid", "CenterCropPad", "TopK", "DFT", "STFT"}[d.IntN(7)]
		x := d.shape(3)
		switch d.n.Op {
		case "HannWindow":
			d.n.Inputs = []*graph.Value{graph.Constant("n", graph.Ints(d.number()))}
		case "MelWeightMatrix":
			for range 3 {
				d.list(d.number())
			}
			d.input()
			d.input()
		case "AffineGrid":
			d.input(d.extent(), 2, 3)
			d.list(d.numbers(4)...)
		case "CenterCropPad", "TopK":
			d.input(x...)
			d.list(d.numbers(1 + d.IntN(3))...)
		default:
			d.input(x[0], x[1], 1)
			d.list(d.number())
			if d.n.Op == "STFT" {
				d.n.Inputs = append(d.n.Inputs, nil)
				d.list(d.number())
			}
		}
		return nil
	},
	func(d shapeDraw) []*big.Int { // of what attributes say
		d.n.Op = []string{"DepthToSpace", "SpaceToDepth", "LRN", "RoiAlign", "MaxRoiPool", "Flatten", "Unsqueeze",
			"Trilu", "GridSample"}[d.IntN(9)]
		d.input(d.shape(4)...)
		switch d.n.Op {
		case "RoiAlign":
			count := d.input(d.extent(), 4)[0]
			d.n.Inputs = append(d.n.Inputs, largeValue(tir.I64, count))
		case "MaxRoiPool":
			d.input(d.extent(), 5)
		case "GridSample":
			d.input(append(d.shape(3), 2)...)
		case "Unsqueeze":
			d.list(d.numbers(1 + d.IntN(3))...)
		}
		for _, name := range []string{"blocksize", "size", "output_height", "output_width", "axis", "sampling_ratio"} {
			d.n.SetAttr(graph.IntAttr(name, d.number()))
		}
		d.n.SetAttr(graph.IntsAttr("pooled_shape", d.numbers(2)...))
		return nil
	},
	func(d shapeDraw) []*big.Int { // of products
		d.n.Op = []string{"MatMul", "Gemm", "Einsum", "Gather", "GatherND", "Add", "Where"}[d.IntN(7)]
		d.n.SetAttr(graph.StrAttr("equation", []string{"ij,kl->ijkl", "ij,jk->ik", "i,j->ij"}[d.IntN(3)]))
		a, b := d.shape(1+d.IntN(3)), d.shape(1+d.IntN(3))
		if d.n.Op == "MatMul" || d.n.Op == "Gemm" {
			b = append(d.shape(len(a) - 1)[:max(0, len(a)-2)], a[len(a)-1], d.extent())
		}
		d.input(a...)
		d.input(b...)
		if v := d.n.Inputs[1]; strings.HasPrefix(d.n.Op, "Gather") {
			v.Type = tir.I64
		}
		if d.n.Op == "Where" {
			d.n.Inputs = append([]*graph.Value{largeValue(tir.Bool, d.shape(2)...)}, d.n.Inputs...)
		}
		return nil
	},
}

// window sets the attributes of windows.
func (d shapeDraw) window(name string, rank int) {
	for _, k := range []string{"strides", "dilations", "pads", name} {
		if d.IntN(3) == 0 && k != "kernel_shape" {
			continue
		}
		list := d.numbers(rank * (1 + strings.Count(k, "pads")))
		for i := range list {
			if d.IntN(4) > 0 {
				list[i] = 1 + d.Int64N(2)
			}
		}
		d.n.SetAttr(graph.IntsAttr(k, list...))
	}
}

// shapeCase infers a node of a seed. It returns an error if that panics, or makes a shape that no tensor has or that
// is not the true one.
func shapeCase(seed uint64) (err error) {
	d := shapeDraw{rand.New(rand.NewPCG(seed, 4)), &graph.Node{Version: 20, Outputs: []*graph.Value{{Name: "y"}}}}
	want := shapeDraws[seed%uint64(len(shapeDraws))](d)
	if d.n.Op == "MaxUnpool" || d.n.Op == "Upsample" {
		d.n.Version = 11
	}
	r, err := op.Find(d.n)
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: panic: %v", d.n, p)
		}
	}()
	if err := r.CheckInputs(d.n); err != nil {
		return fmt.Errorf("%s: %w", d.n, err)
	}
	types, err := r.Infer(d.n)
	if err != nil || graph.CheckShape(types[0].Shape) != nil { // the usual sentences
		return nil
	}
	y := types[0]
	elems := big.NewInt(1)
	for i, e := range y.Shape {
		if e < 0 || len(want) == len(y.Shape) && want[i].Cmp(big.NewInt(e)) != 0 {
			return fmt.Errorf("%s: extent %d is %d, the true one is %v", d.n, i, e, want)
		}
		elems.Mul(elems, big.NewInt(max(e, 1)))
	}
	if elems.Cmp(big.NewInt(graph.MaxElems)) > 0 {
		return fmt.Errorf("%s has %v elements", d.n, elems)
	}
	return nil
}
