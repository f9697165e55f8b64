package model

import (
	"fmt"
	"strings"
)

// A description is what the run-time knows of a program beside its steps.
type description struct {
	scratch  int64 // bytes for each thread
	parallel bool
	flush    bool // new contexts flush denormals
	features uint64
	embedded bool // the weights are in the object, called wmtune_data
}

// programData writes the constant wmtune_program, a struct program of runtime.c.
func programData(l *layout, d description) string {
	var b strings.Builder
	p := l.p
	inputs := make([]region, len(p.Inputs))
	for i, port := range p.Inputs {
		inputs[i] = region{port.Bytes(), tensorAlign}
	}
	arena, outputs := p.Arena, l.outputs
	if len(l.plans) > 0 { // runtime/plans.c knows them, and the struct call is one more input
		arena = alignedBytes(p.Arena) + l.staging()
		inputs, outputs = make([]region, len(inputs)+1), make([]region, len(outputs))
		b.WriteString(l.planData())
		if p.State != nil {
			b.WriteString(l.stateData())
		}
	}
	b.WriteString(regions("inputs", inputs) + regions("outputs", outputs))
	var messages []string
	for i, text := range l.checks {
		name := fmt.Sprintf("@%smessage_%d", placeholder, i+1)
		fmt.Fprintf(&b, "%s = internal constant [%d x i8] c\"%s\"\n", name, len(text)+1, quoted(text+"\x00"))
		messages = append(messages, "ptr "+name)
	}
	fmt.Fprintf(&b, "@%smessages = internal constant [%d x ptr] [%s]\n", placeholder, len(messages),
		strings.Join(messages, ", "))
	embedded := "null"
	if d.embedded {
		embedded = "@" + placeholder + "data"
		fmt.Fprintf(&b, "%s = external hidden constant [0 x i8], align %d\n", embedded, tensorAlign)
	}
	fields := []string{
		fmt.Sprintf("i64 %d", arena), fmt.Sprintf("i64 %d", p.Weights), fmt.Sprintf("i64 %d", d.scratch),
		fmt.Sprintf("i64 %d", int64(d.features)), "ptr " + embedded,
		"ptr @" + placeholder + "inputs", "ptr @" + placeholder + "outputs", "ptr @" + placeholder + "messages",
		fmt.Sprintf("i32 %d", bit(d.parallel)), fmt.Sprintf("i32 %d", bit(d.flush)),
		fmt.Sprintf("i32 %d", len(inputs)), fmt.Sprintf("i32 %d", len(outputs)),
		fmt.Sprintf("i32 %d", l.calls), fmt.Sprintf("i32 %d", len(messages)),
		fmt.Sprintf("[32 x i8] c\"%s\"", quoted(string(p.WeightsHash[:]))),
	}
	types := make([]string, len(fields))
	for i, f := range fields {
		types[i], _, _ = strings.Cut(f, " ")
		if f[0] == '[' {
			types[i] = "[32 x i8]"
		}
	}
	fmt.Fprintf(&b, "@%sprogram = hidden constant { %s } { %s }, align 8\n", placeholder, strings.Join(types, ", "),
		strings.Join(fields, ", "))
	return b.String()
}

// levelData writes the constant wmtune_levels, structs level of runtime/levels.c, and how many there are.
func levelData(levels []variant) string {
	var b strings.Builder
	list := make([]string, len(levels))
	for i, v := range levels {
		name := fmt.Sprintf("@%slevel_%d", placeholder, i)
		fmt.Fprintf(&b, "%s = internal constant [%d x i8] c\"%s\"\n", name, len(v.name)+1, quoted(v.name+"\x00"))
		list[i] = fmt.Sprintf("{ i64, ptr } { i64 %d, ptr %s }", int64(featureBits(v.target)), name)
	}
	fmt.Fprintf(&b, "@%slevels = hidden constant [%d x { i64, ptr }] [%s], align 8\n"+
		"@%[1]sn_levels = hidden constant i32 %[2]d\n@%[1]schosen = external hidden global i32\n",
		placeholder, len(list), strings.Join(list, ", "))
	return b.String()
}

// levelSwitch goes on with the level that runtime/levels.c has chosen, if it is not the first.
func levelSwitch(levels int) string {
	text := fmt.Sprintf("  %%k = load i32, ptr @%schosen, align 4\n  switch i32 %%k, label %%level0 [", placeholder)
	for k := 1; k < levels; k++ {
		text += fmt.Sprintf(" i32 %d, label %%level%d", k+1, k)
	}
	return text + " ]\nlevel0:\n"
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// regions writes a constant array of struct region.
func regions(name string, list []region) string {
	text := make([]string, len(list))
	for i, r := range list {
		text[i] = fmt.Sprintf("{ i64, i64 } { i64 %d, i64 %d }", r.bytes, r.align)
	}
	return fmt.Sprintf("@%s%s = internal constant [%d x { i64, i64 }] [%s]\n", placeholder, name, len(list),
		strings.Join(text, ", "))
}

// quoted writes bytes as LLVM IR has them between quotes.
func quoted(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
