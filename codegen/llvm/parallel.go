package llvm

import (
	"fmt"
	"maps"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// parallel outlines the body of a loop into a function of a range of
// iterations, and has the thread pool call it:
//
//	parallel i in n: BODY
//	=>
//	store what BODY uses to a context on the stack
//	call @wmtune_parallel_for(ptr @kernel.par.1, ptr context, i64 n)
//
//	kernel.par.1(context, lo, hi): load the context, call kernel.body.1
//	kernel.body.1(noalias buffers..., variables..., lo, hi): for i in lo..hi: BODY
//
// The second function exists so that its arguments can be noalias. Loops
// inside a parallel loop are not made parallel again.
func (f *function) parallel(s *tir.For, extent arith.Linear) {
	f.settleStraight()
	f.m.par++
	id := f.m.par
	body := newFunction(f.m, f, fmt.Sprintf("kernel.body.%d", id))
	body.product = f.product
	maps.Copy(f.m.ahead, f.m.fetches(s))
	lo, hi := body.fresh("lo"), body.fresh("hi")
	in, _ := f.bounds(extent)
	body.rangeLoop(s.Var, lo, hi, in.Hi-1, func() { body.stmt(s.Body) })
	body.params = append(body.params, param{decl: "i64 " + lo}, param{decl: "i64 " + hi})
	captured := body.params[:len(body.params)-2]
	body.finish("internal ")
	f.m.scratch.Body = max(f.m.scratch.Body, body.heap)

	entry := newFunction(f.m, nil, fmt.Sprintf("kernel.par.%d", id))
	entry.params = []param{{decl: "ptr %context"}, {decl: "i64 %lo"}, {decl: "i64 %hi"}}
	args := f.m.rt()
	context := f.fresh("context")
	f.entry = append(f.entry, fmt.Sprintf("  %s = alloca [%d x i64], align 8", context, max(1, len(captured))))
	for i, p := range captured {
		slot := f.instr(fmt.Sprintf("getelementptr i64, ptr %s, i64 %d", context, i))
		f.line("store %s, ptr %s, align 8", p.arg, slot)
		typ := p.arg[:3]
		place := entry.instr(fmt.Sprintf("getelementptr i64, ptr %%context, i64 %d", i))
		args += fmt.Sprintf("%s %s, ", typ, entry.instr(fmt.Sprintf("load %s, ptr %s, align 8", typ, place)))
	}
	entry.line("call void @%s(%si64 %%lo, i64 %%hi)", body.name, args)
	entry.finish("internal ")
	f.m.need("declare void @wmtune_parallel_for(" + f.m.rtType() + "ptr, ptr, i64) nounwind")
	f.line("call void @wmtune_parallel_for(%sptr @%s, ptr %s, i64 %s)", f.m.rt(), entry.name, context, f.text(extent))
}

// rangeLoop runs body for v in lo..hi-1, all of which are 0..last.
func (f *function) rangeLoop(v *tir.Var, lo, hi string, last int64, body func()) {
	head, end := f.label("loop"), f.label("end")
	some := f.pure(fmt.Sprintf("icmp slt i64 %s, %s", lo, hi))
	from := f.block
	f.line("br i1 %s, label %%%s, label %%%s", some, head, end)
	f.begin(head)
	iv, next := f.fresh(v.Name), f.fresh(v.Name+".next")
	phi := len(f.lines)
	f.lines = append(f.lines, "")
	f.vars[v] = f.loopAtom(iv, last)
	f.straight(body)
	f.line("%s = add nuw nsw i64 %s, 1", next, iv)
	f.line("%s.more = icmp slt i64 %s, %s", next, next, hi)
	f.line("br i1 %s.more, label %%%s, label %%%s", next, head, end)
	f.lines[phi] = fmt.Sprintf("  %s = phi i64 [ %s, %%%s ], [ %s, %%%s ]", iv, lo, from, next, f.block)
	f.begin(end)
}
