package encoder

import (
	"math"
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

// ReadFacts computes the facts of a program from its text. Lines that are not
// understood count for nothing.
func ReadFacts(text string) [Facts]float32 {
	r := newReader()
	var facts [Facts]float64
	most := 0.0 // runs of a statement
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch kind, name := r.line(line); kind {
		case loopLine:
			facts[5]++
		case allocLine:
			b := r.buffers[name]
			facts[10] = max(facts[10], b.size())
		case storeLine:
			p := r.site()
			facts[0] += p.runs * float64(operations(line[strings.Index(line, "]=")+2:]))
			facts[6]++
			if p.runs <= most {
				continue
			}
			most = p.runs
			facts[1], facts[2], facts[3], facts[4], facts[11] = p.parallel, p.inner, p.vector, p.unroll, p.threads
			list := r.accesses(line)
			for i, loops := range []map[string]float64{p.last, p.task, p.all} {
				facts[7+i] = touched(list, loops)
			}
		}
	}
	var out [Facts]float32
	for i, f := range facts {
		out[i] = float32(math.Log2(1 + f))
	}
	return out
}
