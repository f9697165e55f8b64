package op_test

import (
	"context"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
)

// TestCompose: what several nodes compute as one program.
func TestCompose(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a result is computed in the order in which it is wanted", `
			input q: float32[2, 3, 4]
			input k: float32[2, 4, 5]
			const two: float32[] {2}
			a = MatMul(q, k)
			b = Mul(a, two)
			y = Transpose(b) perm=[1, 0, 2]
			output y`, `
			batch_matmul(i0, i1, i2) += (p0[i1, i0, k]*p1[i1, k, i2])
			mul(i0, i1, i2) = (batch_matmul[i0, i1, i2]*2f)`},
		{"and what else reads it reads it in that order", `
			input q: float32[2, 3, 4]
			input k: float32[2, 4, 5]
			a = MatMul(q, k)
			y = Transpose(a) perm=[1, 0, 2]
			z = Relu(y)
			output y
			output z`, `
			batch_matmul(i0, i1, i2) += (p0[i1, i0, k]*p1[i1, k, i2])
			relu(i0, i1, i2) = max(batch_matmul[i0, i1, i2], 0f)`},
		{"and divided as it is wanted", `
			input x: float32[3, 4]
			const w: float32[4, 10]
			const s: int64[3] {3, 2, 5}
			a = MatMul(x, w)
			b = Reshape(a, s)
			y = Transpose(b) perm=[1, 0, 2]
			output y`, `
			matmul(i0, i1, i2) += (p0[i1, k]*p1[k, ((i0*5) + i2)])`},
		{"not if only a part of it is wanted", `
			input x: float32[3, 4]
			const w: float32[4, 10]
			const zero: int64[1] {0}
			const end: int64[1] {9}
			const one: int64[1] {1}
			a = MatMul(x, w)
			b = Slice(a, zero, end, one)
			y = Transpose(b) perm=[1, 0]
			output y`, `
			matmul(i, j) += (p0[i, k]*p1[k, j])
			transpose(i0, i1) = matmul[i1, i0]`},
		{"nor if it is read twice", `
			input x: float32[4, 4]
			const w: float32[4, 4]
			a = MatMul(x, w)
			b = Transpose(a) perm=[1, 0]
			y = Add(a, b)
			output y`, `
			matmul(i, j) += (p0[i, k]*p1[k, j])
			add(i0, i1) = (matmul[i0, i1] + matmul[i1, i0])`},
		{"nor if a reduction reads it", `
			input x: float32[3, 4]
			const w: float32[4, 5]
			const axes: int64[1] {1}
			a = MatMul(x, w)
			b = Transpose(a) perm=[1, 0]
			y = ReduceMax(b, axes)
			output y`, `
			matmul(i, j) += (p0[i, k]*p1[k, j])
			sum(i0, i1) max= matmul[k0, i0]`},
		{"nor if it is repeated", `
			input x: float32[3, 4]
			const w: float32[4, 1]
			const s: int64[3] {2, 3, 1}
			a = MatMul(x, w)
			y = Expand(a, s)
			output y`, `
			matmul(i, j) += (p0[i, k]*p1[k, j])
			expand(i0, i1, i2) = matmul[i1, 0]`},
		{"reshapes that meet need no quotients", `
			input x: float32[2, 3, 4]
			const w: float32[4, 5]
			const s: int64[2] {6, 4}
			const t: int64[3] {2, 3, 5}
			a = Reshape(x, s)
			b = MatMul(a, w)
			c = Reshape(b, t)
			y = Transpose(c) perm=[1, 0, 2]
			output y`, `
			matmul(i0, i1, i2) += (p0[i1, i0, k]*p1[k, i2])`},
		{"nor those that undo each other", `
			input x: float32[2, 3, 4]
			const s: int64[2] {6, 4}
			const t: int64[3] {2, 3, 4}
			a = Reshape(x, s)
			b = Reshape(a, t)
			y = Relu(b)
			output y`, `
			relu(i0, i1, i2) = max(p0[i0, i1, i2], 0f)`},
		{"an input that is read at two places is two", `
			input x: float32[6, 4]
			const zero: int64[1] {0}
			const three: int64[1] {3}
			const six: int64[1] {6}
			a = Slice(x, zero, three, zero)
			b = Slice(x, three, six, zero)
			c = Transpose(b) perm=[1, 0]
			y = MatMul(a, c)
			output y`, `
			matmul(i, j) += (p0[i, k]*p1[(j + 3), k])`},
		{"at one place it is one", `
			input x: float32[4]
			y = MatMul(x, x)
			output y`, `
			matmul() += (p0[k]*p0[k])`},
	} {
		g := graphtest.MustParse(c.text, 18)
		if err := op.Infer(context.Background(), g); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p, err := op.Compose(g.Nodes, g.Outputs)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		lines := strings.Split(strings.TrimSpace(p.DAG.String()), "\n")
		var got []string
		for _, l := range lines {
			if !strings.Contains(l, "PLACEHOLDER") {
				got = append(got, strings.TrimSpace(l))
			}
		}
		want := strings.ReplaceAll(strings.TrimSpace(c.want), "\t", "")
		if strings.Join(got, "\n") != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), want)
		}
		for i, b := range p.DAG.Inputs() {
			if len(b.Shape) != len(p.Inputs[i].Shape) {
				t.Errorf("%s: input %d is %v of %s", c.name, i, b.Shape, p.Inputs[i])
			}
		}
	}
}
