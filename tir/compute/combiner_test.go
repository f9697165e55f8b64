package compute

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestIdentities: folding with the identity changes no value of the type.
func TestIdentities(t *testing.T) {
	values := map[tir.DType][]scalar{
		tir.I8:  {{i: -128}, {i: 0}, {i: 127}},
		tir.U8:  {{i: 0}, {i: 255}},
		tir.I32: {{i: math.MinInt32}, {i: 5}, {i: math.MaxInt32}},
		tir.I64: {{i: math.MinInt64}, {i: 5}, {i: math.MaxInt64}},
		tir.I16: {{i: math.MinInt16}, {i: 5}, {i: math.MaxInt16}},
		tir.U16: {{i: 0}, {i: 5}, {i: math.MaxUint16}},
		tir.U32: {{i: 0}, {i: 5}, {i: math.MaxUint32}},
		tir.U64: {{i: 0}, {i: math.MinInt64}, {i: -1}},
		tir.F16: {{f: -65504}, {f: 0.5}, {f: 65504}},
		tir.F32: {{f: -math.MaxFloat32}, {f: 0.5}, {f: math.MaxFloat32}},
		tir.F64: {{f: -math.MaxFloat64}, {f: 0.5}, {f: math.MaxFloat64}},
		// The largest finite bfloat16 has 7 bits after the point.
		tir.BF16: {{f: -0x1.fep127}, {f: 0.5}, {f: 0x1.fep127}},
	}
	e := &Evaluator{}
	for _, kind := range []CombineKind{Sum, MaxOf, MinOf} {
		for _, dt := range tir.DTypes() {
			if dt == tir.Bool {
				continue
			}
			c := NewCombiner(kind, dt)
			if got := c.Identity[0].DType(); got != dt {
				t.Errorf("%s of %s: identity of type %s", combineNames[kind], dt, got)
			}
			start := e.eval(c.Identity[0], nil)
			for _, v := range values[dt] {
				if got := e.eval(c.Result[0], env{c.Acc[0]: start, c.Src[0]: v}); got.f != v.f || got.i != v.i {
					t.Errorf("%s of %s: identity and %v give %v", combineNames[kind], dt, v, got)
				}
			}
		}
	}
}

// TestNeutral: two partial results that start from the identity give what one gives.
func TestNeutral(t *testing.T) {
	e := &Evaluator{}
	for _, kind := range []CombineKind{Sum, MaxOf, MinOf} {
		for _, from := range []tir.Expr{
			tir.Float(tir.F32, 0), tir.Float(tir.F32, 5), tir.Const(tir.I32, 0), tir.Const(tir.I32, 5),
			tir.Bin(tir.Sub, tir.Const(tir.I32, 5), tir.Const(tir.I32, 3)),
		} {
			c := NewCombiner(kind, from.DType())
			c.Identity[0] = from
			fold := func(acc, src scalar) scalar {
				return e.eval(c.Result[0], env{c.Acc[0]: acc, c.Src[0]: src})
			}
			start, x, y := e.eval(from, nil), scalar{f: 1, i: 1}, scalar{f: 7, i: 7}
			if !from.DType().IsFloat() {
				x.f, y.f = 0, 0
			} else {
				x.i, y.i = 0, 0
			}
			one, two := fold(fold(start, x), y), fold(fold(start, fold(start, x)), fold(start, y))
			if got := c.Neutral(); got != (one == two) {
				t.Errorf("%s from %s: neutral %v, but 1 and 7 are %v, in two parts %v", combineNames[kind], from, got, one, two)
			}
		}
	}
	if c := (&Combiner{Identity: []tir.Expr{tir.Float(tir.F32, 5)}}); !c.Neutral() {
		t.Error("what a definition says of its own fold does not count")
	}
}

// TestStart: a maximum or minimum starts from an infinity in place of the extreme number of its own type only, and
// widened from the same.
func TestStart(t *testing.T) {
	for _, c := range []struct {
		of, from string
		want     float64
	}{
		{"float32", "", math.Inf(-1)},
		{"float32", "from -3.4028234663852886e+38", math.Inf(-1)},
		{"float32", "from -65504", -65504},
		{"float32", "from 3.4028234663852886e+38", math.MaxFloat32},
		{"float64", "from -3.4028234663852886e+38", -math.MaxFloat32},
	} {
		d := mustParse(t, "input x: "+c.of+"[4]\ny() = max(k: 4) x[k] "+c.from+"\noutput y\n")
		for _, d := range []*DAG{d, Widen(d)} {
			if got := d.Ops[1].Combine.Start()[0].(*tir.FloatImm).Value; got != c.want {
				t.Errorf("%q starts from %v, want %v, in\n%s", c.from, got, c.want, d.Text())
			}
		}
	}
}

// TestRecognized: a place of the largest value is one after its text was read, whatever its names; other folds are not.
func TestRecognized(t *testing.T) {
	const text = `input x: float32[4, 8]
argmax(i: 4) = reduce(k: 8) {k, x[i, k]}
    from {9223372036854775807, -3.4028234663852886e+38}
    fold (p, a) (q, b) {select(COND, p, q), select(COND, a, b)}
output argmax.v0, argmax.v1
`
	for cond, want := range map[string]CombineKind{
		"!(a <= select(b == b, b, inf)) && (p < q || b == b) || a == b && p < q": FirstLargest,
		"!(a <= select(b == b, b, inf)) && (q < p || b == b) || a == b && p < q": Tuple,
		"a > b || a == b && p < q": Tuple,
	} {
		of := strings.ReplaceAll(text, "COND", cond)
		d := mustParse(t, of)
		op := d.Ops[1]
		if got := op.Combine.Kind; got != want {
			t.Errorf("%s: kind %d, want %d", cond, got, want)
		}
		if d.Text() != of {
			t.Errorf("%s prints as\n%s", of, d.Text())
		}
		if start := op.Combine.Start()[1].(*tir.FloatImm).Value; want == FirstLargest != math.IsInf(start, -1) {
			t.Errorf("%s: folds from %v", cond, start)
		}
		if want == FirstLargest && op.Combine.Result[0].String() != "select(((a > b) || ((a == b) && (p < q))), p, q)" {
			t.Errorf("not TVM's text: %s", op.Combine.Result[0])
		}
	}
}
