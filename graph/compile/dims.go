package compile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir/spell"
)

// Bind gives open dimensions of inputs their extents, by name. The error lists the names that are left, each with the
// inputs that have it, and a --dim line that closes them.
func Bind(g *graph.Graph, dims map[string]int64) error {
	used := map[string]bool{}
	var names []string // of all open dimensions
	places := map[string][]string{}
	for _, v := range g.Inputs {
		if !v.Ranked {
			return fmt.Errorf("input %s has no shape in the file: wmtune needs to know how many dimensions it has", v.Name)
		}
		for i, d := range v.Shape {
			if d != graph.Open {
				continue
			}
			name := dimName(v, i)
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			n, ok := dims[name]
			if !ok {
				places[name] = append(places[name], fmt.Sprintf("dimension %d of %s", i, v.Name))
				continue
			}
			if n < 0 {
				return fmt.Errorf("--dim %s=%d: an extent is not negative", name, n)
			}
			v.Shape[i], used[name] = n, true
		}
	}
	unknown := ""
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		if !used[name] {
			unknown += fmt.Sprintf("\n  --dim %s: no input has an open dimension of that name%s", name, spell.Hint(name, names))
		}
	}
	switch {
	case len(places) > 0:
		return openError(names, places, unknown)
	case unknown != "":
		return errors.New(strings.TrimSpace(unknown))
	}
	return nil
}

// shownPlaces is how many places of a dimension an error lists.
const shownPlaces = 3

// openError says which dimensions are open, where, and what closes them.
func openError(names []string, places map[string][]string, more string) error {
	var line []string
	list := ""
	for _, name := range names {
		at := places[name]
		if at == nil {
			continue
		}
		line = append(line, name+"=1")
		list += fmt.Sprintf("\n  %s: %s", name, strings.Join(at[:min(shownPlaces, len(at))], ", "))
		if n := len(at) - shownPlaces; n > 0 {
			list += fmt.Sprintf(" and %d more", n)
		}
	}
	return fmt.Errorf("dimensions of inputs are open: give each an extent, for instance with --dim %s%s%s",
		strings.Join(line, ","), list, more)
}

// ParseDims reads a list of extents such as batch=1,seq=128.
func ParseDims(text string) (map[string]int64, error) {
	dims := map[string]int64{}
	if text == "" {
		return dims, nil
	}
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if _, twice := dims[name]; !ok || err != nil || n < 0 || twice {
			return nil, fmt.Errorf("--dim %q: want NAME=N, once for each name, with N from 0 on, such as batch=1,seq=128", part)
		}
		dims[name] = n
	}
	return dims, nil
}

// dimName names an open dimension: as the file does, or after its input and place.
func dimName(v *graph.Value, i int) string {
	if i < len(v.DimNames) && v.DimNames[i] != "" && v.DimNames[i] != "?" { // "?" is what some exporters call all of them
		return v.DimNames[i]
	}
	return fmt.Sprintf("%s.%d", v.Name, i)
}
