package cuda

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// checkTensor returns an error if f multiplies tiles and t cannot.
func checkTensor(f *tir.Func, t target.Target) error {
	var err error
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		if _, ok := s.(*tir.MMA); ok && !t.HasTensorCores() && err == nil {
			err = fmt.Errorf("cuda: %s multiplies tiles by mma.m16n8k16, which %s does not have: tune for sm_80 or later, or without tensorized tiles", f.Name, t)
		}
		return true
	})
	return err
}

// mma writes the product of two tiles. A lane gives it 4 registers of the first, of rows
// g = lane/4 and g + 8 and columns c = lane%4*2, c + 1 and as many 8 further on, and 2
// registers of the second, of rows c, c + 1 and as many 8 further on and column g; two
// elements to a register (PTX ISA, "Matrix Fragments for mma.m16n8k16"):
//
//	mma C[i] += A[i*16, k] ... * B[k, 0] ...
//	=>
//	mma_half(&C[i * 4], A at (g, c), (g + 8, c), (g, c + 8), (g + 8, c + 8), B at (c, g), (c + 8, g));
func (w *writer) mma(s *tir.MMA) {
	helper := "mma_half"
	if s.A.First.Buffer.Type == tir.BF16 {
		helper = "mma_bfloat"
	}
	row, col := tir.MMAPlace(s.Lane, tir.Int(0))
	below := func(e tir.Expr) tir.Expr { return tir.Bin(tir.Add, e, tir.Int(8)) }
	next := func(e tir.Expr) tir.Expr { return tir.Bin(tir.Add, e, tir.Int(1)) }
	var registers []string
	for _, c := range []tir.Expr{col, below(col)} {
		for _, r := range []tir.Expr{row, below(row)} {
			registers = append(registers, w.pair(s.A.At(r, c), s.A.At(r, next(c))))
		}
	}
	for _, r := range []tir.Expr{col, below(col)} {
		registers = append(registers, w.pair(s.B.At(r, row), s.B.At(next(r), row)))
	}
	first := append(s.Index[:len(s.Index):len(s.Index)], tir.Int(0))
	w.line("%s(&%s, %s);", w.m.need(helper), w.element(s.Buffer, first), strings.Join(registers, ", "))
}

// pair returns a register with two elements of a buffer of 16-bit elements: in one load if they are
// neighbours of which the first one is at an even place.
func (w *writer) pair(x, y *tir.Load) string {
	at, next := offset(x.Buffer, x.Index), offset(y.Buffer, y.Index)
	if w.isAlways(tir.Bin(tir.Sub, next, at), 1) && w.isAlways(tir.Bin(tir.FloorMod, at, tir.Int(2)), 0) {
		return fmt.Sprintf("*reinterpret_cast<const unsigned*>(&%s)", w.element(x.Buffer, x.Index))
	}
	return fmt.Sprintf("%s | (unsigned)%s << 16", w.element(x.Buffer, x.Index), w.element(y.Buffer, y.Index))
}

// isAlways reports whether e is known to be n.
func (w *writer) isAlways(e tir.Expr, n int64) bool {
	lo, hi, ok := w.known.Bounds(e)
	return ok && lo == n && hi == n
}
