package vdla

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

// byHand multiplies 4 rows of x by a block of w: what is in the comment of String, and the weights.
const byHand = `input x 64
input w 256
output y 256
uop 0 0 0
load micro 0 from uops 0 row 4
load inp 0 from x 0 row 64
load wgt 0 from w 0 row 16 of 16:16:16
ld.push ex
ex.pop ld
set 0 0 0 imm 0 uops 0 1 of 4:1:0:0
gemm 0 0 0 uops 0 1 of 4:1:1:0
ex.push st
st.pop ex
store acc 0 to y 0 row 64 of 4:64:64
`

func parsed(t *testing.T, text string) *Program {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// contentsOf returns random contents of a program's tensors.
func contentsOf(p *Program, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 0))
	var list [][]byte
	for _, t := range p.Tensors {
		data := make([]byte, t.Bytes)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		list = append(list, data)
	}
	return list
}

// TestByHand: the product is right, its text reads back, and the cycles are those that one counts by hand: three loads
// with 64 cycles each before their 4, 64 and 256 bytes, 4 cycles for zeros, 4 for products, and a store of 256 bytes.
func TestByHand(t *testing.T) {
	p := parsed(t, byHand)
	if got := p.String(); got != byHand {
		t.Errorf("got\n%s", got)
	}
	data := contentsOf(p, 1)
	stats, err := p.Run(PYNQ, data)
	if err != nil {
		t.Fatal(err)
	}
	for m := range 4 {
		for n := range 16 {
			want := int32(0)
			for k := range 16 {
				want += int32(int8(data[0][m*16+k])) * int32(int8(data[1][k*16+n]))
			}
			if got := int32(binary.LittleEndian.Uint32(data[2][(m*16+n)*4:])); got != want {
				t.Fatalf("y[%d, %d] is %d, not %d", m, n, got, want)
			}
		}
	}
	want := Stats{Cycles: (64 + 1) + (64 + 8) + (64 + 32) + 4 + 4 + (64 + 32),
		Busy: [3]int64{64 + 1 + 64 + 8 + 64 + 32, 8, 64 + 32}, Products: 4, Moved: 4 + 64 + 256 + 256}
	if stats != want {
		t.Errorf("got %+v, want %+v", stats, want)
	}
}

// TestVectors: vector operations and a store of the lowest bytes.
func TestVectors(t *testing.T) {
	p := parsed(t, `input b 128
output y 16
uop 0 1 0
load micro 0 from uops 0 row 4
load acc 0 from b 0 row 128
ld.push ex
ex.pop ld
add 0 0 0 uops 0 1
shr 0 0 0 imm 24 uops 0 1
min 0 0 0 imm 50 uops 0 1
max 0 0 0 imm -20 uops 0 1
ex.push st
st.pop ex
store8 acc 0 to y 0 row 64
`)
	data := contentsOf(p, 2)
	if _, err := p.Run(PYNQ, data); err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		at := func(i int) int32 { return int32(binary.LittleEndian.Uint32(data[0][4*i:])) }
		if want := max(min((at(i)+at(16+i))>>24, 50), -20); int32(int8(data[1][i])) != want {
			t.Errorf("y[%d] is %d, not %d", i, int8(data[1][i]), want)
		}
	}
}

// TestRefusals: each change of the program by hand is refused, whatever the times are.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ what, old, new, want string }{
		{"read before a token", "ex.pop ld\nset 0 0 0 imm 0 uops 0 1 of 4:1:0:0\n",
			"set 0 0 0 imm 0 uops 0 1 of 4:1:0:0\nex.pop ld\n", "uops 0 1 of 4:1:0:0: "},
		{"no token", "ld.push ex\nex.pop ld\n", "", "uops 0 1"},
		{"store without a token", "ex.push st\nst.pop ex\n", "", "store acc 0"},
		{"write without a token", "ex.push st\n", "load inp 0 from x 0 row 16\nex.push st\n",
			"no token orders it behind the instruction of"},
		{"deadlock", "ld.push ex\n", "ld.pop ex\nld.push ex\n",
			"deadlock: no token comes for instructions 3 (ld.pop ex), 5 (ex.pop ld), 9 (st.pop ex)"},
		{"left", "ex.push st\n", "ex.push st\nex.push st\n", "1 tokens from ex to st are left"},
		{"no queue", "st.pop ex\n", "st.pop ex\nst.push ld\n", "there is no queue of tokens between st and ld"},
		{"overrun of inp", "load inp 0", "load inp 32720", "overrun: bytes 32720 to 32784 of memory inp, which has 32768"},
		{"overrun of wgt", "load wgt 0", "load wgt 32768", "overrun: bytes 32768 to 33024 of memory wgt"},
		{"overrun of acc", "set 0 0 0", "set 2045 0 0", "overrun: number 2048 of memory acc, which has 2048"},
		{"overrun of the stores", "store acc 0", "store acc 131008", "overrun: bytes 131008 to 131264 of memory acc"},
		{"overrun of micro", "load micro 0", "load micro 32768", "overrun: bytes 32768 to 32772 of memory micro"},
		{"before", "gemm 0 0 0", "gemm 0 -1 0", "overrun: number -1 of memory inp"},
		{"not loaded", "gemm 0 0 0", "gemm 0 2 0", "it reads number 4 of memory inp, which nothing wrote"},
		{"half a block", "of 16:16:16", "of 15:16:16", "it reads number 0 of memory wgt, which nothing wrote"},
		{"no sums", "gemm 0 0 0", "gemm 1 0 0", "it reads number 4 of memory acc, which nothing wrote"},
		{"no micro-operation", "uops 0 1 of 4:1:1:0", "uops 1 1 of 4:1:1:0", "number 1 of memory micro, which nothing wrote"},
		{"beyond the microcode", "uops 0 1 of 4:1:1:0", "uops 0 9000", "overrun: micro-operations 0 to 9000"},
		{"outside of a tensor", "from x 0 row 64", "from x 16 row 64", "bytes 16 to 80 of x, which has 64"},
		{"outside of an output", "to y 0", "to y -4", "bytes -4 to 252 of y"},
		{"input stored", "to y 0", "to w 0", "inputs are loaded, outputs are stored"},
		{"part of a vector", "row 64\nload wgt", "row 60\nload wgt", "whole vectors of 16 bytes"},
		{"part of a step", "of 16:16:16", "of 16:8:16", "whole vectors of 16 bytes"},
		{"stored operands", "store acc", "store inp", "store cannot be of memory inp"},
		{"loops", "of 4:1:1:0", "of 1:0:0:0 1:0:0:0 4:1:1:0", "3 loops, and there are 2"},
		{"loops of rows", "of 16:16:16", "of 1:0:0 1:0:0 1:0:0 1:0:0 16:16:16", "5 loops, and there are 4"},
		{"no iteration", "of 4:1:1:0", "of 0:1:1:0", "a loop without iterations"},
	} {
		text := strings.Replace(byHand, c.old, c.new, 1)
		if text == byHand {
			t.Fatalf("%s: the change changes nothing", c.what)
		}
		for _, timing := range []Timing{PYNQ, {Latency: 1, BytesPerCycle: 4096}, {Latency: 0, BytesPerCycle: 1}} {
			p := parsed(t, text)
			_, err := p.Run(timing, contentsOf(p, 3))
			if _, ok := err.(*Refusal); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %+v: got %v, want %q", c.what, timing, err, c.want)
			}
		}
	}
}

// TestTransfersShareTheMemory: a load and a store at once take as long as one after the other, but for their latency.
func TestTransfersShareTheMemory(t *testing.T) {
	p := parsed(t, strings.Replace(byHand, "ex.push st\n",
		"ex.push st\nload inp 64 from x 0 row 64\nload inp 128 from x 0 row 64\n", 1))
	alone, err := parsed(t, byHand).Run(PYNQ, contentsOf(p, 1))
	if err != nil {
		t.Fatal(err)
	}
	both, err := p.Run(PYNQ, contentsOf(p, 1))
	if err != nil {
		t.Fatal(err)
	}
	if both.Cycles < alone.Cycles || both.Moved != alone.Moved+128 {
		t.Errorf("%+v, alone %+v", both, alone)
	}
	wide, err := p.Run(Timing{Latency: 64, BytesPerCycle: 1 << 20}, contentsOf(p, 1))
	if err != nil || wide.Cycles >= both.Cycles {
		t.Errorf("%+v, %v", wide, err)
	}
}

// TestParseRefuses: an error names the line and what it wants.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `line 1, "": want another word`},
		{"input x", "want another word"},
		{"input x 1\njump 3", `line 2, "jump 3": want one of load, zero`},
		{"ld.jump ex", "want one of load, zero"},
		{"ld.load ex", `want push or pop, not "load"`},
		{"push ex", `want a unit before it, not "push"`},
		{"xy.push ex", "want one of ld, ex, st"},
		{"load inp 0 from x 0 row 16", `want a tensor, not "x"`},
		{"load dram 0 from x 0 row 16", `want inp, not "dram"`},
		{"zero inp 0 row 16 of 3:16", "want 3 numbers"},
		{"zero inp 0 row 16 16", `want of, not "16"`},
		{"gemm 0 0 0 uops 0 x", `want a number of at most 1073741824, not "x"`},
		{"gemm 0 0 0 uops 0 99999999999", "want a number of at most"},
		{"uop 0 0 0 0", `want nothing more, not "0"`},
	} {
		if _, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
}
