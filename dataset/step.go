package dataset

import (
	"fmt"

	"github.com/wmtune/wmtune/tir/schedule"
)

// A stepCell is a step as the steps column holds it. The integers are those of
// the record form in its order, but flags come before a list, and a list last:
//
//	AN    stage, iter, annotation
//	FU    stage, iters...
//	PR    stage, iter                                text: the pragma
//	RE    stage, old positions...
//	SP    stage, iter, extent, inner to outer, lengths...
//	FSP   stage, iter, step, parts
//	FFSP  stage, iter, level, factor, steps...
//	SA    stage, iter, factor, offset
//	CA    stage, target, iter
//	CI    stage
//	CR    stage
//	CHR   stage, readers...                          text: the scope
//	CHW   stage                                      text: the scope
//	RF    stage, iter, factor iter
//	WG    stage, tile
//	PH    stage
type stepCell struct {
	kind schedule.Kind
	ints []int64
	text string
}

// encodeStep returns the column's form of a step.
func encodeStep(step schedule.Step) stepCell {
	c := stepCell{kind: step.Kind()}
	switch s := step.(type) {
	case schedule.Annotate:
		c.ints = ints(s.At, s.Iter, int(s.Ann))
	case schedule.Fuse:
		c.ints = ints(append([]int{s.At}, s.Iters...)...)
	case schedule.Pragma:
		c.ints, c.text = ints(s.At, s.Iter), s.Text
	case schedule.Reorder:
		c.ints = ints(append([]int{s.At}, s.Order...)...)
	case schedule.Split:
		c.ints = append([]int64{int64(s.At), int64(s.Iter), s.Extent, bit(s.InnerToOuter)}, s.Lengths...)
	case schedule.FollowSplit:
		c.ints = ints(s.At, s.Iter, s.Src, s.Parts)
	case schedule.FollowFusedSplit:
		c.ints = append(append(ints(s.At, s.Iter, s.Level), bit(s.Factor)), ints(s.Srcs...)...)
	case schedule.StorageAlign:
		c.ints = []int64{int64(s.At), int64(s.Iter), s.Factor, s.Offset}
	case schedule.ComputeAt:
		c.ints = ints(s.At, s.Target, s.TargetIter)
	case schedule.ComputeInline:
		c.ints = ints(s.At)
	case schedule.ComputeRoot:
		c.ints = ints(s.At)
	case schedule.CacheRead:
		c.ints, c.text = ints(append([]int{s.At}, s.Readers...)...), s.Scope
	case schedule.CacheWrite:
		c.ints, c.text = ints(s.At), s.Scope
	case schedule.Rfactor:
		c.ints = ints(s.At, s.Iter, s.FactorIter)
	case schedule.Winograd:
		c.ints = []int64{int64(s.At), s.Tile}
	case schedule.Phases:
		c.ints = ints(s.At)
	default:
		panic(fmt.Sprintf("BUG: dataset: step type %T", step))
	}
	return c
}

// stepShapes says how many integers a step of each kind has before its list,
// whether a list follows, whether it has a text, and which integer is a flag.
var stepShapes = map[schedule.Kind]struct {
	fixed      int
	list, text bool
	flag       int // its index; 0 if none
}{
	schedule.AN:   {fixed: 3},
	schedule.FU:   {fixed: 1, list: true},
	schedule.PR:   {fixed: 2, text: true},
	schedule.RE:   {fixed: 1, list: true},
	schedule.SP:   {fixed: 4, list: true, flag: 3},
	schedule.FSP:  {fixed: 4},
	schedule.FFSP: {fixed: 4, list: true, flag: 3},
	schedule.SA:   {fixed: 4},
	schedule.CA:   {fixed: 3},
	schedule.CI:   {fixed: 1},
	schedule.CR:   {fixed: 1},
	schedule.CHR:  {fixed: 1, list: true, text: true},
	schedule.CHW:  {fixed: 1, text: true},
	schedule.RF:   {fixed: 3},
	schedule.WG:   {fixed: 2},
	schedule.PH:   {fixed: 1},
}

// decodeStep is the reverse of encodeStep. It is an error if the kind is
// unknown or the cell does not have the kind's number of integers.
func decodeStep(c stepCell) (schedule.Step, error) {
	shape, ok := stepShapes[c.kind]
	if !ok {
		return nil, fmt.Errorf("unknown step kind %q", c.kind)
	}
	if len(c.ints) < shape.fixed || len(c.ints) > shape.fixed && !shape.list {
		return nil, fmt.Errorf("step %s with %d integers", c.kind, len(c.ints))
	}
	if c.text != "" && !shape.text {
		return nil, fmt.Errorf("step %s with text %q", c.kind, c.text)
	}
	if f := shape.flag; f > 0 && c.ints[f] != 0 && c.ints[f] != 1 {
		return nil, fmt.Errorf("step %s with flag %d", c.kind, c.ints[f])
	}
	at := func(i int) int { return int(c.ints[i]) }
	list := c.ints[shape.fixed:]
	switch c.kind {
	case schedule.AN:
		if c.ints[2] < 0 || c.ints[2] > 255 {
			return nil, fmt.Errorf("step AN with annotation %d", c.ints[2])
		}
		return schedule.Annotate{At: at(0), Iter: at(1), Ann: schedule.Annotation(c.ints[2])}, nil
	case schedule.FU:
		return schedule.Fuse{At: at(0), Iters: narrow(list)}, nil
	case schedule.PR:
		return schedule.Pragma{At: at(0), Iter: at(1), Text: c.text}, nil
	case schedule.RE:
		return schedule.Reorder{At: at(0), Order: narrow(list)}, nil
	case schedule.SP:
		lengths := append([]int64(nil), list...)
		return schedule.Split{At: at(0), Iter: at(1), Extent: c.ints[2], Lengths: lengths, InnerToOuter: at(3) != 0}, nil
	case schedule.FSP:
		return schedule.FollowSplit{At: at(0), Iter: at(1), Src: at(2), Parts: at(3)}, nil
	case schedule.FFSP:
		return schedule.FollowFusedSplit{At: at(0), Iter: at(1), Level: at(2), Factor: at(3) != 0, Srcs: narrow(list)}, nil
	case schedule.SA:
		return schedule.StorageAlign{At: at(0), Iter: at(1), Factor: c.ints[2], Offset: c.ints[3]}, nil
	case schedule.CA:
		return schedule.ComputeAt{At: at(0), Target: at(1), TargetIter: at(2)}, nil
	case schedule.CI:
		return schedule.ComputeInline{At: at(0)}, nil
	case schedule.CR:
		return schedule.ComputeRoot{At: at(0)}, nil
	case schedule.CHR:
		return schedule.CacheRead{At: at(0), Readers: narrow(list), Scope: c.text}, nil
	case schedule.CHW:
		return schedule.CacheWrite{At: at(0), Scope: c.text}, nil
	case schedule.RF:
		return schedule.Rfactor{At: at(0), Iter: at(1), FactorIter: at(2)}, nil
	case schedule.WG:
		return schedule.Winograd{At: at(0), Tile: c.ints[1]}, nil
	case schedule.PH:
		return schedule.Phases{At: at(0)}, nil
	}
	panic("BUG: dataset: no decoder for step kind " + string(c.kind))
}

func ints(list ...int) []int64 {
	wide := make([]int64, len(list))
	for i, v := range list {
		wide[i] = int64(v)
	}
	return wide
}

func narrow(list []int64) []int {
	var n []int
	for _, v := range list {
		n = append(n, int(v))
	}
	return n
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
