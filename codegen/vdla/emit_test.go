package vdla

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestRows: each instruction of the table that reads the memories of an accelerator is one of these, of its size.
func TestRows(t *testing.T) {
	rows := 0
	for _, i := range tir.Instructions() {
		if i.Scopes[0] == "" || i.Scopes[0] == tir.Shared { // a processor's, or a GPU's
			continue
		}
		rows++
		name, ok := strings.CutPrefix(i.Name, "vdla.")
		op := Op(slices.Index(opNames[:], name))
		if !ok || !op.multiplies() || (i.A == tir.U8) != (op == GemmU) || i.Rows != 1 || i.Cols != Lanes || i.Depth != Lanes ||
			i.Scopes != [3]tir.Scope{tir.Inp, tir.Wgt} {
			t.Errorf("no instruction is %+v", i)
		}
	}
	if rows != 2 {
		t.Errorf("%d rows", rows)
	}
}

// TestEmitGolden: both virtual threads of a small product, whose second one is loaded while the first one multiplies.
func TestEmitGolden(t *testing.T) {
	w, err := op.Parse("matmul:m=2,n=16,k=32,dtype=int8,epilogue=relu")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schedule.ParseSteps([]byte(`[["SP", 2, 0, 2, [2, 1, 1], 1], ["SP", 2, 4, 16, [1, 1, 16], 1],
		["SP", 2, 8, 32, [1, 16], 1], ["RE", 2, [0, 4, 1, 5, 8, 9, 2, 6, 10, 3, 7]], ["FSP", 3, 0, 0, 2], ["FSP", 3, 3, 1, 2],
		["RE", 3, [0, 3, 1, 4, 2, 5]], ["CA", 2, 3, 3], ["CHR", 1, "wgt", [2]], ["CA", 2, 3, 4], ["CHR", 0, "inp", [3]],
		["CA", 1, 4, 4], ["AN", 5, 2, 4]]`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(w.DAG, steps)
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(s, lower.Config{Target: target.Accelerator()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Emit(f)
	if err != nil {
		t.Fatal(err)
	}
	const want = `input x 64
input y 512
output relu 128
uop 0 0 0
load micro 0 from uops 0 row 4
ld.push ex
ex.pop ld
set 0 0 0 imm 0 uops 0 1
set 1 0 0 imm 0 uops 0 1
load inp 0 from x 0 row 16
load wgt 0 from y 0 row 256
ld.push ex
load inp 16 from x 32 row 16
load wgt 256 from y 0 row 256
ld.push ex
ex.pop ld
gemmu 0 0 0 uops 0 1
ex.push ld
ex.pop ld
gemmu 1 1 1 uops 0 1
ex.push ld
ld.pop ex
load inp 0 from x 16 row 16
load wgt 0 from y 256 row 256
ld.push ex
ld.pop ex
load inp 16 from x 48 row 16
load wgt 256 from y 256 row 256
ld.push ex
ex.pop ld
gemmu 0 0 0 uops 0 1
ex.pop ld
gemmu 1 1 1 uops 0 1
max 0 0 0 imm 0 uops 0 1
ex.push st
st.pop ex
store acc 0 to relu 0 row 64
max 1 0 0 imm 0 uops 0 1
ex.push st
st.pop ex
store acc 64 to relu 64 row 64
`
	if got := p.String(); got != want {
		t.Errorf("got\n%s", got)
	}
}
