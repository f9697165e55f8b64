package llvm_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

var stride = flag.Uint64("stride", 4099, "test mathematical functions of every such float; 1 for all takes an hour")

// ulps are the errors that docs/design/vector-math.md states, in units in the last
// place of the correct result: with fma, and without.
var ulps = []struct {
	fn             tir.Intrinsic
	single, double [2]float64
}{
	{tir.Exp, [2]float64{1.1, 2}, [2]float64{1.1, 2}},
	{tir.Log, [2]float64{1.1, 2}, [2]float64{1.1, 2}},
	{tir.Tanh, [2]float64{3, 4}, [2]float64{3, 4}},
	{tir.Erf, [2]float64{2.5, 4}, [2]float64{2.5, 4}},
	{tir.Sigmoid, [2]float64{3, 4}, [2]float64{3, 4}},
	{tir.Rsqrt, [2]float64{1.5, 1.5}, [2]float64{1.5, 1.5}},
	{tir.Pow, [2]float64{0.6, 0.6}, [2]float64{2, 3}},
	{tir.Sin, [2]float64{0.6, 0.6}, [2]float64{1, 1}},
	{tir.Cos, [2]float64{0.6, 0.6}, [2]float64{1, 1}},
	{tir.Atan, [2]float64{2.5, 2.5}, [2]float64{2.5, 2.5}},
}

// batch is the number of elements that one call computes.
const batch = 1 << 16

// A mathKernel computes a function of batch elements.
type mathKernel struct {
	address uintptr
	args    [][]byte // the operands and the result
	typ     tir.DType
}

// mathKernels compiles a function for an instruction set, in vectors and as scalars.
func (x *executor) mathKernels(name tir.Intrinsic, typ tir.DType, width int) (vector, scalar mathKernel) {
	x.t.Helper()
	return x.kernelsOf(name.NumArgs(), typ, width, func(args []tir.Expr) tir.Expr {
		return &tir.Call{Fn: name, Args: args}
	})
}

// kernelsOf compiles an expression of so many arguments.
func (x *executor) kernelsOf(
	n int, typ tir.DType, width int, expr func([]tir.Expr) tir.Expr,
) (vector, scalar mathKernel) {
	x.t.Helper()
	var list []*tir.Func
	kinds := []tir.ForKind{tir.Vectorized, tir.Serial}
	for _, kind := range kinds {
		i, c := v("i"), buf("C", typ, batch)
		var args []tir.Expr
		var params []*tir.Buffer
		for k := range n {
			b := buf(string('A'+rune(k)), typ, batch)
			params = append(params, b)
			args = append(args, &tir.Load{Buffer: b, Index: []tir.Expr{place(kind, i, batch)}})
		}
		body := loop(kind, i, batch, set(c, expr(args), place(kind, i, batch)))
		list = append(list, fn("math", 1, body, append(params, c)...))
	}
	address, _ := x.loadAll(list, x.host(width))
	var kernels []mathKernel
	for k := range list {
		m := mathKernel{address: address[k], typ: typ}
		for range list[k].Params {
			m.args = append(m.args, alignedBytes(batch*int64(typ.Bytes())))
		}
		kernels = append(kernels, m)
	}
	return kernels[0], kernels[1]
}

func (m mathKernel) set(arg, i int, v float64) {
	if m.typ == tir.F32 {
		binary.LittleEndian.PutUint32(m.args[arg][4*i:], math.Float32bits(float32(v)))
		return
	}
	binary.LittleEndian.PutUint64(m.args[arg][8*i:], math.Float64bits(v))
}

func (m mathKernel) get(arg, i int) float64 {
	if m.typ == tir.F32 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(m.args[arg][4*i:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(m.args[arg][8*i:]))
}

// worst keeps the largest error and where it is.
type worst struct {
	ulps float64
	at   string
}

func (w *worst) add(ulps float64, at func() string) {
	if !(ulps <= w.ulps) {
		w.ulps, w.at = ulps, at()
	}
}

// TestSingleAccuracy compares functions of floats with those of doubles: of
// every 4099th float, or of more with -stride, and for pow of random pairs.
func TestSingleAccuracy(t *testing.T) {
	x := newExecutor(t)
	for _, u := range ulps {
		for k, width := range []int{64, 16} {
			vector, scalar := x.mathKernels(u.fn, tir.F32, width)
			var w worst
			rng := rand.New(rand.NewPCG(1, 2))
			for first := uint64(0); first < 1<<32; first += batch * *stride {
				for i := range batch {
					bits := uint32(first + uint64(i)**stride)
					for arg := range u.fn.NumArgs() {
						v := math.Float32frombits(bits)
						if u.fn == tir.Pow && rng.IntN(8) > 0 { // not all of them 0 or infinite
							v = float32(math.Ldexp(rng.Float64()*2-0.5, rng.IntN(16)-8))
						}
						vector.set(arg, i, float64(v))
					}
				}
				call(vector.address, vector.args)
				for i := range batch {
					want := reference(u.fn, vector, i)
					w.add(singleError(vector.get(u.fn.NumArgs(), i), want), func() string { return vector.describe(i, want) })
				}
				if first == 0 {
					scalar.equals(t, vector)
				}
			}
			t.Logf("%s, %d bytes: %.3f ulp: %s", u.fn, width, w.ulps, w.at)
			if !(w.ulps <= u.single[k]) {
				t.Errorf("%s: %.3f ulp, want at most %g: %s", u.fn, w.ulps, u.single[k], w.at)
			}
		}
	}
}

func (m mathKernel) describe(i int, want float64) string {
	s := ""
	for arg := range m.args {
		s += fmt.Sprintf("%g ", m.get(arg, i))
	}
	return fmt.Sprintf("%s(the last is the result), want %g", s, want)
}

// equals holds that scalar code gives the same bits as vectors.
func (m mathKernel) equals(t *testing.T, vector mathKernel) {
	t.Helper()
	last := len(m.args) - 1
	for i := range last {
		copy(m.args[i], vector.args[i])
	}
	call(m.address, m.args)
	for i := range batch {
		if g, w := m.get(last, i), vector.get(last, i); g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Errorf("scalar: %s", m.describe(i, w))
			return
		}
	}
}

// reference is the function in double precision.
func reference(fn tir.Intrinsic, m mathKernel, i int) float64 {
	x := m.get(0, i)
	switch fn {
	case tir.Exp:
		return math.Exp(x)
	case tir.Log:
		if 0 < x && x < 0x1p-1022 { // where math.Log is wrong on some processors
			return math.Log(x*0x1p52) - 52*math.Ln2
		}
		return math.Log(x)
	case tir.Tanh:
		return math.Tanh(x)
	case tir.Erf:
		return math.Erf(x)
	case tir.Sigmoid:
		if x < 0 {
			return math.Exp(x) / (1 + math.Exp(x))
		}
		return 1 / (1 + math.Exp(-x))
	case tir.Rsqrt:
		return 1 / math.Sqrt(x)
	case tir.Pow:
		return math.Pow(x, m.get(1, i))
	case tir.Sin:
		return math.Sin(x)
	case tir.Cos:
		return math.Cos(x)
	case tir.Atan:
		return math.Atan(x)
	}
	panic("BUG: no reference for " + fn.String())
}

// singleError is the distance in units of the float nearest to want. Infinity
// counts as the power of 2 after the largest number.
func singleError(got, want float64) float64 {
	if math.IsNaN(got) && math.IsNaN(want) {
		return 0
	}
	finite := func(v float64) float64 {
		if math.Abs(v) > math.MaxFloat32 {
			return math.Copysign(0x1p128, v)
		}
		return v
	}
	got, want = finite(got), finite(want)
	_, e := math.Frexp(want)
	return math.Abs(got-want) / math.Ldexp(1, max(e, -125)-24)
}

// TestDoubleAccuracy compares functions of doubles with series of 400 bits.
func TestDoubleAccuracy(t *testing.T) {
	x := newExecutor(t)
	const samples = 2000
	for _, u := range ulps {
		for k, width := range []int{64, 16} {
			vector, scalar := x.mathKernels(u.fn, tir.F64, width)
			rng := rand.New(rand.NewPCG(3, 4))
			for i := range batch {
				for arg, v := range doubleOperands(u.fn, rng) {
					vector.set(arg, i, v)
				}
			}
			call(vector.address, vector.args)
			scalar.equals(t, vector)
			var w worst
			for i := range samples {
				got, want := vector.get(u.fn.NumArgs(), i), bigReference(u.fn, vector, i)
				w.add(doubleError(got, want), func() string { f, _ := want.Float64(); return vector.describe(i, f) })
			}
			t.Logf("%s, %d bytes: %.3f ulp: %s", u.fn, width, w.ulps, w.at)
			if !(w.ulps <= u.double[k]) {
				t.Errorf("%s: %.3f ulp, want at most %g: %s", u.fn, w.ulps, u.double[k], w.at)
			}
		}
	}
}

// doubleOperands returns operands of all sizes whose result is a number.
func doubleOperands(fn tir.Intrinsic, rng *rand.Rand) []float64 {
	sign := float64(1 - 2*rng.IntN(2))
	switch small := math.Ldexp(1+rng.Float64(), -rng.IntN(60)); fn {
	case tir.Exp, tir.Sigmoid:
		if rng.IntN(4) == 0 {
			return []float64{-rng.Float64() * 2800} // of most of these the result is 0
		}
		return []float64{sign * small * 350}
	case tir.Log, tir.Rsqrt:
		if rng.IntN(2) == 0 {
			return []float64{1 + sign*small/2}
		}
		return []float64{math.Ldexp(1+rng.Float64(), rng.IntN(2090)-1070)}
	case tir.Pow: // up to e^+-700
		base := math.Ldexp(1+rng.Float64(), rng.IntN(40)-20)
		if rng.IntN(2) == 0 {
			base = 1 + sign*small/2
		}
		return []float64{base, (rng.Float64()*2 - 1) * min(700/math.Abs(math.Log(base)), 1e300)}
	case tir.Sin, tir.Cos: // also near multiples of pi/2
		if rng.IntN(2) == 0 {
			return []float64{sign * math.Round(math.Ldexp(rng.Float64(), rng.IntN(45))) * (math.Pi / 2)}
		}
		return []float64{sign * math.Ldexp(1+rng.Float64(), rng.IntN(104)-60)}
	case tir.Atan:
		return []float64{sign * math.Ldexp(1+rng.Float64(), rng.IntN(104)-60)}
	default:
		return []float64{sign * small * 10}
	}
}

func bigReference(fn tir.Intrinsic, m mathKernel, i int) *big.Float {
	x, one := bigOf(m.get(0, i)), bigOf(1)
	switch fn {
	case tir.Exp:
		return bigExp(x)
	case tir.Log:
		return bigLog(x)
	case tir.Tanh:
		e := bigExp(bigAdd(x, x))
		return bigDiv(bigSub(e, one), bigAdd(e, one))
	case tir.Erf:
		return bigErf(x)
	case tir.Sigmoid:
		e := bigExp(x)
		return bigDiv(e, bigAdd(e, one))
	case tir.Rsqrt:
		return bigDiv(one, new(big.Float).SetPrec(prec).Sqrt(x))
	case tir.Pow:
		return bigExp(bigMul(bigLog(x), bigOf(m.get(1, i))))
	case tir.Sin:
		return bigSin(x)
	case tir.Cos:
		return bigCos(x)
	case tir.Atan:
		return bigAtan(x)
	}
	panic("BUG: no reference for " + fn.String())
}

// doubleError is the distance in units of the double nearest to want.
func doubleError(got float64, want *big.Float) float64 {
	if math.IsInf(got, 0) || math.IsNaN(got) {
		return math.Inf(1)
	}
	d := bigSub(bigOf(got), want)
	ulp := max(want.MantExp(nil), -1021) - 53
	d.SetMantExp(d, -ulp)
	f, _ := d.Float64()
	return math.Abs(f)
}

// TestSpecialValues holds that functions of zeros, infinities, NaN, and numbers
// at the ends of the range are those of Go.
func TestSpecialValues(t *testing.T) {
	x := newExecutor(t)
	values := []float64{0, 1, 0.5, 1.5, 2, 3, 4, 1e30, 0x1p23, 0x1p24 - 1, 0x1p24, 0x1p53 - 1, 88.8, 104, 710, 746,
		0x1p-149, 0x1p-126, 0x1p-1074, 1e308, math.Inf(1)}
	list := []float64{math.NaN()}
	for _, v := range values {
		list = append(list, v, -v)
	}
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, u := range ulps {
			for _, width := range []int{64, 16} {
				vector, _ := x.mathKernels(u.fn, typ, width)
				for i := range len(list) * len(list) {
					vector.set(0, i, list[i%len(list)])
					if u.fn == tir.Pow {
						vector.set(1, i, list[i/len(list)])
					}
				}
				call(vector.address, vector.args)
				count := len(list)
				if u.fn == tir.Pow {
					count *= len(list)
				}
				for i := range count {
					got, want := vector.get(u.fn.NumArgs(), i), reference(u.fn, vector, i)
					if typ == tir.F32 {
						want = float64(float32(want))
					}
					if far := typ == tir.F64 && math.Abs(vector.get(0, i)) >= 0x1p45; far && !math.IsNaN(want) {
						switch u.fn { // takes 0 for it
						case tir.Sin:
							want = math.Copysign(0, vector.get(0, i))
						case tir.Cos:
							want = 1
						}
					}
					if !special(got, want) {
						t.Errorf("%s of %s, %d bytes: %s", u.fn, typ, width, vector.describe(i, want))
					}
				}
			}
		}
	}
}

// TestErfEnd holds that erf of floats is never above 1, and 1 from the end of its range on.
func TestErfEnd(t *testing.T) {
	x := newExecutor(t)
	for _, width := range []int{64, 16} {
		vector, _ := x.mathKernels(tir.Erf, tir.F32, width)
		first, last := math.Float32bits(3), math.Float32bits(4.5)
		for ; first < last; first += batch {
			for i := range batch {
				vector.set(0, i, float64(math.Float32frombits(first+uint32(i))))
			}
			call(vector.address, vector.args)
			for i := range batch {
				if y := vector.get(1, i); !(y <= 1) || vector.get(0, i) >= llvm.ErfEnd && y != 1 {
					t.Fatalf("%d bytes: %s", width, vector.describe(i, 1))
				}
			}
		}
	}
}

// TestSigmoidsAddUp: sigmoid(x) + sigmoid(-x) is 1, for numbers of all sizes.
func TestSigmoidsAddUp(t *testing.T) {
	x := newExecutor(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, width := range []int{64, 32, 16} {
			vector, scalar := x.mathKernels(tir.Sigmoid, typ, width)
			for _, k := range []mathKernel{vector, scalar} {
				for i := range batch / 2 {
					v := float64(float32(math.Ldexp(rng.Float64(), rng.IntN(40)-32)))
					k.set(0, 2*i, v)
					k.set(0, 2*i+1, -v)
				}
				call(k.address, k.args)
				for i := range batch / 2 {
					a, b := k.get(1, 2*i), k.get(1, 2*i+1)
					sum := a + b
					if typ == tir.F32 {
						sum = float64(float32(a) + float32(b))
					}
					if sum != 1 {
						t.Fatalf("%s, %d bytes: sigmoid(%v) is %v, and of its negative %v", typ, width, k.get(0, 2*i), a, b)
					}
				}
			}
		}
	}
}

// TestFunctionsCallNothing holds that what is emitted for mathematical functions
// does without the C library, on processors with and without fma.
func TestFunctionsCallNothing(t *testing.T) {
	plain := avx2()
	plain.Features = nil
	for _, tg := range []target.Target{avx2(), avx512(), plain} {
		for _, u := range ulps {
			for _, typ := range []tir.DType{tir.F32, tir.F64} {
				a, c, i := buf("A", typ, 24), buf("C", typ, 24), v("i")
				call := &tir.Call{Fn: u.fn}
				for range u.fn.NumArgs() {
					call.Args = append(call.Args, at(a, i))
				}
				text := string(emit(t, fn("math", 1, loop(tir.Vectorized, i, 24, set(c, call, i)), a, c), tg))
				for line := range strings.Lines(text) {
					declared := strings.HasPrefix(line, "declare")
					if declared && (!strings.Contains(line, "@llvm.") || len(tg.Features) == 0 && strings.Contains(line, "@llvm.fma")) {
						t.Errorf("%s of %s for %s: %s", u.fn, typ, tg, line)
					}
				}
			}
		}
	}
}

// special reports whether got is just want if that is 0, infinite or no number,
// and else near it.
func special(got, want float64) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(got)
	case want == 0:
		return got == 0 && math.Signbit(got) == math.Signbit(want)
	case math.IsInf(want, 0):
		return got == want
	}
	return math.Abs(got-want) <= 1e-6*math.Abs(want)+0x1p-149
}
