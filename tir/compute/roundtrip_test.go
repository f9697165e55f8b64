package compute

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// canonical are texts that print as they are.
var canonical = []struct{ name, text string }{
	{"labels", `input placeholder@1: float32[4]
input placeholder@2: float32[4]
T_add@1(i: 4) = placeholder@1[i] + placeholder@2[i]
T_add@2(i: 4) = T_add@1[i] + placeholder@2[i]
output T_add@2
`},
	{"precedence", `input x: float32[4]
a(i: 4) = (x[i] + 1)*2 - x[i]/(x[i]*2) - (x[i] - (x[i] - 3))
b(i: 4) = select((a[i] < 1 || a[i] > 2 && !(a[i] == 0)) == (a[i] != 3), a[i], -1)
z(i: 4) = (i < 2) == (i < 3) && ((i < 1) == true) == (i != 2)
output b, z
`},
	{"constants", `input x: int8[4]
input y: float64[4]
h() = float32(1f16) == float32(3bf16)
c() = 0.1f32
d() = -3
e() = 7i32
f() = inf_f32
g(i: 4) = select(x[i] < 100, select(y[i] < 1e-30, y[i], -inf), float64(c[]) + float64(d[]) + float64(e[]) + float64(f[]))
k(i: 4) = select(h[] && true, g[i], 0.1)
output k
`},
	{"casts and calls", `input x: bfloat16[4]
a(i: 4) = erf(float32(x[i])*0.7071067811865476) + pow(float32(x[i]), 2)
b(i: 4) = bfloat16(a[i])
c(i: 4) = uint8(i) + 255
cc(i: 4) = bitxor(uint64(i), 1) + uint64(bitcast_uint16(x[i])) + 18446744073709551615
output b, c, cc
`},
	{"identity and names of results", `input x: float32[4, 8]
argmax(i: 4) -> at, val = reduce(k: 8) {int32(k), x[i, k]}
    from {-1, -inf}
    fold (ai, a) (bi, b) {select(a > b || a == b && ai < bi, ai, bi), max(a, b)}
m(i: 4) = max(k: 8) x[i, k]
    from -inf
two(i: 4) -> double@1, double@2 = {m[i]*2, val[i]*2}
output at, double@1, double@2
`},
	{"a result that nobody reads", `input x: float32[8]
argmax() = reduce(k: 8) {k, x[k]}
    from {9223372036854775807, -inf}
    fold (ai, a) (bi, b) {select(a > b || a == b && ai < bi, ai, bi), max(a, b)}
index() = int32(argmax.v0[])
output index
`},
	{"attributes", `input x: float32[8, 4]
input w: float32[4, 4]
c(i: 8, j: 4) = sum(k: 4) x[i, k]*w[k, j]
    simplify_const_tensor_indices i, k
    no_split_at_inner j
    always_unroll_inner i
    layout_free w
    flop 12
output c
`},
	{"index arithmetic", `input x: float32[8]
y(i: 4, j: 2) = x[i*2 + j]
z(p: 16) = y[floormod(floordiv(p, 2), 4), floormod(p, 2)]
output z
`},
}

func TestCanonicalText(t *testing.T) {
	for _, c := range canonical {
		if got := mustParse(t, c.text).Text(); got != c.text {
			t.Errorf("%s:\n%sprints as\n%s", c.name, c.text, got)
		}
	}
}

// TestOracleText reads back the texts of DAGs of public logs.
func TestOracleText(t *testing.T) {
	for _, d := range oracleDAGs(t) {
		back := mustParse(t, d.Text())
		if back.Text() != d.Text() || back.Hash() != d.Hash() || back.WorkloadKey() != d.WorkloadKey() {
			t.Errorf("reading back changes\n%s", d.Text())
		}
	}
}

// TestLooseText reads what people write.
func TestLooseText(t *testing.T) {
	loose := `# a comment
input x: float32 [ 2,3 ]   # another

y(i:2,j:3)=max( x[i , j],0f )	# tabs
	 # not a continuation
z ( i : 2 ) = sum( j:3 )
    y[i,j] *
	(2.0)

output z`
	want := `input x: float32[2, 3]
y(i: 2, j: 3) = max(x[i, j], 0)
z(i: 2) = sum(j: 3) y[i, j]*2
output z
`
	if got := mustParse(t, loose).Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestConstantTypes: constants take the type of what they meet.
func TestConstantTypes(t *testing.T) {
	cases := []struct {
		expr string
		want tir.DType
	}{
		{"1", tir.I64}, {"1.5", tir.F32}, {"1 + 1.5", tir.F32}, {"select(i < 1, h[i], 1)", tir.F16}, {"d[i] == 1", tir.Bool}, {"b[i] + 1", tir.U8},
		{"d[i]*0.5", tir.F64}, {"select(i < 1, 1, 2f64)", tir.F64}, {"exp(1)*d[i]", tir.F64}, {"1e3", tir.F32}, {"float64(1)", tir.F64},
		{"uint64(i) + 18446744073709551615", tir.U64}, {"1u16 + 65535", tir.U16}, {"-32768i16", tir.I16}, {"4294967295u32",
			tir.U32},
	}
	for _, c := range cases {
		d := mustParse(t, "input h: float16[4]\ninput b: uint8[4]\ninput d: float64[4]\n"+
			"used(i: 4) = float64(h[i]) + float64(b[i]) + d[i]\ny(i: 4) = "+c.expr+"\noutput used, y\n")
		if got := d.Results()[1].Type; got != c.want {
			t.Errorf("%s has type %s, want %s", c.expr, got, c.want)
		}
	}
}
