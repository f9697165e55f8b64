package annotate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// blockRedraws is how often tiles are drawn that do not fit the accelerator's memories.
const blockRedraws = 64

// fillBlocks draws the open lengths of a product of blocks, until its tiles fit the memories. Only divisors are drawn,
// and one axis is divided among the virtual threads.
//
//	SP 3 0 56 [None, None, 1]    =>   SP 3 0 56 [2, 7, 1]
//	SP 3 8 64 [None, None, 16]        SP 3 8 64 [1, 2, 16]
//	SP 3 12 64 [None, 16]             SP 3 12 64 [2, 16]
func fillBlocks(c *choice, s *schedule.State) (*schedule.State, error) {
	var open []int
	for i, step := range s.Steps {
		if isOpen(step) {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return s, nil
	}
	for range blockRedraws {
		steps := slices.Clone(s.Steps)
		threads := c.threadAxis(steps, open)
		for _, i := range open {
			steps[i] = c.DrawBlocks(steps[i].(schedule.Split), threads == i, c.rng)
		}
		filled, err := schedule.Replay(s.DAG, steps)
		if err != nil {
			return nil, err
		}
		turned, err := takeTurns(c, filled)
		if err != nil {
			return nil, err
		}
		if fitsChip(turned, c.Target) == nil {
			return filled, nil
		}
	}
	return nil, errors.New("no tiles that were drawn fit the memories")
}

// spatialBlockLevels is how many inner pieces a spatial axis of a product of blocks has: that of virtual threads, the
// tile, and a block.
const spatialBlockLevels = 3

// threadAxis draws the split whose axis virtual threads divide; -1 for one thread.
func (c *choice) threadAxis(steps []schedule.Step, open []int) int {
	var may []int
	for _, i := range open {
		sp := steps[i].(schedule.Split)
		if len(sp.Lengths) == spatialBlockLevels && sp.Extent/sp.Lengths[spatialBlockLevels-1]%c.threadsAtOnce() == 0 {
			may = append(may, i)
		}
	}
	if len(may) == 0 || c.threadsAtOnce() == 1 {
		return -1
	}
	return may[c.rng.IntN(len(may))]
}

func (a *Sampler) threadsAtOnce() int64 {
	if a.OneThread {
		return 1
	}
	return int64(a.Target.Hardware.MaxVthread)
}

// DrawBlocks draws the pieces of a split of a product of blocks that a sketch leaves open.
func (a *Sampler) DrawBlocks(sp schedule.Split, threads bool, rng *rand.Rand) schedule.Split {
	n := len(sp.Lengths)
	sp.Lengths = slices.Clone(sp.Lengths)
	rest := sp.Extent / sp.Lengths[n-1]
	if n == spatialBlockLevels {
		sp.Lengths[0] = 1
		if threads {
			sp.Lengths[0] = a.threadsAtOnce()
		}
		rest /= sp.Lengths[0]
	}
	divisors := arith.Divisors(rest)
	sp.Lengths[n-2] = divisors[rng.IntN(len(divisors))]
	return sp
}

// IsThreaded reports whether virtual threads divide the axis of a split of a product of blocks.
func IsThreaded(sp schedule.Split) bool {
	return len(sp.Lengths) == spatialBlockLevels && sp.Lengths[0] > 1
}

// takeTurns makes virtual threads of the loops that fillBlocks drew for them.
//
//	for i.0, for j.0                  for i.0, for j.0
//	  for i.1 (0,2), for j.1   =>       vthread i.1 (0,2), for j.1
func takeTurns(_ *choice, s *schedule.State) (*schedule.State, error) {
	for stage, st := range s.Stages {
		axes := len(st.Op.Axes)
		if st.At != schedule.AtRoot || len(s.Attach.Inside(stage, 2*axes-1)) == 0 {
			continue
		}
		for i := axes; i < 2*axes; i++ {
			if st.Iters[i].Extent <= 1 {
				continue
			}
			var err error
			if s, err = s.Apply(schedule.Annotate{At: stage, Iter: i, Ann: schedule.VThread}); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// fitsChip returns an error if the tiles of a state do not fit the accelerator's memories, or if it has more virtual
// threads.
func fitsChip(s *schedule.State, t target.Target) error {
	nests, err := s.Nests()
	if err != nil {
		return fmt.Errorf("annotate: %w", err)
	}
	taken := map[tir.Scope]int64{}
	for stage, n := range nests {
		if n == nil {
			continue
		}
		threads := int64(1)
		for of, ok := s.Attach.At(stage); ok; of, ok = s.Attach.At(of.Stage) {
			for _, l := range nests[of.Stage].Loops[:of.Iter+1] {
				if l.Iter.Ann == schedule.VThread {
					threads *= l.Extent
				}
			}
		}
		if threads > int64(t.Hardware.MaxVthread) {
			return fmt.Errorf("annotate: %d virtual threads, and there are %d", threads, t.Hardware.MaxVthread)
		}
		if _, attached := s.Attach.At(stage); !attached {
			continue
		}
		result := s.Stages[stage].Op.Results[0]
		bytes := threads * int64(result.Type.Bytes())
		for d := range s.Stages[stage].Op.Axes {
			bytes *= n.Region[d].Extent
		}
		taken[result.Scope] += bytes
	}
	for _, m := range []struct {
		bytes, most int64
		what        string
	}{{taken[tir.Inp], target.InpBytes, "the first operand"}, {taken[tir.Wgt], target.WgtBytes, "the second operand"},
		{taken[tir.Local] + taken[""], target.AccBytes, "sums"}} {
		if m.bytes > m.most {
			return fmt.Errorf("annotate: %d bytes of %s, and there are %d", m.bytes, m.what, m.most)
		}
	}
	return nil
}
