package encoder

import (
	"math"
	"strconv"
	"strings"
)

// elementBytes are the sizes of types, by their names in texts.
var elementBytes = map[string]float64{"bool": 1, "i8": 1, "u8": 1, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4,
	"f64": 8, "i16": 2, "u16": 2, "u32": 4, "u64": 8}

// enclosing is a line that others are inside of: a loop, or a pragma, which has no name.
type enclosing struct {
	depth  int
	kind   string
	name   string
	extent float64
}

// declared is a buffer.
type declared struct {
	shape   []float64
	strides []float64 // in elements
	bytes   float64   // of an element
}

// size returns the bytes of a buffer.
func (d *declared) size() float64 {
	size := d.bytes
	for _, n := range d.shape {
		size *= n
	}
	return size
}

// A lineKind says what a line is.
type lineKind int

const (
	otherLine lineKind = iota
	bufferLine
	allocLine
	loopLine
	pragmaLine
	storeLine
)

// A reader reads a text line by line: it knows the buffers declared so far, and what a
// line is inside of.
type reader struct {
	buffers map[string]declared
	around  []enclosing
}

func newReader() reader { return reader{buffers: map[string]declared{}} }

// line reads a line, without its end. A loop is inside of itself. The name is that of a
// buffer that is declared.
func (r *reader) line(line string) (kind lineKind, name string) {
	content := strings.TrimLeft(line, " ")
	depth := len(line) - len(content)
	for n := len(r.around); n > 0 && r.around[n-1].depth >= depth; n-- {
		r.around = r.around[:n-1]
	}
	words := strings.Fields(content)
	switch {
	case strings.Contains(content, "]="):
		return storeLine, ""
	case len(words) >= 2 && (words[0] == "alloc" || words[0] == "out"):
		kind = bufferLine
		if words[0] == "alloc" {
			kind = allocLine
		}
		return kind, r.declare(words[1:])
	case len(words) >= 2 && strings.HasPrefix(words[0], "b") && strings.HasSuffix(words[1], "]"):
		return bufferLine, r.declare(words)
	case len(words) == 3 && strings.HasPrefix(words[1], "l"):
		r.around = append(r.around, enclosing{depth, words[0], words[1], number(words[2])})
		return loopLine, ""
	case len(words) == 2 && words[0] == "auto_unroll_max_step":
		r.around = append(r.around, enclosing{depth, words[0], "", number(words[1])})
		return pragmaLine, ""
	}
	return otherLine, ""
}

// number reads a product of powers; anything else is 1.
func number(text string) float64 {
	product := 1.0
	for factor := range strings.SplitSeq(text, "*") {
		base, power, raised := strings.Cut(factor, "^")
		b, err := strconv.ParseFloat(base, 64)
		if err != nil || b < 0 {
			return 1
		}
		if raised {
			p, err := strconv.ParseFloat(power, 64)
			if err != nil || p > 64 {
				return 1
			}
			b = math.Pow(b, p)
		}
		product *= b
	}
	return product
}

// list reads numbers between brackets.
func list(text string) []float64 {
	var numbers []float64
	for dim := range strings.SplitSeq(text, ",") {
		numbers = append(numbers, number(dim))
	}
	return numbers
}

// declare notes a buffer: its name, its type with its shape, and strides if they are
// given. It returns the name.
func (r *reader) declare(words []string) string {
	if len(words) < 2 {
		return ""
	}
	kind, shape, ok := strings.Cut(strings.TrimSuffix(words[1], "]"), "[")
	if !ok {
		return ""
	}
	d := declared{bytes: elementBytes[kind], shape: list(shape)}
	if last, ok := strings.CutPrefix(strings.TrimSuffix(words[len(words)-1], "]"), "strides["); ok {
		d.strides = list(last)
	}
	if len(d.strides) != len(d.shape) {
		d.strides = make([]float64, len(d.shape))
		dense := 1.0
		for k := len(d.shape) - 1; k >= 0; k-- {
			d.strides[k] = dense
			dense *= d.shape[k]
		}
	}
	r.buffers[words[0]] = d
	return words[0]
}

// A site is what the loops around a line say of it.
type site struct {
	runs     float64 // how often it runs
	parallel float64 // extent of parallel loops
	inner    float64 // extent of the innermost loop that is not parallel; 0 without
	vector   float64 // 0 without
	unroll   float64 // budget, or extent of unrolled loops; 0 without
	threads  float64 // 0 without

	loops           []enclosing        // from the outermost
	all, task, last map[string]float64 // extents of all loops, of those of a parallel task, and of the innermost
}

// innermost returns the extents of so many innermost loops.
func (p *site) innermost(n int) map[string]float64 {
	loops := map[string]float64{}
	for _, a := range p.loops[max(0, len(p.loops)-n):] {
		loops[a.name] = a.extent
	}
	return loops
}

// site returns where the line is that was read last.
func (r *reader) site() site {
	p := site{runs: 1, parallel: 1, all: map[string]float64{}, task: map[string]float64{}}
	unrolled := 1.0
	for _, a := range r.around {
		if a.name == "" {
			p.unroll = max(p.unroll, a.extent)
			continue
		}
		p.loops = append(p.loops, a)
		p.runs *= a.extent
		p.all[a.name] = a.extent
		if a.kind == "parallel" || strings.HasPrefix(a.kind, "blockIdx") {
			p.parallel *= a.extent
			continue
		}
		p.task[a.name] = a.extent
		switch {
		case a.kind == "vector":
			p.vector = max(p.vector, 1) * a.extent
		case a.kind == "unroll":
			unrolled *= a.extent
		case a.kind == "vthread" || strings.HasPrefix(a.kind, "threadIdx"):
			p.threads = max(p.threads, 1) * a.extent
		}
		p.inner, p.last = a.extent, map[string]float64{a.name: a.extent}
	}
	if unrolled > 1 {
		p.unroll = max(p.unroll, unrolled)
	}
	return p
}

// operations counts what is computed outside of indices.
func operations(value string) int {
	depth, n := 0, 0
	for i := range len(value) {
		switch c := value[i]; {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth > 0:
		case c == '+' || c == '-' || c == '*' || c == '/':
			n++
		case c == '(' && i > 0 && value[i-1] >= 'a' && value[i-1] <= 'z':
			n++
		}
	}
	return n
}

// An access is an element of a buffer in a line, which it is from first to end of.
type access struct {
	first, end int
	text       string
	buffer     declared
	index      []string // of each dimension
}

// accesses returns the elements in a line.
func (r *reader) accesses(content string) []access {
	var found []access
	for i := 0; i < len(content); i++ {
		if content[i] != 'b' {
			continue
		}
		open := strings.IndexByte(content[i:], '[')
		if open < 0 {
			break
		}
		buffer, ok := r.buffers[content[i:i+open]]
		end := closing(content, i+open)
		if !ok || end < 0 {
			continue
		}
		found = append(found, access{i, end, content[i:end], buffer, arguments(content[i+open+1 : end-1])})
		i = end - 1
	}
	return found
}

// closing returns where the bracket that opens at a place has closed, or -1.
func closing(s string, at int) int {
	depth := 0
	for i := at; i < len(s); i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// arguments cuts a list at its commas outside of brackets.
func arguments(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth <= 0 {
				parts, from = append(parts, text[from:i]), i+1
			}
		}
	}
	return append(parts, text[from:])
}

// touched returns the bytes of the elements that accesses reach while some loops run;
// those of equal texts are one.
func touched(list []access, loops map[string]float64) float64 {
	sum := 0.0
	seen := map[string]bool{}
	for i := range list {
		if !seen[list[i].text] {
			seen[list[i].text] = true
			sum += list[i].reach(loops)
		}
	}
	return sum
}

// stride returns by how many bytes the place of an access moves with the first step of
// a loop.
func (a *access) stride(loop string) float64 {
	bytes := 0.0
	for dim, index := range a.index[:min(len(a.index), len(a.buffer.strides))] {
		bytes += step(index, loop) * a.buffer.strides[dim]
	}
	return math.Abs(bytes) * a.buffer.bytes
}

// reach returns the bytes of the elements that an access reaches while some loops run:
// in each dimension the product of the extents of the loops in its index, or the whole
// dimension if that is less.
func (a *access) reach(loops map[string]float64) float64 {
	bytes := a.buffer.bytes
	for dim, index := range a.index {
		bytes *= spread(index, dim, a.buffer, loops)
	}
	return bytes
}

// spread returns how many values an index has.
func spread(index string, dim int, b declared, loops map[string]float64) float64 {
	n := 1.0
	seen := map[string]bool{}
	for i := 0; i < len(index); i++ {
		if index[i] != 'l' || i > 0 && index[i-1] >= 'a' && index[i-1] <= 'z' {
			continue
		}
		end := i + 1
		for end < len(index) && index[end] >= '0' && index[end] <= '9' {
			end++
		}
		if extent, ok := loops[index[i:end]]; ok && !seen[index[i:end]] {
			seen[index[i:end]] = true
			n *= extent
		}
		i = end - 1
	}
	if dim < len(b.shape) {
		n = min(n, b.shape[dim])
	}
	return n
}
