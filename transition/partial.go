package transition

import "github.com/wmtune/wmtune/tir/schedule"

// Partial returns how many of the steps come before those that say how loops are
// carried out: annotations, pragmas, fusions and vector splits at the end. The state
// after them is partial: its loops have their extents. Searches complete such states
// in many ways, and ask which ones to begin with.
func Partial(steps []schedule.Step) int {
	return len(schedule.Structure(steps))
}
