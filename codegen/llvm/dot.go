package llvm

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// A group is the steps of a sum that an instruction makes at once for a lane. In registers it is an integer:
//
//	vectorize j in 16:
//	  tensorize k in 4 by vpdpbusd.512:      a = load i32, ptr A[i, 4*k0]       and the same for all lanes
//	    C[i, j] += A[i, 4*k0 + k]*W[k0, j, k]  =>  w = load <16 x i32>, ptr W[k0, 0, 0]
//	                                         c = call @llvm.x86.avx512.vpdpbusd.512(c, a, w)

// dotWriters are the instructions, by name. A writer adds the products of groups, of A and B of the table, to sums.
var dotWriters = map[string]func(f *function, sums, a, b value) string{
	"vpdpbusd.512":  (*function).vpdpbusd,
	"vpdpbusd.256":  (*function).vpdpbusd,
	"vpmaddwd.512":  (*function).vpmaddwd,
	"vpmaddwd.256":  (*function).vpmaddwd,
	"vdpbf16ps.512": (*function).vdpbf16ps,

	"vpmaddwd.512.words": (*function).vpmaddwdWords,
	"vpmaddwd.256.words": (*function).vpmaddwdWords,

	"usdot": neon("usdot.v4i32.v16i8", "<16 x i8>"),
	"sdot":  neon("sdot.v4i32.v16i8", "<16 x i8>"),
	"udot":  neon("udot.v4i32.v16i8", "<16 x i8>"),
	"bfdot": neon("bfdot.v4f32.v8bf16", "<8 x bfloat>"),
}

// neon returns the writer of an instruction of NEON, of four lanes, whose operands are of a type of LLVM's.
func neon(name, operand string) func(f *function, sums, a, b value) string {
	return func(f *function, sums, a, b value) string {
		cast := func(v value) string { return f.pure(fmt.Sprintf("bitcast <4 x i32> %s to %s", v.ref, operand)) }
		return f.dotCall("@llvm.aarch64.neon."+name, f.typeOf(sums), sums.ref, operand, cast(a), cast(b))
	}
}

func (f *function) vpdpbusd(sums, a, b value) string {
	return f.dotCall(fmt.Sprintf("@llvm.x86.avx512.vpdpbusd.%d", 32*sums.n), f.typeOf(sums), sums.ref, f.typeOf(sums),
		a.ref, b.ref)
}

func (f *function) vpmaddwd(sums, a, b value) string {
	return f.maddwd(sums, f.words("zext", a), f.words("sext", b))
}

// vpmaddwdWords is vpmaddwd of what is in words already, by bytes.
func (f *function) vpmaddwdWords(sums, a, b value) string {
	return f.maddwd(sums, f.pure(fmt.Sprintf("bitcast %s %s to %s", vectorType("i32", a.n), a.ref,
		vectorType("i16", 2*a.n))), f.words("sext", b))
}

// words widens pairs of bytes.
func (f *function) words(opcode string, v value) string {
	bytes := vectorType("i8", 2*v.n)
	narrow := f.pure(fmt.Sprintf("bitcast %s %s to %s", vectorType("i16", v.n), v.ref, bytes))
	return f.pure(fmt.Sprintf("%s %s %s to %s", opcode, bytes, narrow, vectorType("i16", 2*v.n)))
}

func (f *function) maddwd(sums value, a, b string) string {
	name := map[int64]string{4: "sse2.pmadd.wd", 8: "avx2.pmadd.wd", 16: "avx512.pmaddw.d.512"}[sums.n]
	products := f.dotCall("@llvm.x86."+name, f.typeOf(sums), "", vectorType("i16", 2*sums.n), a, b)
	return f.pure(fmt.Sprintf("add %s %s, %s", f.typeOf(sums), sums.ref, products))
}

func (f *function) vdpbf16ps(sums, a, b value) string {
	pairs := vectorType("bfloat", 2*sums.n)
	cast := func(v value) string {
		return f.pure(fmt.Sprintf("bitcast %s %s to %s", vectorType("i32", v.n), v.ref, pairs))
	}
	return f.dotCall(fmt.Sprintf("@llvm.x86.avx512bf16.dpbf16ps.%d", 32*sums.n), f.typeOf(sums), sums.ref, pairs, cast(a),
		cast(b))
}

// dotCall calls an instruction, on sums, unless it makes new ones, and two operands of a type.
func (f *function) dotCall(name, result, sums, operand, a, b string) string {
	types, args := operand+", "+operand, fmt.Sprintf("%s %s, %s %s", operand, a, operand, b)
	if sums != "" {
		types, args = result+", "+types, fmt.Sprintf("%s %s, %s", result, sums, args)
	}
	f.m.need(fmt.Sprintf("declare %s %s(%s)", result, name, types))
	return f.pure(fmt.Sprintf("call %s %s(%s)", result, name, args))
}

// tensorized writes a loop of steps that an instruction makes at once, as a loop where it cannot: outside of a vector,
// under masks, and in too few lanes.
func (f *function) tensorized(s *tir.For, extent int64) {
	if sums, ok := f.dot(s, extent); ok {
		f.assign(tir.Accumulated(s, false), sums)
		return
	}
	f.unrolled(s, extent, extent)
}

// dot returns the sums after so many steps, if the instruction can make them.
func (f *function) dot(s *tir.For, steps int64) (value, bool) {
	row, st := s.Instruction, tir.Accumulated(s, false)
	if row == nil || st == nil || f.lane == nil || len(f.guards) > 0 || f.lane.n < 4 || f.lane.n > row.Cols {
		return value{}, false
	}
	f.vars[s.Var] = arith.Constant(0)
	x, y, _ := tir.Factors(st.Value.(*tir.Binary).Y)
	if x.Type() != row.A {
		x, y = y, x
	}
	a, sharedA, okA := f.groups(x, row.Depth, steps)
	b, sharedB, okB := f.groups(y, row.Depth, steps)
	if !okA || !okB || steps < row.Depth && !sharedA && !sharedB {
		return value{}, false
	}
	sums := f.spread(f.load(&tir.Load{Buffer: st.Buffer, Index: st.Index}), f.lane.n)
	return f.result(sums, dotWriters[row.Name](f, sums, a, b)), true
}

// groups returns the group of each lane. One that all lanes share has zeros behind the steps that count; the other has
// anything there. It reports false if some may be outside of the buffer.
func (f *function) groups(e tir.Factor, depth, steps int64) (v value, shared, ok bool) {
	if e.Mask != 0 {
		return f.spread(f.expr(e.Fields()), f.lane.n), false, true
	}
	b := e.Buffer
	off := f.place(b, e.Index).off
	in, ok := f.bounds(off)
	if !ok {
		return value{}, false, false
	}
	each := fmt.Sprintf("i%d", depth*int64(b.Type.Bits()))
	v = value{typ: tir.I32, n: f.lane.n}
	lanes, u := f.split(off)
	if len(lanes.Terms) == 0 {
		padding := intValue(tir.Bool, 0)
		if e.Cond != nil {
			padding = f.not(f.expr(e.Cond))
		}
		v.ref = f.splatRef(each, f.shared(e, off, padding, each, steps), false)
		return v, true, true
	}
	typ, mask := vectorType(each, v.n), vectorType("i1", v.n)
	at, align := f.address(b, u), alignmentAt(b, u)
	if f.dotsFrom > 0 && f.lane.base.IsConst() && f.lane.base.Const >= f.dotsFrom {
		at = f.anew(at)
	}
	switch {
	case in.Hi+depth > b.Extent():
		return v, false, false
	case in.Hi+(f.lane.n-f.lane.valid+1)*depth <= b.Extent():
		v.ref = f.read(b, fmt.Sprintf("load %s, ptr %s, align %d", typ, at, align))
	default:
		name := "@llvm.masked.load." + mangle(each, v.n) + ".p0"
		f.m.need(fmt.Sprintf("declare %s %s(ptr, i32 immarg, %s, %s)", typ, name, mask, typ))
		v.ref = f.read(b, fmt.Sprintf("call %s %s(ptr %s, i32 %d, %s %s, %s zeroinitializer)", typ, name, at, align, mask,
			f.lane.counting().ref, typ))
	}
	return v, false, true
}

// shared returns the integer of the first steps from an offset on, or where there is padding of that. Where an image is
// padded, steps along its last dimension begin at a pointer that is chosen before them.
func (f *function) shared(e tir.Factor, off arith.Linear, padding value, typ string, steps int64) string {
	each := int64(e.Buffer.Type.Bits())
	sum := ""
	along := f.index(e.Index[len(e.Index)-1])
	in, known := f.bounds(along)
	choose := padding.ref != "false"
	if !choose || !known || in.Lo < 0 || in.Hi+steps > mostPadding {
		along, in = arith.Constant(0), arith.Point(0)
	}
	for at := int64(0); at < steps; { // in pieces of powers of two
		n := steps - at
		for n&(n-1) != 0 {
			n &= n - 1
		}
		place := off.AddConst(at)
		from := ""
		if choose {
			start := f.address(e.Buffer, off.Minus(along))
			start = f.pure(fmt.Sprintf("select i1 %s, ptr %s, ptr %s", padding.ref, f.m.padding(e, in.Hi+steps), start))
			from = f.after(start, e.Buffer, along.AddConst(at))
		} else {
			from = f.address(e.Buffer, place)
		}
		piece := fmt.Sprintf("i%d", n*each)
		part := f.read(e.Buffer, fmt.Sprintf("load %s, ptr %s, align %d", piece, from, alignmentAt(e.Buffer, place)))
		if piece != typ {
			part = f.pure(fmt.Sprintf("zext %s %s to %s", piece, part, typ))
		}
		if at > 0 {
			part = f.pure(fmt.Sprintf("shl %s %s, %d", typ, part, at*each))
			part = f.pure(fmt.Sprintf("or %s %s, %s", typ, sum, part))
		}
		sum, at = part, at+n
	}
	return sum
}

// mostPadding is how many elements of padding a kernel has at most.
const mostPadding = 1 << 14

// padding returns where there are so many elements of the constant that pads a buffer.
func (m *module) padding(e tir.Factor, n int64) string {
	t, v := memoryType(e.Buffer.Type), int64(0) // of floats only 0
	if i, ok := e.Else.(*tir.IntImm); ok {
		v = e.Buffer.Type.Wrap(i.Value)
	}
	name := fmt.Sprintf("@wmtune.padding.%s.%d.%d", t, v, n)
	list := "[" + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%s %d, ", t, v), int(n)), ", ") + "]"
	if v == 0 {
		list = "zeroinitializer"
	}
	m.need(fmt.Sprintf("%s = private unnamed_addr constant [%d x %s] %s, align 64", name, n, t, list))
	return name
}
