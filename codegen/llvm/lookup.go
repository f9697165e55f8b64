package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

// permuted is how many bytes an instruction of AVX-512's VBMI takes from two vectors, by a byte each.
const permuted = 64

// lookup reads a table of bytes, one for each byte, at the bytes that the lanes have; ok is false if e is no such load:
//
//	table[int64(x[i])]   =>   below = vpermi2b(table[0..63], x, table[64..127]), above = the same of table[128..255]
//	                          x < 128 ? below : above
//
// Without VBMI, or vectors of so many bytes, each lane reads its byte.
func (f *function) lookup(e *tir.Load) (v value, ok bool) {
	x := tir.TablePlace(e)
	if x == nil {
		return value{}, false
	}
	at, table := f.expr(x), f.storageOf(e.Buffer).ref
	if f.m.target.Hardware.VectorBytes < permuted || !f.m.target.Has("avx512vbmi") {
		list := make([]value, f.lane.valid)
		for l := range list {
			place := f.pure(fmt.Sprintf("zext i8 %s to i64", f.laneOf(at, int64(l)).ref))
			p := f.pure(fmt.Sprintf("getelementptr i8, ptr %s, i64 %s", table, place))
			list[l] = value{typ: e.Buffer.Type, n: 1, ref: f.read(e.Buffer, "load i8, ptr "+p)}
		}
		return f.collect(list), true
	}
	typ := vectorType("i8", permuted)
	quarters := make([]string, 4)
	for i := range quarters {
		p := f.pure(fmt.Sprintf("getelementptr i8, ptr %s, i64 %d", table, i*permuted))
		quarters[i] = f.read(e.Buffer, fmt.Sprintf("load %s, ptr %s, align %d", typ, p, alignment))
	}
	name := "@llvm.x86.avx512.vpermi2var.qi.512"
	f.m.need(fmt.Sprintf("declare %s %s(%s, %s, %s)", typ, name, typ, typ, typ))
	permute := func(a, bytes, b string) string {
		return f.pure(fmt.Sprintf("call %s %s(%s %s, %s %s, %s %s)", typ, name, typ, a, typ, bytes, typ, b))
	}
	var parts []string
	for base := int64(0); base < at.n; base += permuted {
		order := make([]int64, permuted)
		for i := range order {
			order[i] = min(base+int64(i), at.n) // behind the last lane is anything
		}
		bytes := f.shuffle(f.typeOf(at), at.ref, "poison", order)
		below := f.pure(fmt.Sprintf("icmp sge %s %s, zeroinitializer", typ, bytes))
		parts = append(parts, f.choose(below, permuted, typ, permute(quarters[0], bytes, quarters[1]),
			permute(quarters[2], bytes, quarters[3])))
	}
	order := make([]int64, at.n)
	for i := range order {
		order[i] = int64(i)
	}
	n := permuted * int64(len(parts))
	ref := f.shuffle(vectorType("i8", n), f.concat("i8", permuted, parts), "poison", order)
	return value{typ: e.Buffer.Type, ref: ref, n: at.n}, true
}
