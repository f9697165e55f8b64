package ranker

import "strings"

// A sight says which columns a network looks at. What is relative, to a cache, a
// register file or the least work there is, carries over to operators that were
// never seen; extents and single splits do not, and networks fit them gladly.
type sight func(column string) bool

func everything(string) bool { return true }

// localOnly are the features of loop nests against the machine.
func localOnly(column string) bool {
	return strings.HasPrefix(column, "all.") || strings.HasPrefix(column, "nest") || strings.HasPrefix(column, "hardware.")
}

// noExtents is everything but single splits and extents.
func noExtents(column string) bool {
	return !strings.HasPrefix(column, "split") && !strings.HasPrefix(column, "extent")
}

// sightOf returns what the k-th network looks at. Where there are no locality
// features, on a GPU, networks differ in their seeds only.
func sightOf(k int, tasks []Task) sight {
	first := ActionColumns + TilingColumns
	for _, t := range tasks {
		for _, row := range t.Features {
			if row[first] != 0 {
				return []sight{localOnly, localOnly, noExtents}[k%3]
			}
		}
	}
	return everything
}

// hide sets the columns to 0 that are not looked at.
func (n *network) hide(s sight) {
	for k, name := range Names() {
		if !s(name) {
			n.factor[k] = 0
		}
	}
}
