package compute

import "testing"

func TestCollapse(t *testing.T) {
	cases := []struct{ name, before, after string }{
		{"a product of an image, its bias, a residual", `input x: float32[1, 7, 7, 32]
input w: float32[1, 1, 32, 64]
input b: float32[64]
input r: float32[1, 7, 7, 64]
y(n: 1, i: 7, j: 7, c: 64) = sum(k: 32) x[n, i, j, k]*w[0, 0, k, c]
    layout_free w
z(n: 1, i: 7, j: 7, c: 64) = max(y[n, i, j, c] + b[c] + r[0, i, j, c], 0)
output z
`, `input x: float32[49, 32]
input w: float32[1, 1, 32, 64]
input b: float32[64]
input r: float32[49, 64]
y(i: 49, c: 64) = sum(k: 32) x[i, k]*w[0, 0, k, c]
    layout_free w
z(i: 49, c: 64) = max(y[i, c] + b[c] + r[i, c], 0)
output z
`},
		{"a window of one element", `input x: float32[1, 7, 7, 32]
input w: float32[1, 1, 32, 64]
y(n: 1, i: 7, j: 7, c: 64) = sum(h: 1, v: 1, k: 32) x[n, i + h, v + j, k]*w[h, v, k, c]
    layout_free w
output y
`, `input x: float32[49, 32]
input w: float32[1, 1, 32, 64]
y(i: 49, c: 64) = sum(k: 32) x[i, k]*w[0, 0, k, c]
    layout_free w
output y
`},
		{"a sum over one element", `input x: float32[4, 7, 1]
y(i: 4, j: 7) = sum(k: 1, l: 1) x[i, j + k, l]
output y
`, `input x: float32[28, 1]
y(i: 28) = sum(l: 1) x[i, l]
output y
`},
		{"a stride", `input x: float32[9, 9]
y(i: 5, j: 5) = max(h: 1, v: 1) x[i*2 + h, j*2 + v]
output y
`, ""},
		{"dimensions of the reduction", `input x: float32[2, 7, 7, 8]
y(n: 2, c: 8) = sum(i: 7, j: 7) x[n, i, j, c]
output y
`, `input x: float32[2, 49, 8]
y(n: 2, c: 8) = sum(i: 49) x[n, i, c]
output y
`},
		{"dimensions of one element alone", `input x: float32[1, 4, 1, 8]
y(n: 1, i: 4, o: 1, c: 8) = exp(x[n, i*1, o, c])
output y
`, ""},
		{"between those that become one", `input x: float32[4, 1, 8, 1]
y(i: 4, o: 1, c: 8, p: 1) = exp(x[i, o, c, p])
output y
`, `input x: float32[32, 1]
y(i: 32, p: 1) = exp(x[i, p])
output y
`},
		{"a window", `input x: float32[1, 9, 9, 8]
y(n: 1, i: 7, j: 7, c: 8) = max(h: 3, v: 3) x[n, i + h, j + v, c]
z(n: 1, i: 7, j: 7, c: 8) = exp(y[n, i, j, c])
output z
`, ""},
		{"a window along one dimension", `input x: float32[4, 5, 9]
y(i: 4, j: 5, k: 7) = max(h: 3) x[i, j, k + h]
output y
`, `input x: float32[20, 9]
y(i: 20, k: 7) = max(h: 3) x[i, k + h]
output y
`},
		{"a part of a dimension", `input x: float32[4, 6, 3]
y(i: 4, j: 5, k: 3) = exp(x[i, j, k])
output y
`, `input x: float32[4, 18]
y(i: 4, j: 15) = exp(x[i, j])
output y
`},
		{"another order", `input x: float32[4, 5, 6]
y(j: 5, i: 4, k: 6) = exp(x[i, j, k])
output y
`, ""},
		{"a broadcast along the first", `input x: float32[4, 5, 6]
input b: float32[5, 6]
y(i: 4, j: 5, k: 6) = x[i, j, k] + b[j, k]
output y
`, `input x: float32[4, 30]
input b: float32[30]
y(i: 4, j: 30) = x[i, j] + b[j]
output y
`},
		{"an axis as a value", `input x: float32[4, 5, 6]
y(i: 4, j: 5, k: 6) = x[i, j, k]*float32(j)
output y
`, ""},
		{"an axis twice", `input x: float32[5, 5]
y(i: 5, j: 5) = x[i, i] + x[i, j]
output y
`, ""},
		{"an index that is read", `input x: float32[9, 6]
input n: int32[4, 5]
y(i: 4, j: 5, k: 6) = x[int64(n[i, j]), k]
output y
`, `input x: float32[9, 6]
input n: int32[20]
y(i: 20, k: 6) = x[int64(n[i]), k]
output y
`},
		{"one reader of two objects", `input x: float32[4, 5]
y(i: 4, j: 5) = exp(x[i, j])
z(i: 4, j: 5) = y[i, 4 - j]
output y, z
`, ""},
		{"one row, wherever it is read", `input x: float32[1, 4, 5]
input n: int32[3]
y(k: 3, i: 4, j: 5) = x[int64(n[k]), i, j]
output y
`, `input x: float32[20]
input n: int32[3]
y(k: 3, i: 20) = x[i]
output y
`},
	}
	for _, c := range cases {
		d, err := Parse(c.before)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		want := c.after
		if want == "" {
			want = d.Text()
		}
		if got := Collapse(d).Text(); got != want {
			t.Errorf("%s: %s\nwant %s", c.name, got, want)
		}
	}
}
