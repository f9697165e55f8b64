package llvm_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// avx2 is the target of the golden files.
func avx2() target.Target {
	t := target.Generic(32, 2)
	t.CPU, t.Features = "haswell", []string{"avx", "avx2", "f16c", "fma"}
	return t
}

// avx512 is the target of those whose names begin with it.
func avx512() target.Target {
	t := target.Generic(64, 2)
	t.CPU, t.Features = "skylake-avx512", []string{"avx", "avx2", "avx512bw", "avx512f", "avx512vl", "f16c", "fma"}
	return t
}

// TestEmit compares emitted text with testdata/*.ll. LLVM checks the same
// texts in TestGoldenRuns.
func TestEmit(t *testing.T) {
	for name, f := range goldenPrograms() {
		t.Run(name, func(t *testing.T) {
			tg := avx2()
			if strings.HasPrefix(name, "avx512") {
				tg = avx512()
			}
			got := emit(t, f, tg)
			got = append([]byte(commented(f.String())+"\n"), got...)
			path := filepath.Join("testdata", name+".ll")
			if *update {
				if err := os.WriteFile(path, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: got\n%s", path, got)
			}
		})
	}
}

func commented(s string) string {
	return "; " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n; ") + "\n"
}

// TestGoldenRuns holds that the golden programs compute what the interpreter
// does.
func TestGoldenRuns(t *testing.T) {
	x := newExecutor(t)
	var list []*tir.Func
	for _, f := range goldenPrograms() {
		list = append(list, f)
	}
	x.compareAll(list)
}

func goldenPrograms() map[string]*tir.Func {
	above, below := buf("A", tir.F32, 2, 11), buf("C", tir.F32, 3, 11)
	i, j := v("i"), v("j")
	one := func(kind tir.ForKind, extent int64, out tir.DType, value tir.Expr, params ...*tir.Buffer) *tir.Func {
		c := buf("C", out, extent)
		return fn("one", 1, loop(kind, i, extent, set(c, value, i)), append(params, c)...)
	}
	a, b := buf("A", tir.F32, 24), buf("B", tir.F32, 24)
	w, c8 := buf("W", tir.F32, 8, 24), buf("C", tir.F32, 8)
	h := buf("H", tir.F16, 8)
	q := buf("Q", tir.BF16, 8)
	inner := buf("A", tir.F32, 20)
	rows, out := buf("A", tir.F32, 3, 24), buf("C", tir.F32, 3, 24)
	half := func(x tir.Expr) tir.Expr { return &tir.Cast{X: x, To: tir.F32} }
	outside := tir.Bin(tir.And, tir.Bin(tir.GE, i, n(2)), tir.Bin(tir.LT, i, n(22)))
	tmp, big := buf("T", tir.F32, 24), buf("T", tir.F32, 10000)
	k, l, k2, l2 := v("k"), v("l"), v("k"), v("l")
	p, plain := buf("W_packed", tir.F32, 24, 8), buf("W", tir.F32, 8, 24)
	packed := fn("packed", 1, loop(tir.Serial, k, 24, loop(tir.Vectorized, l, 8, set(c8, at(p, k, l), l))), p, c8)
	packed.Packs = []*tir.Func{fn("pack_W", 1, loop(tir.Parallel, i, 24, loop(tir.Serial, j, 8, set(p, at(plain, j, i), i, j))), plain, p)}
	edge := &tir.If{Cond: tir.Bin(tir.LT, add(mul(k2, n(16)), l2), n(24)), Then: set(b, add(at(a, add(mul(k2, n(16)), l2)), at(a, n(0))), add(mul(k2, n(16)), l2))}
	frame, c1 := buf("C", tir.F32, 5, 24), v("j") // rows between rows of a constant, columns between columns
	between := func(x tir.Expr, last int64) tir.Expr {
		return tir.Bin(tir.And, tir.Bin(tir.GE, x, n(1)), tir.Bin(tir.LT, x, n(last)))
	}
	framed := func(cond tir.Expr, at tir.Expr, to ...tir.Expr) tir.Stmt {
		return set(frame, tir.IfThenElse(cond, at, tir.Const(tir.F32, -1.5)), to...)
	}
	extremes := func(c *tir.Buffer) *tir.Func {
		row := func(k tir.Expr, value func(x, y tir.Expr) tir.Expr) tir.Stmt {
			j := v("j")
			return loop(tir.Vectorized, j, c.Shape[0], set(c, value(at(c, j), at(w, k, j)), j))
		}
		k, k2 := v("k"), v("k")
		return fn("extremes", 1, seq(
			row(n(7), func(_, y tir.Expr) tir.Expr { return y }),
			loop(tir.Serial, k, 7, row(k, func(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Max, x, y) })),
			loop(tir.Unrolled, k2, 3, row(k2, func(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Min, y, x) }))), w, c)
	}
	return map[string]*tir.Func{
		"serial":   one(tir.Serial, 24, tir.F32, add(at(a, sub(n(23), i)), at(b, i)), a, b),
		"vector":   one(tir.Vectorized, 23, tir.F32, mul(at(a, i), at(b, n(3))), a, b),
		"unrolled": one(tir.Unrolled, 3, tir.F32, at(a, mul(i, n(2))), a),
		"gather":   one(tir.Vectorized, 8, tir.F32, at(a, mul(i, n(3))), a),
		"folded": one(tir.Vectorized, 24, tir.F32, at(rows, tir.Bin(tir.FloorDiv, i, n(8)),
			tir.Bin(tir.FloorMod, i, n(8))), rows),
		"pad": one(tir.Vectorized, 24, tir.F32, tir.IfThenElse(outside, at(inner, sub(i, n(2))),
			tir.Const(tir.F32, 0)), inner),
		"pad_constant": fn("pad_constant", 1, seq(
			loop(tir.Serial, k, 5, loop(tir.Vectorized, j, 24, framed(between(k, 4), at(rows, sub(k, n(1)), j), k, j))),
			loop(tir.Vectorized, c1, 24, framed(between(c1, 23), at(rows, n(1), sub(c1, n(1))), n(0), c1))), rows, frame),
		"pad_scalar": one(tir.Serial, 24, tir.F32, tir.IfThenElse(outside, at(inner, sub(i, n(2))),
			tir.Const(tir.F32, 0)), inner),
		"float16": one(tir.Vectorized, 8, tir.F16, &tir.Cast{X: add(half(at(h, i)), tir.Const(tir.F32, 1)),
			To: tir.F16}, h),
		"bfloat16": one(tir.Vectorized, 8, tir.BF16, &tir.Cast{X: add(half(at(q, i)), tir.Const(tir.F32, 1)),
			To: tir.BF16}, q),
		"exp":             one(tir.Vectorized, 2, tir.F32, &tir.Call{Fn: tir.Exp, Args: []tir.Expr{at(a, i)}}, a),
		"abreast":         one(tir.Vectorized, 24, tir.F32, &tir.Call{Fn: tir.Exp, Args: []tir.Expr{at(a, i)}}, a),
		"quotient":        one(tir.Vectorized, 16, tir.F32, tir.Bin(tir.Div, at(a, i), at(b, n(3))), a, b),
		"extremes":        extremes(c8),
		"avx512_extremes": extremes(buf("C", tir.F32, 16)),
		"maximum":         one(tir.Vectorized, 8, tir.F32, tir.Bin(tir.Max, at(a, i), tir.Const(tir.F32, 0)), a),
		"masked":          fn("masked", 1, seq(loop(tir.Serial, k2, 2, loop(tir.Vectorized, l2, 16, edge))), a, b),
		"matmul":          tiledMatmul(4, 4, 16, 2, 16, 2, tir.F32),
		"parallel": fn("parallel", 1, alloc(tmp, loop(tir.Serial, j, 3,
			loop(tir.Parallel, k, 24, set(tmp, at(rows, j, k), k)),
			loop(tir.Parallel, l, 24, set(out, at(tmp, sub(n(23), l)), j, l)))), rows, out),
		"packed":        packed,
		"avx512_tail":   one(tir.Vectorized, 23, tir.F32, mul(at(a, i), at(b, n(3))), a, b),
		"avx512_matmul": tiledMatmul(2, 2, 14, 1, 7, 2, tir.F32),
		"avx512_padding": fn("padding", 1, loop(tir.Serial, j, 3, loop(tir.Vectorized, l, 11,
			set(below, tir.IfThenElse(tir.Bin(tir.GE, j, n(1)), at(above, sub(j, n(1)), l), tir.Const(tir.F32, 3)),
				j, l))), above, below),
		"columns": fn("columns", 1, seq(loop(tir.Vectorized, i, 8, set(c8, tir.Const(tir.F32, 0), i)),
			loop(tir.Serial, k, 6, loop(tir.Unrolled, l, 4, loop(tir.Vectorized, j, 8,
				set(c8, add(at(c8, j), at(w, j, add(mul(k, n(4)), l))), j))))), w, c8),
		"heap": fn("heap", 1, alloc(big, loop(tir.Serial, i, 24, set(big, at(a, i), mul(i, n(400)))),
			loop(tir.Serial, j, 24, set(b, at(big, mul(j, n(400))), j))), a, b),
	}
}

func TestRefusals(t *testing.T) {
	c, i := buf("C", tir.F32, 4), v("i")
	shared := buf("S", tir.F32, 4)
	shared.Scope = tir.Shared
	store := set(c, tir.Const(tir.F32, 0), i)
	for _, x := range []struct {
		body tir.Stmt
		want string
	}{
		{loop(tir.Vthread, i, 4, store), "loop i is a vthread loop: a CPU has none"},
		{&tir.For{Var: i, Extent: n(4), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: store}, "loop i is a bind loop: a CPU has none"},
		{loop(tir.Serial, i, 4, seq(&tir.Barrier{Scope: tir.Shared}, store)), "barrier: a CPU has none"},
		{alloc(shared, loop(tir.Serial, i, 4, store)), "buffer S has scope shared: a CPU has none"},
	} {
		var w bytes.Buffer
		err := llvm.Emit(&w, fn("gpu", 1, x.body, c), avx2())
		if err == nil || !strings.Contains(err.Error(), x.want) || w.Len() > 0 {
			t.Errorf("%v, want %q", err, x.want)
		}
		err2 := llvm.EmitLibrary(&w, fn("gpu", 1, x.body, c), avx2(), llvm.Library{Main: "gpu"})
		if err2 == nil || err2.Error() != err.Error() {
			t.Errorf("library: %v", err2)
		}
	}
}

// TestEmitIsDeterministic emits twice.
func TestEmitIsDeterministic(t *testing.T) {
	for name, f := range goldenPrograms() {
		if !bytes.Equal(emit(t, f, avx2()), emit(t, f, avx2())) {
			t.Errorf("%s: two texts", name)
		}
	}
}
