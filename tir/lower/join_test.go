package lower

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestJoin has pairs of conditionals, and says which of them become one.
func TestJoin(t *testing.T) {
	c, i := &tir.Buffer{Name: "C", Type: tir.I64, Shape: []int64{8}}, tir.NewVar("i")
	set := func(v int64) tir.Stmt {
		return &tir.Store{Buffer: c, Index: []tir.Expr{i}, Value: tir.Int(v)}
	}
	less := func(n int64) tir.Expr { return tir.Bin(tir.LT, i, tir.Int(n)) }
	looked := tir.Bin(tir.LT, &tir.Load{Buffer: c, Index: []tir.Expr{i}}, tir.Int(5))
	advice := func(s tir.Stmt) tir.Stmt { return &tir.Pragma{Key: UnrollKey, Value: 16, Body: s} }
	temp := &tir.Buffer{Name: "T", Type: tir.I64, Shape: []int64{2}, Scope: tir.Local}
	large := &tir.Buffer{Name: "L", Type: tir.I64, Shape: []int64{600}, Scope: tir.Local}
	shared := &tir.Buffer{Name: "S", Type: tir.I64, Shape: []int64{2}}
	put := func(b *tir.Buffer) tir.Stmt {
		return &tir.Store{Buffer: b, Index: []tir.Expr{tir.Int(0)}, Value: tir.Int(1)}
	}
	get := func(b *tir.Buffer) tir.Stmt {
		return &tir.Store{Buffer: c, Index: []tir.Expr{i}, Value: &tir.Load{Buffer: b, Index: []tir.Expr{tir.Int(0)}}}
	}
	for _, x := range []struct {
		title string
		list  []tir.Stmt
		want  string
	}{
		{"equal", []tir.Stmt{&tir.If{Cond: less(3), Then: set(1), Else: set(2)}, &tir.If{Cond: less(3), Then: set(3), Else: set(4)}},
			"if (i < 3): C[i] = 1 C[i] = 3 else: C[i] = 2 C[i] = 4"},
		{"three", []tir.Stmt{&tir.If{Cond: less(3), Then: set(1)}, &tir.If{Cond: less(3), Then: set(2)}, &tir.If{Cond: less(3), Then: set(3)}},
			"if (i < 3): C[i] = 1 C[i] = 2 C[i] = 3"},
		{"one else", []tir.Stmt{&tir.If{Cond: less(3), Then: set(1)}, &tir.If{Cond: less(3), Then: set(2), Else: set(3)}},
			"if (i < 3): C[i] = 1 C[i] = 2 else: C[i] = 3"},
		{"the other else", []tir.Stmt{&tir.If{Cond: less(3), Then: set(1), Else: set(3)}, &tir.If{Cond: less(3), Then: set(2)}},
			"if (i < 3): C[i] = 1 C[i] = 2 else: C[i] = 3"},
		{"other conditions", []tir.Stmt{&tir.If{Cond: less(3), Then: set(1)}, &tir.If{Cond: less(4), Then: set(2)}},
			"if (i < 3): C[i] = 1 if (i < 4): C[i] = 2"},
		{"something between", []tir.Stmt{&tir.If{Cond: less(3), Then: set(1)}, set(5), &tir.If{Cond: less(3), Then: set(2)}},
			"if (i < 3): C[i] = 1 C[i] = 5 if (i < 3): C[i] = 2"},
		{"a condition that reads what is written", []tir.Stmt{&tir.If{Cond: looked, Then: set(9)}, &tir.If{Cond: looked, Then: set(2)}},
			"if (C[i] < 5): C[i] = 9 if (C[i] < 5): C[i] = 2"},
		{"advice goes into the branches", []tir.Stmt{advice(&tir.If{Cond: less(3), Then: set(1), Else: set(2)}),
			&tir.If{Cond: less(3), Then: set(3)}},
			"if (i < 3): pragma auto_unroll_max_step=16 C[i] = 1 C[i] = 3" +
				" else: pragma auto_unroll_max_step=4 C[i] = 2"},
		{"a temporary does", []tir.Stmt{&tir.Alloc{Buffer: temp, Body: tir.Sequence(
			&tir.If{Cond: less(3), Then: put(temp), Else: put(temp)},
			&tir.If{Cond: less(3), Then: get(temp), Else: get(temp)})}},
			"if (i < 3): alloc T: int64[2] local T[0] = 1 C[i] = T[0]" +
				" else: alloc T: int64[2] local T[0] = 1 C[i] = T[0]"},
		{"and what is behind it joins", []tir.Stmt{&tir.Alloc{Buffer: temp, Body: &tir.If{Cond: less(3), Then: put(temp)}},
			&tir.If{Cond: less(3), Then: set(1)}},
			"if (i < 3): alloc T: int64[2] local T[0] = 1 C[i] = 1"},
		{"not with something beside", []tir.Stmt{&tir.Alloc{Buffer: temp, Body: tir.Sequence(put(temp),
			&tir.If{Cond: less(3), Then: get(temp)})}},
			"alloc T: int64[2] local T[0] = 1 if (i < 3): C[i] = T[0]"},
		{"not a large one", []tir.Stmt{&tir.Alloc{Buffer: large, Body: &tir.If{Cond: less(3), Then: put(large)}}},
			"alloc L: int64[600] local if (i < 3): L[0] = 1"},
		{"not one that others see", []tir.Stmt{
			&tir.Alloc{Buffer: shared, Body: &tir.If{Cond: less(3), Then: put(shared)}}},
			"alloc S: int64[2] if (i < 3): S[0] = 1"},
		{"not one that the condition reads", []tir.Stmt{&tir.Alloc{Buffer: temp, Body: &tir.If{Then: put(temp),
			Cond: tir.Bin(tir.LT, &tir.Load{Buffer: temp, Index: []tir.Expr{i}}, tir.Int(5))}}},
			"alloc T: int64[2] local if (T[i] < 5): T[0] = 1"},
	} {
		f := &tir.Func{Name: "f", Params: []*tir.Buffer{c}, Outputs: 1, Body: &tir.For{Var: i, Extent: tir.Int(8), Body: tir.Sequence(x.list...)}}
		g, err := join(f, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(g.Body.String()), " "); got != "for i in 8: "+x.want {
			t.Errorf("%s: got %s, want %s", x.title, got, x.want)
		}
	}
	f := &tir.Func{Name: "f", Params: []*tir.Buffer{c}, Outputs: 1}
	f.Body = &tir.For{Var: i, Extent: tir.Int(8), Kind: tir.ThreadBound, Thread: "threadIdx.x",
		Body: tir.Sequence(&tir.If{Cond: less(3), Then: set(1)}, &tir.If{Cond: less(3), Then: set(2)})}
	if g, err := join(f, Config{}); err != nil || g != f {
		t.Errorf("in GPU threads: %v\n%s", err, g)
	}
}

// TestJoinNested: temporaries in each other, one for each stage of a kernel, do not multiply the work.
func TestJoinNested(t *testing.T) {
	c, i := &tir.Buffer{Name: "C", Type: tir.I64, Shape: []int64{8}}, tir.NewVar("i")
	set := func(v int64) tir.Stmt { return &tir.Store{Buffer: c, Index: []tir.Expr{i}, Value: tir.Int(v)} }
	s := set(0)
	for n := range int64(60) {
		b := &tir.Buffer{Name: "T", Type: tir.I64, Shape: []int64{2}, Scope: tir.Local}
		s = &tir.Alloc{Buffer: b, Body: tir.Sequence(&tir.Pragma{Key: UnrollKey, Value: 16, Body: set(n)}, s)}
	}
	f := &tir.Func{Name: "f", Params: []*tir.Buffer{c}, Outputs: 1, Body: &tir.For{Var: i, Extent: tir.Int(8), Body: s}}
	g, err := join(f, Config{})
	if err != nil || g.Body.String() != f.Body.String() {
		t.Errorf("%v\n%s", err, g)
	}
}
