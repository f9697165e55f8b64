package pass

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
)

// TestPartition: what joins a group, and what does not. Groups that are no kernels are left out.
func TestPartition(t *testing.T) {
	heads := `
		input x: float32[2, 8, 6]
		input w: float32[2, 6, 16]
		const s: int64[4] {1, 2, 8, 16}
		const flat: int64[2] {16, 16}
		a = MatMul(x, w)
		b = Reshape(a, s)
		`
	for _, c := range []struct{ name, text, want string }{
		{"scores join attention", `
			input q: float32[2, 9, 4]
			input k: float32[2, 4, 7]
			input v: float32[2, 7, 32]
			input m: float32[9, 7]
			const s: int64[4] {1, 2, 9, 7}
			const t: int64[4] {1, 2, 7, 32}
			a = MatMul(q, k)
			b = Add(a, m)
			c = Reshape(b, s)
			u = Reshape(v, t)
			d = wmtune.Attend(c, u)
			y = Transpose(d) perm=[0, 2, 1, 3]
			output y`, "MatMul Add Reshape Attend Transpose"},
		{"a product reads floats where they are", `
			input x: float32[64, 9]
			const w: float32[64, 32]
			a = Transpose(x) perm=[1, 0]
			y = MatMul(a, w)
			output y`, "Transpose MatMul"},
		{"a transposed convolution reads neighbours", `
			input x: float32[1, 9, 5, 5]
			const w: float32[3, 3, 9, 16]
			a = Transpose(x) perm=[0, 2, 3, 1]
			y = wmtune.ConvTranspose(a, w) strides=[2, 2] last=1
			output y`, "Transpose; ConvTranspose"},
		{"neighbours that stay are read where they are", `
			input x: float32[1, 5, 7, 9]
			const w: float32[3, 3, 9, 16]
			a = Transpose(x) perm=[0, 2, 1, 3]
			y = wmtune.ConvTranspose(a, w) strides=[2, 2] last=1
			output y`, "Transpose ConvTranspose"},
		{"blocks of unpacked rows are transposed alone, others are not", `
			input x: float32[24, 16]
			input e: int64[3]
			a = wmtune.Unpack(x, e) axes=[0, 1] uppers=[3, 8] entries=[0, 1] rows=2
			b = Transpose(a) perm=[0, 2, 1]
			d = wmtune.Unpack(x, e) axes=[0, 1] uppers=[8, 3] entries=[0, 1] rows=2
			y = Transpose(d) perm=[1, 0, 2]
			output b
			output y`, "Unpack; Transpose; Unpack Transpose"},
		{"a product of bytes reads neighbours", `
			input x: uint8[64, 9]
			const w: uint8[64, 32]
			a = Transpose(x) perm=[1, 0]
			y = MatMul(a, w)
			output y`, "Transpose; MatMul"},
		{"bytes that stay neighbours are read where they are", `
			input x: uint8[9, 2, 64]
			const w: uint8[2, 64, 32]
			a = Transpose(x) perm=[1, 0, 2]
			y = MatMul(a, w)
			output y`, "Transpose MatMul"},
		{"scores that others read, too, stay", `
			input q: float32[2, 9, 4]
			input k: float32[2, 4, 7]
			input v: float32[2, 7, 5]
			a = MatMul(q, k)
			y = wmtune.Attend(a, v)
			z = ReduceMax(a)
			output y
			output z`, "MatMul; Attend; ReduceMax"},
		{"scores that are no product stay", `
			input a: float32[2, 9, 7]
			input v: float32[2, 7, 5]
			b = ReduceMax(a) keepdims=1
			c = Add(a, b)
			y = wmtune.Attend(c, v)
			output y`, "ReduceMax; Add; Attend"},
		{"a product writes its result transposed", heads + `
			y = Transpose(b) perm=[0, 2, 1, 3]
			output y`, "MatMul Reshape Transpose"},
		{"what follows joins as well", heads + `
			c = Transpose(b) perm=[0, 2, 1, 3]
			y = Relu(c)
			output y`, "MatMul Reshape Transpose Relu"},
		{"reshapes behind the last transpose stay aliases", heads + `
			c = Transpose(b) perm=[0, 2, 1, 3]
			y = Reshape(c, flat)
			output y`, "MatMul Reshape Transpose"},
		{"runs must stay together", heads + `
			y = Transpose(b) perm=[0, 2, 3, 1]
			output y`, "MatMul; Transpose"},
		{"runs must be long", `
			input x: float32[2, 8, 6]
			input w: float32[2, 6, 8]
			a = MatMul(x, w)
			y = Transpose(a) perm=[1, 0, 2]
			output y`, "MatMul; Transpose"},
		{"nobody else may read the result", heads + `
			c = Transpose(b) perm=[0, 2, 1, 3]
			y = ReduceMax(a)
			output c
			output y`, "MatMul; Transpose; ReduceMax"},
		{"the result may not leave", heads + `
			y = Transpose(b) perm=[0, 2, 1, 3]
			output a
			output y`, "MatMul; Transpose"},
		{"no axis is divided", `
			input x: float32[8, 6]
			const w: float32[6, 32]
			const s: int64[3] {8, 2, 16}
			a = MatMul(x, w)
			b = Reshape(a, s)
			y = Transpose(b) perm=[1, 0, 2]
			output y`, "MatMul; Transpose"},
		{"a reshape that joins dimensions stays", `
			input x: float32[4, 8, 6]
			input z: float32[4, 6, 16]
			const s: int64[3] {2, 16, 16}
			a = MatMul(x, z)
			b = Reshape(a, s)
			y = Transpose(b) perm=[1, 0, 2]
			output y`, "MatMul; Transpose"},

		{"a product reads through slices, reshapes and transposes", `
			input x: float32[1, 8, 96]
			input z: float32[2, 8, 16]
			const from: int64[1] {32}
			const to: int64[1] {64}
			const axis: int64[1] {2}
			const s: int64[4] {1, 8, 2, 16}
			const t: int64[3] {2, 16, 8}
			a = Slice(x, from, to, axis)
			b = Reshape(a, s)
			c = Transpose(b) perm=[0, 2, 3, 1]
			d = Reshape(c, t)
			y = MatMul(z, d)
			output y`, "Slice Reshape Transpose Reshape MatMul"},
		{"not if indices would need quotients", `
			input x: float32[2, 8, 2, 16]
			input z: float32[4, 8, 16]
			const t: int64[3] {4, 16, 8}
			c = Transpose(x) perm=[0, 2, 3, 1]
			d = Reshape(c, t)
			y = MatMul(z, d)
			output y`, "Transpose; MatMul"},
		{"not if rows would be far apart", `
			input x: float32[1, 8, 2, 16]
			input z: float32[2, 8, 8]
			const t: int64[3] {2, 8, 16}
			c = Transpose(x) perm=[0, 2, 1, 3]
			d = Reshape(c, t)
			y = MatMul(z, d)
			output y`, "Transpose; MatMul"},
		{"not through what computes", `
			input x: float32[16, 8]
			input z: float32[8, 8]
			a = Transpose(x) perm=[1, 0]
			b = Exp(a)
			y = MatMul(z, b)
			output y`, "Transpose Exp; MatMul"},
		{"not for two readers", `
			input x: float32[16, 8]
			input z: float32[8, 8]
			a = Transpose(x) perm=[1, 0]
			y = MatMul(z, a)
			u = MatMul(a, x)
			output y
			output u`, "Transpose; MatMul; MatMul"},
		{"a reduction reads through what computes", `
			input x: float32[16, 8]
			const s: int64[3] {16, 2, 4}
			const axes: int64[1] {2}
			a = Exp(x)
			b = Reshape(a, s)
			y = ReduceSum(b, axes)
			output y`, "Exp Reshape ReduceSum"},
	} {
		g := graphtest.MustParse(c.text, 18)
		if err := infer(context.Background(), g); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		groups, err := Partition(g)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var list []string
		for _, k := range groups {
			if k.Kind == Kernel {
				list = append(list, strings.TrimPrefix(k.String(), "kernel "+k.Class.String()+" "))
			}
		}
		if got := strings.Join(list, "; "); got != c.want {
			t.Errorf("%s: groups are %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPartitionLong: long chains do not take cubic time, alone, before a sum or beside another that they read, and are
// divided into groups of mostNodes.
func TestPartitionLong(t *testing.T) {
	for name, c := range map[string]struct {
		line, last string
		n, groups  int
	}{
		"one chain": {"a%[2]d = Neg(a%[1]d)", "Neg", 10000, 20},
		"a sum":     {"a%[2]d = Neg(a%[1]d)", "ReduceSum", 5000, 10},
		"two chains": {"b%[2]d = Neg(b%[1]d)\nc%[1]d = ReduceMax(b%[1]d)\na%[2]d = Add(a%[1]d, c%[1]d)", "Add", 3000,
			6000},
	} {
		var text strings.Builder
		text.WriteString("input a0: float32[1]\ninput b0: float32[4]\n")
		for i := range c.n {
			fmt.Fprintf(&text, c.line+"\n", i, i+1)
		}
		if c.last == "ReduceSum" {
			fmt.Fprintf(&text, "y = ReduceSum(a%d)\noutput y\n", c.n)
		} else {
			fmt.Fprintf(&text, "output a%d\n", c.n)
		}
		g := graphtest.MustParse(text.String(), 13)
		if err := infer(context.Background(), g); err != nil {
			t.Fatal(err)
		}
		groups, err := Partition(g)
		if err != nil || len(groups) != c.groups {
			t.Fatalf("%s: %d groups, want %d: %v", name, len(groups), c.groups, err)
		}
		longest := slices.MaxFunc(groups, func(a, b *Group) int { return len(a.Nodes) - len(b.Nodes) }).Nodes
		if len(longest) != mostNodes || !slices.ContainsFunc(groups, func(k *Group) bool {
			return k.Nodes[len(k.Nodes)-1].Op == c.last
		}) {
			t.Errorf("%s: %d nodes are in the longest group", name, len(longest))
		}
	}
}
