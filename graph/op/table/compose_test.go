package table_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
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
		{"SiLU is one stage behind a product", `
			input x: float32[3, 4]
			const w: float32[4, 5]
			const b: float32[5]
			a = MatMul(x, w)
			c = Add(a, b)
			s = Sigmoid(c)
			m = Mul(c, s)
			y = Relu(m)
			output y`, `
			matmul(i, j) += (p0[i, k]*p1[k, j])
			add(i0, i1) = (matmul[i0, i1] + p2[i1])
			mul(i0, i1) = (add[i0, i1]*tir.sigmoid(add[i0, i1]))
			relu(i0, i1) = max(mul[i0, i1], 0f)`},
		{"a residual ends the paths, and what is wanted transposed is computed so", `
			input x: float32[3, 4]
			input r: float32[3, 5]
			const w: float32[4, 5]
			a = MatMul(x, w)
			t = Tanh(a)
			u = Mul(a, t)
			v = Mul(u, a)
			z = Add(v, r)
			y = Transpose(z) perm=[1, 0]
			output y`, `
			matmul(i0, i1) += (p0[i1, k]*p1[k, i0])
			mul_2(i0, i1) = ((matmul[i0, i1]*tir.tanh(matmul[i0, i1]))*matmul[i0, i1])
			add(i0, i1) = (mul_2[i0, i1] + p2[i1, i0])`},
		{"not what is an output", `
			input x: float32[3, 4]
			const w: float32[4, 5]
			a = MatMul(x, w)
			s = Sigmoid(a)
			y = Mul(a, s)
			output s
			output y`, `
			matmul(i, j) += (p0[i, k]*p1[k, j])
			sigmoid(i0, i1) = tir.sigmoid(matmul[i0, i1])
			mul(i0, i1) = (matmul[i0, i1]*sigmoid[i0, i1])`},
		{"nor what is read at another place", `
			input x: float32[4, 4]
			const w: float32[4, 4]
			a = MatMul(x, w)
			s = Sigmoid(a)
			t = Transpose(s) perm=[1, 0]
			y = Mul(a, t)
			output y`, `
			matmul(i, j) += (p0[i, k]*p1[k, j])
			sigmoid(i0, i1) = tir.sigmoid(matmul[i1, i0])
			mul(i0, i1) = (matmul[i0, i1]*sigmoid[i0, i1])`},
		{"nor what a reduction reads", `
			input x: float32[3, 4]
			const w: float32[4, 5]
			const axes: int64[1] {1}
			a = MatMul(x, w)
			s = Exp(a)
			r = ReduceSum(s, axes) keepdims=1
			y = Div(s, r)
			output y`, `
			matmul(i, j) += (p0[i, k]*p1[k, j])
			exp(i0, i1) = tir.exp(matmul[i0, i1])
			sum(i0, i1) += exp[i0, k0]
			div(i0, i1) = (exp[i0, i1]/sum[i0, 0])`},
		{"nor without a product", `
			input x: float32[3, 4]
			a = Exp(x)
			s = Sigmoid(a)
			y = Mul(a, s)
			output y`, `
			exp(i0, i1) = tir.exp(p0[i0, i1])
			sigmoid(i0, i1) = tir.sigmoid(exp[i0, i1])
			mul(i0, i1) = (exp[i0, i1]*sigmoid[i0, i1])`},
		{"nor behind another reduction", `
			input x: float32[3, 4]
			const axes: int64[1] {1}
			r = ReduceSum(x, axes) keepdims=0
			s = Sigmoid(r)
			y = Mul(r, s)
			output y`, `
			sum(i0) += p0[i0, k0]
			sigmoid(i0) = tir.sigmoid(sum[i0])
			mul(i0) = (sum[i0]*sigmoid[i0])`},
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
		p, err := dag.Compose(g.Nodes, g.Outputs)
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

// TestJoinBound: stages that read twice what reads twice, and so on, are joined only while the expression is short.
func TestJoinBound(t *testing.T) {
	for _, c := range []struct{ times, stages int }{{4, 2}, {40, 2 + 2*40}} {
		var b strings.Builder
		b.WriteString("input x: float32[3, 4]\nconst w: float32[4, 4]\na0 = MatMul(x, w)\n")
		for i := range c.times {
			fmt.Fprintf(&b, "s%d = Sigmoid(a%[1]d)\na%d = Mul(a%[1]d, s%[1]d)\n", i, i+1)
		}
		fmt.Fprintf(&b, "y = Add(a%d, a0)\noutput y\n", c.times)
		g := graphtest.MustParse(b.String(), 18)
		if err := op.Infer(context.Background(), g); err != nil {
			t.Fatal(err)
		}
		p, err := dag.Compose(g.Nodes, g.Outputs)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.DAG.Ops) - len(p.Inputs); got != c.stages {
			t.Errorf("%d times: %d stages, want %d", c.times, got, c.stages)
		}
	}
}
