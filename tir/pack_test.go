package tir

import (
	"strings"
	"testing"
)

// packedFunc reads an input of 4 elements that is packed from one of 2 by 2.
func packedFunc() *Func {
	plain, packed, c, i := buf("W", F32, 2, 2), buf("W_packed", F32, 4), buf("C", F32, 4), NewVar("i")
	element := &Load{Buffer: plain, Index: []Expr{Bin(FloorMod, i, Int(2)), Bin(FloorDiv, i, Int(2))}}
	pack := &Func{Name: "pack_W", Params: []*Buffer{plain, packed}, Outputs: 1,
		Body: &For{Var: i, Extent: Int(4), Body: &Store{Buffer: packed, Index: []Expr{i}, Value: element}}}
	j := NewVar("j")
	return &Func{Name: "main", Params: []*Buffer{packed, c}, Outputs: 1, Packs: []*Func{pack},
		Body: &For{Var: j, Extent: Int(4), Body: &Store{Buffer: c, Index: []Expr{j}, Value: &Load{Buffer: packed, Index: []Expr{j}}}}}
}

func TestPackedFunc(t *testing.T) {
	f := packedFunc()
	if err := Check(f); err != nil {
		t.Fatal(err)
	}
	if f.Pack(0) != f.Packs[0] || f.Pack(1) != nil || f.Plain(0).Name != "W" || f.Plain(1).Name != "C" {
		t.Error("the input and the output are taken for one another")
	}
	want := `func main(W_packed: float32[4], out C: float32[4]):
  for j in 4:
    C[j] = W_packed[j]
func pack_W(W: float32[2, 2], out W_packed: float32[4]):
  for i in 4:
    W_packed[i] = W[floormod(i, 2), floordiv(i, 2)]
`
	if f.String() != want {
		t.Errorf("got\n%swant\n%s", f, want)
	}
	if packedFunc().Hash() != f.Hash() {
		t.Error("equal functions have two hashes")
	}
	other := packedFunc()
	other.Packs[0].Body.(*For).Body.(*Store).Value = Float(F32, 0)
	if other.Hash() == f.Hash() {
		t.Error("another way to pack has the same hash")
	}
	other.Packs = nil
	if other.Hash() == f.Hash() {
		t.Error("a function that does not pack has the same hash")
	}
}

func TestCheckRefusesPacks(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(f *Func)
	}{
		{"pack_W packs C, which is no input", func(f *Func) { f.Packs[0].Params[1] = f.Params[1] }},
		{"pack_W packs 2 parameters into 0: it must take one and give one", func(f *Func) { f.Packs[0].Outputs = 0 }},
		{"it must take one and give one", func(f *Func) { f.Packs[0].Packs = f.Packs }},
		{"it must take one and give one", func(f *Func) { f.Packs[0].Params = f.Packs[0].Params[1:] }},
		{"pack_W: no body", func(f *Func) { f.Packs[0].Body = nil }},
	} {
		f := packedFunc()
		c.edit(f)
		if err := Check(f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want one with %q", err, c.want)
		}
	}
}
