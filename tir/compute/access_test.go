package compute

import (
	"fmt"
	"slices"
	"testing"
)

// opNamed returns the first op of a name.
func opNamed(t *testing.T, d *DAG, name string) *Op {
	t.Helper()
	for _, op := range d.Ops {
		if op.Name == name {
			return op
		}
	}
	t.Fatalf("no op %s in\n%s", name, d)
	return nil
}

// TestOpPredicates: op y of one DAG each. Expected values follow the rules of
// AutoScheduler's AccessAnalyzer.
func TestOpPredicates(t *testing.T) {
	in := "input a: float32[8, 8]\ninput b: float32[8]\ninput one: float32[8, 1]\n" +
		"input scale: float32[]\ninput zero: float32[1]\n" +
		"keep() = sum(i: 8, j: 8) a[i, j] + b[i] + one[i, 0] + scale[] + zero[0]\n"
	cases := []struct {
		name, op                       string
		simple, inlineable, needsTiles bool
	}{
		{"elementwise", "y(i: 8, j: 8) = a[i, j] + 1", true, true, false},
		{"shift", "y(i: 4, j: 8) = a[i + 1, j] + a[2 + i, j]", true, true, false},
		{"shift back", "y(i: 8, j: 8) = if_then_else(i > 0, a[i - 1, j], 0)", true, false, false},
		{"constant minus axis", "y(i: 8, j: 8) = a[7 - i, j]", false, false, false},
		{"broadcast", "y(i: 8, j: 8) = a[i, j] + b[j]", true, true, false},
		{"constant index", "y(i: 8, j: 8) = a[i, j] + one[i, 0]", true, true, false},
		{"transpose", "y(i: 8, j: 8) = a[j, i]", true, false, false},
		{"diagonal", "y(i: 8) = a[i, i]", true, false, false},
		{"stride", "y(i: 4) = b[i*2]", false, false, false},
		{"sum of axes", "y(i: 4, j: 4) = b[i + j]", false, false, false},
		{"exp", "y(i: 8) = exp(b[i])", true, false, false},
		{"tanh counts as cheap", "y(i: 8) = tanh(b[i])", true, true, false},
		{"maximum by a choice", "y(i: 8) = select(b[i] > 0, b[i], 0)", true, true, false},
		{"minimum by a choice", "y(i: 8) = select(b[i] < 1, b[i], 1)", true, true, false},
		{"a choice of others", "y(i: 8) = select(b[i] > 0, 0, b[i])", true, false, false},
		{"numbers", "y(i: 8) = b[i]*scale[] + zero[0]", true, true, false},
		{"select", "y(i: 8) = select(i < 4, b[i], 0)", true, false, false},
		{"constant tensor", "y(i: 8) = select(i < 4, exp(float32(i)), 0)", true, true, false},
		{"matmul", "y(i: 8, j: 8) = sum(k: 8) a[i, k]*a[k, j]", false, false, false}, // both reads are of one producer, which has all axes
		{"product of two", "y(i: 8, j: 8) = sum(k: 8) a[i, k]*one[k, 0]", false, false, true},
		{"reduction of all axes", "y(i: 8) = sum(k: 8) a[i, k]", false, false, false},
		{"outer product without a reduction", "y(i: 8, j: 8) = b[i]*one[j, 0]", true, true, true},
		{"one broadcast without a reduction", "y(i: 8, j: 8) = b[j]", true, true, false},
		{"missing axis of extent 1", "y(i: 8, j: 1) = sum(k: 8) a[i, k]", false, false, false},
		{"pooling", "y(i: 4, j: 4) = max(r: 2, s: 2) a[i*2 + r, j*2 + s]", false, false, false},
		{"constant-tensor indices", "y(i: 8, j: 8) = sum(k: 8) a[i, k]*b[k]\n    simplify_const_tensor_indices i", false, false, false},
	}
	for _, c := range cases {
		d := mustParse(t, in+c.op+"\noutput keep, y\n")
		a, y := d.Access(), opNamed(t, d, "y")
		if got := simpleAccess(a, y); got != c.simple {
			t.Errorf("%s: simple access %v", c.name, got)
		}
		if got := a.StrictlyInlineable(y); got != c.inlineable {
			t.Errorf("%s: strictly inlineable %v", c.name, got)
		}
		if got := a.NeedsMultiLevelTiling(y); got != c.needsTiles {
			t.Errorf("%s: needs multi-level tiling %v", c.name, got)
		}
	}
	d := mustParse(t, in+"output keep\n")
	x := d.Ops[0]
	if a := d.Access(); !simpleAccess(a, x) || a.StrictlyInlineable(x) || a.NeedsMultiLevelTiling(x) || a.IsOutput(x) {
		t.Error("predicates of an input")
	}
}

// simpleAccess reports whether every index of every load is a constant, or a spatial axis plus or minus a constant.
func simpleAccess(a *Access, op *Op) bool {
	for _, r := range a.reads[op] {
		for _, l := range r.Loads {
			if _, ok := shapeOfAccess(op, l); !ok {
				return false
			}
		}
	}
	return true
}

const chain = `input x: float32[8, 16]
input w: float32[16]
a(i: 8, j: 16) = x[i, j] + 1
b(i: 8, j: 16) = a[i, j]*2
c(i: 8, j: 16) = b[i, j] + a[i, j]
d(i: 8) = sum(j: 16) c[i, j]*w[j]
e(i: 8, j: 16) = d[i] + b[i, j]
output c, e
`

// What is behind many paths is met once: each stage here reads the one before by two others.
func TestLookThroughManyPaths(t *testing.T) {
	text := "input t0: float32[4]\n"
	for i := range 16 {
		text += fmt.Sprintf("a%d(i: 4) = t%d[i] + 1\nb%d(i: 4) = t%d[i] + 2\nt%d(i: 4) = a%d[i]*b%d[i]\n",
			i, i, i, i, i+1, i, i)
	}
	d, err := Parse(text + "output t16\n")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	inner := func(op *Op) bool {
		asked++
		return !op.IsPlaceholder() && op.Name != "t16"
	}
	acc := d.Access()
	if got := acc.Producers(opNamed(t, d, "t16"), inner); len(got) != 1 || got[0].Name != "t0" {
		t.Errorf("t16 is made of %d ops", len(got))
	}
	if got := acc.Consumers(opNamed(t, d, "t0"), inner); len(got) != 1 || got[0].Name != "t16" {
		t.Errorf("t0 is read by %d ops", len(got))
	}
	if asked > 2*len(d.Ops) {
		t.Errorf("%d ops were looked at, there are %d", asked, len(d.Ops))
	}
}

func TestReadersAndProducers(t *testing.T) {
	d := mustParse(t, chain)
	acc := d.Access()
	names := func(list []*Op) []string {
		var out []string
		for _, op := range list {
			out = append(out, op.Name)
		}
		return out
	}
	inlined := func(names ...string) func(*Op) bool {
		return func(op *Op) bool { return slices.Contains(names, op.Name) }
	}
	cases := []struct {
		what string
		got  []*Op
		want []string
	}{
		{"producers of d", acc.DirectProducers(opNamed(t, d, "d")), []string{"c", "w"}},
		{"producers of c", acc.Producers(opNamed(t, d, "c"), nil), []string{"b", "a"}},
		{"producers of c with b inlined", acc.Producers(opNamed(t, d, "c"), inlined("b")), []string{"a"}},
		{"producers of e with b, c and d inlined", acc.Producers(opNamed(t, d, "e"), inlined("b", "c", "d")), []string{"a", "w"}},
		{"consumers of b", acc.Consumers(opNamed(t, d, "b"), nil), []string{"c", "e"}},
		{"consumers of a with b inlined", acc.Consumers(opNamed(t, d, "a"), inlined("b")), []string{"c", "e"}},
		{"consumers of e", acc.Consumers(opNamed(t, d, "e"), nil), nil},
	}
	for _, c := range cases {
		if got := names(c.got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	for name, want := range map[string]bool{"x": false, "a": false, "b": false, "c": true, "d": false, "e": true} {
		if got := acc.IsOutput(opNamed(t, d, name)); got != want {
			t.Errorf("IsOutput(%s) = %v", name, got)
		}
	}
}

func TestCommonOuterIterators(t *testing.T) {
	d := mustParse(t, chain)
	acc := d.Access()
	cases := []struct {
		from, to string
		want     int
	}{
		{"a", "b", 2}, {"a", "c", 2}, {"b", "d", 1}, {"d", "e", 1}, {"a", "e", 1}, {"c", "a", 0}, {"a", "a", 2}, {"w", "d", 0},
	}
	for _, c := range cases {
		if got := acc.CommonOuterIterators(opNamed(t, d, c.from), opNamed(t, d, c.to)); got != c.want {
			t.Errorf("%s and %s share %d, want %d", c.from, c.to, got, c.want)
		}
	}
	shifted := mustParse(t, "input x: float32[9, 9]\na(i: 9, j: 9) = x[i, j]\nb(i: 9, j: 8) = a[i, j + 1]\nc(i: 9, j: 9) = if_then_else(j > 0, a[i, j - 1], 0)\noutput b, c\n")
	a := opNamed(t, shifted, "a")
	if n := shifted.Access().CommonOuterIterators(a, opNamed(t, shifted, "b")); n != 1 {
		t.Errorf("other extents: %d, want 1", n)
	}
	if n := shifted.Access().CommonOuterIterators(a, opNamed(t, shifted, "c")); n != 2 {
		t.Errorf("shifted: %d, want 2", n)
	}
}

// Of paths that part and meet again 64 times not each is walked along.
func TestCommonOuterIteratorsOfManyPaths(t *testing.T) {
	text := "input x0: float32[8, 8]\nx1(i: 8, j: 8) = x0[i, j] + 1\n"
	for k := 1; k < 64; k++ {
		text += fmt.Sprintf("y%d(i: 8, j: 8) = x%d[i, j]*2\nx%d(i: 8, j: 8) = x%d[i, j] + y%d[i, j]\n", k, k, k+1, k, k)
	}
	d := mustParse(t, text+"z(i: 8, j: 8) = x64[i, 0]\noutput z\n")
	for to, want := range map[string]int{"x64": 2, "z": 1} {
		if got := d.Access().CommonOuterIterators(opNamed(t, d, "x1"), opNamed(t, d, to)); got != want {
			t.Errorf("x1 and %s share %d, want %d", to, got, want)
		}
	}
}

// TestElementwiseMatchOfOne: an axis of extent 1 may be read at 0.
func TestElementwiseMatchOfOne(t *testing.T) {
	d := mustParse(t, `input x: float32[1, 8]
a(i: 1, j: 8) = sum(k: 8) x[i, k]
b(i: 1, j: 8) = a[0, j] + x[0, j]
y(i: 1, j: 8) = b[i, 0]
output y
`)
	for _, c := range []struct {
		from, to string
		want     bool
	}{{"a", "b", true}, {"b", "y", false}} {
		if got := d.Access().ElementwiseMatch(opNamed(t, d, c.from), opNamed(t, d, c.to)); got != c.want {
			t.Errorf("%s to %s: %v", c.from, c.to, got)
		}
	}
}

func TestElementwiseMatch(t *testing.T) {
	text := `input x: float32[8, 8]
a(i: 8, j: 8) = sum(k: 8) x[i, k]*x[k, j]
b(i: 8, j: 8) = a[i, j] + 1
c(i: 8, j: 8) = exp(b[i, j])
t(i: 8, j: 8) = c[j, i]
u(i: 8, j: 8) = t[i, 0]
v(i: 8, j: 4) = u[i, j]
w(i: 8, j: 4) = v[i, j]
y(i: 8, j: 4) = v[i, j] + w[i, j]
output y
`
	d := mustParse(t, text)
	cases := []struct {
		from, to string
		want     bool
	}{
		{"a", "b", true}, {"a", "c", true}, {"b", "t", false}, // transposed
		{"t", "u", false}, // an axis is missing
		{"u", "v", false}, // another shape
		{"v", "y", false}, // two readers
		{"w", "y", true}, {"a", "a", true}, {"x", "a", false}, {"c", "a", false},
	}
	for _, c := range cases {
		if got := d.Access().ElementwiseMatch(opNamed(t, d, c.from), opNamed(t, d, c.to)); got != c.want {
			t.Errorf("%s to %s: %v", c.from, c.to, got)
		}
	}
}
