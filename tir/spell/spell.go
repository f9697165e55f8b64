// Package spell finds the name that a user meant. It must not know what names are of.
package spell

import (
	"fmt"
	"strings"
)

// Meant returns the known name that is nearest to a name that is not known; "" if none is near: more than a third of
// the letters would have to change. A name that begins with the given letters, two or more, is near.
func Meant(name string, known []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known {
		d := distance(strings.ToLower(name), strings.ToLower(k))
		if len(name) > 1 && strings.HasPrefix(k, name) {
			d = min(d, 1)
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// Hint returns the end of an error about a name that is not known: the name that was meant, if there is one.
func Hint(name string, known []string) string {
	if m := Meant(name, known); m != "" {
		return fmt.Sprintf("; did you mean %q?", m)
	}
	return ""
}

// distance counts the letters that must be inserted, deleted, changed or exchanged with their neighbour to make b of a
// (the optimal string alignment distance).
func distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
