package llvm_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestZerosAreAsLargeAsWhatIsRead: the lanes of a comparison's results, bytes, are so many that the int64 that it
// reads are larger than a register. Where they are not read, zeros are, as many.
func TestZerosAreAsLargeAsWhatIsRead(t *testing.T) {
	a, rows, c := buf("A", tir.I64, 64), buf("rows", tir.I64), buf("C", tir.Bool, 2, 64)
	i, j := v("i"), v("j")
	guarded := tir.IfThenElse(less(i, at(rows)), at(a, add(mul(i, n(64)), j)), n(7))
	body := loop(tir.Serial, i, 2, loop(tir.Vectorized, j, 64, set(c, less(guarded, n(5)), i, j)))
	f := fn("compare", 1, body, a, rows, c)
	x := newExecutor(t)
	for width, size := range map[int]string{16: "[128 x i8]", 64: "[512 x i8]"} {
		kernel, ir := x.load(f, x.host(width))
		if want := " = private unnamed_addr constant " + size + " zeroinitializer"; !strings.Contains(string(ir), want) {
			t.Errorf("vectors of %d bytes: no constant is %s:\n%s", width, size, ir)
		}
		args := [][]byte{alignedBytes(a.Bytes()), alignedBytes(8), alignedBytes(c.Bytes())}
		args[1][0] = 1 // only row 0 is in A, which is 0
		call(kernel, args)
		for k, got := range args[2] {
			if want := byte(1 - k/64); got != want {
				t.Fatalf("vectors of %d bytes: element %d is %d, want %d", width, k, got, want)
			}
		}
	}
}

// TestConstantThatRoundsToZero: where an element is not read, a constant is, which may be too small for its type.
func TestConstantThatRoundsToZero(t *testing.T) {
	a, rows, c := buf("A", tir.F32, 64), buf("rows", tir.I64), buf("C", tir.F32, 2, 64)
	i, j := v("i"), v("j")
	guarded := tir.IfThenElse(less(i, at(rows)), at(a, add(mul(i, n(64)), j)), tir.Const(tir.F32, 1e-50))
	f := fn("tiny", 1, loop(tir.Serial, i, 2, loop(tir.Vectorized, j, 64, set(c, guarded, i, j))), a, rows, c)
	x := newExecutor(t)
	kernel, ir := x.load(f, x.host(32))
	if !strings.Contains(string(ir), "@wmtune.zeros") {
		t.Errorf("no zeros are read:\n%s", ir)
	}
	args := [][]byte{alignedBytes(a.Bytes()), alignedBytes(8), alignedBytes(c.Bytes())}
	args[1][0], args[2][300] = 1, 1
	call(kernel, args)
	if args[2][300] != 0 {
		t.Errorf("element 75 is not 0")
	}
}
