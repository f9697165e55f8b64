package lower

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// fused is a parallel loop over f in extent that reads A at index.
func fused(extent int64, index func(f *tir.Var) tir.Expr) *tir.For {
	a, c, f := &tir.Buffer{Name: "A", Type: tir.F32, Shape: []int64{64}}, &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{64}}, tir.NewVar("f")
	return &tir.For{Var: f, Extent: tir.Int(extent), Kind: tir.Parallel,
		Body: &tir.Store{Buffer: c, Index: []tir.Expr{tir.Int(0)}, Value: &tir.Load{Buffer: a, Index: []tir.Expr{index(f)}}}}
}

func div(e tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorDiv, e, tir.Int(n)) }
func mod(e tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorMod, e, tir.Int(n)) }

// TestDigits has loops that come apart into digits, and what keeps others whole.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		title string
		index func(f *tir.Var) tir.Expr
		radix []int64 // nil: it stays whole
	}{
		{"two", func(f *tir.Var) tir.Expr { return tir.Bin(tir.Add, div(f, 4), mod(f, 4)) }, []int64{1, 4, 24}},
		{"three", func(f *tir.Var) tir.Expr { return tir.Bin(tir.Add, div(f, 12), mod(div(f, 4), 3)) }, []int64{1, 4, 12, 24}},
		{"a remainder of a remainder", func(f *tir.Var) tir.Expr { return div(mod(f, 12), 4) }, []int64{1, 4, 12, 24}},
		{"as it is", func(f *tir.Var) tir.Expr { return tir.Bin(tir.Add, f, mod(f, 4)) }, nil},
		{"one digit", func(f *tir.Var) tir.Expr { return mod(f, 24) }, nil},
		{"parts that do not divide", func(f *tir.Var) tir.Expr { return tir.Bin(tir.Add, mod(f, 8), mod(f, 12)) }, nil},
		{"remainders that do not divide", func(f *tir.Var) tir.Expr { return mod(div(mod(f, 12), 2), 4) }, []int64{1, 2, 12, 24}},
		{"an extent that they do not divide", func(f *tir.Var) tir.Expr { return mod(f, 5) }, nil},
		{"too many", func(f *tir.Var) tir.Expr {
			e := mod(f, 2)
			for n := int64(4); n < 2<<maxDigits; n *= 2 {
				e = tir.Bin(tir.Add, e, mod(f, n))
			}
			return e
		}, nil},
	} {
		extent := int64(24)
		if c.title == "too many" {
			extent = 2 << maxDigits
		}
		d := digitsOf(fused(extent, c.index), nearBytes)
		switch {
		case d == nil && c.radix != nil, d != nil && !slices.Equal(d.radix, c.radix):
			t.Errorf("%s: got %+v, want %v", c.title, d, c.radix)
		}
	}
	serial := fused(24, func(f *tir.Var) tir.Expr { return mod(f, 4) })
	serial.Kind = tir.Serial
	if got := traversed(serial, nearBytes); got != tir.Stmt(serial) {
		t.Errorf("a serial loop became\n%s", got)
	}
}

// TestTraversalCost: digits 0 and 1 stand for columns and rows; of 4 columns of a
// large tensor, and 8 rows of a small one.
func TestTraversalCost(t *testing.T) {
	columns := reading{bytes: 4 * nearBytes, uses: []bool{true, false}}
	rows := reading{bytes: 2 * nearBytes, uses: []bool{false, true}}
	both := reading{bytes: 8 * nearBytes, uses: []bool{true, true}}
	near := reading{bytes: nearBytes, uses: []bool{true, false}}
	rowsFirst, columnsFirst := []int{1, 0}, []int{0, 1}
	for _, c := range []struct {
		reads []reading
		order []int
		cost  float64 // in nearBytes
		best  []int
	}{
		{[]reading{columns}, rowsFirst, 8 * 4, columnsFirst},
		{[]reading{columns}, columnsFirst, 4, columnsFirst},
		{[]reading{columns, rows}, rowsFirst, 8*4 + 2, columnsFirst},
		{[]reading{columns, rows}, columnsFirst, 4 + 4*2, columnsFirst},
		{[]reading{rows}, rowsFirst, 2, nil},
		{[]reading{both, rows}, columnsFirst, 8 + 4*2, nil},
		{[]reading{near, rows}, rowsFirst, 1 + 2, nil},
	} {
		tr := &traversal{radix: []int64{1, 4, 32}, reads: c.reads}
		if got := tr.cost(c.order) / nearBytes; got != c.cost {
			t.Errorf("%+v in order %v: cost %v, want %v", c.reads, c.order, got, c.cost)
		}
		if got := tr.best(); !slices.Equal(got, c.best) {
			t.Errorf("%+v: best %v, want %v", c.reads, got, c.best)
		}
	}
}

// TestTraversalOwnCache: a product of 4 tiles of rows and 64 of columns, as bert_base has. A core's own cache holds its
// rows, if it is large enough, and never its weights.
func TestTraversalOwnCache(t *testing.T) {
	weights := reading{bytes: 36 * nearBytes, uses: []bool{true, false}}
	rows := reading{bytes: 1.5 * nearBytes, uses: []bool{false, true}}
	for _, c := range []struct {
		own  float64
		cost float64 // of columns first, in nearBytes
		best []int
	}{
		{nearBytes, 36 + 64*1.5, nil},
		{4 * nearBytes, 36 + 1.5 + 63*1.5/8, []int{0, 1}},
	} {
		tr := &traversal{radix: []int64{1, 64, 256}, reads: []reading{weights, rows}, own: c.own}
		if got := tr.cost([]int{0, 1}) / nearBytes; got != c.cost {
			t.Errorf("own cache of %v: cost %v, want %v", c.own, got, c.cost)
		}
		if got := tr.best(); !slices.Equal(got, c.best) {
			t.Errorf("own cache of %v: best %v, want %v", c.own, got, c.best)
		}
	}
}
