package cuda

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// checkTensor returns an error if f multiplies tiles and t cannot.
func checkTensor(f *tir.Func, t target.Target) error {
	for range tir.StmtsIn[*tir.MMA](f.Body) {
		if !t.HasTensorCores() {
			return fmt.Errorf("cuda: %s multiplies tiles by mma.sync, which %s does not have in the shapes that are used: tune "+
				"for sm_80 or later, or without tensorized tiles", f.Name, t)
		}
	}
	return nil
}

// mmaHelpers are the functions that multiply tiles, by the type of their elements.
var mmaHelpers = map[tir.DType]string{tir.F16: "mma_half", tir.BF16: "mma_bfloat", tir.F32: "mma_tf32"}

// mma writes the product of two tiles. A lane gives it 4 registers of the first, of rows
// g = lane/4 and g + 8 and columns c and c + 8, and 2 registers of the second, of rows c and
// c + 8 and column g; two elements to a register: c is lane%4*2, and the second element is
// in the next column or row. Float32 has one element to a register: c is lane%4, and the
// others are 4 further on (PTX ISA, "Matrix Fragments for mma.m16n8k16" and "... m16n8k8"):
//
//	mma C[i] += A[i*16, k] ... * B[k, 0] ...
//	=>
//	mma_half(&C[i * 4], A at (g, c), (g + 8, c), (g, c + 8), (g + 8, c + 8), B at (c, g), (c + 8, g));
func (w *writer) mma(s *tir.MMA) {
	more := func(e tir.Expr, by int64) tir.Expr { return tir.Bin(tir.Add, e, tir.Int(by)) }
	row, col := tir.MMAPlace(s.Lane, tir.Int(0))
	if s.Rounds() {
		col = tir.Bin(tir.FloorMod, s.Lane, tir.Int(4))
	}
	register := func(o tir.Operand, r, c tir.Expr, nextRow, nextCol int64) string {
		if s.Rounds() {
			return w.element(o.First.Buffer, o.At(r, c).Index)
		}
		return w.pair(o.At(r, c), o.At(more(r, nextRow), more(c, nextCol)))
	}
	var registers []string
	steps := []tir.Expr{col, more(col, s.Depth()/2)}
	for _, c := range steps {
		for _, r := range []tir.Expr{row, more(row, tir.MMARows/2)} {
			registers = append(registers, register(s.A, r, c, 0, 1))
		}
	}
	for _, r := range steps {
		registers = append(registers, register(s.B, r, row, 1, 0))
	}
	first := append(s.Index[:len(s.Index):len(s.Index)], tir.Int(0))
	w.line("%s(&%s, %s);", w.m.need(mmaHelpers[s.A.First.Buffer.Type]), w.element(s.Buffer, first),
		strings.Join(registers, ", "))
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
