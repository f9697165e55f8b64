package vdla

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// String returns the program as text, an instruction a line; Parse reads it, and skips lines that begin with #:
//
//	input x 4096
//	output y 16384
//	uop 0 0 0
//	load micro 0 from uops 0 row 4
//	load inp 0 from x 0 row 16 of 4:16:64
//	ld.push ex
//	ex.pop ld
//	gemm 0 0 0 uops 0 1 of 4:1:1:0
//	ex.push st
//	st.pop ex
//	store acc 0 to y 0 row 64 of 4:64:64
//
// Behind "of" there is a loop of each transfer or computation: its extent, and by how much both places, or all three
// numbers, grow.
func (p *Program) String() string {
	var b strings.Builder
	for _, t := range p.Tensors {
		kind := "input"
		if t.Output {
			kind = "output"
		}
		fmt.Fprintf(&b, "%s %s %d\n", kind, t.Name, t.Bytes)
	}
	for _, m := range p.Micro {
		fmt.Fprintf(&b, "uop %d %d %d\n", m[0], m[1], m[2])
	}
	for i := range p.Instrs {
		b.WriteString(p.line(&p.Instrs[i]))
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *Program) line(in *Instr) string {
	var b strings.Builder
	switch in.Op {
	case Push, Pop:
		return fmt.Sprintf("%s.%s %s", in.Unit, in.Op, in.Other)
	case Load, Zero, Store, Store8:
		fmt.Fprintf(&b, "%s %s %d", in.Op, in.Memory, in.At)
		if in.Op != Zero {
			fmt.Fprintf(&b, " %s %s %d", direction(in.Op), p.source(in), in.From)
		}
		fmt.Fprintf(&b, " row %d", in.Row)
		for i, d := range in.Rows {
			fmt.Fprintf(&b, "%s%d:%d:%d", of(i), d.Extent, d.Near, d.Far)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "%s %d %d %d", in.Op, in.Base[0], in.Base[1], in.Base[2])
	if in.IsImm {
		fmt.Fprintf(&b, " imm %d", in.Imm)
	}
	fmt.Fprintf(&b, " uops %d %d", in.First, in.Count)
	for i, l := range in.Loops {
		fmt.Fprintf(&b, "%s%d:%d:%d:%d", of(i), l.Extent, l.By[0], l.By[1], l.By[2])
	}
	return b.String()
}

func direction(o Op) string {
	if o == Load {
		return "from"
	}
	return "to"
}

func of(i int) string {
	if i == 0 {
		return " of "
	}
	return " "
}

// uops names the table of micro-operations as what is loaded.
const uops = "uops"

func (p *Program) source(in *Instr) string {
	if in.Memory == Micro {
		return uops
	}
	return p.Tensors[in.Tensor].Name
}

// Parse reads the text of a program. The error names the line.
func Parse(text string) (*Program, error) {
	p := &Program{}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		r := reader{words: strings.Fields(line)}
		p.parse(&r)
		if r.err == nil && len(r.words) > 0 {
			r.fail("nothing more", r.words[0])
		}
		if r.err != nil {
			return nil, fmt.Errorf("vdla: line %d, %q: %w", n+1, line, r.err)
		}
	}
	return p, nil
}

// parse reads one line.
func (p *Program) parse(r *reader) {
	switch word := r.word(); word {
	case "input", "output":
		p.Tensors = append(p.Tensors, Tensor{Name: r.word(), Bytes: r.num(), Output: word == "output"})
	case "uop":
		p.Micro = append(p.Micro, r.nums())
	default:
		in := Instr{}
		if unit, op, ok := strings.Cut(word, "."); ok {
			in.Unit, in.Op, in.Other = Unit(r.oneOf(unitNames[:], unit)), Op(r.oneOf(opNames[:], op)),
				Unit(r.oneOf(unitNames[:], r.word()))
			if in.Op != Push && in.Op != Pop {
				r.fail("push or pop", op)
			}
		} else if in.Op = Op(r.oneOf(opNames[:], word)); in.Op <= Store8 {
			p.transfer(r, &in)
		} else if in.Op < Push {
			compute(r, &in)
		} else {
			r.fail("a unit before it", word)
		}
		p.Instrs = append(p.Instrs, in)
	}
}

func (p *Program) transfer(r *reader, in *Instr) {
	for m := range memories {
		if len(r.words) > 0 && r.words[0] == memories[m].name {
			in.Memory = Memory(m)
		}
	}
	r.want(in.Memory.String())
	in.At = r.num()
	if in.Op != Zero {
		r.want(direction(in.Op))
		if in.Memory == Micro {
			r.want(uops)
		} else {
			name := r.word()
			in.Tensor = slices.IndexFunc(p.Tensors, func(t Tensor) bool { return t.Name == name })
			if in.Tensor < 0 {
				r.fail("a tensor", name)
			}
		}
		in.From = r.num()
	}
	r.want("row")
	in.Row = r.num()
	for _, n := range r.loops(3) {
		in.Rows = append(in.Rows, Dim{n[0], n[1], n[2]})
	}
}

func compute(r *reader, in *Instr) {
	in.Base = r.nums()
	if len(r.words) > 0 && r.words[0] == "imm" {
		r.word()
		in.Imm, in.IsImm = r.num(), true
	}
	r.want(uops)
	in.First, in.Count = r.num(), r.num()
	for _, n := range r.loops(4) {
		in.Loops = append(in.Loops, Loop{n[0], MicroOp{n[1], n[2], n[3]}})
	}
}

// A reader takes the words of a line; err is the first that did not fit.
type reader struct {
	words []string
	err   error
}

func (r *reader) fail(want, got string) {
	if r.err == nil {
		r.err = fmt.Errorf("want %s, not %q", want, got)
	}
}

func (r *reader) word() string {
	if len(r.words) == 0 {
		r.fail("another word", "")
		return ""
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w
}

func (r *reader) want(word string) {
	if got := r.word(); got != word {
		r.fail(word, got)
	}
}

func (r *reader) oneOf(names []string, word string) int {
	i := slices.Index(names, word)
	if i < 0 {
		r.fail("one of "+strings.Join(names, ", "), word)
	}
	return max(i, 0)
}

// mostNumber bounds numbers, so that sums of products of two do not overflow.
const mostNumber = 1 << 30

func (r *reader) num() int64 { return r.parsed(r.word()) }

func (r *reader) parsed(word string) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < -mostNumber || n > mostNumber {
		r.fail(fmt.Sprintf("a number of at most %d", mostNumber), word)
		return 0
	}
	return n
}

func (r *reader) nums() MicroOp { return MicroOp{r.num(), r.num(), r.num()} }

// loops reads what is behind "of": so many numbers for each loop.
func (r *reader) loops(n int) [][]int64 {
	if len(r.words) == 0 {
		return nil
	}
	r.want("of")
	var list [][]int64
	for len(r.words) > 0 && r.err == nil {
		word := r.word()
		parts := strings.Split(word, ":")
		if len(parts) != n {
			r.fail(fmt.Sprintf("%d numbers", n), word)
		}
		loop := make([]int64, n)
		for i := range min(n, len(parts)) {
			loop[i] = r.parsed(parts[i])
		}
		list = append(list, loop)
	}
	return list
}
