package target

import (
	"fmt"
	"slices"
)

// A Layout says whether lowering may choose the weight layout: the order in which
// operands lie in memory.
type Layout uint8

// The weight layouts.
const (
	Keep    Layout = iota // as the caller has them
	Rewrite               // in the order of reading: constants pre-packed, others copied where it pays
)

var layouts = [...]string{Keep: "keep", Rewrite: "rewrite"}

func (l Layout) String() string { return layouts[l] }

// ParseLayout returns the layout of a name.
func ParseLayout(name string) (Layout, error) {
	if i := slices.Index(layouts[:], name); i >= 0 {
		return Layout(i), nil
	}
	return Keep, fmt.Errorf("layout %q: must be keep or rewrite", name)
}
