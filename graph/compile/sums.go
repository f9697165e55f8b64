package compile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir/spell"
)

// readSum reads a text such as past+seq or 2*seq + 1; nil if it is none. A number alone is none.
func readSum(name, text string) *model.Sum {
	s := &model.Sum{Name: name}
	for part := range strings.SplitSeq(text, "+") {
		t := model.Term{Dim: strings.TrimSpace(part), Times: 1}
		if n, err := strconv.ParseInt(t.Dim, 10, 32); err == nil {
			if n < 0 || s.Plus+n > math.MaxInt32 {
				return nil
			}
			s.Plus += n
			continue
		}
		if first, rest, ok := strings.Cut(t.Dim, "*"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(first), 10, 32)
			if err != nil || n < 1 {
				return nil
			}
			t.Dim, t.Times = strings.TrimSpace(rest), n
		}
		if t.Dim == "" || strings.ContainsAny(t.Dim[:1], "-.0123456789") {
			return nil
		}
		addTerm(s, t.Dim, t.Times)
	}
	if s.Of == nil {
		return nil
	}
	return s
}

// addTerm adds a multiple of a dimension to a sum.
func addTerm(s *model.Sum, name string, times int64) {
	for i, t := range s.Of {
		if t.Dim == name {
			s.Of[i].Times += times
			return
		}
	}
	s.Of = append(s.Of, model.Term{Dim: name, Times: times})
}

// namedSums returns the sums that names of open dimensions of inputs read as, such as past_sequence_length + 1. Each is
// of other open dimensions.
func namedSums(g *graph.Graph) map[string]*model.Sum {
	open := map[string]bool{}
	for _, v := range g.Inputs {
		for i, d := range v.Shape {
			if d == graph.Open {
				open[dimName(v, i)] = true
			}
		}
	}
	sums := map[string]*model.Sum{}
	for name := range open {
		s := readSum(name, name)
		if s == nil || slices.ContainsFunc(s.Of, func(t model.Term) bool { return !open[t.Dim] || t.Dim == name }) {
			continue
		}
		sums[name] = s
	}
	return sums
}

// toldTerms reports whether all dimensions that a sum is of have extents.
func toldTerms(s *model.Sum, extents map[string]int64) bool {
	return !slices.ContainsFunc(s.Of, func(t model.Term) bool { _, ok := extents[t.Dim]; return !ok })
}

// apart returns the dimensions that have extents, and those that are sums.
func apart(all []Dim) (dims, sums []Dim) {
	for _, d := range all {
		if d.Sum != "" {
			sums = append(sums, d)
		} else {
			dims = append(dims, d)
		}
	}
	return dims, sums
}

// resolve returns the sums of dims: those that are told, and those that names of open dimensions of g read as. g is nil
// if it is not known.
func resolve(g *graph.Graph, dims, told []Dim) ([]model.Sum, error) {
	r := resolver{dims: map[string]int64{}, sums: map[string]*model.Sum{}, under: map[string]bool{}}
	for _, d := range dims {
		r.dims[d.Name] = d.Extents[len(d.Extents)-1]
	}
	for _, d := range told {
		if _, twice := r.dims[d.Name]; twice || r.sums[d.Name] != nil {
			return nil, fmt.Errorf("--dim %s: it is %s, and has another extent, too: leave one of both out", d.Name, d.Sum)
		}
		r.sums[d.Name] = readSum(d.Name, d.Sum)
	}
	var names []string
	if g != nil {
		for name, s := range namedSums(g) {
			if _, own := r.dims[name]; !own && r.sums[name] == nil {
				r.sums[name] = s
			}
		}
	}
	names = slices.Sorted(maps.Keys(r.sums))
	var list []model.Sum
	for _, name := range names {
		s, err := r.expand(name)
		if err != nil {
			return nil, err
		}
		list = append(list, *s)
	}
	return list, nil
}

// A resolver writes sums of sums as sums of dimensions.
type resolver struct {
	dims  map[string]int64 // the largest extents
	sums  map[string]*model.Sum
	under map[string]bool // sums that are being written
}

func (r *resolver) expand(name string) (*model.Sum, error) {
	of := r.sums[name]
	if r.under[name] {
		return nil, fmt.Errorf("--dim %s: it is %s, and an extent is no sum of itself", name, of.Text())
	}
	r.under[name] = true
	defer delete(r.under, name)
	sum := &model.Sum{Name: name, Plus: of.Plus}
	for _, t := range of.Of {
		if _, ok := r.dims[t.Dim]; ok {
			addTerm(sum, t.Dim, t.Times)
			continue
		}
		if r.sums[t.Dim] == nil {
			return nil, fmt.Errorf("--dim %s: it is %s, and %s has no extent: give it a number, a list or a range%s", name,
				of.Text(), t.Dim, spell.Hint(t.Dim, slices.Sorted(maps.Keys(r.dims))))
		}
		part, err := r.expand(t.Dim)
		if err != nil {
			return nil, err
		}
		sum.Plus += graph.Times(t.Times, part.Plus)
		for _, k := range part.Of {
			addTerm(sum, k.Dim, graph.Times(t.Times, k.Times))
		}
	}
	most := float64(sum.Plus)
	for _, t := range sum.Of {
		most += float64(t.Times) * float64(max(r.dims[t.Dim], 1))
	}
	if most > graph.MaxElems || sum.Plus < 0 {
		return nil, fmt.Errorf("--dim %s: it is %s, which may be %.3g, and an extent is %d at most", name, of.Text(), most,
			graph.MaxElems)
	}
	return sum, nil
}

// withSums returns extents and those of sums.
func withSums(sums []model.Sum, extents map[string]int64) map[string]int64 {
	all := maps.Clone(extents)
	for _, s := range sums {
		all[s.Name] = s.At(extents)
	}
	return all
}

// A source is the graph of a file, with open dimensions, some of which are sums of others.
type source struct {
	g    *graph.Graph
	sums []model.Sum
}

// bind is Bind of a copy of the graph.
func (s *source) bind(g *graph.Graph, extents map[string]int64) error {
	return Bind(g, withSums(s.sums, extents))
}
