package graph

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

// Check reports the first way in which g is not well formed, as an error that shows the node, or nil. In a well-formed
// graph
//
//   - each value is made once: by a node, which also makes the extents of its outputs, as an input, or as an
//     initializer;
//   - a node reads values that stand before it, or in a graph around it;
//   - names of values differ within a graph and those around it;
//   - each initializer has as many bytes as its type and shape say, and they are those of its value;
//   - attributes are sorted by name.
func Check(g *Graph) error {
	return check(g, map[*Value]bool{}, map[string]*Value{})
}

// check leaves made and names as they were: graphs beside each other may use a name each.
func check(g *Graph, made map[*Value]bool, names map[string]*Value) error {
	var own []*Value
	defer func() {
		for _, v := range own {
			delete(made, v)
			delete(names, v.Name)
		}
	}()
	define := func(v *Value, where string) error {
		if made[v] {
			return fmt.Errorf("%s: value %s is made twice", where, v.Name)
		}
		if w := names[v.Name]; w != nil && w != v || v.Name == "" {
			return fmt.Errorf("%s: the name %q is another value's, or empty", where, v.Name)
		}
		made[v], names[v.Name] = true, v
		own = append(own, v)
		return nil
	}
	use := func(v *Value, where string) error {
		switch {
		case v == nil || made[v]:
			return nil
		case v.Const == nil:
			return fmt.Errorf("%s: value %s is read before it is made", where, v.Name)
		}
		c := v.Const
		if v.Type != c.Type || !v.Ranked || fmt.Sprint(v.Shape) != fmt.Sprint(c.Shape) {
			return fmt.Errorf("%s: value %s holds %s%v", where, v, c.Type, c.Shape)
		}
		if c.Type == tir.Invalid || int64(len(c.Data)) != Elems(c.Shape)*int64(c.Type.Bytes()) {
			return fmt.Errorf("%s: constant %s has %d bytes", where, v, len(c.Data))
		}
		return define(v, where)
	}
	for _, v := range g.Inputs {
		if err := define(v, "inputs"); err != nil {
			return err
		}
	}
	for _, n := range g.Nodes {
		where := n.Label()
		for _, v := range n.Inputs {
			if err := use(v, where); err != nil {
				return err
			}
		}
		for i, a := range n.Attrs {
			if i > 0 && n.Attrs[i-1].Name >= a.Name {
				return fmt.Errorf("%s: attribute %s is not in order", where, a.Name)
			}
			for _, sub := range a.Graphs {
				if err := check(sub, made, names); err != nil {
					return fmt.Errorf("%s: %s: %w", where, a.Name, err)
				}
			}
		}
		for _, v := range n.Outputs {
			for ; v != nil; v = v.Extents {
				if err := define(v, where); err != nil {
					return err
				}
			}
		}
	}
	for _, v := range g.Outputs {
		if v == nil {
			return fmt.Errorf("an output is missing")
		}
		if err := use(v, "outputs"); err != nil {
			return err
		}
	}
	return nil
}
