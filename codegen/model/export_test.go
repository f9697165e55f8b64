package model

// AddFeature has programs need an instruction set that the run-time does not find, until undo is called.
func AddFeature(name string) (undo func()) {
	features = append(features, name)
	return func() { features = features[:len(features)-1] }
}

// Medians returns the median times of steps from their sums after each run.
func Medians(sums [][]int64) []int64 {
	var t stepTimes
	for _, s := range sums {
		t.add(s)
	}
	return t.medians()
}
