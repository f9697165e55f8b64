package lowered

import (
	"math"

	"github.com/wmtune/wmtune/ranker/nest"
)

// touched returns how many bytes of whole cache lines an access touches in the loops from one on.
func (p *reading) touched(s *statement, a *access, from int) float64 {
	b, line := p.Buffers[a.Buffer], p.machine.Line
	bytes := float64(b.Type.Bytes())
	whole := max(line, math.Ceil(float64(b.Bytes())/line)*line)
	lines := nest.Lines(len(a.span), bytes, line, func(d int) (span, touched, shape float64) {
		span, touched, shape = 1, 1, float64(b.Shape[d])
		for k := from; k < len(s.loops); k++ {
			if far := a.span[d][k]; far > 0 {
				span += far
				touched *= min(s.loops[k].Extent, far+1)
			}
		}
		span = min(span, shape)
		return span, min(touched, span), shape
	})
	return min(lines*line, whole)
}

// A place is a buffer as it is touched inside a loop.
type place struct {
	buffer int
	bytes  float64
}

// put has a list of places know of one more.
func put(list []place, b int, bytes float64) []place {
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
func (s *statement) node(k int) int {
	if k == 0 {
		return 0
	}
	return s.numbers[k-1] + 1
}

func (p *reading) touch() memory {
	m := memory{sizes: make([]float64, len(p.Loops)+1), feet: make([][][]float64, len(p.statements))}
	places := make([][]place, len(p.Loops)+1)
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
					m.feet[i][k][l] = p.touched(s, a, l)
				}
				n := s.node(l)
				places[n] = put(places[n], a.Buffer, m.feet[i][k][l])
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
func (p *reading) traffic(m memory, size float64) []float64 {
	type key struct {
		buffer, node int
	}
	most := map[key]float64{}
	out := make([]float64, len(p.blocks))
	for i, s := range p.statements {
		levels := s.code() + 1
		level := 0
		for l := range levels {
			if level = l; m.sizes[s.node(l)] <= size {
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
				bytes *= l.Extent
			}
			id := key{s.accesses[k].Buffer, s.node(level)}
			if more := bytes - most[id]; more > 0 {
				most[id] = bytes
				out[s.block] += more
			}
		}
	}
	return out
}
