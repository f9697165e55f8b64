package model_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestLongNames compiles a kernel whose tensors and variables have names longer than LLVM's, equal but for their ends.
func TestLongNames(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	long := strings.Repeat("tensor_", 500)
	x, y, out := tirtest.Buf(long+"x", tir.F32, 8), tirtest.Buf(long+"y", tir.F32, 8), tirtest.Buf(long+"out", tir.F32, 8)
	temp, i, j := tirtest.Local(long+"temp", tir.F32, 8), tirtest.V(long+"i"), tirtest.V(long+"i")
	fn := tirtest.Fn(long, 1, tirtest.Alloc(temp,
		tirtest.Loop(tir.Parallel, i, 8, tirtest.Set(temp, tirtest.Add(tirtest.At(x, i), tirtest.At(y, i)), i)),
		tirtest.Loop(tir.Serial, j, 8, tirtest.Set(out, tirtest.At(temp, tirtest.Sub(tirtest.N(7), j)), j))), x, y, out)
	text := string(readFile(t, exported(t, b, fn, "k"), "kernel.h"))
	if strings.Contains(text, strings.Repeat("tensor_", 40)) || strings.Count(text, "const float *tensor_") != 2 {
		t.Errorf("header\n%s", text)
	}
}
