package tirtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// SpreadText draws a transposed convolution of 1 to 3 dimensions, with a bias and what follows: of random strides,
// paddings, dilations, groups and output extents, channels first or last, with constant weights or others. At least one
// stride is above 1; some phases may have fewer taps than others, or none.
func SpreadText(r *rand.Rand) string {
	n := 1 + r.IntN(3)
	groups := 1 + r.IntN(2)
	ci, co := groups*(1+r.IntN(3)), groups*(1+r.IntN(4))
	var x, d, y, k, at, read, weights, inside []string
	for i := range n {
		size, stride, dilation, in := 1+r.IntN(5-n), 1+r.IntN(4), 1+r.IntN(3), 1+r.IntN(5-n)
		if i == 0 {
			stride = max(stride, 2)
		}
		lo := r.IntN(5) - 1
		out := max(1, (in-1)*stride+1+lo+r.IntN(3)-1)
		extent, hi := out+(size-1)*dilation, lo+(in-1)*stride+1
		x = append(x, fmt.Sprint(in))
		d = append(d, fmt.Sprintf("i%d: %d", i, extent))
		y = append(y, fmt.Sprintf("o%d: %d", i, out))
		k = append(k, fmt.Sprintf("k%d: %d", i, size))
		shifted := fmt.Sprintf("i%d - %d", i, lo)
		if lo < 0 {
			shifted = fmt.Sprintf("i%d + %d", i, -lo)
		}
		if lo > 0 {
			inside = append(inside, fmt.Sprintf("i%d >= %d", i, lo))
		}
		if extent > hi {
			inside = append(inside, fmt.Sprintf("i%d < %d", i, hi))
		}
		if stride > 1 {
			inside = append(inside, fmt.Sprintf("floormod(%s, %d) == 0", shifted, stride))
			shifted = fmt.Sprintf("floordiv(%s, %d)", shifted, stride)
		}
		at = append(at, shifted)
		read = append(read, fmt.Sprintf("o%d + k%d*%d", i, i, dilation))
		weights = append(weights, fmt.Sprintf("%d - k%d", size-1, i))
	}
	last := r.IntN(2) == 0
	image := func(batch string, spatial []string, channel string) string {
		if last {
			return strings.Join(append(append([]string{batch}, spatial...), channel), ", ")
		}
		return strings.Join(append([]string{batch, channel}, spatial...), ", ")
	}
	from := fmt.Sprintf("floordiv(c, %d)*%d + rc", co/groups, ci/groups)
	free := "\n    layout_free w"
	if r.IntN(4) == 0 {
		free = ""
	}
	sizes := strings.NewReplacer("k0: ", "", "k1: ", "", "k2: ", "").Replace(strings.Join(k, ", "))
	places := []string{"o0", "o1", "o2"}[:n]
	return fmt.Sprintf(`input x: float32[%s]
input w: float32[%s, %d, %d]
input b: float32[%d]
d(%s) = if_then_else(%s, x[%s], 0f)
y(%s) = sum(%s, rc: %d) d[%s]*w[%s, rc, c]%s
z(%s) = max(y[%s] + b[c], 0)
output z
`, image("2", x, fmt.Sprint(ci)), sizes, ci/groups, co, co,
		image("n: 2", d, fmt.Sprintf("c: %d", ci)), strings.Join(inside, " && "), image("n", at, "c"),
		image("n: 2", y, fmt.Sprintf("c: %d", co)), strings.Join(k, ", "), ci/groups, image("n", read, from),
		strings.Join(weights, ", "), free,
		image("n: 2", y, fmt.Sprintf("c: %d", co)), image("n", places, "c"))
}
