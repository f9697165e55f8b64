package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

// A tile of sums to which an instruction adds products may need a few registers more than there are, as others may
// (tile). Then the last vectors of columns are read from memory by the instruction itself, for each row anew:
//
//	unroll i in 7:                         28 vectors of acc, 2 of W, and 1 or 2 of A
//	  vectorize j in 64:
//	    tensorize k in 2 by vdpbf16ps.512:
//	      acc[i, j] += A[i, k]*W[j, k]
//
// LLVM reads all of W once and spills sums, for which the next step waits: 1.2 times as long (Zen 5).

// dotColumns returns the first column that the instruction of a tile reads from memory, or the number of columns. The
// tile is the body of s, loops over its rows.
func (f *function) dotColumns(s *tir.For) int64 {
	rows := int64(1)
	for body := tir.Stmt(s); ; {
		switch loop := body.(type) {
		case *tir.Block:
			body = loop.Body
		case *tir.For:
			extent, ok := loop.Extent.(*tir.IntImm)
			if !ok {
				return 0
			}
			if loop.Kind == tir.Unrolled {
				rows, body = rows*extent.Value, loop.Body
				continue
			}
			steps, dots := loop.Body.(*tir.For)
			if loop.Kind != tir.Vectorized || !dots || steps.Instruction == nil || steps.Instruction.IsTile() {
				return 0
			}
			lanes := steps.Instruction.Cols
			columns := (extent.Value + lanes - 1) / lanes
			over := rows*columns + columns + 1 - int64(f.m.target.Hardware.VectorRegisters)
			if over < 1 || over > maxOver || over+spareRegisters >= columns {
				return 0
			}
			return (columns - over - spareRegisters) * lanes
		default:
			return 0
		}
	}
}

// anew returns a pointer that is equal to another one, which LLVM cannot see: what is read through it is read for one
// use, by the instruction that uses it.
func (f *function) anew(pointer string) string {
	return f.instr(fmt.Sprintf(`call ptr asm "# %d", "=r,0"(ptr %s) memory(none)`, f.next, pointer))
}
