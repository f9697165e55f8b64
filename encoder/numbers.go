package encoder

import (
	"math"
	"strings"
)

// Numbers is how many numbers each token has beside it.
const Numbers = accessReused + 1

// numbersVersion changes whenever ReadNumbers says something else of a text: networks
// that were trained on other numbers are not loaded.
const numbersVersion = 1

// What the numbers are, all computed from the text. But for flags and depth they are
// log2(1+x)/16. Those of a line are the same for all its tokens, whatever window they
// are in. A line that is no statement has those of the statements inside of it: sums of
// operations and of statements, and what one of them reaches that runs the most.
const (
	lineDepth      = iota // loops around, over 8
	lineLoops             // inside, over 8
	lineRuns              // product of the extents of the loops around
	lineParallel          // of the parallel ones
	lineInner             // extent of the innermost one
	lineVector            // of vector loops
	lineUnroll            // budget, or extent of unrolled loops
	lineThreads           // of loops that are threads
	lineHeat              // how often it runs, over the statement of the program that runs the most: 0 or less
	lineStatements        // inside
	lineOperations        // of one run
	lineWork              // of all runs
	lineHere              // bytes reached in one run
	lineNear1             // bytes reached by the innermost loop, and so on
	lineNear2             //
	lineNear3             //
	lineNear4             //
	lineTask              // by a parallel task
	lineAll               // in all

	textStatements // of the whole text, on every line: of a long one no window has them all
	textLoops      //
	textWork       // operations of all runs
	textAlloc      // bytes of the largest allocation

	markNumber // number that the token is part of
	markTwos   // exponent of 2 of it, over 8
	markExtent // of the loop that the token is the name of

	accessSize   // bytes of the buffer
	accessInner  // bytes from one element to that of the next run of the innermost loop
	accessOuter  // of the loop around it
	accessUnit   // 1: neighbours
	accessStill  // 1: the same element
	accessNear   // bytes reached by the innermost loop
	accessTask   // by a parallel task
	accessReused // how often an element is met
)

// near is of how many innermost loops there are bytes.
const near = lineNear4 - lineNear1 + 1

// scaledLog returns log2(1+x)/16.
func scaledLog(x float64) float32 {
	if !(x > 0) {
		return 0
	}
	return float32(min(math.Log2(1+x), 64) / 16)
}

// A mark is what a part of a text says more than its line.
type mark struct {
	first, end int
	values     []value
}

type value struct {
	at int
	is float32
}

// A numbered line is one with its numbers.
type numbered struct {
	end     int // in the text, with the line's own
	depth   int
	numbers [Numbers]float32
	marks   []mark

	site       site
	accesses   []access // of the statement inside that runs the most
	most       site     // where that is
	statements float64
	loops      float64
	own        int     // 1 if the line is a loop, which is around itself
	operations float64 // of all runs
}

// ReadNumbers returns the numbers of tokens, of which those of a text are given by
// where they end in it. A token has the numbers of the line that it begins in, and the
// largest of what its parts say. Lines that are not understood have few.
func ReadNumbers(text string, ends []int) [][Numbers]float32 {
	lines := numberLines(text)
	out := make([][Numbers]float32, len(ends))
	first, at := 0, 0
	for i, end := range ends {
		for at < len(lines)-1 && first >= lines[at].end {
			at++
		}
		if at < len(lines) {
			out[i] = lines[at].of(first, end)
		}
		first = end
	}
	return out
}

// of returns the numbers of a part of a line.
func (n *numbered) of(first, end int) [Numbers]float32 {
	out := n.numbers
	for _, m := range n.marks {
		if m.first < end && first < m.end {
			for _, v := range m.values {
				out[v.at] = max(out[v.at], v.is)
			}
		}
	}
	return out
}

// numberLines reads a text twice: what lines are inside of, and then what is inside
// of them.
func numberLines(text string) []numbered {
	r := newReader()
	var lines []numbered
	start, largest := 0, 0.0 // allocation
	for line := range strings.Lines(text) {
		content := strings.TrimSuffix(line, "\n")
		n := numbered{end: start + len(line), depth: len(content) - len(strings.TrimLeft(content, " "))}
		kind, name := r.line(content)
		n.site = r.site()
		switch kind {
		case loopLine:
			n.loops, n.own = 1, 1
		case storeLine:
			n.statements, n.most, n.accesses = 1, n.site, r.accesses(content)
			n.operations = n.site.runs * float64(operations(content[strings.Index(content, "]=")+2:]))
		case bufferLine, allocLine:
			b := r.buffers[name]
			if kind == allocLine {
				largest = max(largest, b.size())
			}
			n.marks = append(n.marks, mark{start, n.end, []value{{accessSize, scaledLog(b.size())}}})
		}
		n.markWords(content, start)
		n.markAccesses(start)
		lines = append(lines, n)
		start = n.end
	}
	whole := collect(lines)
	for i := range lines {
		v := &lines[i].numbers
		lines[i].fill(whole.most.runs)
		v[textStatements], v[textLoops] = scaledLog(whole.statements), scaledLog(whole.loops)
		v[textWork], v[textAlloc] = scaledLog(whole.operations), scaledLog(largest)
	}
	return lines
}

// collect tells lines what is inside of them, from the last to the first: the lines
// after one that are deeper. It returns what is inside of the text.
func collect(lines []numbered) numbered {
	var open []int // lines after the one at hand that are inside of none between
	whole := numbered{depth: -1}
	for i := len(lines) - 1; i >= -1; i-- {
		n := &whole
		if i >= 0 {
			n = &lines[i]
		}
		for len(open) > 0 && lines[open[len(open)-1]].depth > n.depth {
			in := &lines[open[len(open)-1]]
			open = open[:len(open)-1]
			n.statements += in.statements
			n.loops += in.loops
			n.operations += in.operations
			if in.most.runs > n.most.runs {
				n.most, n.accesses = in.most, in.accesses
			}
		}
		open = append(open, i)
	}
	return whole
}

// fill sets the numbers of a line.
func (n *numbered) fill(hottest float64) {
	v := &n.numbers
	v[lineDepth], v[lineLoops] = float32(len(n.site.loops))/8, float32(n.loops)/8
	v[lineHeat] = scaledLog(n.most.runs) - scaledLog(hottest)
	v[lineStatements], v[lineWork] = scaledLog(n.statements), scaledLog(n.operations)
	v[lineOperations] = scaledLog(n.operations / max(1, n.site.runs))
	p := &n.site
	for k, x := range map[int]float64{
		lineRuns: p.runs, lineParallel: p.parallel, lineInner: p.inner, lineVector: p.vector, lineUnroll: p.unroll,
		lineThreads: p.threads,
	} {
		v[k] = scaledLog(x)
	}
	if n.most.runs == 0 {
		return // nothing is reached
	}
	inside := len(n.most.loops) - len(n.site.loops) + n.own
	v[lineHere] = scaledLog(touched(n.accesses, n.most.innermost(inside)))
	v[lineTask], v[lineAll] = scaledLog(touched(n.accesses, n.most.task)), scaledLog(touched(n.accesses, n.most.all))
	for k := range near {
		v[lineNear1+k] = scaledLog(touched(n.accesses, n.most.innermost(k+1)))
	}
}

// markWords marks the numbers of a line, which begins at a place in the text, and the
// names of loops.
func (n *numbered) markWords(content string, start int) {
	digit := func(i int) bool { return i < len(content) && content[i] >= '0' && content[i] <= '9' }
	for i := 0; i < len(content); {
		if name := symbol(content, i); name != "" {
			if extent, ok := n.site.all[name]; ok {
				n.marks = append(n.marks, mark{start + i, start + i + len(name), []value{{markExtent, scaledLog(extent)}}})
			}
			i += len(name)
			continue
		}
		end := i
		for digit(end) || end > i && end < len(content) && strings.IndexByte("*^", content[end]) >= 0 && digit(end+1) {
			end++
		}
		if end == i || i > 0 && content[i-1] >= 'a' && content[i-1] <= 'z' { // i64 is no number
			i = max(end, i+1)
			continue
		}
		v := number(content[i:end])
		n.marks = append(n.marks, mark{start + i, start + end, []value{{markNumber, scaledLog(v)}, {markTwos, twos(v) / 8}}})
		i = end
	}
}

// twos returns how often a number can be halved.
func twos(v float64) float32 {
	n := float32(0)
	for v >= 2 && math.Mod(v, 2) == 0 && n < 63 {
		v /= 2
		n++
	}
	return n
}

// markAccesses marks the elements of a statement, whose line begins at a place in the
// text.
func (n *numbered) markAccesses(start int) {
	loop := func(k int) string { // from inside
		if k >= len(n.site.loops) {
			return "none"
		}
		return n.site.loops[len(n.site.loops)-1-k].name
	}
	for i := range n.accesses {
		a := &n.accesses[i]
		inner, all := a.stride(loop(0)), a.reach(n.site.all)
		values := []value{
			{accessSize, scaledLog(a.buffer.size())}, {accessInner, scaledLog(inner)},
			{accessOuter, scaledLog(a.stride(loop(1)))}, {accessNear, scaledLog(a.reach(n.site.innermost(1)))},
			{accessTask, scaledLog(a.reach(n.site.task))},
			{accessReused, scaledLog(n.site.runs * a.buffer.bytes / max(1, all))},
		}
		switch inner {
		case 0:
			values = append(values, value{accessStill, 1})
		case a.buffer.bytes:
			values = append(values, value{accessUnit, 1})
		}
		n.marks = append(n.marks, mark{start + a.first, start + a.end, values})
	}
}
