package vdla

import (
	"slices"
	"testing"
)

// TestTokensBetweenLoadsAndStores: a load that writes what a store reads waits for it through the executor, and no
// token is pushed twice.
func TestTokensBetweenLoadsAndStores(t *testing.T) {
	p := parsed(t, `input b 128
output y 128
uop 0 0 0
load micro 0 from uops 0 row 4
load acc 0 from b 0 row 64
add 0 0 0 imm 1 uops 0 1
store acc 0 to y 0 row 64
load acc 0 from b 64 row 64
add 0 0 0 imm 1 uops 0 1
store acc 0 to y 64 row 64
`)
	p.order()
	const want = `ld.push ex
ex.pop ld
ex.push ld
ex.push st
st.pop ex
st.push ex
ld.pop ex
ex.pop st
ex.push ld
ld.pop ex
ld.push ex
ex.pop ld
ex.push st
st.pop ex
`
	got := ""
	for i := range p.Instrs {
		if in := &p.Instrs[i]; in.Op == Push || in.Op == Pop {
			got += p.line(in) + "\n"
		}
	}
	if got != want {
		t.Errorf("got\n%s", p)
	}
	data := contentsOf(p, 4)
	if _, err := p.Run(PYNQ, data); err != nil {
		t.Fatal(err)
	}
	for i := range 32 {
		if data[1][4*i] != data[0][4*i]+1 {
			t.Fatalf("element %d is wrong", i)
		}
	}
}

// TestEachTokenCounts: without any one pair of a push and a pop of the program by hand it is refused.
func TestEachTokenCounts(t *testing.T) {
	whole := parsed(t, byHand)
	for i, in := range whole.Instrs {
		if in.Op != Push {
			continue
		}
		p := parsed(t, byHand)
		pop := slices.IndexFunc(p.Instrs, func(o Instr) bool { return o.Op == Pop && o.Unit == in.Other && o.Other == in.Unit })
		p.Instrs = slices.Delete(p.Instrs, pop, pop+1)
		p.Instrs = slices.Delete(p.Instrs, i, i+1)
		if _, err := p.Run(PYNQ, contentsOf(p, 1)); err == nil {
			t.Errorf("without instruction %d it is not refused", i)
		}
	}
}
