package compile

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/tir/spell"
)

// SetExtents sets the extents of the dimensions of a bundle of several plans, by name, for the inputs and runs that
// follow.
func (b *Bundle) SetExtents(dims map[string]int64) error {
	extents, err := b.extentsFor(dims)
	if err != nil {
		return err
	}
	return b.setExtents(extents)
}

// extentsFor returns extents in order: those of the plan that costs most if dims is nil.
func (b *Bundle) extentsFor(dims map[string]int64) ([]int64, error) {
	r := b.Result
	if len(r.Plans) == 0 && len(dims) > 0 {
		return nil, fmt.Errorf("bundle %s is for one shape, and takes no extents", r.Name)
	}
	if len(r.Plans) == 0 {
		return nil, nil
	}
	if dims == nil {
		return slices.Clone(r.Plans[len(r.Plans)-1].Most), nil
	}
	for name := range dims {
		if !slices.Contains(r.Dims, name) {
			return nil, fmt.Errorf("bundle %s has no dimension %s%s: it has %v", r.Name, name, spell.Hint(name, r.Dims), r.Dims)
		}
	}
	list := make([]int64, len(r.Dims))
	for k, name := range r.Dims {
		n, ok := dims[name]
		if !ok {
			return nil, fmt.Errorf("bundle %s: dimension %s has no extent: give all of %v", r.Name, name, r.Dims)
		}
		list[k] = n
	}
	return list, nil
}

// setExtents chooses the plan for extents, as the library does, and gives the inputs their shapes.
func (b *Bundle) setExtents(extents []int64) error {
	var plans []model.Plan
	for _, p := range b.Result.Plans {
		plans = append(plans, model.Plan{Least: p.Least, Most: p.Most})
	}
	p := &model.Program{Dims: b.Result.Dims, Plans: plans}
	at := p.PlanFor(extents)
	if at < 0 {
		return fmt.Errorf("bundle %s: no plan serves %s: there are %s", b.Result.Name, Extents(p.Dims, extents),
			model.PlansText(p.Dims, plans))
	}
	b.plan = at
	b.loaded.SetExtents(extents)
	b.shapeInputs()
	return nil
}

// shapeInputs gives the inputs the shapes for the extents of the next run.
func (b *Bundle) shapeInputs() {
	for i := range b.inputs {
		b.inputs[i].Shape = b.shapeFor(i, b.loaded.Extents())
	}
}

// known returns extents that no caller tells: how long the state is.
func (b *Bundle) known() map[string]int64 {
	if s := b.Result.State; s != nil {
		return map[string]int64{s.Name: b.rows}
	}
	return map[string]int64{}
}

// lengthen has the inputs follow the state, after it has changed.
func (b *Bundle) lengthen(ctx context.Context) (err error) {
	if b.Result.State == nil || len(b.Result.Sums) == 0 {
		return nil
	}
	if b.rows, err = b.loaded.Length(ctx); err == nil {
		b.shapeInputs()
	}
	return err
}

// shapeFor returns the shape of an input for extents.
func (b *Bundle) shapeFor(i int, extents []int64) []int64 {
	shape, all := slices.Clone(b.Result.Inputs[i].Shape), b.known()
	for k, name := range b.Result.Dims {
		all[name] = extents[k]
	}
	all = withSums(b.Result.Sums, all)
	for d, name := range b.inputs[i].Dims {
		if n, ok := all[name]; ok && name != "" {
			shape[d] = n
		}
	}
	return shape
}

// follow takes the extents of arrays.
func (b *Bundle) follow(arrays []*npy.Array) error {
	shapes, ports := make([][]int64, len(arrays)), slices.Clone(b.inputs)
	for i, a := range arrays {
		shapes[i], ports[i].Shape = a.Shape, b.Result.Inputs[i].Shape
	}
	extents, err := model.ExtentsOf(b.Result.Dims, b.Result.Sums, b.known(), ports, shapes)
	if err != nil {
		return err
	}
	return b.setExtents(extents)
}

// fit sets the extents that slices have elements for. They are those of now, or of the only plan for such slices.
func (b *Bundle) fit(inputs map[string]any) error {
	fits := func(extents []int64) bool {
		for i, p := range b.inputs {
			v := reflect.ValueOf(inputs[p.Name])
			if v.IsValid() && v.Kind() == reflect.Slice && int64(v.Len()) != graph.Elems(b.shapeFor(i, extents)) {
				return false
			}
		}
		return true
	}
	if len(b.Result.Plans) == 0 || fits(b.loaded.Extents()) {
		return nil
	}
	var found [][]int64
	for _, p := range b.Result.Plans {
		if slices.Equal(p.Least, p.Most) && fits(p.Most) {
			found = append(found, p.Most)
		}
	}
	if len(found) != 1 {
		return fmt.Errorf("inputs of %s: the numbers of elements tell no plan: set the extents of %v first", b.Result.Name,
			b.Result.Dims)
	}
	return b.setExtents(found[0])
}

// calls returns the calls of the plan of now, and the index of the first.
func (b *Bundle) calls() (first int, list []CallInfo) {
	if len(b.Result.Plans) == 0 {
		return 0, b.Result.Calls
	}
	for _, p := range b.Result.Plans[:b.plan] {
		first += p.Calls
	}
	return first, b.Result.Calls[first:][:b.Result.Plans[b.plan].Calls]
}

// planText writes the extents that the plan of now serves; "" if there is one shape.
func (b *Bundle) planText() string {
	if len(b.Result.Plans) == 0 {
		return ""
	}
	return b.Result.Serves(b.plan)
}
