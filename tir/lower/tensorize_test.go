package lower_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// tensorSteps tile a product of float16, stages A 0, B 1, C 2, D 3, for two warps.
const tensorSteps = `[["SP", 2, 0, 64, [1, 2, 1, 16], 1], ["SP", 2, 5, 16, [1, 1, 2, 8], 1], ["SP", 2, 10, 32, [1, 16], 1],
	["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["AN", 2, 10, 11], ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
	["SP", 3, 7, 0, [8], 1], ["SP", 3, 6, 0, [16], 1], ["RE", 3, [0, 1, 2, 3, 4, 5, 6, 8, 7, 9]], ["AN", 3, 8, 11], ["CA", 2, 3, 5],
	["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 6],
	["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 8],
	["FU", 3, [0, 1]], ["SP", 3, 0, 0, [32], 1], ["FFSP", 3, 0, [0, 1], 1, 1], ["AN", 3, 1, 8], ["AN", 3, 2, 6],
	["FU", 1, [0, 1]], ["SP", 1, 0, 0, [32], 1], ["FFSP", 1, 0, [0, 1], 1, 1], ["AN", 1, 1, 8], ["AN", 1, 2, 6]]`

// wholeSteps do so where the whole sum is one tile, whose depth is its innermost loop.
const wholeSteps = `[["SP", 2, 0, 64, [1, 2, 1, 16], 1], ["SP", 2, 5, 16, [1, 1, 2, 8], 1],
	["RE", 2, [0, 5, 1, 6, 2, 7, 3, 8, 4, 9, 10]], ["AN", 2, 8, 11], ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
	["SP", 3, 7, 0, [8], 1], ["SP", 3, 6, 0, [16], 1], ["RE", 3, [0, 1, 2, 3, 4, 5, 6, 8, 7, 9]], ["AN", 3, 8, 11], ["CA", 2, 3, 5],
	["CHR", 1, "shared", [2]], ["CA", 2, 3, 5], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 5],
	["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 8],
	["FU", 3, [0, 1]], ["SP", 3, 0, 0, [32], 1], ["FFSP", 3, 0, [0, 1], 1, 1], ["AN", 3, 1, 8], ["AN", 3, 2, 6],
	["FU", 1, [0, 1]], ["SP", 1, 0, 0, [32], 1], ["FFSP", 1, 0, [0, 1], 1, 1], ["AN", 1, 1, 8], ["AN", 1, 2, 6]]`

// sumOf returns a DAG as tensorSteps want it: C(i, j) sums what elem returns, and D is max(C, 0).
func sumOf(t *testing.T, typ tir.DType, m, n, k int64, shapes [2][]int64, at func(i, j, k tir.Expr) (a, b []tir.Expr)) *compute.DAG {
	t.Helper()
	g := compute.NewBuilder()
	var in [2]compute.Tensor
	for o, shape := range shapes {
		in[o] = g.Placeholder([]string{"A", "B"}[o], typ, shape...)
	}
	axes, red := []*compute.Axis{compute.NewAxis("i", m), compute.NewAxis("j", n)}, []*compute.Axis{compute.NewAxis("k", k)}
	ai, bi := at(axes[0].Var, axes[1].Var, red[0].Var)
	wide := func(e tir.Expr) tir.Expr {
		if typ == tir.F32 {
			return e
		}
		return &tir.Cast{X: e, To: tir.F32}
	}
	c := g.SumWith("C", axes, red, tir.Bin(tir.Mul, wide(in[0].At(ai...)), wide(in[1].At(bi...))), compute.Attrs{})
	out := []*compute.Axis{compute.NewAxis("i", m), compute.NewAxis("j", n)}
	d, err := g.Build(g.Compute("D", out, tir.Bin(tir.Max, c.At(compute.Vars(out)...), tir.Float(tir.F32, 0))))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// transposedReader is a product of 16x16 elements of which D(i, j) is max(C(j, i), 0).
func transposedReader(t *testing.T) *compute.DAG {
	t.Helper()
	g := compute.NewBuilder()
	a, b := g.Placeholder("A", tir.F16, 16, 32), g.Placeholder("B", tir.F16, 32, 16)
	axes, red := []*compute.Axis{compute.NewAxis("i", 16), compute.NewAxis("j", 16)}, []*compute.Axis{compute.NewAxis("k", 32)}
	wide := func(e tir.Expr) tir.Expr { return &tir.Cast{X: e, To: tir.F32} }
	k := red[0].Var
	c := g.SumWith("C", axes, red, tir.Bin(tir.Mul, wide(a.At(axes[0].Var, k)), wide(b.At(k, axes[1].Var))), compute.Attrs{})
	out := []*compute.Axis{compute.NewAxis("i", 16), compute.NewAxis("j", 16)}
	d, err := g.Build(g.Compute("D", out, tir.Bin(tir.Max, c.At(out[1].Var, out[0].Var), tir.Float(tir.F32, 0))))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func product(t *testing.T, m, n, k int64) *compute.DAG { return productOf(t, tir.F16, m, n, k) }

func productOf(t *testing.T, typ tir.DType, m, n, k int64) *compute.DAG {
	return sumOf(t, typ, m, n, k, [2][]int64{{m, k}, {k, n}}, func(i, j, k tir.Expr) (a, b []tir.Expr) { return []tir.Expr{i, k}, []tir.Expr{k, j} })
}

// TestTensorizeRefuses: where tensor cores cannot compute a tile it stays loops, which compute the
// same, and Launches says why.
func TestTensorizeRefuses(t *testing.T) {
	list := func(e ...tir.Expr) []tir.Expr { return e }
	half := func(e tir.Expr) tir.Expr { return tir.Bin(tir.FloorDiv, e, tir.Int(2)) }
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(tensorSteps) }
	for _, c := range []struct {
		what, steps, want string
		dag               *compute.DAG
	}{
		{"nothing", tensorSteps, "", product(t, 64, 16, 32)},
		{"operands that change places", tensorSteps, "", sumOf(t, tir.F16, 64, 16, 32, [2][]int64{{32, 16}, {64, 32}},
			func(i, j, k tir.Expr) (a, b []tir.Expr) { return list(k, j), list(i, k) })},
		{"steps that move two indices", tensorSteps, "", sumOf(t, tir.F16, 64, 16, 32, [2][]int64{{95, 32}, {32, 16}},
			func(i, j, k tir.Expr) (a, b []tir.Expr) { return list(tir.Bin(tir.Add, i, k), k), list(k, j) })},
		{"less lanes than a warp", replace("[32], 1]", "[16], 1]"), "no loop of its kernel is over 32 threads along threadIdx.x", product(t, 64, 16, 32)},
		{"more lanes than a warp", replace("[32], 1]", "[64], 1]"), "no loop of its kernel is over 32 threads along threadIdx.x", product(t, 64, 16, 32)},
		{"a product inside of lanes", replace(`["AN", 5, 2, 8]`, `["AN", 5, 2, 6]`), "it is inside of a loop bound to threadIdx.x", product(t, 64, 16, 32)},
		{"a reader without tiles", replace(`["AN", 3, 8, 11], `, ""), "stage D has no tile of 2 loops", product(t, 64, 16, 32)},
		{"tiles that are not whole", tensorSteps, "the tiles of stage C are not whole", product(t, 72, 16, 32)},
		{"indices that do not move evenly", tensorSteps, "the indices of operand A.shared do not move evenly", sumOf(t, tir.F16, 64, 16, 32, [2][]int64{{32, 32}, {32, 16}},
			func(i, j, k tir.Expr) (a, b []tir.Expr) { return list(half(i), k), list(k, j) })},
		{"rows in both operands", tensorSteps, "its operands do not move one with rows and steps", sumOf(t, tir.F16, 64, 16, 32, [2][]int64{{64, 32}, {64, 32}},
			func(i, j, k tir.Expr) (a, b []tir.Expr) { return list(i, k), list(i, k) })},
		{"no columns", tensorSteps, "its operands do not move one with rows and steps", sumOf(t, tir.F16, 64, 16, 32, [2][]int64{{64, 32}, {32, 16}},
			func(i, j, k tir.Expr) (a, b []tir.Expr) { return list(i, k), list(k, tir.Int(3)) })},
		{"a reader that has it the other way round", replace("[1, 2, 1, 16]", "[1, 1, 1, 16]"), "stage D does not read it tile by tile", transposedReader(t)},
		{"an operand in global memory", replace(`["CHR", 0, "shared", [3]], ["CA", 1, 4, 6],`, "", `["FU", 1, [0, 1]], ["SP", 1, 0, 0, [32], 1], ["FFSP", 1, 0, [0, 1], 1, 1], ["AN", 1, 1, 8], ["AN", 1, 2, 6]`,
			`["PR", 3, 0, "auto_unroll_max_step$0"]`, `", 5, `, `", 4, `, `["FU", 3, [0, 1]]`, `["FU", 2, [0, 1]]`, `["SP", 3, 0, 0, [32], 1], ["FFSP", 3, 0, [0, 1], 1, 1], ["AN", 3, 1, 8], ["AN", 3, 2, 6]`,
			`["SP", 2, 0, 0, [32], 1], ["FFSP", 2, 0, [0, 1], 1, 1], ["AN", 2, 1, 8], ["AN", 2, 2, 6]`), "operand A is not in shared memory", product(t, 64, 16, 32)},
		{"float32", replace("32, [1, 16], 1]", "16, [1, 8], 1]"), "", productOf(t, tir.F32, 64, 16, 16)},
		{"float32 with indices that do not move evenly", replace("32, [1, 16], 1]", "16, [1, 8], 1]"), "the indices of operand A.shared do not move evenly",
			sumOf(t, tir.F32, 64, 16, 16, [2][]int64{{32, 16}, {16, 16}}, func(i, j, k tir.Expr) (a, b []tir.Expr) { return list(half(i), k), list(k, j) })},
		{"a reader with lanes of its own", replace(`["CA", 2, 3, 5],`, `["CA", 2, 3, 5], ["AN", 3, 7, 6],`), "stage D has a loop bound to threadIdx.x", product(t, 64, 16, 32)},
		{"no loop of the sum outside of the tile", wholeSteps, "", product(t, 64, 16, 16)},
		{"and its depth first", strings.Replace(wholeSteps, "8, 4, 9, 10]]", "8, 10, 4, 9]]", 1), "", product(t, 64, 16, 16)},
	} {
		steps, err := schedule.ParseSteps([]byte(c.steps))
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		s, err := schedule.Replay(c.dag, steps)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		_, err = lower.Launches(s)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
		f, err := lower.Lower(s, gpuConfig)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if strings.Contains(f.String(), "mma ") != (c.want == "") {
			t.Errorf("%s: want %q, the program is\n%s", c.what, c.want, f)
		}
		args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), c.dag)
		want := clone(args)
		if err := interp.RunDAG(c.dag, want); err != nil {
			t.Fatal(err)
		}
		if err := compare(s, gpuConfig, args, want, 1); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if err := compareOnHost(f, s, args, want); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestTensorizeTwo: of two products that one stage reads, warps compute one.
func TestTensorizeTwo(t *testing.T) {
	g := compute.NewBuilder()
	a, b, a2 := g.Placeholder("A", tir.F16, 64, 32), g.Placeholder("B", tir.F16, 32, 16), g.Placeholder("A2", tir.F16, 64, 32)
	sum := func(name string, x compute.Tensor) compute.Tensor {
		wide := func(e tir.Expr) tir.Expr { return &tir.Cast{X: e, To: tir.F32} }
		axes, red := []*compute.Axis{compute.NewAxis("i", 64), compute.NewAxis("j", 16)}, []*compute.Axis{compute.NewAxis("k", 32)}
		return g.SumWith(name, axes, red, tir.Bin(tir.Mul, wide(x.At(axes[0].Var, red[0].Var)), wide(b.At(red[0].Var, axes[1].Var))), compute.Attrs{})
	}
	c1, c2 := sum("C1", a), sum("C2", a2)
	out := []*compute.Axis{compute.NewAxis("i", 64), compute.NewAxis("j", 16)}
	dag, err := g.Build(g.Compute("D", out, tir.Bin(tir.Add, c1.At(compute.Vars(out)...), c2.At(compute.Vars(out)...))))
	if err != nil {
		t.Fatal(err)
	}
	one := `["SP", 2, 0, 64, [1, 2, 1, 16], 1], ["SP", 2, 5, 16, [1, 1, 2, 8], 1], ["SP", 2, 10, 32, [1, 16], 1],
	["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["AN", 2, 10, 11]`
	steps, err := schedule.ParseSteps([]byte("[" + one + "," + strings.NewReplacer(`"SP", 2`, `"SP", 4`, `"RE", 2`, `"RE", 4`, `"AN", 2`, `"AN", 4`).Replace(one) + `,
	["FSP", 5, 0, 0, 3], ["FSP", 5, 4, 1, 3], ["RE", 5, [0, 4, 1, 5, 2, 6, 3, 7]],
	["SP", 5, 7, 0, [8], 1], ["SP", 5, 6, 0, [16], 1], ["RE", 5, [0, 1, 2, 3, 4, 5, 6, 8, 7, 9]], ["AN", 5, 8, 11], ["CA", 2, 5, 5], ["CA", 4, 5, 5],
	["CHR", 3, "shared", [4]], ["CA", 4, 5, 6], ["CHR", 1, "shared", [2, 5]], ["CA", 2, 7, 5], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 6],
	["FU", 8, [0, 1]], ["AN", 8, 0, 5], ["FU", 8, [1, 2]], ["AN", 8, 1, 4], ["FU", 8, [2, 3]], ["AN", 8, 2, 8],
	["FU", 6, [0, 1]], ["SP", 6, 0, 0, [32], 1], ["AN", 6, 1, 6],
	["FU", 3, [0, 1]], ["SP", 3, 0, 0, [32], 1], ["AN", 3, 1, 6],
	["FU", 1, [0, 1]], ["SP", 1, 0, 0, [32], 1], ["AN", 1, 1, 6]]`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(dag, steps)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Launches(s); err == nil || !strings.Contains(err.Error(), "stage D reads another product tile by tile") {
		t.Errorf("launches: %v", err)
	}
	args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), dag)
	want := clone(args)
	if err := interp.RunDAG(dag, want); err != nil {
		t.Fatal(err)
	}
	if err := compare(s, gpuConfig, args, want, 1); err != nil {
		t.Error(err)
	}
}
