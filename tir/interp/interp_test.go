package interp

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

func buffer(name string, t tir.DType, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: t, Shape: shape}
}

func add(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, y) }
func mul(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Mul, x, y) }

func load(b *tir.Buffer, index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: index} }

func store(b *tir.Buffer, v tir.Expr, index ...tir.Expr) tir.Stmt {
	return &tir.Store{Buffer: b, Index: index, Value: v}
}

func loop(v *tir.Var, n int64, body tir.Stmt) *tir.For {
	return &tir.For{Var: v, Extent: tir.Int(n), Body: body}
}

func function(outputs int, body tir.Stmt, params ...*tir.Buffer) *tir.Func {
	return &tir.Func{Name: "f", Params: params, Outputs: outputs, Body: body}
}

// tensors returns arguments for f with element i of input p set to i+p+1.
func tensors(f *tir.Func) []*Tensor {
	args := NewTensors(f.Params)
	for p := range f.Inputs() {
		for i := range args[p].Len() {
			args[p].SetFloat(i, float64(i+p+1))
		}
	}
	return args
}

func floats(t *Tensor) []float64 {
	out := make([]float64, t.Len())
	for i := range out {
		out[i] = t.Float(i)
	}
	return out
}

func equal(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

// matmul is C = A*B, 2x3 by 3x2.
func matmul() *tir.Func {
	a, b, c := buffer("A", tir.F32, 2, 3), buffer("B", tir.F32, 3, 2), buffer("C", tir.F32, 2, 2)
	i, j, k := tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("k")
	init := store(c, tir.Float(tir.F32, 0), i, j)
	update := store(c, add(load(c, i, j), mul(load(a, i, k), load(b, k, j))), i, j)
	body := loop(i, 2, loop(j, 2, tir.Sequence(init, loop(k, 3, update))))
	return function(1, body, a, b, c)
}

func TestMatmul(t *testing.T) {
	f := matmul()
	if err := tir.Check(f); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(3) {
		args := tensors(f)
		if err := Run(f, args, Options{Shuffle: true, Seed: seed, Races: true}); err != nil {
			t.Fatal(err)
		}
		// [1 2 3; 4 5 6] * [2 3; 4 5; 6 7]
		if got, want := floats(args[2]), []float64{28, 34, 64, 79}; !equal(got, want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	a, c, tmp := buffer("A", tir.F32, 4), buffer("C", tir.F32, 4), buffer("T", tir.F32, 4)
	ints := buffer("I", tir.I32, 4)
	v := func() *tir.Var { return tir.NewVar("i") }
	one := tir.Float(tir.F32, 1)
	kind := func(k tir.ForKind, i *tir.Var, body tir.Stmt) tir.Stmt {
		return &tir.For{Var: i, Extent: tir.Int(4), Kind: k, Body: body}
	}
	cases := []struct {
		name string
		body func(i *tir.Var) tir.Stmt
		want string
	}{
		{"index too large", func(i *tir.Var) tir.Stmt { return loop(i, 4, store(c, load(a, add(i, tir.Int(1))), i)) },
			"interp: f: index 4 of dimension 0 of A is outside of 0..3 in C[i] = A[(i + 1)] at i=3"},
		{"index negative", func(i *tir.Var) tir.Stmt { return loop(i, 4, store(c, one, add(i, tir.Int(-1)))) },
			"index -1 of dimension 0 of C"},
		{"not written", func(i *tir.Var) tir.Stmt {
			return &tir.Alloc{Buffer: tmp, Body: loop(i, 4, store(c, load(tmp, i), i))}
		}, "read of T[0], which was not written"},
		{"output read first", func(i *tir.Var) tir.Stmt { return loop(i, 4, store(c, add(load(c, i), one), i)) },
			"read of C[0], which was not written"},
		{"output left out", func(i *tir.Var) tir.Stmt { return loop(i, 3, store(c, one, i)) }, "output C[3] was never written"},
		{"alloc forgets", func(i *tir.Var) tir.Stmt {
			j := v()
			first := &tir.If{Cond: tir.Bin(tir.EQ, i, tir.Int(0)), Then: loop(j, 4, store(tmp, one, j))}
			return loop(i, 4, &tir.Alloc{Buffer: tmp, Body: tir.Sequence(first, store(c, load(tmp, i), i))})
		}, "read of T[1], which was not written"},
		{"eager select", func(i *tir.Var) tir.Stmt {
			cond := tir.Bin(tir.LT, i, tir.Int(3))
			return loop(i, 4, store(c, &tir.Select{Cond: cond, Then: load(a, add(i, tir.Int(1))), Else: one}, i))
		}, "index 4 of dimension 0 of A"},
		{"division by zero", func(i *tir.Var) tir.Stmt {
			q := &tir.Cast{X: tir.Bin(tir.Div, load(ints, i), tir.Const(tir.I32, 0)), To: tir.F32}
			return loop(i, 4, store(c, q, i))
		}, "division by zero"},
		{"floordiv by a negative", func(i *tir.Var) tir.Stmt {
			return loop(i, 4, store(c, one, tir.Bin(tir.FloorDiv, i, tir.Int(-1))))
		}, "division by -1"},
		{"race of writes", func(i *tir.Var) tir.Stmt {
			return kind(tir.Parallel, i, tir.Sequence(store(c, one, tir.Int(0)), store(c, one, i)))
		}, "race: the iteration writes C[0], which another iteration wrote"},
		{"race of a reduction", func(i *tir.Var) tir.Stmt {
			return tir.Sequence(store(c, one, tir.Int(0)), kind(tir.Vectorized, i, store(c, add(load(c, tir.Int(0)), load(a, i)), tir.Int(0))))
		}, "race: the iteration reads C[0], which another iteration wrote"},
		{"barrier alone", func(i *tir.Var) tir.Stmt { return &tir.Barrier{Scope: tir.Shared} }, "barrier outside of thread loops"},
		{"cast of too much", func(i *tir.Var) tir.Stmt {
			return loop(i, 4, store(ints, &tir.Cast{X: tir.Float(tir.F64, 1e30), To: tir.I32}, i))
		}, "cast of 1e+30 to int32"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			f := function(1, tc.body(v()), a, ints, c)
			err := Run(f, tensors(f), Options{Races: true})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestArgumentsMustFit(t *testing.T) {
	f := matmul()
	if err := Run(f, tensors(f)[:2], Options{}); err == nil {
		t.Error("no error for a missing argument")
	}
	args := tensors(f)
	args[1] = NewTensor(buffer("B", tir.F64, 3, 2))
	if err := Run(f, args, Options{}); err == nil {
		t.Error("no error for an argument of another type")
	}
}

func TestLazySelect(t *testing.T) {
	a, c := buffer("A", tir.F32, 4), buffer("C", tir.F32, 4)
	i := tir.NewVar("i")
	v := tir.IfThenElse(tir.Bin(tir.LT, i, tir.Int(3)), load(a, add(i, tir.Int(1))), tir.Float(tir.F32, 9))
	f := function(1, loop(i, 4, store(c, v, i)), a, c)
	args := tensors(f)
	if err := Run(f, args, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := floats(args[1]); !equal(got, []float64{2, 3, 4, 9}) {
		t.Errorf("got %v", got)
	}
}

// The right operand of && and || may read beyond an edge where the left one decides.
func TestLazyLogic(t *testing.T) {
	a, c := buffer("A", tir.F32, 4), buffer("C", tir.F32, 4)
	i := tir.NewVar("i")
	large := tir.Bin(tir.GT, load(a, add(i, tir.Int(1))), tir.Float(tir.F32, 2))
	for _, test := range []struct {
		cond tir.Expr
		want []float64
	}{
		{tir.Bin(tir.And, tir.Bin(tir.LT, i, tir.Int(3)), large), []float64{0, 1, 1, 0}},
		{tir.Bin(tir.Or, tir.Bin(tir.GE, i, tir.Int(3)), large), []float64{0, 1, 1, 1}},
	} {
		f := function(1, loop(i, 4, store(c, &tir.Cast{X: test.cond, To: tir.F32}, i)), a, c)
		args := tensors(f)
		if err := Run(f, args, Options{}); err != nil {
			t.Fatalf("%s: %v", test.cond, err)
		}
		if got := floats(args[1]); !equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.cond, got, test.want)
		}
	}
}

// TestScalars evaluates expressions of constants of every type.
func TestScalars(t *testing.T) {
	i8 := func(v float64) tir.Expr { return tir.Const(tir.I8, v) }
	u8 := func(v float64) tir.Expr { return tir.Const(tir.U8, v) }
	i32 := func(v float64) tir.Expr { return tir.Const(tir.I32, v) }
	f32 := func(v float64) tir.Expr { return tir.Float(tir.F32, v) }
	f64 := func(v float64) tir.Expr { return tir.Float(tir.F64, v) }
	cast := func(x tir.Expr, to tir.DType) tir.Expr { return &tir.Cast{X: x, To: to} }
	evaluates(t, []scalarCase{
		{tir.Bin(tir.Add, i8(127), i8(1)), -128},
		{tir.Bin(tir.Mul, u8(16), u8(17)), 16},
		{tir.Bin(tir.Sub, u8(1), u8(2)), 255},
		{tir.Bin(tir.Mul, i32(1<<30), i32(6)), -1 << 31},
		{tir.Bin(tir.Div, i32(-7), i32(2)), -3},
		{tir.Bin(tir.FloorDiv, i32(-7), i32(2)), -4},
		{tir.Bin(tir.FloorMod, i32(-7), i32(2)), 1},
		{tir.Bin(tir.Min, i32(-7), i32(2)), -7},
		{tir.Bin(tir.Max, i32(-7), i32(2)), 2},
		{tir.Bin(tir.Add, f32(16777216), f32(1)), 16777216},
		{tir.Bin(tir.Add, f64(16777216), f64(1)), 16777217},
		{tir.Bin(tir.Div, f32(1), f32(3)), float64(float32(1) / 3)},
		{tir.Bin(tir.Max, f32(math.NaN()), f32(2)), math.NaN()},
		{tir.Bin(tir.Min, f32(2), f32(math.NaN())), math.NaN()},
		{cast(f32(-2.9), tir.I32), -2},
		{cast(i32(300), tir.U8), 44},
		{cast(i32(5), tir.Bool), 1},
		{cast(tir.Const(tir.I64, 1<<54+3), tir.F32), 1 << 54},
		{cast(f32(1.0009765625), tir.BF16), 1},
		{cast(f32(2049), tir.F16), 2048},
		{cast(f32(70000), tir.F16), math.Inf(1)},
		{&tir.Not{X: tir.BoolImm(true)}, 0},
		{tir.Bin(tir.And, tir.BoolImm(true), tir.Bin(tir.LT, f32(1), f32(2))), 1},
		{tir.Bin(tir.Or, tir.BoolImm(false), tir.Bin(tir.NE, i8(1), i8(1))), 0},
		{&tir.Call{Fn: tir.Pow, Args: []tir.Expr{f32(2), f32(10)}}, 1024},
		{&tir.Call{Fn: tir.Round, Args: []tir.Expr{f32(2.5)}}, 3},
		{&tir.Call{Fn: tir.TF32, Args: []tir.Expr{f32(0x1.002p0)}}, 0x1.004p0},
		{&tir.Call{Fn: tir.Sigmoid, Args: []tir.Expr{f64(0)}}, 0.5},
	})
}

func TestEveryIntrinsicHasAFunction(t *testing.T) {
	for _, fn := range tir.Intrinsics() {
		if fn.NumArgs() == 1 && (int(fn) >= len(unaryFns) || unaryFns[fn] == nil) {
			t.Errorf("no function for %s", fn)
		}
	}
}

func TestHalf(t *testing.T) {
	for b := range uint32(1 << 16) {
		if v := f16Value(uint16(b)); !math.IsNaN(v) && f16Bits(v) != uint16(b) {
			t.Fatalf("half %#x = %v becomes %#x", b, v, f16Bits(v))
		}
		if v := bf16Value(uint16(b)); !math.IsNaN(v) && bf16Bits(v) != uint16(b) {
			t.Fatalf("bfloat16 %#x = %v becomes %#x", b, v, bf16Bits(v))
		}
	}
	for b := range uint16(0x7bff) { // halfway cases go to the even neighbour
		mid := (f16Value(b) + f16Value(b+1)) / 2
		if got := f16Bits(mid); got != b+b&1 {
			t.Fatalf("%v between halves %#x and its next becomes %#x", mid, b, got)
		}
	}
	if !math.IsNaN(f16Value(f16Bits(math.NaN()))) || !math.IsNaN(bf16Value(bf16Bits(math.NaN()))) {
		t.Error("NaN is lost")
	}
}

func TestStrides(t *testing.T) {
	tmp := &tir.Buffer{Name: "T", Type: tir.F32, Shape: []int64{2, 3}, Strides: []int64{5, 1}, Scope: tir.Local}
	c := buffer("C", tir.F32, 2, 3)
	i, j, k, l := tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("k"), tir.NewVar("l")
	val := &tir.Cast{X: add(mul(i, tir.Int(10)), j), To: tir.F32}
	body := &tir.Alloc{Buffer: tmp, Body: tir.Sequence(
		loop(i, 2, loop(j, 3, store(tmp, val, i, j))),
		loop(k, 2, loop(l, 3, store(c, load(tmp, k, l), k, l))))}
	f := function(1, body, c)
	args := NewTensors(f.Params)
	if err := Run(f, args, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := floats(args[0]); !equal(got, []float64{0, 1, 2, 10, 11, 12}) {
		t.Errorf("got %v", got)
	}
}

// reversal copies A to C back to front by way of shared memory, each thread
// writing one element and reading another's.
func reversal(wait tir.Stmt) *tir.Func {
	a, c := buffer("A", tir.F32, 2, 4), buffer("C", tir.F32, 2, 4)
	s := &tir.Buffer{Name: "S", Type: tir.F32, Shape: []int64{4}, Scope: tir.Shared}
	bx, tx, ty := tir.NewVar("bx"), tir.NewVar("tx"), tir.NewVar("ty")
	bind := func(v *tir.Var, n int64, name string, body tir.Stmt) tir.Stmt {
		return &tir.For{Var: v, Extent: tir.Int(n), Kind: tir.ThreadBound, Thread: name, Body: body}
	}
	fetch := bind(ty, 4, "threadIdx.x", store(s, load(a, bx, ty), ty))
	use := store(c, load(s, tir.Bin(tir.Sub, tir.Int(3), tx)), bx, tx)
	body := bind(bx, 2, "blockIdx.x", bind(tx, 4, "threadIdx.x", &tir.Alloc{Buffer: s, Body: tir.Sequence(fetch, wait, use)}))
	return function(1, body, a, c)
}

func TestThreads(t *testing.T) {
	for seed := range uint64(5) {
		f := reversal(&tir.Barrier{Scope: tir.Shared})
		args := tensors(f)
		if err := Run(f, args, Options{Shuffle: true, Seed: seed, Races: true}); err != nil {
			t.Fatal(err)
		}
		if got := floats(args[1]); !equal(got, []float64{4, 3, 2, 1, 8, 7, 6, 5}) {
			t.Errorf("got %v", got)
		}
		f = reversal(nil)
		if err := Run(f, tensors(f), Options{Shuffle: true, Seed: seed}); err == nil || !strings.Contains(err.Error(), "read of S[") {
			t.Errorf("without the barrier: error %v, want a read of what was not written", err)
		}
	}
	i := tir.NewVar("i")
	f := reversal(&tir.For{Var: i, Extent: tir.Int(3), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: &tir.Barrier{Scope: tir.Shared}})
	if err := Run(f, tensors(f), Options{}); err == nil || !strings.Contains(err.Error(), "1 of 4 threads end while the others wait") {
		t.Errorf("barrier in some threads only: error %v", err)
	}
}

func TestRunDAG(t *testing.T) {
	a := buffer("A", tir.F32, 2, 3)
	best, at := buffer("best", tir.F32, 2), buffer("at", tir.I32, 2)
	i, k := tir.NewVar("i"), tir.NewVar("k")
	accV, accI := &tir.Var{Name: "x", Type: tir.F32}, &tir.Var{Name: "xi", Type: tir.I32}
	srcV, srcI := &tir.Var{Name: "y", Type: tir.F32}, &tir.Var{Name: "yi", Type: tir.I32}
	keep := tir.Bin(tir.GE, accV, srcV)
	argmax := &compute.Op{
		Name: "argmax", Results: []*tir.Buffer{best, at},
		Axes: []*compute.Axis{{Var: i, Extent: 2}}, ReduceAxes: []*compute.Axis{{Var: k, Extent: 3}},
		Body: []tir.Expr{load(a, i, k), &tir.Cast{X: k, To: tir.I32}},
		Combine: &compute.Combiner{
			Acc: []*tir.Var{accV, accI}, Src: []*tir.Var{srcV, srcI},
			Result:   []tir.Expr{&tir.Select{Cond: keep, Then: accV, Else: srcV}, &tir.Select{Cond: keep, Then: accI, Else: srcI}},
			Identity: []tir.Expr{tir.Float(tir.F32, math.Inf(-1)), tir.Const(tir.I32, -1)},
		},
	}
	j := tir.NewVar("j")
	out := buffer("out", tir.F32, 2)
	double := &compute.Op{Name: "out", Results: []*tir.Buffer{out}, Axes: []*compute.Axis{{Var: j, Extent: 2}},
		Body: []tir.Expr{mul(load(best, j), tir.Float(tir.F32, 2))}}
	d := &compute.DAG{
		Tensors: []*tir.Buffer{a, at, out}, Outputs: 2,
		Ops: []*compute.Op{{Name: "A", Results: []*tir.Buffer{a}}, argmax, double},
	}
	args := NewTensors(d.Tensors)
	for n, v := range []float64{1, 5, 2, 7, 7, 3} {
		args[0].SetFloat(n, v)
	}
	if err := RunDAG(d, args); err != nil {
		t.Fatal(err)
	}
	if got := floats(args[1]); !equal(got, []float64{1, 0}) {
		t.Errorf("argmax = %v", got)
	}
	if got := floats(args[2]); !equal(got, []float64{10, 14}) {
		t.Errorf("twice the maximum = %v", got)
	}
	argmax.Body[0] = load(a, i, add(k, tir.Int(1)))
	if err := RunDAG(d, args); err == nil || !strings.Contains(err.Error(), "index 3 of dimension 1 of A is outside") {
		t.Errorf("read outside of A: error %v", err)
	}
}

func TestPack(t *testing.T) {
	w, packed, c := buffer("W", tir.F32, 2, 2), buffer("W_packed", tir.F32, 2, 2), buffer("C", tir.F32, 2, 2)
	i, j, k, l := tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("k"), tir.NewVar("l")
	f := function(1, loop(i, 2, loop(j, 2, store(c, load(packed, i, j), i, j))), packed, c)
	f.Packs = []*tir.Func{function(1, loop(k, 2, loop(l, 2, store(packed, load(w, l, k), k, l))), w, packed)}
	args := tensors(f)
	for n, v := range []float64{1, 2, 3, 4} {
		args[0].SetFloat(n, v)
	}
	got, err := Pack(f, args, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(f, got, Options{}); err != nil {
		t.Fatal(err)
	}
	if c := floats(args[1]); !equal(c, []float64{1, 3, 2, 4}) {
		t.Errorf("got %v", c)
	}
	if _, err := Pack(f, args[:1], Options{}); err == nil {
		t.Error("no error for too few arguments")
	}
}

func BenchmarkMatmul(b *testing.B) {
	n := int64(64)
	x, y, z := buffer("A", tir.F32, n, n), buffer("B", tir.F32, n, n), buffer("C", tir.F32, n, n)
	i, j, k := tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("k")
	init := store(z, tir.Float(tir.F32, 0), i, j)
	update := store(z, add(load(z, i, j), mul(load(x, i, k), load(y, k, j))), i, j)
	f := function(1, loop(i, n, loop(j, n, tir.Sequence(init, loop(k, n, update)))), x, y, z)
	args := tensors(f)
	for b.Loop() {
		if err := Run(f, args, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*n*n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mstores/s")
}

// TestRacesOfTemporaries: iterations that each have a temporary of their own do not race for
// it, though it lies in the same place.
func TestRacesOfTemporaries(t *testing.T) {
	i, temp, c := tir.NewVar("i"), buffer("T", tir.F32, 1), buffer("C", tir.F32, 4)
	body := tir.Sequence(store(temp, tir.Float(tir.F32, 1), tir.Int(0)), store(c, load(temp, tir.Int(0)), i))
	each := &tir.For{Var: i, Extent: tir.Int(4), Kind: tir.Parallel, Body: &tir.Alloc{Buffer: temp, Body: body}}
	if f := function(1, each, c); Run(f, tensors(f), Options{Races: true}) != nil {
		t.Error("a race")
	}
	i = tir.NewVar("i")
	body = tir.Sequence(store(temp, tir.Float(tir.F32, 1), tir.Int(0)), store(c, load(temp, tir.Int(0)), i))
	all := &tir.Alloc{Buffer: temp, Body: &tir.For{Var: i, Extent: tir.Int(4), Kind: tir.Parallel, Body: body}}
	if f := function(1, all, c); Run(f, tensors(f), Options{Races: true}) == nil {
		t.Error("no race for a temporary that iterations share")
	}
}
