package ranker

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// kinds is the order of the step kinds in features.
var kinds = []schedule.Kind{
	schedule.AN, schedule.FU, schedule.PR, schedule.RE, schedule.SP, schedule.FSP, schedule.FFSP,
	schedule.SA, schedule.CA, schedule.CI, schedule.CR, schedule.CHR, schedule.CHW, schedule.RF,
}

// Kinds is the number of step kinds.
const Kinds = 14

// KindNumber returns the place of a kind in features, from 0.
func KindNumber(k schedule.Kind) int {
	n := slices.Index(kinds, k)
	if n < 0 {
		panic("BUG: ranker: step kind " + string(k))
	}
	return n
}

const (
	annotations  = int(schedule.Tensorize) + 1
	splitSlots   = 14               // Split steps that are described one by one
	splitLengths = 4                // lengths of each
	splitWidth   = 2 + splitLengths // extent, outer extent, lengths
	sums         = 7
	dims         = 16 // extents of the arguments
)

// ActionColumns is the number of action features.
const ActionColumns = Kinds + 1 + annotations + 2 + splitSlots*splitWidth + sums + dims

// Actions returns the action features of steps on d, ActionColumns numbers: how
// often each kind of step and annotation occurs, the largest unroll limit and how
// many there are, the first splits one by one, sums over fusions, computed-at
// positions and splits, and the extents of the arguments. Extents and lengths
// are logarithms to base 2; what there is none of is 0. FSP and FFSP steps only
// count: they repeat lengths of splits.
func Actions(d *compute.DAG, steps []schedule.Step) []float32 {
	a := actions{kind: make([]int, len(kinds))}
	for _, s := range steps {
		a.step(s)
	}
	row := make([]float32, 0, ActionColumns)
	for _, n := range a.kind {
		row = append(row, float32(n))
	}
	row = append(row, float32(len(steps)))
	for _, n := range a.annotation {
		row = append(row, float32(n))
	}
	row = append(row, log2(1+a.unroll), float32(a.kind[2]))
	splits := make([]float32, splitSlots*splitWidth)
	copy(splits, a.splits)
	row = append(row, splits...)
	row = append(row, a.fused, a.fusedMost, a.at, a.atMost, a.inner, a.innerMost, a.last)
	extents := make([]float32, 0, dims)
	for _, t := range d.Tensors {
		for _, n := range t.Shape {
			extents = append(extents, log2(n))
		}
	}
	return append(row, append(extents, make([]float32, dims)...)[:dims]...)
}

// actions is what steps add up to.
type actions struct {
	kind       []int
	annotation [annotations]int
	unroll     int64 // the largest limit
	splits     []float32

	fused, fusedMost float32 // iterators that FU steps fused: of all, of one
	at, atMost       float32 // iterators that CA steps name
	inner, innerMost float32 // log2 of what the lengths of a split multiply to
	last             float32 // of the last lengths
}

func (a *actions) step(step schedule.Step) {
	a.kind[KindNumber(step.Kind())]++
	switch s := step.(type) {
	case schedule.Annotate:
		a.annotation[s.Ann]++
	case schedule.Pragma:
		a.unroll = max(a.unroll, UnrollLimit(s.Text))
	case schedule.Fuse:
		n := float32(len(s.Iters))
		a.fused, a.fusedMost = a.fused+n, max(a.fusedMost, n)
	case schedule.ComputeAt:
		n := float32(s.TargetIter)
		a.at, a.atMost = a.at+n, max(a.atMost, n)
	case schedule.Split:
		a.split(s)
	}
}

func (a *actions) split(s schedule.Split) {
	var inner, last float32
	for _, n := range s.Lengths {
		last = log2(n)
		inner += last
	}
	a.inner, a.innerMost, a.last = a.inner+inner, max(a.innerMost, inner), a.last+last
	if len(a.splits) == splitSlots*splitWidth {
		return
	}
	var slot [splitWidth]float32
	slot[0], slot[1] = log2(s.Extent), log2(outerExtent(s))
	for k := range min(len(s.Lengths), splitLengths) {
		slot[2+k] = log2(s.Lengths[k])
	}
	a.splits = append(a.splits, slot[:]...)
}

// outerExtent returns the extent of the loop that a split makes besides those of
// its lengths.
func outerExtent(s schedule.Split) int64 {
	n := s.Extent
	for _, length := range s.Lengths {
		if length > 1 {
			n = (n + length - 1) / length
		}
	}
	return n
}

// UnrollLimit returns the limit that a pragma sets, or 0.
func UnrollLimit(text string) int64 {
	_, after, ok := strings.Cut(text, "$")
	if n, err := strconv.ParseInt(after, 10, 64); ok && err == nil {
		return n
	}
	return 0
}

// log2 returns the logarithm of an extent, 0 of one that is unknown.
func log2(n int64) float32 {
	if n < 1 {
		return 0
	}
	return float32(math.Log2(float64(n)))
}
