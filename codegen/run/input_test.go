package run

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
)

// TestInputs: floats are exact in every float type, never zero, of both signs
// where the level says so; sets, tensors and seeds differ.
func TestInputs(t *testing.T) {
	for _, typ := range tir.DTypes() {
		ts := tensor{Name: "A", Type: typ, Shape: []int64{1000}}
		for level, l := range levels {
			data := make([]byte, ts.bytes())
			fill(data, ts, 1, 0, 0, level)
			if !typ.IsFloat() {
				continue
			}
			negative := 0
			for i := range ts.elems() {
				v := getFloat(data[i*int64(typ.Bytes()):], typ)
				odd := math.Abs(v-l.middle) / l.scale
				if typ == tir.BF16 && l.middle != 0 && odd <= 64 { // which has 8 bits
					odd = 1
				}
				if v == 0 || odd != math.Trunc(odd) || math.Mod(odd, 2) != 1 || odd > 63 {
					t.Fatalf("%s, level %d: element %d is %g", typ, level, i, v)
				}
				if v < l.middle {
					negative++
				}
			}
			if l.signed != (negative > 400 && negative < 600) || !l.signed && negative > 0 {
				t.Errorf("%s, level %d: %d of 1000 are negative", typ, level, negative)
			}
		}
	}
	ts := tensor{Type: tir.F32, Shape: []int64{100}}
	var all [][]byte
	for _, c := range [][3]int{{1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}} {
		data := make([]byte, ts.bytes())
		fill(data, ts, uint64(c[0]), c[1], c[2], 0)
		for _, other := range all {
			if bytes.Equal(data, other) {
				t.Errorf("inputs of seed, set, tensor %v are those of another", c)
			}
		}
		all = append(all, data)
	}
}

// TestInputsAreTF32: what tensor cores round of float32 inputs they leave as it is, as roundingOf
// counts on.
func TestInputsAreTF32(t *testing.T) {
	ts := tensor{Type: tir.F32, Shape: []int64{1000}}
	for level := range levels {
		data := make([]byte, ts.bytes())
		fill(data, ts, 1, 0, 0, level)
		for i := range ts.elems() {
			if v := getFloat(data[4*i:], tir.F32); math.Float32bits(float32(v))&0x1fff != 0 {
				t.Fatalf("level %d: %g has more than 10 bits of mantissa", level, v)
			}
		}
	}
}

// TestExactSums: what inputs are made for. A sum of products is the same in any
// order in float32.
func TestExactSums(t *testing.T) {
	const n = 1 << 17
	a, b := tensor{Type: tir.F32, Shape: []int64{n}}, make([][]byte, 2)
	for i := range b {
		b[i] = make([]byte, a.bytes())
		fill(b[i], a, 3, 0, i, 0)
	}
	var up, down float32
	var exact float64
	at := func(i, k int) float64 { return getFloat(b[i][4*k:], tir.F32) }
	for k := range n {
		up += float32(at(0, k)) * float32(at(1, k))
		down += float32(at(0, n-1-k)) * float32(at(1, n-1-k))
		exact += at(0, k) * at(1, k)
	}
	if up != down || float64(up) != exact {
		t.Errorf("sums differ: %v, %v, %v", up, down, exact)
	}
}

// TestFloatsAreThoseOfTheInterpreter compares the conversions of all halves.
func TestFloatsAreThoseOfTheInterpreter(t *testing.T) {
	for _, typ := range []tir.DType{tir.F16, tir.BF16} {
		x := interp.NewTensor(&tir.Buffer{Type: typ, Shape: []int64{1}})
		for bits := range 1 << 16 {
			x.Data[0], x.Data[1] = byte(bits), byte(bits>>8)
			want, got := x.Float(0), getFloat(x.Data, typ)
			if got != want && !(got != got && want != want) {
				t.Fatalf("%s %#04x is %g, want %g", typ, bits, got, want)
			}
			back := make([]byte, 2)
			if putFloat(back, typ, got); got == got && !bytes.Equal(back, x.Data) {
				t.Fatalf("%s %#04x comes back as % x", typ, bits, back)
			}
		}
	}
}

// TestFloatsAreRounded stores numbers between two neighbours of a 16-bit type, those of
// a part of a large output above all: the nearer one is stored, of two equally near the even one.
func TestFloatsAreRounded(t *testing.T) {
	for _, typ := range []tir.DType{tir.F16, tir.BF16} {
		x := interp.NewTensor(&tir.Buffer{Type: typ, Shape: []int64{1}})
		for bits := range 0x7bff {
			var at [2][]byte
			var v [2]float64
			for i := range at {
				at[i] = []byte{byte(bits + i), byte((bits + i) >> 8)}
				v[i] = getFloat(at[i], typ)
			}
			for share, want := range map[float64][]byte{0.25: at[0], 0.5: at[bits&1], 0.75: at[1]} {
				for _, sign := range []float64{1, -1} {
					copy(x.Data, want)
					if sign < 0 {
						x.Data[1] |= 0x80
					}
					got := make([]byte, 2)
					if putFloat(got, typ, sign*(v[0]+share*(v[1]-v[0]))); !bytes.Equal(got, x.Data) {
						t.Fatalf("%s: %g of the way from %g to %g is % x, want % x", typ, share, sign*v[0], sign*v[1], got, x.Data)
					}
				}
			}
		}
	}
}

// TestIntegerInputs: the first level fills integers as ever, the others with small
// numbers and mostly true; what serves as an index is the same at every level.
func TestIntegerInputs(t *testing.T) {
	type values struct{ low, high int64 }
	const far = 1 << 50
	for _, c := range []struct {
		typ  tir.DType
		fill filling
		want [6]values
	}{
		{tir.I8, filling{}, [6]values{{-128, 127}, {1, 15}, {1, 15}, {0, 3}, {0, 3}, {1, 1}}},
		{tir.U8, filling{}, [6]values{{0, 255}, {1, 15}, {1, 15}, {0, 3}, {0, 3}, {1, 1}}},
		{tir.I32, filling{-100, 100, true, false}, [6]values{{-100, 100}, {1, 15}, {1, 15}, {0, 3}, {0, 3}, {1, 1}}},
		{tir.I64, filling{1, 63, true, false}, [6]values{{1, 63}, {1, 15}, {1, 15}, {1, 3}, {1, 3}, {1, 1}}},
		{tir.I64, filling{-5, 40, true, true}, [6]values{{-5, 40}, {-5, 40}, {-5, 40}, {-5, 40}, {-5, 40}, {-5, 40}}},
		{tir.I16, filling{-3, 40, true, false}, [6]values{{-3, 40}, {1, 15}, {1, 15}, {0, 3}, {0, 3}, {1, 1}}},
		{tir.U16, filling{-3, -2, true, true}, [6]values(slices.Repeat([]values{{65533, 65534}}, 6))},
		{tir.Bool, filling{}, [6]values{{0, 1}, {0, 1}, {0, 1}, {0, 1}, {1, 1}, {1, 1}}},
	} {
		ts := tensor{Type: c.typ, Shape: []int64{8000}, Fill: c.fill}
		for level := range levels {
			data := make([]byte, ts.bytes())
			fill(data, ts, 1, 0, 0, level)
			got, sum := values{far, -far}, int64(0)
			for i := range ts.elems() {
				v := getInt(data[i*int64(c.typ.Bytes()):], c.typ)
				got, sum = values{min(got.low, v), max(got.high, v)}, sum+v
			}
			if got != c.want[level] {
				t.Errorf("%s %+v, level %d: %d..%d, want %+v", c.typ, c.fill, level, got.low, got.high, c.want[level])
			}
			if half := sum < 4400; c.typ == tir.Bool && (half != (level == 0) || !half && sum < 7200) {
				t.Errorf("level %d: %d of 8000 are true", level, sum)
			}
		}
	}
	// What the first level gave before there were others for integers.
	for typ, want := range map[tir.DType]string{tir.I8: "[-89 16 -102 78 -82 -2 -56 96]", tir.Bool: "[1 1 1 0 1 0 1 0]", tir.I64: "[891 56 485 375 39 591 404 792]"} {
		ts := tensor{Type: typ, Shape: []int64{8}}
		if typ == tir.I64 {
			ts.Fill = filling{Low: 0, High: 999, Limited: true}
		}
		data := make([]byte, ts.bytes())
		fill(data, ts, 7, 1, 2, 0)
		var got []int64
		for i := range ts.elems() {
			got = append(got, getInt(data[i*int64(typ.Bytes()):], typ))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", typ, got, want)
		}
	}
}

func TestPoison(t *testing.T) {
	for _, typ := range tir.DTypes() {
		seen := map[string]bool{}
		for p := range poisons {
			data := make([]byte, 5*typ.Bytes())
			p.fill(data, typ)
			elem := p.elem(typ)
			if !bytes.Equal(data[4*typ.Bytes():], elem) {
				t.Errorf("%s, poison %d: the last element is % x, want % x", typ, p, data[4*typ.Bytes():], elem)
			}
			seen[string(elem)] = true
			if typ.IsFloat() {
				v := getFloat(elem, typ)
				if (p == poisonNaN) != (v != v) || p == poisonHigh && !(v > 1e4) || p == poisonLow && !(v < -1e4) {
					t.Errorf("%s, poison %d is %g", typ, p, v)
				}
			}
		}
		if len(seen) != int(poisons) {
			t.Errorf("%s: only %d different poisons", typ, len(seen))
		}
	}
}

// TestFilling: integers that are indices stay inside, divisors are positive, and
// others have their whole range.
func TestFilling(t *testing.T) {
	i := tir.NewVar("i")
	axes := []*compute.Axis{{Var: i, Extent: 10}}
	in := func(typ tir.DType) *tir.Buffer { return &tir.Buffer{Name: "X", Type: typ, Shape: []int64{10}} }
	load := func(b *tir.Buffer, e tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: []tir.Expr{e}} }
	table := &tir.Buffer{Name: "T", Type: tir.F32, Shape: []int64{7}}
	for _, c := range []struct {
		name string
		typ  tir.DType
		body func(x tir.Expr) tir.Expr
		want filling
	}{
		{"sum", tir.I32, func(x tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, x) }, filling{}},
		{"bytes", tir.U8, func(x tir.Expr) tir.Expr { return &tir.Cast{X: x, To: tir.I32} }, filling{}},
		{"index", tir.I32, func(x tir.Expr) tir.Expr { return load(table, &tir.Cast{X: x, To: tir.Index}) }, filling{0, 6, true, true}},
		{"divisor", tir.I64, func(x tir.Expr) tir.Expr { return tir.Bin(tir.FloorDiv, tir.Int(100), x) }, filling{1, 63, true, false}},
		{"float", tir.I32, func(x tir.Expr) tir.Expr { return &tir.Cast{X: x, To: tir.F32} }, filling{-100, 100, true, false}},
		{"float", tir.U16, func(x tir.Expr) tir.Expr { return &tir.Cast{X: x, To: tir.F32} }, filling{0, 100, true, false}},
		{"index", tir.U64, func(x tir.Expr) tir.Expr {
			return load(table, &tir.Cast{X: x, To: tir.Index})
		}, filling{0, 6, true, true}},
		{"sum", tir.U64, func(x tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, x) }, filling{0, 1 << 50, true, false}},
		{"float", tir.F32, func(x tir.Expr) tir.Expr { return x }, filling{}},
	} {
		x := in(c.typ)
		body := c.body(load(x, i))
		out := &tir.Buffer{Name: "Y", Type: body.DType(), Shape: []int64{10}}
		d := &compute.DAG{Tensors: []*tir.Buffer{x, table, out}, Outputs: 1, Ops: []*compute.Op{
			{Name: "X", Results: []*tir.Buffer{x}}, {Name: "T", Results: []*tir.Buffer{table}},
			{Name: "Y", Results: []*tir.Buffer{out}, Axes: axes, Body: []tir.Expr{body}}}}
		if got := fillingOf(d, x); got != c.want {
			t.Errorf("%s of %s: %+v, want %+v", c.name, c.typ, got, c.want)
		}
		if c.want.Limited {
			data := make([]byte, 10*c.typ.Bytes())
			ts := tensor{Type: c.typ, Shape: x.Shape, Fill: c.want}
			fill(data, ts, 5, 0, 0, 0)
			for k := range 10 {
				if v := getInt(data[k*c.typ.Bytes():], c.typ); v < c.want.Low || v > c.want.High {
					t.Errorf("%s: element %d is %d", c.name, k, v)
				}
			}
		}
	}
}
