package compute

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestBuildOrder: stages are numbered by a walk from the outputs, whatever the
// order in which ops were made; arguments keep the order of inputs.
func TestBuildOrder(t *testing.T) {
	b := NewBuilder()
	bias := b.Placeholder("bias", tir.F32, 4)
	x := b.Placeholder("x", tir.F32, 4)
	i, j := NewAxis("i", 4), NewAxis("i", 4)
	y := b.Compute("y", Axes(i), tir.Bin(tir.Mul, x.At(i.Var), tir.Float(tir.F32, 2)))
	z := b.Compute("z", Axes(j), tir.Bin(tir.Add, y.At(j.Var), bias.At(j.Var)))
	d, err := b.Build(z)
	if err != nil {
		t.Fatal(err)
	}
	want := "x = PLACEHOLDER [4]\ny(i) = (x[i]*2f)\nbias = PLACEHOLDER [4]\nz(i) = (y[i] + bias[i])\n"
	if d.String() != want {
		t.Errorf("got\n%swant\n%s", d, want)
	}
	if d.Tensors[0] != bias.Buffer || d.Tensors[1] != x.Buffer || d.Tensors[2] != z.Buffer || d.Outputs != 1 {
		t.Errorf("arguments %v", d.Tensors)
	}
	if d.Producer(y.Buffer).Name != "y" || d.Producer(&tir.Buffer{}) != nil {
		t.Error("producers")
	}
}

func TestBuildRefuses(t *testing.T) {
	i, k := NewAxis("i", 4), NewAxis("k", 4)
	x := func(b *Builder) Tensor { return b.Placeholder("x", tir.F32, 4) }
	cases := []struct {
		name  string
		build func(b *Builder) []Tensor
		want  string
	}{
		{"no output", func(b *Builder) []Tensor { x(b); return nil }, "a DAG needs an output"},
		{"input as output", func(b *Builder) []Tensor { return []Tensor{x(b)} }, "output x is an input"},
		{"foreign output", func(b *Builder) []Tensor { return []Tensor{x(NewBuilder())} }, "output x is of another builder"},
		{"unread input", func(b *Builder) []Tensor {
			x(b)
			return []Tensor{b.Compute("c", nil, tir.Float(tir.F32, 1))}
		}, "input x is never read"},
		{"extent of an input", func(b *Builder) []Tensor { return []Tensor{b.Placeholder("x", tir.F32, 0)} }, "x: dimension 0: must be at least 1"},
		{"extent of an axis", func(b *Builder) []Tensor {
			a := NewAxis("i", 0)
			return []Tensor{b.Compute("c", Axes(a), x(b).At(a.Var))}
		}, "c: axis i has extent 0"},
		{"axes of one name", func(b *Builder) []Tensor {
			return []Tensor{b.Compute("c", Axes(i, NewAxis("i", 4)), x(b).At(i.Var))}
		}, "c: two axes are called i"},
		{"foreign variable", func(b *Builder) []Tensor { return []Tensor{b.Compute("c", Axes(i), x(b).At(k.Var))} }, "c: variable k is none of its axes"},
		{"foreign tensor", func(b *Builder) []Tensor {
			return []Tensor{b.Compute("c", Axes(i), x(NewBuilder()).At(i.Var))}
		}, "c reads x, which is not made before it"},
		{"indices", func(b *Builder) []Tensor { return []Tensor{b.Compute("c", Axes(i), x(b).At(i.Var, i.Var))} }, "c reads x with 2 indices: it has 1 dimensions"},
		{"combiner without axes", func(b *Builder) []Tensor {
			return []Tensor{b.Sum("c", Axes(i), nil, x(b).At(i.Var))}
		}, "c: a combiner and reduce axes go together"},
	}
	for _, c := range cases {
		b := NewBuilder()
		_, err := b.Build(c.build(b)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestFromOpsRefuses(t *testing.T) {
	d := mustParse(t, "input x: float32[4]\ny(i: 4) = x[i]\nz(i: 4) = y[i]\noutput z\n")
	if _, err := FromOps(d.Tensors, 1, d.Ops); err != nil {
		t.Error(err)
	}
	if _, err := FromOps(d.Tensors, 1, []*Op{d.Ops[0], d.Ops[2], d.Ops[1]}); err == nil || !strings.Contains(err.Error(), "z reads y, which is not made before it") {
		t.Errorf("order: %v", err)
	}
	if _, err := FromOps(d.Tensors, 1, d.Ops[:2]); err == nil || !strings.Contains(err.Error(), "no op makes argument z") {
		t.Errorf("argument: %v", err)
	}
}

func TestConstants(t *testing.T) {
	d := mustParse(t, "input a: float32[4]\ninput b: float32[4]\ninput c: float32[4]\n"+
		"x(i: 4) = a[i] + c[i]\n    layout_free c\ny(i: 4) = x[i]*b[i] + c[i]\n    layout_free c, b\noutput y\n")
	got := d.Constants()
	if len(got) != 2 || got[0].Name != "b" || got[1].Name != "c" {
		t.Errorf("got %v, want b and c", got)
	}
}
