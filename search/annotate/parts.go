package annotate

import "github.com/wmtune/wmtune/tir/schedule"

// IsPartsSplit reports whether step i splits the axis of the parts that sums are divided into
// (sketch.GPU): it is the first axis of the stage that the last Rfactor step made.
func IsPartsSplit(steps []schedule.Step, i int) bool {
	sp, ok := steps[i].(schedule.Split)
	if !ok || sp.Iter != 0 {
		return false
	}
	for k := i - 1; k > 0; k-- {
		if rf, ok := steps[k].(schedule.Rfactor); ok {
			parts, ok := steps[k-1].(schedule.Split)
			return ok && !parts.InnerToOuter && rf.At == sp.At && parts.Lengths[0] == sp.Extent
		}
		if of, ok := steps[k].(schedule.Split); ok && of.At == sp.At {
			return false // the axis is split already
		}
	}
	return false
}
