package search

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/wmtune/wmtune/tir/schedule"
)

// A Space makes the candidates of tasks of one kind of target.
type Space struct {
	Collapse bool // dimensions that can become one do so where one has few divisors, see Searched

	// Open returns the candidates of a task. The error says why there are none.
	Open func(ctx context.Context, t *Task) (Source, error)
}

// A Source is the space of one task. Its methods may be called by several goroutines, but for Traits.
type Source interface {
	// Structures is how many kinds of programs there are: sketches, or templates.
	Structures() int

	// Sample draws a candidate. The state has bounds. An error says why the random choices gave none.
	Sample(rng *rand.Rand) (*schedule.State, error)

	// Step takes one decision of a candidate anew. An error says why this one cannot be taken so, or that the
	// state is not of this space; both are nothing unusual.
	Step(s *schedule.State, rng *rand.Rand) (*schedule.State, error)

	// Parts returns a hash for each decision of a candidate: those that two candidates have in common are equal.
	Parts(s *schedule.State) []uint64

	// Traits says what the source does beyond that.
	Traits() SourceTraits
}

// SourceTraits say what a source does beyond drawing and stepping. The zero value does nothing else.
type SourceTraits struct {
	// Partial draws a partial state, whose loops have their extents but not how they are carried out, and says of
	// which structure it is. Complete takes the open decisions. A scorer that plans ahead chooses in between.
	Partial  func(rng *rand.Rand) (*schedule.State, int, error)
	Complete func(s *schedule.State, rng *rand.Rand) (*schedule.State, error)

	// Configs numbers the candidates; nil where they have no numbers.
	Configs *Configs

	// Tiles returns the splits of a candidate whose lengths may be any that divide, by step, and the most that the
	// innermost piece of each may have; Retile returns the candidate with other lengths, by step. Nil: lengths
	// cannot be told apart from other decisions.
	Tiles  func(s *schedule.State) (splits []int, mostInner int64)
	Retile func(s *schedule.State, lengths map[int][]int64, rng *rand.Rand) (*schedule.State, error)

	// Foremost is the part of the source that comes first whatever a scorer says, where nothing is measured; nil:
	// all.
	Foremost Source
}

// Configs are the candidates of a source by number. A number that makes no state has an error.
type Configs struct {
	Len int64
	At  func(index int64) (*schedule.State, error)

	// Cross makes a candidate of two: its first decisions are those of a, the others those of b, and each is drawn
	// anew with a probability.
	Cross func(a, b *schedule.State, anew float64, rng *rand.Rand) (*schedule.State, error)
}

// Parts returns a hash for each decision of a program: what its structure is, the lengths of each tile, and each
// limit of unrolling. Decisions of two structures are never equal.
func Parts(steps []schedule.Step) []uint64 {
	hash := func(text string, number int) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", number, text)
		return h.Sum64()
	}
	structure := outline(steps)
	parts := []uint64{hash(structure, -1)}
	for i, step := range steps {
		switch s := step.(type) {
		case schedule.Split:
			parts = append(parts, hash(fmt.Sprint(s.Lengths, structure), i))
		case schedule.Pragma:
			parts = append(parts, hash(s.Text+structure, i))
		}
	}
	return parts
}
