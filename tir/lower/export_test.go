package lower

// ReverseTraversals has all parallel loops gone through in the reverse order of
// their digits, and returns what ends that.
func ReverseTraversals() (restore func()) {
	saved := orderOf
	orderOf = func(t *traversal) []int {
		var list []int
		for d := range len(t.radix) - 1 {
			list = append(list, d)
		}
		return list
	}
	return func() { orderOf = saved }
}

// NearBytes changes the size up to which traverse takes tensors to be in a cache,
// and returns what changes it back.
func NearBytes(n float64) (restore func()) {
	saved := nearBytes
	nearBytes = n
	return func() { nearBytes = saved }
}

// RepackWork changes how often vectors must read elements of a copy that repack makes, and returns
// what changes it back.
func RepackWork(n int64) (restore func()) {
	saved := repackWork
	repackWork = n
	return func() { repackWork = saved }
}

// RepackAlways has repack copy all that it can, and returns what ends that.
func RepackAlways() (restore func()) {
	reads, work, lanes, parallel := repackReads, repackWork, minRepackLanes, parallelRepack
	repackReads, repackWork, minRepackLanes, parallelRepack = 1, 1, 2, 1
	return func() { repackReads, repackWork, minRepackLanes, parallelRepack = reads, work, lanes, parallel }
}

// PassNames lists the passes in order.
func PassNames() []string {
	var list []string
	for _, p := range passes {
		list = append(list, p.name)
	}
	return list
}
