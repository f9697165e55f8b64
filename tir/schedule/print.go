package schedule

import (
	"bytes"
	"strconv"
	"strings"
)

// String returns the state as TVM prints it, with iterators of extent 1 left
// out.
func (s *State) String() string {
	var p statePrinter
	p.s = s
	p.b.WriteString("Placeholder: ")
	first := true
	for _, st := range s.Stages {
		if st.Op.IsPlaceholder() {
			if !first {
				p.b.WriteString(", ")
			}
			first = false
			p.b.WriteString(st.Op.Name)
		}
	}
	p.b.WriteString("\n")
	for i, st := range s.Stages {
		if !st.Op.IsPlaceholder() && st.At == AtRoot {
			p.stage(i, 0)
		}
	}
	return p.b.String()
}

type statePrinter struct {
	s *State
	b strings.Builder
}

func (p *statePrinter) line(indent int, parts ...string) {
	for range indent {
		p.b.WriteByte(' ')
	}
	for _, s := range parts {
		p.b.WriteString(s)
	}
	p.b.WriteByte('\n')
}

func (p *statePrinter) stage(i, indent int) {
	st := p.s.Stages[i]
	if st.AutoUnroll != 0 {
		p.line(indent, st.Op.Name, " auto_unroll: ", strconv.Itoa(st.AutoUnroll))
	}
	if st.StorageOffset != 0 {
		p.line(indent, st.Op.Name, " storage_offset: ", strconv.Itoa(st.StorageOffset))
	}
	if st.Buffering != OneBuffer {
		p.line(indent, st.Op.Name, " double_buffer: ", strconv.Itoa(int(st.Buffering)))
	}
	for k, it := range st.Iters {
		switch it.Extent {
		case 1:
		case Unknown:
			p.line(indent, it.Ann.String(), " ", it.Name, " (None)")
			indent += 2
		default:
			lo := "0"
			if it.Min != nil {
				lo = it.Min.String()
			}
			p.line(indent, it.Ann.String(), " ", it.Name, " (", lo, ",", strconv.FormatInt(it.Extent, 10), ")")
			indent += 2
		}
		for _, inside := range p.s.Attach.Inside(i, k) {
			p.stage(inside, indent)
		}
	}
	p.line(indent, st.Op.Name, " = ...")
}

// cleanName makes the name of an axis fit for an iterator, as AutoScheduler
// does.
func cleanName(name string) string {
	if !strings.ContainsAny(name, ".@o") && !strings.Contains(name, "inner") {
		return name
	}
	return nameCleaner.Replace(name)
}

var nameCleaner = strings.NewReplacer(".", "_", "@", "_", "outer", "o", "inner", "i")

// varName makes the name of an iterator fit for a loop variable: "i.0@j.0@"
// becomes "i_0_j_0".
func varName(name string) string {
	if !strings.ContainsAny(name, ".@") && name != "" {
		return name
	}
	text := make([]byte, 0, len(name))
	for i := range len(name) {
		if c := name[i]; c != '.' && c != '@' {
			text = append(text, c)
		} else if n := len(text); n > 0 && text[n-1] != '.' {
			text = append(text, '.') // one for several, and none at the ends
		}
	}
	text = bytes.TrimSuffix(text, []byte("."))
	if len(text) == 0 {
		return "unit"
	}
	for i, c := range text {
		if c == '.' {
			text[i] = '_'
		}
	}
	name = string(text)
	if c := name[0]; c >= '0' && c <= '9' {
		return "unit_" + name
	}
	return name
}
