package feature

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
)

// columns returns the index of each column by its name.
func columns() map[string]int {
	m := map[string]int{}
	for k, name := range Names() {
		m[name] = k
	}
	return m
}

// The accumulator of a matmul is used again after its tile of 8x16, in which the
// tile and what is read are touched, as often as the reduction runs: an example
// of TVM's tests (tests/python/auto_scheduler/test_auto_scheduler_feature.py).
func TestReuse(t *testing.T) {
	w, err := op.Parse("matmul:m=512,n=512,k=512")
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, w.DAG, `[["SP", 2, 0, 512, [8], 1], ["SP", 2, 2, 512, [16], 1], ["RE", 2, [0, 2, 4, 1, 3]]]`)
	c := columns()
	row := rows[0]
	at := -1
	for b := range 3 {
		if row[c["B0.acc_type.kReadWrite"]+b*bufWidth] == 1 {
			at = b * bufWidth
		}
	}
	if at < 0 {
		t.Fatal("no buffer is read and written")
	}
	for name, want := range map[string]float64{"B0.reuse_dis_iter": 128, "B0.reuse_dis_bytes": (128 + 8 + 16) * 4,
		"B0.reuse_ct": 512} {
		if got := math.Exp2(row[c[name]+at]) - 1; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := math.Exp2(row[c["float_mul"]]) - 1; math.Abs(got-512*512*512) > 1 {
		t.Errorf("%v multiplications", got)
	}
}

// A dual is a number with its derivative by one variable.
type dual struct{ v, d float64 }

func (dual) Const(v float64) dual { return dual{v, 0} }
func (x dual) Value() float64     { return x.v }
func (x dual) Plus(y dual) dual   { return dual{x.v + y.v, x.d + y.d} }
func (x dual) Minus(y dual) dual  { return dual{x.v - y.v, x.d - y.d} }
func (x dual) Times(y dual) dual  { return dual{x.v * y.v, x.d*y.v + x.v*y.d} }
func (x dual) Over(y dual) dual   { return dual{x.v / y.v, (x.d*y.v - x.v*y.d) / (y.v * y.v)} }
func (x dual) Floor() dual        { return x } // as Felix has it
func (x dual) Least(y dual) dual  { return dual{min(x.v, y.v), 0}.of(x, y) }
func (x dual) Most(y dual) dual   { return dual{max(x.v, y.v), 0}.of(x, y) }
func (x dual) Above(y dual) dual  { return dual{float64(Float(x.v).Above(Float(y.v))), 0} }
func (x dual) Equal(y dual) dual  { return dual{float64(Float(x.v).Equal(Float(y.v))), 0} }
func (x dual) of(a, b dual) dual {
	if x.v == a.v {
		return a
	}
	return b
}
func (x dual) Log2() dual { return dual{math.Log2(x.v), x.d / x.v / math.Ln2} }

func floats(shape ...int64) *tir.Buffer { return &tir.Buffer{Type: tir.F32, Shape: shape} }

// tiledProduct is C[i] += A[i, k] * B[k] with i split by a tile size.
func tiledProduct[N Number[N]](tile N) *nest.Program[N] {
	num := tile.Const
	term := func(coef N, loop int) nest.Term[N] { return nest.Term[N]{Coef: coef, Loop: loop} }
	i := nest.Index[N]{Terms: []nest.Term[N]{term(tile, 0), term(num(1), 2)}, Const: num(0)}
	k := nest.Index[N]{Terms: []nest.Term[N]{term(num(1), 1)}, Const: num(0)}
	return &nest.Program[N]{
		Loops: []nest.Loop[N]{
			{Extent: num(96).Over(tile), Ann: schedule.Parallel}, {Extent: num(50), Place: 1},
			{Extent: tile, Ann: schedule.Vectorize, Place: 2},
		},
		Buffers: []*tir.Buffer{floats(96), floats(96, 50), floats(50)},
		Nests: []nest.Nest[N]{{
			Loops: []int{0, 1, 2},
			Ops:   nest.Ops{Float: nest.Arithmetic{AddSub: 1, Mul: 1}},
			Accesses: []nest.Access[N]{
				{Mode: nest.ReadWrite, At: [][]nest.Index[N]{{i}}}, {Buffer: 1, At: [][]nest.Index[N]{{i, k}}},
				{Buffer: 2, At: [][]nest.Index[N]{{k}}},
			},
		}},
		Allocs: []nest.Alloc[N]{{Buffer: 0, Size: num(96)}},
	}
}

// Features carry derivatives: those by a tile size are what finite differences
// say.
func TestDerivatives(t *testing.T) {
	const tile, h = 8, 1e-6
	with, err := Rows(tiledProduct(dual{tile, 1}), 64)
	if err != nil {
		t.Fatal(err)
	}
	more, err := Rows(tiledProduct(Float(tile+h)), 64)
	if err != nil {
		t.Fatal(err)
	}
	less, err := Rows(tiledProduct(Float(tile-h)), 64)
	if err != nil {
		t.Fatal(err)
	}
	moving := 0
	for k, v := range with {
		want := (float64(more[k]) - float64(less[k])) / (2 * h)
		if math.Abs(v.d-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("%s: derivative %v, want %v", Names()[k], v.d, want)
		}
		if v.d != 0 {
			moving++
		}
	}
	if moving < 10 {
		t.Errorf("only %d features depend on the tile size", moving)
	}
}

func BenchmarkRows(b *testing.B) {
	var states []tvmState
	tvmStates(b, "llvm", func(s tvmState) { states = append(states, s) })
	s := stateOf(b, dagOf(b, states[0].key), states[0].steps)
	b.Run("outline", func(b *testing.B) {
		for b.Loop() {
			if _, err := Outline(s); err != nil {
				b.Fatal(err)
			}
		}
	})
	p, err := Outline(s)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			if _, err := Rows(p, 64); err != nil {
				b.Fatal(err)
			}
		}
	})
}
