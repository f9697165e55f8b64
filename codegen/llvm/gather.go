package llvm

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// gathered reads an element per lane at places that are data, where the guard holds, with a gather of AVX-512:
//
//	x[max(min(k[j], 99), 0)], j = lane   =>   at = max(min(load(k), 99), 0)
//	                                          llvm.masked.gather(x + at)
//
// The places are computed for all lanes at once. They are numbers of 32 bits if bounds say so: an instruction reads
// twice as many elements then. On Zen 5 a gather takes as long as a load for each lane does, without the scalar code
// that computes each place. It is not for places at fixed distances, nor for elements of 1 or 2 bytes.
func (f *function) gathered(e *tir.Load, p place, guard value, other *tir.FloatImm) (value, bool) {
	b := e.Buffer
	if !f.m.hasMasks() || b.Type.Bytes() < 4 || f.storageOf(b).stack || !slices.ContainsFunc(e.Index, tir.Reads) {
		return value{}, false
	}
	v, u := f.split(p.off)
	n, mask := f.lane.n, splatText("i1", "true", f.lane.n)
	if f.lane.partial() {
		mask = f.lane.counting().ref
	}
	if guard.ref != "" {
		all := f.spread(guard, n)
		if f.lane.partial() {
			all = f.both(f.lane.counting(), all)
		}
		mask = all.ref
	}
	rest := "zeroinitializer"
	mem := memoryType(b.Type)
	if other != nil {
		rest = splatText(mem, floatValue(other.Type, other.Value).ref, n)
	}
	places, base := f.text(v), f.address(b, u)
	in, ok := f.bounds(v)
	form, native := gathers32[vectorType(mem, n)]
	if native && ok && in.Within(arith.Of(tir.I32)) {
		places = f.pure(fmt.Sprintf("trunc %s %s to %s", vectorType("i64", n), places, vectorType("i32", n)))
	} else {
		form = ""
	}
	return f.widen(b.Type, f.read(b, f.gather(mem, form, base, places, mask, rest)), n), true
}

// gathers32 has the forms of instructions that gather at places of 32 bits. Of LLVM's own gather, optimization extends
// such places to 64 bits.
var gathers32 = map[string]string{
	"<16 x float>": "mask.gather.dps.512", "<8 x float>": "mask.gather3siv8.sf", "<4 x float>": "mask.gather3siv4.sf",
	"<16 x i32>": "mask.gather.dpi.512", "<8 x i32>": "mask.gather3siv8.si", "<4 x i32>": "mask.gather3siv4.si",
	"<8 x double>": "mask.gather.dpd.512", "<4 x double>": "mask.gather3siv4.df",
	"<8 x i64>": "mask.gather.dpq.512", "<4 x i64>": "mask.gather3siv4.di",
}

// gather returns the text of a call that gathers the lanes of a mask, and takes the rest from a vector.
func (f *function) gather(mem, form, base, places, mask, rest string) string {
	n := f.lane.n
	row, bits := vectorType(mem, n), vectorType("i1", n)
	size := int64(4)
	if mem == "double" || mem == "i64" {
		size = 8
	}
	if form != "" {
		name, at := "@llvm.x86.avx512."+form, vectorType("i32", n)
		f.m.need(fmt.Sprintf("declare %s %s(%s, ptr, %s, %s, i32 immarg)", row, name, row, at, bits))
		return fmt.Sprintf("call %s %s(%s %s, ptr %s, %s %s, %s %s, i32 %d)", row, name, row, rest, base, at, places, bits,
			mask, size)
	}
	at := f.pure(fmt.Sprintf("getelementptr %s, ptr %s, %s %s", mem, base, vectorType("i64", n), places))
	name, pointers := fmt.Sprintf("@llvm.masked.gather.%s.v%dp0", mangle(mem, n), n), vectorType("ptr", n)
	f.m.need(fmt.Sprintf("declare %s %s(%s, i32 immarg, %s, %s)", row, name, pointers, bits, row))
	return fmt.Sprintf("call %s %s(%s %s, i32 %d, %s %s, %s %s)", row, name, pointers, at, size, bits, mask, row, rest)
}
