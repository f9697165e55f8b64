package lowered

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// touched returns how many bytes of whole cache lines an access touches in the loops from one on.
func (a *access) touched(loops []*loop, from int, line float64) float64 {
	bytes := float64(a.buffer.Type.Bytes())
	whole := max(line, math.Ceil(float64(a.buffer.Bytes())/line)*line)
	elements := func(d int) (span, some float64) {
		span, some = 1, 1
		for k := from; k < len(loops); k++ {
			if s := a.dims[d].span[k]; s > 0 {
				span += s
				some *= min(loops[k].extent, s+1)
			}
		}
		span = min(span, float64(a.buffer.Shape[d]))
		return span, min(some, span)
	}
	run, row, i := 1.0, 1.0, len(a.dims)-1 // elements from the first to the last, and touched ones, that lie in one piece
	for ; i >= 0; i-- {
		span, some := elements(i)
		run, row = run*span, row*some
		if span < float64(a.buffer.Shape[i]) {
			i--
			break
		}
	}
	lines := min(math.Ceil(run*bytes/line), row)
	for ; i >= 0; i-- {
		_, some := elements(i)
		lines *= some
	}
	return min(lines*line, whole)
}

// A place is a buffer as it is touched inside a loop.
type place struct {
	buffer *tir.Buffer
	bytes  float64
}

// put has a list of places know of one more.
func put(list []place, b *tir.Buffer, bytes float64) []place {
	for i := range list {
		if list[i].buffer == b {
			list[i].bytes = max(list[i].bytes, bytes)
			return list
		}
	}
	return append(list, place{b, bytes})
}

// A memory is what the loops of a program touch.
type memory struct {
	sizes []float64     // by loop number plus one; of 0, the whole program
	feet  [][][]float64 // by statement, access and level: the loops from there on
}

// node returns the number of what is inside the first loops.
func node(loops []*loop, k int) int {
	if k == 0 {
		return 0
	}
	return loops[k-1].number + 1
}

func (p *program) touch() memory {
	m := memory{sizes: make([]float64, p.loops+1), feet: make([][][]float64, len(p.statements))}
	places := make([][]place, p.loops+1)
	for i, s := range p.statements {
		levels := s.code() + 1
		m.feet[i] = make([][]float64, len(s.accesses))
		all := make([]float64, levels*len(s.accesses))
		for k := range s.accesses {
			a := &s.accesses[k]
			m.feet[i][k], all = all[:levels], all[levels:]
			if a.register {
				continue
			}
			for l := range levels {
				if l > 0 && !a.moves[l-1] {
					m.feet[i][k][l] = m.feet[i][k][l-1]
				} else {
					m.feet[i][k][l] = a.touched(s.loops, l, p.machine.Line)
				}
				n := node(s.loops, l)
				places[n] = put(places[n], a.buffer, m.feet[i][k][l])
			}
		}
	}
	for n, list := range places {
		for _, x := range list {
			m.sizes[n] += x.bytes
		}
	}
	return m
}

// traffic returns, by block, how many bytes come from beyond a cache of some size in one run of the program. What is
// touched in a loop whose data fit comes once for each run of that loop, but for the loops next to it that it does not
// depend on. What several statements of such a loop touch comes once.
func (p *program) traffic(m memory, size float64) []float64 {
	type key struct {
		buffer *tir.Buffer
		node   int
	}
	most := map[key]float64{}
	out := make([]float64, len(p.blocks))
	for i, s := range p.statements {
		levels := s.code() + 1
		level := 0
		for l := range levels {
			if level = l; m.sizes[node(s.loops, l)] <= size {
				break
			}
		}
		for k := range s.accesses {
			if s.accesses[k].register {
				continue
			}
			at := level
			for at > 0 && m.feet[i][k][at-1] == m.feet[i][k][level] {
				at--
			}
			bytes := m.feet[i][k][level] * s.share
			for _, l := range s.loops[:at] {
				bytes *= l.extent
			}
			id := key{s.accesses[k].buffer, node(s.loops, level)}
			if more := bytes - most[id]; more > 0 {
				most[id] = bytes
				out[s.block] += more
			}
		}
	}
	return out
}
