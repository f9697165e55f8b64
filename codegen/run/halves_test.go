package run_test

import (
	"strings"
	"testing"
)

// attention has queries and keys that are computed: what rounding them changes in the scores,
// which are some tens, an exponential makes large.
const attention = `input x: float16[64, 64]
input wq: float16[64, 64]
input wk: float16[64, 64]
input v: float16[64, 64]
q32(i: 64, d: 64) = sum(k: 64) float32(x[i, k])*float32(wq[k, d])
k32(i: 64, d: 64) = sum(k: 64) float32(x[i, k])*float32(wk[k, d])
q(i: 64, d: 64) = float16(q32[i, d])
keys(i: 64, d: 64) = float16(k32[i, d])
s(i: 64, j: 64) = sum(d: 64) float32(q[i, d])*float32(keys[j, d])*0.125
m(i: 64) = max(j: 64) s[i, j]
e(i: 64, j: 64) = exp(s[i, j] - m[i])
z(i: 64) = sum(j: 64) e[i, j]
p(i: 64, j: 64) = float16(e[i, j]/z[i])
o32(i: 64, d: 64) = sum(j: 64) float32(p[i, j])*float32(v[j, d])
o(i: 64, d: 64) = float16(o32[i, d])
output o`

// greedy is the position of the largest of numbers of which bfloat16 makes many alike.
const greedy = `input h: bfloat16[64]
input w: bfloat16[30000, 64]
l32(v: 30000) = sum(k: 64) float32(h[k])*float32(w[v, k])*0.01 + 100
l(v: 30000) = bfloat16(l32[v])
token() -> at, value = reduce(v: 30000) {int32(v), float32(l[v])}
    from {2147483647, -inf}
    fold (ka, a) (kb, b) {select(a > b || a == b && ka < kb, ka, kb), max(a, b)}
output at`

// overflow has elements that a float16 does not hold, but for gentle inputs.
const overflow = `input x: float16[64]
y(i: 64) = float16(float32(x[i])*60000)
z(i: 64) = 1/(1 + float32(y[i])*float32(y[i]))
output z`

// TestHalves: right programs with elements of 16 bits that others are computed from pass.
func TestHalves(t *testing.T) {
	j := newJudge(t)
	for _, text := range []string{
		attention, strings.ReplaceAll(attention, "float16", "bfloat16"),
		greedy, overflow,
	} {
		j.passes(text)
	}
}
