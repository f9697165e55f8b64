package op

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
)

// The operators are compared with plain loops over float64, written here once
// more and knowing nothing of DAGs, on small shapes of all types.

// An array is a tensor of numbers, row-major.
type array struct {
	shape []int
	data  []float64
}

func (a array) offset(index []int) int {
	if len(index) != len(a.shape) {
		panic("wrong number of indices")
	}
	at := 0
	for d, i := range index {
		if i < 0 || i >= a.shape[d] {
			panic("index out of range")
		}
		at = at*a.shape[d] + i
	}
	return at
}

func (a array) at(index ...int) float64 { return a.data[a.offset(index)] }

// each returns an array with f of each index.
func each(shape []int, f func(at []int) float64) array {
	a := array{shape: shape}
	index := make([]int, len(shape))
	for {
		a.data = append(a.data, f(index))
		d := len(shape) - 1
		for ; d >= 0; d-- {
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return a
		}
	}
}

// sumOver adds f(0), f(1), ... f(n-1).
func sumOver(n int, f func(i int) float64) float64 {
	s := 0.0
	for i := range n {
		s += f(i)
	}
	return s
}

// A reference computes the result from the inputs, in the order of the DAG.
type reference func(in []array) array

var (
	intTypes   = []string{"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"}
	floatTypes = []string{"f32", "f64", "f16", "bf16"}
	allTypes   = append(slices.Clone(intTypes), floatTypes...)
)

// compare runs the workload in each of the types.
func compare(t *testing.T, spec string, dtypes []string, want reference) {
	t.Helper()
	compareOn(t, spec, dtypes, nil, want)
}

// compareOn does so with numbers drawn by draw.
func compareOn(t *testing.T, spec string, dtypes []string, draw func(r *rand.Rand, t tir.DType) float64, want reference) {
	t.Helper()
	for _, name := range dtypes {
		w, err := Parse(spec + ",dtype=" + name)
		if err != nil {
			t.Errorf("%s in %s: %v", spec, name, err)
			continue
		}
		in, out := run(t, w.DAG, draw)
		if in == nil {
			continue
		}
		worst(t, w.Spec+" in "+name, w.DAG.Results()[0].Type, out, want(in))
	}
}

// run evaluates a DAG with one output on random inputs.
func run(t *testing.T, d *compute.DAG, draw func(r *rand.Rand, t tir.DType) float64) (in []array, out array) {
	t.Helper()
	if draw == nil {
		draw = anyNumber
	}
	r := rand.New(rand.NewPCG(7, uint64(len(d.Ops))))
	args := interp.NewTensors(d.Tensors)
	for i, b := range d.Inputs() {
		for k := range args[i].Len() {
			args[i].SetFloat(k, draw(r, b.Type))
		}
		in = append(in, toArray(b, args[i]))
	}
	if err := interp.RunDAG(d, args); err != nil {
		t.Errorf("%v in\n%s", err, d)
		return nil, array{}
	}
	return in, toArray(d.Results()[0], args[len(args)-1])
}

// anyNumber is small, so that sums of integers stay in their types, and exact
// in all types.
func anyNumber(r *rand.Rand, t tir.DType) float64 {
	if t.IsFloat() {
		return float64(r.IntN(257)-128) / 64
	}
	n := float64(r.IntN(13) - 6)
	if t.IsUnsigned() {
		n = math.Abs(n)
	}
	return n
}

// positive is anyNumber above zero.
func positive(r *rand.Rand, t tir.DType) float64 { return math.Abs(anyNumber(r, t)) + 0.25 }

func toArray(b *tir.Buffer, x *interp.Tensor) array {
	a := array{}
	for _, n := range b.Shape {
		a.shape = append(a.shape, int(n))
	}
	for i := range x.Len() {
		a.data = append(a.data, x.Float(i))
	}
	return a
}

// roundings bounds the error of a result relative to its largest element.
var roundings = map[tir.DType]float64{tir.F64: 1e-13, tir.F32: 1e-5, tir.F16: 0x1p-10, tir.BF16: 0x1p-7}

func worst(t *testing.T, what string, dt tir.DType, got, want array) {
	t.Helper()
	if len(got.data) != len(want.data) || len(got.shape) != len(want.shape) {
		t.Errorf("%s: shape %v, want %v", what, got.shape, want.shape)
		return
	}
	scale := 1.0
	for d, n := range want.shape {
		if got.shape[d] != n {
			t.Errorf("%s: shape %v, want %v", what, got.shape, want.shape)
			return
		}
	}
	for _, v := range want.data {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range want.data {
		if dt.IsUnsigned() { // it wraps around
			v = dt.Number(dt.Truncate(v))
		}
		if !(math.Abs(got.data[i]-v) <= scale*roundings[dt]) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got.data[i], v)
			return
		}
	}
}

// refused checks that a workload is refused with a sentence that has the words.
func refused(t *testing.T, spec, words string) {
	t.Helper()
	w, err := Parse(spec)
	if err == nil {
		t.Errorf("%s is accepted:\n%s", spec, w.DAG)
		return
	}
	if !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v; want %q", spec, err, words)
	}
}

// refusedInts checks that a workload is refused in integer types.
func refusedInts(t *testing.T, spec string) {
	t.Helper()
	for _, name := range intTypes {
		refused(t, spec+",dtype="+name, "needs a floating-point dtype, not "+name)
	}
}
