package nest

// Traffic returns how many bytes come from beyond a cache of some size, for one
// run of the program, and how many would if it were large enough. The nest's
// accesses together fit from some loop on; each is loaded once for each run of the
// loops outside of that, but for those next to it that it does not depend on.
func (n *Nest) Traffic(feet [][]float64, size float64) (bytes, least float64) {
	level := len(n.Loops)
	for k := range len(n.Loops) + 1 {
		sum := 0.0
		for _, f := range feet[k] {
			sum += f
		}
		if sum <= size {
			level = k
			break
		}
	}
	for a := range n.Accesses {
		least += feet[0][a]
		k := level
		for k > 0 && feet[k-1][a] == feet[k][a] {
			k--
		}
		bytes += feet[level][a] * n.Runs(k)
	}
	return bytes, least
}

// Footprints returns, for the loops from each on, the bytes of each access.
func (n *Nest) Footprints(line float64) [][]float64 {
	all := make([]float64, (len(n.Loops)+1)*len(n.Accesses))
	list := make([][]float64, len(n.Loops)+1)
	for k := range list {
		list[k], all = all[:len(n.Accesses):len(n.Accesses)], all[len(n.Accesses):]
		if k > 0 && n.Loops[k-1].Extent == 1 {
			copy(list[k], list[k-1])
			continue
		}
		for a := range n.Accesses {
			list[k][a] = n.Accesses[a].Footprint(n.counts(k), line)
		}
	}
	return list
}
