package model

import (
	"fmt"
	"slices"
	"strings"
)

// A Sum is an extent of inputs or outputs that follows from dimensions, such as that of a mask of all tokens of a
// decoder, old and new. No caller tells it.
type Sum struct {
	Name string `json:"name"`
	Plus int64  `json:"plus"`
	Of   []Term `json:"of"`
}

// A Term is a multiple of the extent of a dimension.
type Term struct {
	Dim   string `json:"dim"`
	Times int64  `json:"times"`
}

// Text writes what the sum is of: "past+seq", "2*seq+1".
func (s Sum) Text() string {
	var list []string
	for _, t := range s.Of {
		text := t.Dim
		if t.Times != 1 {
			text = fmt.Sprintf("%d*%s", t.Times, text)
		}
		list = append(list, text)
	}
	if s.Plus != 0 || list == nil {
		list = append(list, fmt.Sprint(s.Plus))
	}
	return strings.Join(list, "+")
}

// IsNamed reports whether the sum has a name that does not say what it is of, as a+b does.
func (s Sum) IsNamed() bool { return strings.ReplaceAll(s.Name, " ", "") != s.Text() }

// At returns the extent for those of the dimensions.
func (s Sum) At(extents map[string]int64) int64 {
	n := s.Plus
	for _, t := range s.Of {
		n += t.Times * extents[t.Dim]
	}
	return n
}

// row returns how often each dimension is in the sum, and the number.
func (s Sum) row(dims []string) []int64 {
	row := make([]int64, len(dims)+1)
	for _, t := range s.Of {
		row[slices.Index(dims, t.Dim)] += t.Times
	}
	row[len(dims)] = s.Plus
	return row
}

// checkSums makes sure that sums are of the program's dimensions.
func (p *Program) checkSums() error {
	for j, s := range p.Sums {
		if slices.Contains(p.Dims, s.Name) || slices.ContainsFunc(p.Sums[:j], func(k Sum) bool { return k.Name == s.Name }) {
			return fmt.Errorf("dimension %s is there twice", s.Name)
		}
		for _, t := range s.Of {
			if !slices.Contains(p.Dims, t.Dim) || t.Times < 1 {
				return fmt.Errorf("dimension %s is %s", s.Name, s.Text())
			}
		}
		if s.Plus < 0 {
			return fmt.Errorf("dimension %s is %s", s.Name, s.Text())
		}
	}
	return nil
}

// dim returns which of p.Dims extent d of a port is, or of p.Sums after those, or -1.
func (p *Program) dim(port Port, d int) int {
	if len(port.Dims) == 0 || port.Dims[d] == "" {
		return -1
	}
	if j := slices.IndexFunc(p.Sums, func(s Sum) bool { return s.Name == port.Dims[d] }); j >= 0 {
		return len(p.Dims) + j
	}
	return slices.Index(p.Dims, port.Dims[d])
}

// Extent returns the extent of a dimension or of a sum by its name, if the dimensions have extents in order; false if
// there is none of that name.
func (p *Program) Extent(name string, extents []int64) (int64, bool) {
	if k := slices.Index(p.Dims, name); k >= 0 {
		return extents[k], true
	}
	for _, s := range p.Sums {
		if s.Name == name {
			n, row := int64(0), s.row(p.Dims)
			for k, e := range extents {
				n += row[k] * e
			}
			return n + s.Plus, true
		}
	}
	return 0, false
}

// ExtentsOf finds the extents of dims, the dimensions of the inputs, by their shapes. Known has other extents that sums
// are of. The error says which input has another shape than the program's, or an extent that another input, or a sum,
// contradicts.
func ExtentsOf(dims []string, sums []Sum, known map[string]int64, inputs []Port, shapes [][]int64) ([]int64, error) {
	found, by := map[string]int64{}, map[string]string{}
	for i, p := range inputs {
		for d := range p.Shape {
			if len(shapes[i]) != len(p.Shape) {
				return nil, fmt.Errorf("input %s has %d dimensions: want %s", p.Name, len(shapes[i]), p.ShapeText())
			}
			n, name := shapes[i][d], ""
			if p.Dims != nil {
				name = p.Dims[d]
			}
			if !slices.Contains(dims, name) && !slices.ContainsFunc(sums, func(s Sum) bool { return s.Name == name }) {
				if n != p.Shape[d] {
					return nil, fmt.Errorf("input %s is %v: want %s", p.Name, shapes[i], p.ShapeText())
				}
				continue
			}
			if by[name] != "" && found[name] != n {
				return nil, fmt.Errorf("dimension %s is %d in input %s and %d in input %s", name, found[name], by[name], n, p.Name)
			}
			if by[name] == "" {
				found[name], by[name] = n, p.Name
			}
		}
	}
	extents := make([]int64, len(dims))
	for k, name := range dims {
		extents[k] = found[name]
	}
	for name, n := range known {
		found[name] = n
	}
	for _, s := range sums {
		if want := s.At(found); by[s.Name] != "" && found[s.Name] != want {
			return nil, fmt.Errorf("dimension %s is %d in input %s: %s is %d", s.Name, found[s.Name], by[s.Name], s.Text(), want)
		}
	}
	return extents, nil
}
