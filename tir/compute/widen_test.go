package compute

import (
	"testing"
)

func TestWiden(t *testing.T) {
	cases := []struct{ before, after string }{
		{
			`input a: float16[8]
input n: int32[8]
input w: bfloat16[8]
c(i: 8) = float32(a[i])*0.1 + float32(n[i])
s() = max(k: 8) c[k]*float32(w[k])
    layout_free w
d(i: 8) = float16(exp(c[i] - s[]))
e(i: 8) = int32(select(float32(d[i]) == 1, 2f32, 3f32))
output d, e
`,
			`input a: float64[8]
input n: int32[8]
input w: float64[8]
c(i: 8) = a[i]*0.10000000149011612 + float64(n[i])
s() = max(k: 8) c[k]*w[k]
    from -inf
    layout_free w
d(i: 8) = exp(c[i] - s[])
e(i: 8) = int32(select(float64(float32(float16(float32(d[i])))) == 1, 2f64, 3f64))
output d, e
`,
		},
		{ // what is stored in 16 bits is rounded where it is read, and where a cast is not all
			`input a: bfloat16[8]
input n: int32[8]
b(i: 8) = bfloat16(float32(a[i])*3)
c(i: 8) = select(i < 4, b[7 - i], bfloat16(n[i]))
d(i: 8) = float16(float32(float16(n[i]))*float32(c[i]))
output d
`,
			`input a: float64[8]
input n: int32[8]
b(i: 8) = a[i]*3
c(i: 8) = select(i < 4, b[7 - i], float64(n[i]))
d(i: 8) = float64(float32(float16(float32(float64(n[i])))))*float64(float32(bfloat16(float32(c[i]))))
output d
`,
		},
		{ // bits are those of the type that a float had
			`input a: float16[8]
input b: float32[8]
c(i: 8) = uint32(bitcast_uint16(a[i]))
d(i: 8) = bitcast_float32(bitxor(bitcast_uint32(bitcast_float32(c[i])*b[i]), 1))
output d
`,
			`input a: float64[8]
input b: float64[8]
c(i: 8) = uint32(bitcast_uint16(float16(float32(a[i]))))
d(i: 8) = float64(bitcast_float32(bitxor(bitcast_uint32(float32(float64(bitcast_float32(c[i]))*b[i])), 1)))
output d
`,
		},
		{
			argmaxText,
			`input x: float64[4, 8]
argmax(i: 4) = reduce(k: 8) {int32(k), x[i, k]}
    from {-1, -3.4028234663852886e+38}
    fold (ai, a) (bi, b) {select(a >= b, ai, bi), select(a >= b, a, b)}
output argmax.v0, argmax.v1
`,
		},
	}
	for _, c := range cases {
		d := mustParse(t, c.before)
		if got := Widen(d).Text(); got != c.after {
			t.Errorf("got\n%swant\n%s", got, c.after)
		}
		if d.Text() != c.before {
			t.Errorf("the DAG itself changed to\n%s", d.Text())
		}
	}
}
