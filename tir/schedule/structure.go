package schedule

// Structure returns the steps without the decisions on how loops are carried
// out, which are the annotations, pragmas, fusions and vector splits at the end
// of the list.
func Structure(steps []Step) []Step {
	end := len(steps)
	for end > 0 && carriesOut(steps, end-1) {
		end--
	}
	return steps[:end:end]
}

// carriesOut reports whether step i is one that says how loops are carried out.
func carriesOut(steps []Step, i int) bool {
	switch s := steps[i].(type) {
	case Annotate, Fuse, Pragma:
		return true
	case Split:
		// A vector split is annotated at once, on its inner piece.
		if i+1 == len(steps) {
			return false
		}
		a, ok := steps[i+1].(Annotate)
		return ok && a.Ann == Vectorize && a.At == s.At && a.Iter == s.Iter+1
	}
	return false
}
