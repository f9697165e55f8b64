package compute_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// wideArgs returns the same random contents for the tensors of d, as float64 for
// an evaluator and as tensors for the interpreter of Widen(d).
func wideArgs(r *rand.Rand, d, wide *compute.DAG) ([][]float64, []*interp.Tensor) {
	narrow := tirtest.Args(r, d)
	args := interp.NewTensors(wide.Tensors)
	inputs := make([][]float64, len(d.Inputs()))
	for i := range inputs {
		inputs[i] = make([]float64, narrow[i].Len())
		for k := range inputs[i] {
			inputs[i][k] = narrow[i].Float(k)
			if narrow[i].Type.IsFloat() {
				args[i].SetFloat(k, narrow[i].Float(k))
			} else {
				args[i].SetInt(k, narrow[i].Int(k))
			}
		}
	}
	return inputs, args
}

// TestEvalEqualsInterpreter compares every element of random DAGs with what
// the interpreter computes of the widened DAG.
func TestEvalEqualsInterpreter(t *testing.T) {
	for i := range 150 {
		r := rand.New(rand.NewPCG(2, uint64(i)))
		kind, d := tirtest.RandomDAG(r)
		wide := compute.Widen(d)
		inputs, args := wideArgs(r, d, wide)
		if err := interp.RunDAG(wide, args); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		e := compute.NewEvaluator(d, inputs)
		for k, b := range d.Results() {
			want := args[len(inputs)+k]
			eachIndex(b.Shape, func(at int, index []int64) {
				got, err := e.At(k, index)
				if err != nil {
					t.Fatalf("%s: %v\n%s", kind, err, d.Text())
				}
				w := want.Float(at)
				if got != w && !(math.IsNaN(got) && math.IsNaN(w)) {
					t.Fatalf("%s: element %v of %s is %v, but %v by the interpreter\n%s", kind, index, b.Name, got, w, d.Text())
				}
			})
		}
	}
}

func eachIndex(shape []int64, f func(at int, index []int64)) {
	index := make([]int64, len(shape))
	for at := 0; ; at++ {
		f(at, index)
		k := len(shape) - 1
		for ; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

func parse(t *testing.T, text string) *compute.DAG {
	t.Helper()
	d, err := compute.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// evalAt returns one element of a result of d.
func evalAt(d *compute.DAG, inputs [][]float64, result int, index []int64) float64 {
	v, err := compute.NewEvaluator(d, inputs).At(result, index)
	if err != nil {
		panic(err)
	}
	return v
}

func TestEvalAt(t *testing.T) {
	cases := []struct {
		text   string
		inputs [][]float64
		index  []int64
		want   float64
	}{
		{"input a: float32[2, 3]\ninput b: float32[3, 2]\nc(i: 2, j: 2) = sum(k: 3) a[i, k]*b[k, j]\noutput c\n",
			[][]float64{{1, 2, 3, 4, 5, 6}, {1, 0, 2, 1, 0, 3}}, []int64{1, 1}, 4*0 + 5*1 + 6*3},
		{"input a: float16[1]\nc() = float16(float32(a[0])/3)\noutput c\n", [][]float64{{1}}, nil, 1.0 / 3},                            // no rounding on the way
		{"input a: float16[1]\nb() = float16(float32(a[0])/3)\nc() = float32(b[])\noutput c\n", [][]float64{{1}}, nil, 0.333251953125}, // but of what is read
		{"input a: float32[1]\nc() = float32(bfloat16(a[0]/3))\noutput c\n", [][]float64{{1}}, nil, 0.333984375},
		{"input a: float32[1]\nc() = a[0]*0.1\noutput c\n", [][]float64{{1}}, nil, float64(float32(0.1))}, // but of constants
		{"input a: int8[1]\nc() = a[0] + 100\noutput c\n", [][]float64{{100}}, nil, -56},
		{"input a: uint8[1]\nc() = a[0] + 255\noutput c\n", [][]float64{{2}}, nil, 1},
		{"input a: uint16[1]\nc() = a[0]*a[0]\noutput c\n", [][]float64{{65535}}, nil, 1},
		{"input a: int16[1]\nc() = a[0]*2\noutput c\n", [][]float64{{-30000}}, nil, 5536},
		{"input a: uint32[1]\nc() = float64(0 - a[0])\noutput c\n", [][]float64{{1}}, nil, 0x1p32 - 1},
		{"input a: float32[1]\nc() = bitcast_int32(a[0])\noutput c\n", [][]float64{{-0.5}}, nil, -1090519040},
		{"input a: float32[1]\nc() = bitcast_float32(bitand(bitcast_uint32(a[0]*3), 4290772992))\noutput c\n",
			[][]float64{{0.5}}, nil, 1.5},
		{"input a: float16[1]\nc() = bitcast_uint16(a[0])\noutput c\n", [][]float64{{-2}}, nil, 0xc000},
		{"input a: float16[1]\nc() = float32(bitcast_bfloat16(bitcast_int16(a[0])))\noutput c\n", [][]float64{{1}}, nil,
			0.0078125},
		{"input a: float64[1]\nc() = bitcast_uint64(a[0])\noutput c\n", [][]float64{{-2}}, nil, 0x1.8p63},
		{"input a: float64[1]\nc() = sin(a[0]) + cos(a[0])*10 + atan(a[0])*100\noutput c\n", [][]float64{{0}}, nil, 10},
		{"input a: uint8[1]\nc() = bitor(bitand(a[0], 12), bitxor(a[0], 255))\noutput c\n", [][]float64{{5}}, nil, 254},
		{"input a: uint8[1]\nc() = shl(a[0], 7) + shr(a[0], 1) + shl(a[0], 8) + shr(a[0], 8)\noutput c\n", [][]float64{{5}},
			nil, 130},
		{"input a: int8[1]\nc() = shr(a[0], 1)*10 + shr(a[0], -1) + shl(a[0], -1)\noutput c\n", [][]float64{{-5}}, nil, -31},
		{"input a: uint64[1]\nc() = shr(0 - a[0], 60)\noutput c\n", [][]float64{{1}}, nil, 15},
		{"input a: uint64[1]\nc() = (0 - a[0])/4611686018427387904\noutput c\n", [][]float64{{1}}, nil, 3},
		{"input a: uint64[1]\nc() = floordiv(0 - a[0], 4611686018427387904)\noutput c\n", [][]float64{{1}}, nil, 3},
		{"input a: uint64[1]\nc() = floormod(0 - a[0], 10)\noutput c\n", [][]float64{{1}}, nil, 5},
		{"input a: uint64[1]\nc() = max(a[0], 18446744073709551615)\noutput c\n", [][]float64{{1}}, nil, 0x1p64},
		{"input a: uint64[1]\nc() = min(a[0], 18446744073709551615)\noutput c\n", [][]float64{{1}}, nil, 1},
		{"input a: uint64[1]\nc() = a[0] < 9223372036854775808\noutput c\n", [][]float64{{1}}, nil, 1},
		{"input a: uint64[1]\nc() = float32(a[0] + 9223372036854775808)\noutput c\n", [][]float64{{0}}, nil, 0x1p63},
		{"input a: float64[1]\nc() = uint64(a[0])\noutput c\n", [][]float64{{0x1.8p63}}, nil, 0x1.8p63},
		{"input a: float64[1]\nc() = uint16(a[0])\noutput c\n", [][]float64{{-1}}, nil, 65535},
		{"input a: int32[1]\nc() = a[0]/2\noutput c\n", [][]float64{{-3}}, nil, -1},
		{"input a: int32[1]\nc() = floordiv(a[0], 2)*100 + floormod(a[0], 2)\noutput c\n", [][]float64{{-3}}, nil, -199},
		{"input a: float64[1]\nc() = int32(a[0])\noutput c\n", [][]float64{{-2.75}}, nil, -2},
		{"input a: float64[1]\nc() = select(bool(a[0]) && !(a[0] >= 1), pow(a[0], 2), min(a[0], 7))\noutput c\n", [][]float64{{0.5}}, nil, 0.25},
		{"input a: float64[3]\nc() = reduce(k: 3) a[k] from 0 fold (x) (y) x*2 + y\noutput c\n", [][]float64{{1, 2, 3}}, nil, 11}, // in order
		{"input a: float64[2]\nc(i: 3) = if_then_else(i < 2, a[i], -inf)\nd() = max(i: 3) c[i]\noutput d\n", [][]float64{{-5, -4}}, nil, -4},
	}
	for _, c := range cases {
		if got := evalAt(parse(t, c.text), c.inputs, 0, c.index); got != c.want {
			t.Errorf("%v, want %v, of\n%s", got, c.want, c.text)
		}
	}
}

// TestFoldOf16Bits: a fold compares what is rounded to 16 bits, in the definition as in programs.
func TestFoldOf16Bits(t *testing.T) {
	d := parse(t, `input x: float32[2]
y() -> at, value = reduce(k: 2) {int32(k), float16(x[k])}
    from {-1, -inf}
    fold (ai, a) (bi, b) {select(float32(a) > float32(b), ai, bi), select(float32(a) > float32(b), a, b)}
output at, value
`)
	x := []float64{1.0001, 1} // equal in float16, of which the fold takes the later
	for _, d := range []*compute.DAG{d, compute.Widen(d)} {
		args := interp.NewTensors(d.Tensors)
		for k, v := range x {
			args[0].SetFloat(k, v)
		}
		if err := interp.RunDAG(d, args); err != nil {
			t.Fatal(err)
		}
		if got := args[1].Int(0); got != 1 {
			t.Errorf("the interpreter has place %d, want 1, of\n%s", got, d.Text())
		}
	}
	for _, a := range []compute.Arithmetic{compute.Exactly, compute.InTypes, compute.Bounded} {
		e := compute.NewEvaluator(d, [][]float64{x})
		e.Arithmetic = a
		if got, err := e.At(0, nil); err != nil || got != 1 {
			t.Errorf("arithmetic %d has place %v (%v), want 1", a, got, err)
		}
	}
}

func TestEvalFaults(t *testing.T) {
	gather := "input at: int64[1]\ninput x: float32[4]\ny() = x[at[0]]\noutput y\n"
	divide := "input a: int32[1]\ninput b: int32[1]\ny() = a[0]/b[0]\noutput y\n"
	mod := "input a: int32[1]\ninput b: int32[1]\ny() = floormod(a[0], b[0])\noutput y\n"
	cast := "input a: float32[1]\ny() = int32(a[0])\noutput y\n"
	cases := []struct {
		text   string
		inputs [][]float64
		index  []int64
		want   string
	}{
		{gather, [][]float64{{4}, {0, 0, 0, 0}}, nil, "index 0 of x is 4, but the dimension is 4"},
		{gather, [][]float64{{-1}, {0, 0, 0, 0}}, nil, "index 0 of x is -1"},
		{gather, [][]float64{{0}, {0, 0, 0, 0}}, []int64{0}, "1 indices for y, which has 0 dimensions"},
		{divide, [][]float64{{1}, {0}}, nil, "division by zero"},
		{mod, [][]float64{{1}, {-2}}, nil, "division by -2: the divisor must be positive"},
		{cast, [][]float64{{math.NaN()}}, nil, "cast of NaN to int32"},
	}
	for _, c := range cases {
		_, err := compute.NewEvaluator(parse(t, c.text), c.inputs).At(0, c.index)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestEvaluatorLimit: an element that takes 7 points of s and of its 6 of q 6 more is
// computed at a limit of 13, not below; what is remembered takes none.
func TestEvaluatorLimit(t *testing.T) {
	d := parse(t, "input x: float32[2, 3]\nq(i: 2, j: 3) = x[i, j]*x[i, j]\ns() = sum(i: 2, j: 3) q[i, j]\noutput s\n")
	for limit := range int64(15) {
		e := compute.NewEvaluator(d, [][]float64{{1, 2, 3, 4, 5, 6}})
		e.Limit = limit
		for range 2 {
			got, err := e.At(0, nil)
			if tooMany := limit > 0 && limit < 13; tooMany != errors.Is(err, compute.ErrTooManyPoints) || !tooMany && (err != nil || got != 91) {
				t.Errorf("limit %d: %v, %v", limit, got, err)
			}
		}
	}
}

// TestWidenMapsTensors: the widened DAG has the tensors of the DAG, in order.
func TestWidenMapsTensors(t *testing.T) {
	for i := range 50 {
		_, d := tirtest.RandomDAG(rand.New(rand.NewPCG(3, uint64(i))))
		w := compute.Widen(d)
		if len(w.Tensors) != len(d.Tensors) || len(w.Ops) != len(d.Ops) || w.Outputs != d.Outputs {
			t.Fatalf("%d tensors, %d ops, %d outputs; want %d, %d, %d", len(w.Tensors), len(w.Ops), w.Outputs, len(d.Tensors), len(d.Ops), d.Outputs)
		}
		for k, b := range d.Tensors {
			want := b.Type
			if want.IsFloat() {
				want = tir.F64
			}
			if n := w.Tensors[k]; n.Name != b.Name || n.Type != want || n.Elems() != b.Elems() || n == b {
				t.Fatalf("tensor %d is %s, want %s in %s", k, n, b, want)
			}
		}
		if _, err := compute.FromOps(w.Tensors, w.Outputs, w.Ops); err != nil {
			t.Fatal(err)
		}
	}
}
