package search

import (
	"cmp"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/dataset"
)

// A Phase is a stretch of a search in which one proposer seeks the candidates.
type Phase struct {
	Proposer Proposer
	Trials   int // of the task, those in the log included
}

// phases keeps track of the phases of a search. They are counted by what stands in
// the records, so that a search which is continued goes on in the phase in which it
// stopped.
type phases struct {
	list      []Phase
	scorer    string
	taken     map[string]int // records by what chose them
	now       int            // index in list of the phase under way
	exhausted map[int]bool   // phases whose proposer finds nothing new
}

// newPhases returns the phases of a search. One without any is of one proposer as a whole.
func newPhases(o Options) (*phases, error) {
	p := &phases{list: o.Phases, scorer: o.ScorerName, taken: map[string]int{}, exhausted: map[int]bool{}}
	if len(p.list) == 0 {
		p.list = []Phase{{o.Propose, math.MaxInt}}
	}
	seen := map[string]bool{}
	for _, phase := range p.list {
		name := p.nameOf(phase.Proposer)
		if seen[name] || phase.Trials < 0 {
			return nil, fmt.Errorf("search: phases: %d trials chosen by %q: "+
				"there is another phase of that name, or the number is negative",
				phase.Trials, name)
		}
		seen[name] = true
	}
	return p, nil
}

// count takes a record into account.
func (p *phases) count(r *dataset.Record) { p.taken[r.Scorer]++ }

// next makes the first phase that lacks trials the one under way. It reports whether
// there is one.
func (p *phases) next() bool {
	for i := range p.list {
		if !p.exhausted[i] && p.left(i) > 0 {
			p.now = i
			return true
		}
	}
	return false
}

// left returns how many trials phase i lacks.
func (p *phases) left(i int) int {
	return p.list[i].Trials - p.taken[p.nameOf(p.list[i].Proposer)]
}

func (p *phases) proposer() Proposer { return p.list[p.now].Proposer }
func (p *phases) name() string       { return p.nameOf(p.proposer()) }

// nameOf is what stands in a record as its scorer: what chose the candidate.
func (p *phases) nameOf(of Proposer) string { return cmp.Or(of.Name(), p.scorer) }
