package llvm_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
)

// BenchmarkEmit emits the text of a matmul whose register tile is unrolled 8
// times.
func BenchmarkEmit(b *testing.B) {
	f := tiledMatmul(512, 512, 512, 8, 32, 8, tir.F32)
	for b.Loop() {
		var w bytes.Buffer
		if err := llvm.Emit(&w, f, avx2()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompile compiles the same text to an object.
func BenchmarkCompile(b *testing.B) {
	x := newExecutor(b)
	ir := emit(b, tiledMatmul(512, 512, 512, 8, 32, 8, tir.F32), x.host(64))
	for b.Loop() {
		x.compile(ir, build.Options{})
	}
}

// BenchmarkMatmul runs a 512^3 matmul in one thread, with the loops of the tile
// unrolled by the emitter or left to LLVM.
func BenchmarkMatmul(b *testing.B) {
	const size = 512
	for _, c := range []struct {
		name        string
		inner, rows tir.ForKind
	}{{"unrolled", tir.Unrolled, tir.Unrolled}, {"rows", tir.Serial, tir.Unrolled}, {"loops", tir.Serial, tir.Serial}} {
		b.Run(c.name, func(b *testing.B) {
			x := newExecutor(b)
			f := tiledMatmulKinds(size, size, size, 8, 32, 4, tir.F32, c.inner, c.rows)
			f.Body.(*tir.For).Kind = tir.Serial
			kernel, _ := x.load(f, x.host(64))
			var args [][]byte
			for _, p := range f.Params {
				args = append(args, alignedBytes(p.Bytes()))
			}
			for b.Loop() {
				call(kernel, args)
			}
			b.ReportMetric(2*size*size*size*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// BenchmarkSliding runs a convolution of one dimension in one thread, whose unrolled steps meet elements again.
func BenchmarkSliding(b *testing.B) {
	const depth = 256
	for _, c := range []struct {
		rows, cols int64
		width      int
	}{{6, 16, 32}, {4, 24, 32}, {14, 32, 64}, {7, 64, 64}} {
		b.Run(fmt.Sprintf("%dx%d/%d", c.rows, c.cols, 8*c.width), func(b *testing.B) {
			x := newExecutor(b)
			f := sliding(c.rows, c.cols, depth, 1, tir.Unrolled, tir.F32)
			f.Body.(*tir.For).Kind = tir.Serial
			kernel, _ := x.load(f, x.host(c.width))
			var args [][]byte
			for _, p := range f.Params {
				args = append(args, alignedBytes(p.Bytes()))
			}
			for b.Loop() {
				call(kernel, args)
			}
			flop := float64(2 * 3 * depth * f.Params[len(f.Params)-1].Elems())
			b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// BenchmarkFunctions computes mathematical functions of vectors of 8, abreast: the nanoseconds that each takes. In
// masked ones every second number is as small as it gets, as the masks of attention make it.
func BenchmarkFunctions(b *testing.B) {
	x := newExecutor(b)
	for _, fn := range []tir.Intrinsic{tir.Exp, tir.Tanh, tir.Erf, tir.Sigmoid} {
		for _, typ := range []tir.DType{tir.F32, tir.F64} {
			for _, kind := range []string{"plain", "masked"} {
				b.Run(fn.String()+"/"+typ.String()+"/"+kind, func(b *testing.B) {
					vector, _ := x.mathKernels(fn, typ, 32)
					for i := range batch {
						v := float64(i%1000)/200 - 2.5
						if kind == "masked" && i%2 == 1 {
							v = -math.MaxFloat32
						}
						vector.set(0, i, v)
					}
					for b.Loop() {
						call(vector.address, vector.args)
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/(batch/8), "ns/vector")
				})
			}
		}
	}
	b.Run("exp/float32/normal", func(b *testing.B) { // as in attention, of which half is masked
		vector, _ := x.kernelsOf(1, tir.F32, 32, func(args []tir.Expr) tir.Expr {
			return cutExp(args[0], -87.33, math.Inf(-1))
		})
		for i := range batch {
			vector.set(0, i, []float64{float64(i%1000)/200 - 2.5, -math.MaxFloat32}[i%2])
		}
		for b.Loop() {
			call(vector.address, vector.args)
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/(batch/8), "ns/vector")
	})
}
