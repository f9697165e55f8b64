package encoder

import (
	"math"
	"strconv"
	"strings"
)

// Facts are how many numbers a program's vector must tell.
const Facts = 12

// FactNames names the facts. All are log2(1+x), all but the first, the sixth, the
// seventh and the eleventh of the statement that runs the most.
var FactNames = [Facts]string{
	"operations", "parallel extent", "innermost extent", "vector length", "unroll budget", "loops", "statements",
	"bytes of the innermost loop", "bytes of a parallel task", "bytes in all", "largest allocation", "threads",
}

// elementBytes are the sizes of types, by their names in texts.
var elementBytes = map[string]float64{"bool": 1, "i8": 1, "u8": 1, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4,
	"f64": 8, "i16": 2, "u16": 2, "u32": 4, "u64": 8}

// enclosing is a line that others are inside of.
type enclosing struct {
	depth  int
	kind   string
	name   string
	extent float64
}

// declared is a buffer.
type declared struct {
	shape []float64
	bytes float64 // of an element
}

// A reader reads the facts of a text.
type reader struct {
	buffers map[string]declared
	around  []enclosing
	runs    float64 // of the statement that runs the most
	facts   [Facts]float64
}

// ReadFacts computes the facts of a program from its text. Lines that are not
// understood count for nothing.
func ReadFacts(text string) [Facts]float32 {
	r := reader{buffers: map[string]declared{}}
	for line := range strings.Lines(text) {
		r.line(strings.TrimSuffix(line, "\n"))
	}
	var facts [Facts]float32
	for i, f := range r.facts {
		facts[i] = float32(math.Log2(1 + f))
	}
	return facts
}

func (r *reader) line(line string) {
	content := strings.TrimLeft(line, " ")
	depth := len(line) - len(content)
	for n := len(r.around); n > 0 && r.around[n-1].depth >= depth; n-- {
		r.around = r.around[:n-1]
	}
	words := strings.Fields(content)
	switch {
	case strings.Contains(content, "]="):
		r.store(content)
	case len(words) >= 2 && (words[0] == "alloc" || words[0] == "out"):
		r.declare(words[1:], words[0] == "alloc")
	case len(words) >= 2 && strings.HasPrefix(words[0], "b") && strings.HasSuffix(words[1], "]"):
		r.declare(words, false)
	case len(words) == 3 && strings.HasPrefix(words[1], "l"):
		r.facts[5]++
		r.around = append(r.around, enclosing{depth, words[0], words[1], number(words[2])})
	case len(words) == 2 && words[0] == "auto_unroll_max_step":
		r.around = append(r.around, enclosing{depth, words[0], "", number(words[1])})
	}
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

// declare notes a buffer: its name, and its type with its shape.
func (r *reader) declare(words []string, allocated bool) {
	if len(words) < 2 {
		return
	}
	kind, list, ok := strings.Cut(strings.TrimSuffix(words[1], "]"), "[")
	if !ok {
		return
	}
	d := declared{bytes: elementBytes[kind]}
	size := d.bytes
	for dim := range strings.SplitSeq(list, ",") {
		n := number(dim)
		d.shape = append(d.shape, n)
		size *= n
	}
	r.buffers[words[0]] = d
	if allocated {
		r.facts[10] = max(r.facts[10], size)
	}
}

// store reads a statement.
func (r *reader) store(content string) {
	runs := 1.0
	for _, a := range r.around {
		if a.name != "" {
			runs *= a.extent
		}
	}
	at := strings.Index(content, "]=")
	r.facts[0] += runs * float64(operations(content[at+2:]))
	r.facts[6]++
	if runs <= r.runs {
		return
	}
	r.runs = runs
	parallel, vector, unroll, unrolled, threads, inner := 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
	task := map[string]float64{} // loops of one parallel task
	all := map[string]float64{}
	var last map[string]float64
	for _, a := range r.around {
		if a.name == "" {
			unroll = max(unroll, a.extent)
			continue
		}
		all[a.name] = a.extent
		if a.kind == "parallel" || strings.HasPrefix(a.kind, "blockIdx") {
			parallel *= a.extent
			continue
		}
		task[a.name] = a.extent
		switch {
		case a.kind == "vector":
			vector = max(vector, 1) * a.extent
		case a.kind == "unroll":
			unrolled *= a.extent
		case a.kind == "vthread" || strings.HasPrefix(a.kind, "threadIdx"):
			threads = max(threads, 1) * a.extent
		}
		inner, last = a.extent, map[string]float64{a.name: a.extent}
	}
	if unrolled > 1 {
		unroll = max(unroll, unrolled)
	}
	r.facts[1], r.facts[2], r.facts[3], r.facts[4], r.facts[11] = parallel, inner, vector, unroll, threads
	for i, loops := range []map[string]float64{last, task, all} {
		r.facts[7+i] = r.touched(content, loops)
	}
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

// touched returns the bytes of the elements that a statement reaches while some
// loops run: of each access, in each dimension the product of the extents of the
// loops in its index, or the whole dimension if that is less.
func (r *reader) touched(content string, loops map[string]float64) float64 {
	sum := 0.0
	seen := map[string]bool{}
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
		if !ok || end < 0 || seen[content[i:end]] {
			continue
		}
		seen[content[i:end]] = true
		sum += reach(content[i+open+1:end-1], buffer, loops)
		i = end - 1
	}
	return sum
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

func reach(index string, b declared, loops map[string]float64) float64 {
	bytes := b.bytes
	depth, from, dim := 0, 0, 0
	for i := 0; i <= len(index); i++ {
		if i < len(index) {
			switch index[i] {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			}
			if index[i] != ',' || depth > 0 {
				continue
			}
		}
		bytes *= spread(index[from:i], dim, b, loops)
		from = i + 1
		dim++
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
