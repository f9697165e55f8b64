package eval

import (
	"math"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/schedule"
)

const (
	tlpNumbers = 22 // of a step
	tlpWidth   = 64
	tlpHeads   = 4
)

func tlpRows() []Row {
	return []Row{{
		Name: "tlp",
		What: "TLP's: steps as kind and 22 numbers, 36-64-64 by step, attention of 4 heads, two residual layers of 64, " +
			"64-64-1 summed over steps (35,713 weights), LambdaRank, Adam 2e-3, 500 batches of 96",
		new: func(_ *env, seed uint64) Scorer { return &neural{recipe: tlp, seed: seed} },
	}}
}

// tlp is TLP's network (zhaiyi000/tlp) at a quarter of its width. Sequences are
// neither cropped nor padded; numbers are logarithms, for the network is too small to
// take products apart.
var tlp = recipe{
	columns: ranker.Kinds + tlpNumbers, rows: stepsOf, scale: asIs,
	batchRows: 4096, batchSize: 96, steps: 500,
	adam: nn.Adam{Rate: 2e-3, Decay: 1e-6, Clip: 0.5}, loss: lambdaRank,
	layers: func(n *nn.Network, x nn.Value, s *nn.Segments, most int) nn.Value {
		h := n.ReLU(n.Linear(n.ReLU(n.Linear(x, tlpWidth)), tlpWidth))
		h = n.Add(n.Linear(n.Attention(n.Linear(h, 3*tlpWidth), s, tlpHeads), tlpWidth), h)
		h = residuals(n, h, tlpWidth)
		return n.SegmentSum(n.Linear(n.ReLU(n.Linear(h, tlpWidth)), 1), s, most)
	},
}

// stepsOf returns a row per step: its kind as one of ranker.Kinds flags, and its
// numbers in the order of records.
func stepsOf(s *Sample) []float32 {
	const columns = ranker.Kinds + tlpNumbers
	out := make([]float32, columns*max(len(s.Steps), 1))
	for i, step := range s.Steps {
		row := out[i*columns:][:columns]
		row[ranker.KindNumber(step.Kind())] = 1
		at := ranker.Kinds
		for _, v := range numbersOf(step) {
			if at == columns {
				break
			}
			row[at] = float32(math.Log2(1+math.Abs(float64(v)))) / 4
			at++
		}
	}
	return out
}

// numbersOf returns the integers of a step in the order of its record form.
func numbersOf(step schedule.Step) []int64 {
	list := []int64{int64(step.Stage())}
	add := func(values ...int) {
		for _, v := range values {
			list = append(list, int64(v))
		}
	}
	switch s := step.(type) {
	case schedule.Annotate:
		add(s.Iter, int(s.Ann))
	case schedule.Fuse:
		add(s.Iters...)
	case schedule.Pragma:
		add(s.Iter)
		list = append(list, ranker.UnrollLimit(s.Text))
	case schedule.Reorder:
		add(s.Order...)
	case schedule.Split:
		add(s.Iter)
		list = append(append(list, s.Extent), s.Lengths...)
	case schedule.FollowSplit:
		add(s.Iter, s.Src, s.Parts)
	case schedule.FollowFusedSplit:
		add(s.Iter, s.Level)
		add(s.Srcs...)
	case schedule.StorageAlign:
		add(s.Iter)
		list = append(list, s.Factor, s.Offset)
	case schedule.ComputeAt:
		add(s.Target, s.TargetIter)
	case schedule.CacheRead:
		add(s.Readers...)
	case schedule.Rfactor:
		add(s.Iter, s.FactorIter)
	}
	return list
}
