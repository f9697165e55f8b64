package lower

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestFilled: a padded line is filled, then what the image has is copied; other loops stay as they are.
func TestFilled(t *testing.T) {
	line := func(change func(l *tir.For, s *tir.Store, c *tir.Select)) tir.Stmt {
		x := &tir.Buffer{Name: "x", Type: tir.U8, Shape: []int64{40}}
		p := &tir.Buffer{Name: "P", Type: tir.U8, Shape: []int64{96}}
		j := tir.NewVar("j")
		at := tir.Bin(tir.Sub, j, tir.Int(3))
		c := &tir.Select{Cond: tir.Bin(tir.GE, j, tir.Int(3)), Then: &tir.Load{Buffer: x, Index: []tir.Expr{at}},
			Else: &tir.IntImm{Type: tir.U8, Value: 7}, Lazy: true}
		s := &tir.Store{Buffer: p, Index: []tir.Expr{j}, Value: c}
		l := &tir.For{Var: j, Extent: tir.Int(43), Body: &tir.Block{Name: "P", Body: s}}
		change(l, s, c)
		s.Value = c
		return filled(l)
	}
	got := line(func(*tir.For, *tir.Store, *tir.Select) {})
	if got == nil {
		t.Fatal("it is not filled")
	}
	f := &tir.Func{Name: "f", Body: got}
	const want = `func f():
  for j in 43:
    block P:
      P[j] = (uint8)7
  for j_1 in 43:
    if (j_1 >= 3):
      block P:
        P[j_1] = x[(j_1 - 3)]
`
	if f.String() != want {
		t.Errorf("got\n%swant\n%s", f, want)
	}
	for what, change := range map[string]func(l *tir.For, s *tir.Store, c *tir.Select){
		"a short line":        func(l *tir.For, _ *tir.Store, _ *tir.Select) { l.Extent = tir.Int(31) },
		"threads":             func(l *tir.For, _ *tir.Store, _ *tir.Select) { l.Kind = tir.Parallel },
		"elements of 4 bytes": func(_ *tir.For, s *tir.Store, _ *tir.Select) { s.Buffer.Type = tir.F32 },
		"each other element": func(l *tir.For, s *tir.Store, _ *tir.Select) {
			s.Index = []tir.Expr{tir.Bin(tir.Mul, l.Var, tir.Int(2))}
		},
		"both are evaluated": func(_ *tir.For, _ *tir.Store, c *tir.Select) { c.Lazy = false },
		"what pads is read": func(_ *tir.For, s *tir.Store, c *tir.Select) {
			c.Else = &tir.Load{Buffer: s.Buffer, Index: []tir.Expr{tir.Int(0)}}
		},
		"what pads varies": func(l *tir.For, _ *tir.Store, c *tir.Select) {
			c.Else = &tir.Cast{X: l.Var, To: tir.U8}
		},
		"the same all along": func(_ *tir.For, _ *tir.Store, c *tir.Select) { c.Cond = tir.Bin(tir.GE, tir.Int(4), tir.Int(3)) },
	} {
		if got := line(change); got != nil {
			t.Errorf("%s: %s", what, &tir.Func{Name: "f", Body: got})
		}
	}
}
