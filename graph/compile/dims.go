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

// Bind gives open dimensions of inputs their extents, by name. Names that read as sums of dimensions have those of the
// sums. The error lists the names that are left, each with the inputs that have it, and a --dim line that closes them.
func Bind(g *graph.Graph, dims map[string]int64) error {
	used := map[string]bool{}
	sums := namedSums(g)
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
			if s := sums[name]; !ok && s != nil && toldTerms(s, dims) {
				v.Shape[i] = s.At(dims)
				continue
			}
			if !ok && sums[name] == nil {
				places[name] = append(places[name], fmt.Sprintf("dimension %d of %s", i, v.Name))
			}
			if !ok {
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

// A Dim is an open dimension and the extents that a bundle is for: those of a list, or all from the first to the second
// of a range.
type Dim struct {
	Name    string
	Extents []int64
	Range   bool
	Sum     string // of an extent that follows from others, such as past+seq, in the place of Extents

	from int64 // of a range that has a list of upper bounds
}

// A DimList is the text of extents that several flags may give: a value of such a flag.
type DimList string

func (d *DimList) String() string { return string(*d) }

// Type says what the help calls it.
func (d *DimList) Type() string { return "list" }

// Set adds more.
func (d *DimList) Set(text string) error {
	*d = DimList(strings.TrimPrefix(string(*d)+","+text, ","))
	return nil
}

// ParseExtents reads extents of open dimensions, such as batch=1,8,seq=16,32,64 or seq=1..128 or total=past+seq. What
// has no name goes on with the list of the name before it.
func ParseExtents(text string) ([]Dim, error) {
	var dims []Dim
	if text == "" {
		return nil, nil
	}
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if name = strings.TrimSpace(name); !ok {
			name, value = "", part
		}
		known := slices.ContainsFunc(dims, func(d Dim) bool { return d.Name == name })
		if s := readSum(name, value); s != nil && ok && name != "" && !known {
			dims = append(dims, Dim{Name: name, Sum: s.Text()})
			continue
		}
		least, most, isRange := strings.Cut(value, "..")
		n, err := strconv.ParseInt(strings.TrimSpace(least), 10, 64)
		extents := []int64{n}
		if isRange && err == nil {
			n, err = strconv.ParseInt(strings.TrimSpace(most), 10, 64)
			extents = append(extents, n)
		}
		switch {
		case err != nil || slices.Min(extents) < 0 || ok && (name == "" || known) || !ok && len(dims) == 0:
			return nil, fmt.Errorf("--dim %q: want NAME=N, NAME=N,N,N, NAME=N..N or NAME=NAME+N, once for each name, with N "+
				"from 0 on, such as batch=1,seq=16,128", part)
		case isRange && extents[0] > extents[1]:
			return nil, fmt.Errorf("--dim %q: the range is empty: write the lower end first", part)
		}
		if ok {
			dims = append(dims, Dim{Name: name, Extents: extents, Range: isRange})
			continue
		}
		d := &dims[len(dims)-1]
		if d.Sum != "" {
			return nil, fmt.Errorf("--dim %s: a sum and a list of extents do not go together", d.Name)
		}
		if d.Range || isRange {
			return nil, fmt.Errorf("--dim %s: a range and a list of extents do not go together", d.Name)
		}
		if slices.Contains(d.Extents, n) {
			return nil, fmt.Errorf("--dim %s: the extent %d is there twice", d.Name, n)
		}
		d.Extents = append(d.Extents, n)
	}
	for _, d := range dims {
		if !d.Range {
			slices.Sort(d.Extents)
		}
	}
	return dims, nil
}

// ParseDims is ParseExtents where each dimension has one extent. It returns nil of an empty text.
func ParseDims(text string) (map[string]int64, error) {
	dims, err := ParseExtents(text)
	if err != nil {
		return nil, err
	}
	return single(dims)
}

// single returns the extents of dimensions that have one each, those that are sums included; nil of none.
func single(all []Dim) (map[string]int64, error) {
	if len(all) == 0 {
		return nil, nil
	}
	one := map[string]int64{}
	dims, told := apart(all)
	for _, d := range dims {
		if len(d.Extents) > 1 {
			return nil, fmt.Errorf("--dim %s: want one extent here, not a list or a range", d.Name)
		}
		one[d.Name] = d.Extents[0]
	}
	sums, err := resolve(nil, dims, told)
	return withSums(sums, one), err
}

// dimName names an open dimension: as the file does, or after its input and place.
func dimName(v *graph.Value, i int) string {
	if i < len(v.DimNames) && v.DimNames[i] != "" && v.DimNames[i] != "?" { // "?" is what some exporters call all of them
		return v.DimNames[i]
	}
	return fmt.Sprintf("%s.%d", v.Name, i)
}
