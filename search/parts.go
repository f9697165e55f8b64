package search

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/dataset"
)

// A Part of a search's candidates comes about in one way.
type Part struct {
	Way    Way
	Trials int // of the task, those in the log included
}

// A Way is how candidates come about.
type Way uint8

// The ways in which candidates come about.
const (
	Evolved   Way = iota // by evolution under the scorer
	Sampled              // sketches completed at random, unguided
	Neighbour            // one mutation away from one of the fastest
)

// name is what stands in a record as its scorer: what chose the candidate.
func (w Way) name(scorer string) string {
	switch w {
	case Evolved:
		return scorer
	case Sampled:
		return SampledName
	}
	return NeighbourName
}

// The names that records have as their scorer if none chose them.
const (
	SampledName   = "random"
	NeighbourName = "neighbour"
)

// parts keeps track of the parts of a search. They are counted by what stands in
// the records, so that a search which is continued goes on in the part in which it
// stopped.
type parts struct {
	list   []Part
	scorer string
	taken  map[string]int // records by what chose them
	now    int            // index in list of the part under way
	dry    map[int]bool   // parts in which nothing new comes about
}

// newParts returns the parts of a search. One without any is evolved as a whole.
func newParts(o Options) (*parts, error) {
	p := &parts{list: o.Parts, scorer: o.ScorerName, taken: map[string]int{}, dry: map[int]bool{}}
	if len(p.list) == 0 {
		p.list = []Part{{Evolved, math.MaxInt}}
	}
	seen := map[string]bool{}
	for _, part := range p.list {
		name := part.Way.name(p.scorer)
		if seen[name] || part.Trials < 0 {
			return nil, fmt.Errorf("search: parts: %d trials chosen by %q: there is another part of that name, or the number is negative",
				part.Trials, name)
		}
		seen[name] = true
	}
	return p, nil
}

// count takes a record into account.
func (p *parts) count(r *dataset.Record) { p.taken[r.Scorer]++ }

// next makes the first part that lacks trials the one under way. It reports whether
// there is one.
func (p *parts) next() bool {
	for i := range p.list {
		if !p.dry[i] && p.left(i) > 0 {
			p.now = i
			return true
		}
	}
	return false
}

// left returns how many trials part i lacks.
func (p *parts) left(i int) int { return p.list[i].Trials - p.taken[p.list[i].Way.name(p.scorer)] }

func (p *parts) way() Way     { return p.list[p.now].Way }
func (p *parts) name() string { return p.way().name(p.scorer) }
