package sketch

import (
	"slices"
	"strings"
)

// OriginalAxes returns the distinct axes that an iterator's name says it was
// split and fused from: "i.0@j.1@" is of i and j.
func OriginalAxes(name string) []string {
	var axes []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '@' || r == '.' }) {
		if part[0] >= '0' && part[0] <= '9' || slices.Contains(axes, part) {
			continue
		}
		axes = append(axes, part)
	}
	return axes
}
