package op

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// foldLimit is the number of elements up to which a node of constants is computed ahead of time.
const foldLimit = 1 << 26

// Infer gives every value of g its type and shape, and computes ahead of time what is constant: those nodes are gone
// afterwards. The inputs of g must be known. The error names the first node that is wrong; it is an *OpenError if a
// shape depends on data and the file does not say it either.
func Infer(ctx context.Context, g *graph.Graph) error {
	var kept []*graph.Node
	for _, n := range g.Nodes {
		folded, err := inferNode(ctx, n)
		if err != nil {
			return fmt.Errorf("%s: %w", n.Label(), err)
		}
		if !folded {
			kept = append(kept, n)
		}
	}
	g.Nodes = kept
	return nil
}

// inferNode reports whether the outputs of n became constants.
func inferNode(ctx context.Context, n *graph.Node) (bool, error) {
	r, err := Find(n)
	if err != nil {
		return false, err
	}
	constant, fixed := true, true
	for i, v := range n.Inputs {
		if v == nil {
			continue
		}
		if !v.Known() {
			return false, fmt.Errorf("BUG: input %d, %s, is not known", i, v)
		}
		if v.Extents != nil && !r.Extents {
			return false, Unsupported("input %d, whose extents depend on data,", i)
		}
		constant, fixed = constant && v.Const != nil, fixed && v.Extents == nil
	}
	types, err := r.Infer(n)
	var open *OpenError
	if errors.As(err, &open) {
		return false, declared(n, open)
	}
	if err != nil {
		return false, err
	}
	return setTypes(ctx, n, r, types, constant || r.ShapesOnly && fixed)
}

// declared keeps the types that the file says, of a node whose shapes depend on data.
func declared(n *graph.Node, open *OpenError) error {
	for _, v := range n.Outputs {
		if v != nil && !v.Known() {
			return open
		}
	}
	return nil
}

func setTypes(ctx context.Context, n *graph.Node, r *Row, types []Type, fold bool) (bool, error) {
	if len(types) < len(n.Outputs) {
		return false, fmt.Errorf("it has %d outputs: %s makes %d", len(n.Outputs), n.Op, len(types))
	}
	elems := int64(0)
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		v.Type, v.Shape, v.Ranked, v.DimNames = types[i].DType, slices.Clone(types[i].Shape), true, nil
		elems += v.Elems()
		if types[i].Bounded && v.Extents == nil {
			v.Extents = &graph.Value{Name: v.Name + ".extents", Type: tir.I64, Shape: []int64{int64(len(v.Shape))}, Ranked: true}
		}
	}
	if !fold || elems > foldLimit {
		return false, nil
	}
	return true, foldNode(ctx, n)
}

// foldNode computes a node whose inputs are constants, or of which it needs the shapes only.
func foldNode(ctx context.Context, n *graph.Node) error {
	e := Evaluator()
	f, err := e.Lookup(n)
	if err != nil {
		return err
	}
	in := make([]*graph.Tensor, len(n.Inputs))
	for i, v := range n.Inputs {
		switch {
		case v == nil:
		case v.Const != nil:
			in[i] = v.Const.Tensor()
		default:
			in[i] = &graph.Tensor{Type: v.Type, Shape: v.Shape}
		}
	}
	out, err := f(graph.NewCall(ctx, e), n, in)
	if err != nil {
		return err
	}
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		v.Const, v.Shape, v.Extents = out[i].Const(), out[i].Shape, nil
	}
	return nil
}
