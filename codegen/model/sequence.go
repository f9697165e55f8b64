package model

import (
	"fmt"
	"strings"
)

// maxPart bounds the steps in one function, so that the time to compile a program grows
// linearly with it.
const maxPart = 200

// A sequence is the text of a program's steps while it is written. Every function of it
// has the parameters of partParams, and returns 0 or the code of a check.
type sequence struct {
	l       *layout
	numbers []int // of kernels, in the library
	bodies  strings.Builder
	parts   int
	calls   int // emitted so far
	checks  int
}

const (
	partParams = "ptr %rt, ptr %arena, ptr %weights, ptr %in, ptr %out, ptr %ns"
	partAttrs  = " nounwind"
)

// emitSequence writes the steps as LLVM IR, the first function of which is wmtune_sequence, or one for each plan.
func emitSequence(levels []variant, d description) string {
	s := &sequence{}
	var names, kernels []string
	var firsts [][]string
	for _, v := range levels {
		s.l, s.numbers, s.calls, s.checks = v.layout, v.numbers, 0, 0
		var first []string
		names, first = s.entries()
		firsts = append(firsts, first)
		for i, fn := range v.p.Kernels {
			if v.numbers[i] == len(kernels) {
				kernels = append(kernels, strings.Repeat(", ptr", len(fn.Params)))
			}
		}
	}
	var b strings.Builder
	b.WriteString("; the steps of a program, see codegen/model\n\n")
	for i, params := range kernels {
		fmt.Fprintf(&b, "declare hidden void @%skernel_%d(ptr%s)\n", placeholder, i, params)
	}
	for _, function := range []string{"limit(ptr, i64)", "mark(ptr, i64)", "copy(ptr, ptr, ptr, i64)"} {
		fmt.Fprintf(&b, "declare hidden void @%s%s\n", placeholder, function)
	}
	b.WriteString(programData(levels[0].layout, d))
	b.WriteString(s.bodies.String())
	if len(levels) > 1 {
		b.WriteString(levelData(levels))
	}
	for i, name := range names {
		fmt.Fprintf(&b, "\ndefine hidden i32 @%s%s(%s)%s {\n", placeholder, name, partParams, partAttrs)
		if len(levels) > 1 {
			b.WriteString(levelSwitch(len(levels)))
		}
		for k, first := range firsts {
			if k > 0 {
				fmt.Fprintf(&b, "level%d:\n", k)
			}
			fmt.Fprintf(&b, "  %%r%s = call i32 @%s(%s)\n  ret i32 %%r%[1]s\n", numberAfter(k), first[i], partParams)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// numberAfter distinguishes names of several levels.
func numberAfter(level int) string {
	if level == 0 {
		return ""
	}
	return fmt.Sprint(level)
}

// entries writes the steps of a level, and returns the functions that begin them and what they are called: sequence, or
// plan_0 and so on, of which that of runtime/plans.c chooses one.
func (s *sequence) entries() (names, firsts []string) {
	if len(s.l.plans) == 0 {
		return []string{"sequence"}, []string{s.part(s.l.p.Steps)}
	}
	whole := s.l
	for i, l := range whole.plans {
		s.l = l
		names, firsts = append(names, fmt.Sprintf("plan_%d", i)), append(firsts, s.part(l.p.Steps))
	}
	s.l = whole
	return names, firsts
}

// part writes a function that runs steps, and returns its name. It calls more functions
// where the steps are many.
func (s *sequence) part(steps []Step) string {
	f := &part{s: s, limit: unknown}
	if len(steps) <= maxPart {
		for _, t := range steps {
			f.step(t)
		}
		return f.finish()
	}
	for at := 0; at < len(steps); at += maxPart {
		f.run(s.part(steps[at:min(at+maxPart, len(steps))]))
	}
	return f.finish()
}

// A part is one function while it is written.
type part struct {
	s     *sequence
	head  strings.Builder // what is loaded at the start
	lines strings.Builder
	ports map[Place]string // addresses of inputs and outputs in head
	next  int              // number of the next value or label

	// What is known at this point: how many threads may share a loop, and whether the
	// time of the last mark is that of the end of the step before.
	limit  int
	marked bool
}

const unknown = -1

func (f *part) line(format string, args ...any) { fmt.Fprintf(&f.lines, "  "+format+"\n", args...) }

func (f *part) fresh(hint string) string {
	f.next++
	return fmt.Sprintf("%s%d", hint, f.next)
}

func (f *part) label(name string) { fmt.Fprintf(&f.lines, "%s:\n", name) }

// finish writes the function and returns its name.
func (f *part) finish() string {
	f.s.parts++
	name := fmt.Sprintf("%spart_%d", placeholder, f.s.parts)
	fmt.Fprintf(&f.s.bodies, "\ndefine internal i32 @%s(%s)%s {\nentry:\n%s%s  ret i32 0\n}\n",
		name, partParams, partAttrs, f.head.String(), f.lines.String())
	return name
}

func (f *part) step(t Step) {
	switch t := t.(type) {
	case Call:
		f.call(t)
	case If:
		f.branch(t)
	case Loop:
		f.loop(t)
	case Check:
		f.check(t)
	case Copy:
		f.threads(0)
		f.line("call void @%scopy(ptr %%rt, ptr %s, ptr %s, i64 %d)", placeholder, f.address(t.To), f.address(t.From),
			t.Bytes)
		f.marked = false
	}
}

// address returns a pointer to a place.
func (f *part) address(p Place) string {
	base := "%arena"
	switch p.Space {
	case Weights:
		base = "%weights"
	case Input, Output, OutputShape:
		base = f.port(p)
	}
	if p.Offset == 0 {
		return base
	}
	v := f.fresh("%p")
	f.line("%s = getelementptr i8, ptr %s, i64 %d", v, base, p.Offset)
	return v
}

// port returns the address of an input or an output, which is loaded once a function.
func (f *part) port(p Place) string {
	p.Offset = 0
	if v, ok := f.ports[p]; ok {
		return v
	}
	table, index := "%out", 0
	switch p.Space {
	case Input:
		table, index = "%in", p.Index
	case Output:
		index = f.s.l.first[p.Index]
	case OutputShape:
		index = f.s.l.first[p.Index] + 1
	}
	slot, v := f.fresh("%s"), f.fresh("%port")
	fmt.Fprintf(&f.head, "  %s = getelementptr ptr, ptr %s, i64 %d\n", slot, table, index)
	fmt.Fprintf(&f.head, "  %s = load ptr, ptr %s, align 8\n", v, slot)
	if f.ports == nil {
		f.ports = map[Place]string{}
	}
	f.ports[p] = v
	return v
}

// threads says how many threads may share the loops that follow.
func (f *part) threads(n int) {
	if f.limit == n {
		return
	}
	f.line("call void @%slimit(ptr %%rt, i64 %d)", placeholder, n)
	f.limit = n
}

func (f *part) call(c Call) {
	f.threads(c.Threads)
	args := "ptr %rt"
	for _, a := range c.Args {
		args += ", ptr " + f.address(a)
	}
	if !f.marked {
		f.mark(-1 - f.s.calls)
	}
	f.line("call void @%skernel_%d(%s)", placeholder, f.s.numbers[c.Kernel], args)
	f.mark(f.s.calls)
	f.s.calls++
	f.marked = true
}

// mark notes the time, if the run is profiled.
func (f *part) mark(step int) {
	on, yes, end := f.fresh("%on"), f.fresh("mark"), f.fresh("next")
	f.line("%s = icmp ne ptr %%ns, null", on)
	f.line("br i1 %s, label %%%s, label %%%s", on, yes, end)
	f.label(yes)
	f.line("call void @%smark(ptr %%rt, i64 %d)", placeholder, step)
	f.line("br label %%%s", end)
	f.label(end)
}

// run calls a function of steps, and returns if a check failed there.
func (f *part) run(name string) {
	code, bad := f.fresh("%r"), f.fresh("%bad")
	f.line("%s = call i32 @%s(%s)", code, name, partParams)
	f.line("%s = icmp ne i32 %s, 0", bad, code)
	f.leave(bad, code)
	f.limit, f.marked = unknown, false
}

// leave returns code if the condition holds.
func (f *part) leave(cond, code string) {
	out, next := f.fresh("out"), f.fresh("next")
	f.line("br i1 %s, label %%%s, label %%%s", cond, out, next)
	f.label(out)
	f.line("ret i32 %s", code)
	f.label(next)
}

func (f *part) check(c Check) {
	f.s.checks++
	code := fmt.Sprint(f.s.checks)
	v, bad := f.fresh("%e"), f.fresh("%bad")
	f.line("%s = load i32, ptr %s, align 4", v, f.address(c.Error))
	f.line("%s = icmp ne i32 %s, 0", bad, v)
	f.leave(bad, code)
}

// truth loads a bool.
func (f *part) truth(p Place) string {
	v, c := f.fresh("%b"), f.fresh("%c")
	f.line("%s = load i8, ptr %s, align 1", v, f.address(p))
	f.line("%s = icmp ne i8 %s, 0", c, v)
	return c
}

func (f *part) branch(t If) {
	cond := f.truth(t.Cond)
	then, other, end := f.fresh("then"), f.fresh("else"), f.fresh("end")
	f.line("br i1 %s, label %%%s, label %%%s", cond, then, other)
	for i, body := range [][]Step{t.Then, t.Else} {
		f.label([]string{then, other}[i])
		if len(body) > 0 {
			f.run(f.s.part(body))
		}
		f.line("br label %%%s", end)
	}
	f.label(end)
	f.limit, f.marked = unknown, false
}

func (f *part) loop(t Loop) {
	trip := ""
	if t.Trip.Space != None {
		trip = f.fresh("%trip")
		f.line("%s = load i64, ptr %s, align 8", trip, f.address(t.Trip))
	}
	counter := f.fresh("%i")
	fmt.Fprintf(&f.head, "  %s = alloca i64, align 8\n", counter)
	f.line("store i64 0, ptr %s, align 8", counter)
	head, body, end := f.fresh("head"), f.fresh("body"), f.fresh("end")
	f.line("br label %%%s", head)
	f.label(head)
	i := f.fresh("%i")
	f.line("%s = load i64, ptr %s, align 8", i, counter)
	more := "true"
	if trip != "" {
		more = f.fresh("%more")
		f.line("%s = icmp slt i64 %s, %s", more, i, trip)
	}
	if t.Cond.Space != None {
		test := f.fresh("test")
		f.line("br i1 %s, label %%%s, label %%%s", more, test, end)
		f.label(test)
		more = f.truth(t.Cond)
	}
	f.line("br i1 %s, label %%%s, label %%%s", more, body, end)
	f.label(body)
	if t.Counter.Space != None {
		f.line("store i64 %s, ptr %s, align 8", i, f.address(t.Counter))
	}
	if len(t.Body) > 0 {
		f.run(f.s.part(t.Body))
	}
	next := f.fresh("%n")
	f.line("%s = add i64 %s, 1", next, i)
	f.line("store i64 %s, ptr %s, align 8", next, counter)
	f.line("br label %%%s", head)
	f.label(end)
	f.limit, f.marked = unknown, false
}
