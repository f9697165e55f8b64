package main

import (
	"fmt"
	"time"

	"github.com/wmtune/wmtune/tune/bench"
)

// remaining says how much of a benchmark is to be done, by weights: a search costs as
// much as its trials, and something in any case.
type remaining struct {
	searches, of int
	weight       float64 // of searches not done
	done         float64 // of those done since
	started      time.Time
	ended        time.Time // of the last that was done since
}

func weightOf(s bench.Side) float64 { return float64(s.Budget) + 4 }

// planned counts the searches that are not complete.
func (b *scorersBench) planned() *remaining {
	r := &remaining{started: time.Now()}
	for _, w := range b.workloads {
		for _, seed := range b.seeds {
			for _, s := range b.sides() {
				r.of++
				if kept, ok := b.kept(w, s, seed); !ok || !kept.Done {
					r.searches++
					r.weight += weightOf(s)
				}
			}
		}
	}
	return r
}

// end takes note of a search that is complete.
func (r *remaining) end(s bench.Side) {
	r.searches--
	r.weight -= weightOf(s)
	r.done += weightOf(s)
	r.ended = time.Now()
}

// String says what is done and how long the rest may take: as long as what was done, by
// weight, less what the search under way has taken.
func (r *remaining) String() string {
	text := fmt.Sprintf("%d of %d searches done", r.of-r.searches, r.of)
	if r.done == 0 {
		return text
	}
	left := time.Duration(float64(r.ended.Sub(r.started))/r.done*r.weight) - time.Since(r.ended)
	if left > 0 {
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}
