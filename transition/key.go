package transition

import (
	"encoding/binary"
	"fmt"

	"github.com/wmtune/wmtune/tir/schedule"
)

// appendKey appends what tells steps apart.
func appendKey(b []byte, step schedule.Step) []byte {
	put := func(list ...int) {
		for _, v := range list {
			b = binary.AppendVarint(b, int64(v))
		}
	}
	b = append(b, step.Kind()...)
	put(step.Stage())
	switch s := step.(type) {
	case schedule.Annotate:
		put(s.Iter, int(s.Ann))
	case schedule.Fuse:
		put(s.Iters...)
	case schedule.Pragma:
		put(s.Iter)
		b = append(b, s.Text...)
	case schedule.Reorder:
		put(s.Order...)
	case schedule.Split:
		put(s.Iter)
		for _, l := range s.Lengths {
			b = binary.AppendVarint(b, l)
		}
		b = append(b, byte(bit(s.InnerToOuter)))
	case schedule.FollowSplit:
		put(s.Iter, s.Src, s.Parts)
	case schedule.FollowFusedSplit:
		put(s.Iter, s.Level, int(bit(s.Factor)))
		put(s.Srcs...)
	case schedule.StorageAlign:
		put(s.Iter, int(s.Factor), int(s.Offset))
	case schedule.ComputeAt:
		put(s.Target, s.TargetIter)
	case schedule.ComputeInline, schedule.ComputeRoot:
	case schedule.CacheRead:
		put(s.Readers...)
		b = append(b, s.Scope...)
	case schedule.CacheWrite:
		b = append(b, s.Scope...)
	case schedule.Rfactor:
		put(s.Iter, s.FactorIter)
	default:
		panic(fmt.Sprintf("BUG: transition: a step of kind %s", step.Kind()))
	}
	return b
}
