// Package annotate completes sketches: it fills open tile sizes, chooses where
// untiled stages are computed, and decides which loops run in parallel, are
// unrolled or are vectors. What is random comes from a generator that the
// caller makes per candidate, so that candidates do not depend on the number of
// workers.
//
// The rules are those of AutoScheduler's initial population
// (src/auto_scheduler/search_policy/sketch_policy_rules.cc), with differences that
// docs/design/search-space.md lists: some extents also get tile sizes that do not divide
// them, tiles suit the register file, and the stages of softmax, of attention and of
// convolutions in tiles are computed some rows at a time. The last three decisions (parallel, unroll, vector)
// can be taken anew on a state whose tiles changed: Sampler.Remake strips and
// remakes them, so they always fit the tiles.
//
// The package must not know how sketches come about beyond the facts of a stage
// that package sketch answers, nor how candidates are ranked or measured.
package annotate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Rule takes one kind of decision on a whole state. It returns an error if
// its random choice gives no legal state: the candidate is dropped, which is
// nothing unusual.
type Rule struct {
	Name  string
	Apply func(c *choice, s *schedule.State) (*schedule.State, error)
}

// A Policy is how sketches are completed for a kind of target.
type Policy struct {
	Structure []Rule // decide the loops, in this order
	Loops     []Rule // decide how they are carried out; taken anew after mutations

	// Check says why a complete state is not worth scoring; nil if it is.
	Check func(s *schedule.State, t target.Target) error

	UnrollSteps []int   // the values of auto_unroll_max_step
	MaxInner    int64   // the largest extent of an innermost piece of a split
	MaxVector   int64   // the largest extent of a vector loop
	LittleWork  float64 // the iterations below which a loop nest may stay serial
	SplitVector bool    // an innermost loop that is too long for a vector is split to have one
	Tiles       Tiles   // what tile sizes are drawn for
	OneThread   bool    // an accelerator has no virtual threads
	Beyond      float64 // share of the candidates that may have decisions that AutoScheduler has not (schedule.Beyond)
}

// Tiles says which tile sizes are drawn. The zero value draws them as they fall.
type Tiles struct {
	VectorRedraws int     // how often a piece is drawn again that becomes a vector and fills no vector registers
	Balanced, Fit float64 // shares of the tiles of reductions that are drawn until they suit registers, or threads
	Redraws       int     // how often such a tile is drawn again at most; then one that fits is taken
	Handy         bool    // extents with few divisors are split into handy sizes, too
	Threes        float64 // share of the row loops of reductions with tiles of three or six rows where registers are few
	Threads       bool    // numbers of threads and of elements that one copies are drawn where sketches have one
}

// CPU is the policy of processors with vector units and several cores.
var CPU = Policy{
	Structure: []Rule{
		{"fill tile size", fillTileSize},
		{"attend in rows", attendInRows},
		{"convolve in rows", convolveInRows},
		{"compute in rows", computeInRows},
		{"change compute location", changeComputeLocation},
	},
	Loops: []Rule{
		{"parallel", parallelize},
		{"unroll", unroll},
		{"vectorization", vectorize},
	},
	Check:       plausible,
	UnrollSteps: []int{0, 16, 64, 512},
	MaxInner:    64,
	MaxVector:   64,
	LittleWork:  1 << 16, // some 10 microseconds without vectors
	SplitVector: true,
	Tiles:       Tiles{VectorRedraws: 2, Balanced: 0.6, Fit: 0.3, Redraws: 48, Handy: true, Threes: 1. / 3},
}

// AutoScheduler is the policy of AutoScheduler on processors: what searches of CPU are
// compared with.
var AutoScheduler = Policy{
	Structure:   []Rule{{"fill tile size", fillTileSize}, {"change compute location", changeComputeLocation}},
	Loops:       CPU.Loops,
	Check:       CPU.Check,
	UnrollSteps: CPU.UnrollSteps,
	MaxInner:    CPU.MaxInner,
	MaxVector:   CPU.MaxVector,
}

// GPU is the policy of GPUs.
var GPU = Policy{
	Structure: []Rule{
		{"fill tile size", fillTileSize},
		{"draw threads", drawThreads},
	},
	Loops: []Rule{
		{"thread bind", bindThreads},
		{"unroll", unroll},
		{"pad", pad},
		{"double buffer", doubleBuffer},
	},
	Check:       launchable(allLimits),
	UnrollSteps: []int{0, 16, 64, 512, 1024},
	MaxInner:    64,
	Tiles:       Tiles{Balanced: 0.6, Fit: 0.3, Redraws: 200, Handy: true, Threads: true},
	Beyond:      1.0 / 16,
}

// Accelerator is the policy of the simulated accelerator.
var Accelerator = Policy{
	Structure: []Rule{{"fill tiles of blocks", fillBlocks}},
	Loops:     []Rule{{"virtual threads", takeTurns}},
	Check:     fitsChip,
}

// InOneThread returns the policy without virtual threads: nothing is loaded while something is multiplied.
func (p Policy) InOneThread() Policy {
	p.OneThread = true
	return p
}

// AutoSchedulerGPU is the policy of AutoScheduler on GPUs.
var AutoSchedulerGPU = Policy{
	Structure:   []Rule{{"fill tile size", fillTileSize}},
	Loops:       GPU.Loops[:2],
	Check:       launchable(verifiedLimits),
	UnrollSteps: GPU.UnrollSteps,
	MaxInner:    GPU.MaxInner,
}

// A Sampler completes sketches for a target. It may be used by several
// goroutines at once.
type Sampler struct {
	Policy
	Target target.Target

	tiles tileTable
}

// New returns a sampler for t.
func New(p Policy, t target.Target) *Sampler { return &Sampler{Policy: p, Target: t} }

// A choice is what a rule decides with.
type choice struct {
	*Sampler
	rng *rand.Rand

	// unrolled, if not nil, holds auto_unroll_max_step by stage: the values that
	// a state had before its decisions were taken anew.
	unrolled map[int]int
}

// Sample completes a sketch at random. The state has bounds. An error says why
// the random choices gave no state worth scoring.
func (a *Sampler) Sample(sketch *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	c := &choice{Sampler: a, rng: rng}
	s, err := apply(c, a.Structure, sketch)
	if err != nil {
		return nil, err
	}
	return c.finish(s)
}

func apply(c *choice, rules []Rule, s *schedule.State) (*schedule.State, error) {
	for _, r := range rules {
		next, err := r.Apply(c, s)
		if err != nil {
			return nil, fmt.Errorf("annotate: %s: %w", r.Name, err)
		}
		s = next
	}
	return s, nil
}

// finish takes the decisions on loops and checks that the state is worth
// scoring.
func (c *choice) finish(s *schedule.State) (*schedule.State, error) {
	s, err := apply(c, c.Loops, s)
	if err != nil {
		return nil, err
	}
	if s, err = s.InferBound(); err != nil {
		return nil, fmt.Errorf("annotate: %w", err)
	}
	return s, c.Check(s, c.Target)
}

// sampleTries is how often a slot of a population is tried.
const sampleTries = 4

// Population completes random sketches, see Draw. It is an error if there is no sketch.
func (a *Sampler) Population(
	ctx context.Context, sketches []*schedule.State, n int, seed uint64, stream uint32, workers int,
) ([]*schedule.State, error) {
	if len(sketches) == 0 {
		return nil, fmt.Errorf("annotate: no sketch to complete")
	}
	return Draw(ctx, n, seed, stream, workers, func(rng *rand.Rand) (*schedule.State, error) {
		return a.Sample(sketches[rng.IntN(len(sketches))], rng)
	})
}

// Draw draws a state for each of n slots, and returns those that are worth scoring, in slot order, without those whose
// program an earlier slot has. The generator of a slot is seeded by seed, stream and the slot alone. It is an error if
// the context is cancelled.
func Draw(ctx context.Context, n int, seed uint64, stream uint32, workers int,
	sample func(*rand.Rand) (*schedule.State, error),
) ([]*schedule.State, error) {
	slots := make([]*schedule.State, n)
	err := Each(ctx, n, workers, func(i int) {
		rng := Rand(seed, stream, i)
		for range sampleTries {
			if s, err := sample(rng); err == nil {
				slots[i] = s
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var states []*schedule.State
	seen := map[[16]byte]bool{}
	for _, s := range slots {
		if s == nil {
			continue
		}
		if sig := s.Signature(); !seen[sig] {
			seen[sig] = true
			states = append(states, s)
		}
	}
	return states, nil
}

// Items of the complement of a seed. Those of the seed itself are samples, and offspring behind them.
const (
	Subset     = 0       // which states of a population are measured at random
	Novel      = 1       // which ones of new structures are looked at
	Neighbours = 2       // and behind: neighbours of the fastest
	Partials   = 1 << 30 // and behind: partial states
)

// Rand returns the random numbers of one item of one stream of a search.
func Rand(seed uint64, stream uint32, item int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(stream)<<32|uint64(uint32(item))))
}

// Each calls f(0), ... f(n-1), on so many goroutines; 0 means one per processor. A
// cancelled context ends it early with the context's error.
func Each(ctx context.Context, n, workers int, f func(int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64 // goroutines take items in turns: one an item would have its stack grow each time
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// Partial takes the decisions on the loops of a sketch at random, tile sizes and
// where stages are computed, and leaves open how loops are carried out. The state
// has bounds. Complete takes the others.
func (a *Sampler) Partial(sketch *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	s, err := apply(&choice{Sampler: a, rng: rng}, a.Structure, sketch)
	if err != nil {
		return nil, err
	}
	if s, err = s.InferBound(); err != nil {
		return nil, fmt.Errorf("annotate: %w", err)
	}
	return s, nil
}

// Complete takes the decisions of a partial state that are still open. An error
// says why they gave no state worth scoring.
func (a *Sampler) Complete(partial *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	return (&choice{Sampler: a, rng: rng}).finish(partial)
}

// remake replays structural steps and takes the decisions on loops.
func (c *choice) remake(d *compute.DAG, structure []schedule.Step) (*schedule.State, error) {
	s, err := schedule.ReplayBound(d, structure)
	if err != nil {
		return nil, fmt.Errorf("annotate: %w", err)
	}
	return c.finish(s)
}

// Remake returns the state of new structural steps on the DAG of s, with the
// decisions on loops taken anew; the unroll limits of s are kept. The state has
// bounds. An error says why the steps give no state worth scoring. With the structural steps of s itself:
//
//	parallel i.0@j.0@ (0,8)                parallel i.0@j.0@i.1@ (0,64)
//	  for i.1 (0,8)               =>         for j.1 (0,1)
//	    vectorize j.1 (0,1)
func (a *Sampler) Remake(s *schedule.State, structure []schedule.Step, rng *rand.Rand) (*schedule.State, error) {
	c := &choice{Sampler: a, rng: rng, unrolled: map[int]int{}}
	for i, st := range s.Stages {
		c.unrolled[i] = st.AutoUnroll
	}
	return c.remake(s.DAG, structure)
}
