package transition

import "github.com/wmtune/wmtune/tir/schedule"

// Partial returns how many of the steps come before those that say how loops are
// carried out: annotations, pragmas, fusions and vector splits at the end. The state
// after them is partial: its loops have their extents. Searches complete such states
// in many ways, and ask which ones to begin with.
func Partial(steps []schedule.Step) int {
	end := len(steps)
	for end > 0 && carriesOut(steps, end-1) {
		end--
	}
	return end
}

// carriesOut reports whether step i says how loops are carried out.
func carriesOut(steps []schedule.Step, i int) bool {
	switch s := steps[i].(type) {
	case schedule.Annotate, schedule.Fuse, schedule.Pragma:
		return true
	case schedule.Split:
		// A vector split is annotated at once, on its inner piece.
		if i+1 == len(steps) {
			return false
		}
		a, ok := steps[i+1].(schedule.Annotate)
		return ok && a.Ann == schedule.Vectorize && a.At == s.At && a.Iter == s.Iter+1
	}
	return false
}
