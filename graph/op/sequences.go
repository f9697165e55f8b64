package op

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
)

// Sequences of tensors are folded while types are inferred: of each, the inferrer knows the tensors, and nodes that
// make and read sequences become nodes of these:
//
//	s = SplitToSequence(x, [2, 3]); y = SequenceAt(s, 1)    =>    s.0, s.1 = Split(x, [2, 3]); y = Identity(s.1)
//
// Lengths and positions must be constants.

// sequenceOps are the operators that are folded. Identity, Optional and OptionalGetElement of a sequence are, too.
var sequenceOps = strings.Fields("ConcatFromSequence SequenceAt SequenceConstruct SequenceEmpty SequenceErase " +
	"SequenceInsert SequenceLength SplitToSequence")

func foldsSequence(n *graph.Node) bool { return n.Domain == "" && slices.Contains(sequenceOps, n.Op) }

// errSequence ends errors about sequences that are not folded.
var errSequence = fmt.Errorf("sequences are %w unless their lengths and positions are constants: use tensors, as "+
	"torch.stack and torch.cat make them, and return the elements of a sequence one by one", graph.ErrUnsupported)

// HasSequences reports whether nodes of g make or read sequences.
func HasSequences(g *graph.Graph) bool {
	has := false
	eachNode(g, func(n *graph.Node) { has = has || foldsSequence(n) })
	return has
}

// sequence folds a node of sequences, and reports whether n is one.
func (f *inferrer) sequence(n *graph.Node) (bool, error) {
	if foldsSequence(n) {
		return true, f.fold(n)
	}
	for _, v := range n.Reads() {
		list, ok := f.lists[v]
		switch {
		case !ok:
		case n.Op == "Identity" || n.Op == "Optional" || n.Op == "OptionalGetElement":
			return true, f.list(n, list)
		default:
			return true, fmt.Errorf("it reads the sequence %s: %w", v.Name, errSequence)
		}
	}
	return false, nil
}

func (f *inferrer) fold(n *graph.Node) error {
	switch n.Op {
	case "SequenceEmpty", "SequenceConstruct":
		return f.list(n, slices.Clone(n.Inputs))
	case "SplitToSequence":
		return f.splitToSequence(n)
	case "ConcatFromSequence":
		return f.concatFromSequence(n)
	case "SequenceInsert":
		list, at, err := f.operands(n, 2, 0)
		if err != nil {
			return err
		}
		return f.list(n, slices.Insert(slices.Clone(list), at, n.Inputs[1]))
	case "SequenceLength":
		list, _, err := f.operands(n, 1, 0)
		if err != nil {
			return err
		}
		return f.add(n, "Constant", nil, n.Outputs, graph.IntAttr("value_int", int64(len(list))))
	}
	list, at, err := f.operands(n, 1, -1) // SequenceAt and SequenceErase
	if err != nil {
		return err
	}
	if n.Op == "SequenceAt" {
		return f.add(n, "Identity", list[at:at+1], n.Outputs)
	}
	return f.list(n, slices.Delete(slices.Clone(list), at, at+1))
}

// list keeps the tensors of the sequence that a node makes.
func (f *inferrer) list(n *graph.Node, tensors []*graph.Value) error {
	if f.lists == nil {
		f.lists = map[*graph.Value][]*graph.Value{}
	}
	f.lists[n.Outputs[0]] = tensors
	return nil
}

// operands returns the tensors of the sequence that a node reads, and the position that input i says: without it, that
// of the end or, with missing -1, of the last tensor, which must be there.
func (f *inferrer) operands(n *graph.Node, i int, missing int64) (list []*graph.Value, at int, err error) {
	list, ok := f.lists[n.Input(0)]
	if !ok {
		return nil, 0, fmt.Errorf("input 0 is no sequence that is known: %w", errSequence)
	}
	position := n.Input(i)
	switch {
	case missing < 0 && len(list) == 0:
		return nil, 0, errors.New("the sequence is empty")
	case position == nil:
		return list, int(missing) + len(list), nil
	case position.Const == nil || position.Elems() != 1 || !position.Type.IsInt():
		return nil, 0, fmt.Errorf("position %s is not constant: %w", position, errSequence)
	}
	k := position.Const.Tensor().I[0]
	if limit := int64(len(list)) + missing; k < -int64(len(list)) || k > limit {
		return nil, 0, fmt.Errorf("position %d in a sequence of %d tensors", k, len(list))
	} else if k < 0 {
		k += int64(len(list))
	}
	return list, int(k), nil
}

// add infers a node that stands for n.
func (f *inferrer) add(n *graph.Node, op string, inputs, outputs []*graph.Value, attrs ...graph.Attr) error {
	k := &graph.Node{Name: n.Name, Op: op, Version: max(n.Version, 18), Inputs: inputs, Outputs: outputs}
	k.SetAttr(attrs...)
	return f.node(k)
}

// each applies Squeeze or Unsqueeze along an axis to each of a list.
func (f *inferrer) each(n *graph.Node, op string, list []*graph.Value, axis int64) ([]*graph.Value, error) {
	axes := graph.Constant(n.Outputs[0].Name+".axes", graph.Ints(axis))
	r := make([]*graph.Value, len(list))
	for i, v := range list {
		r[i] = &graph.Value{Name: fmt.Sprintf("%s.%s.%d", n.Outputs[0].Name, op, i)}
		if err := f.add(n, op, []*graph.Value{v, axes}, r[i:i+1]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// splitToSequence: without sizes, pieces have one element, and maybe no dimension for it; one size is that of all
// pieces but the last.
func (f *inferrer) splitToSequence(n *graph.Node) error {
	x, split := n.Inputs[0], n.Input(1)
	axis, err := array.Axis(n.Int("axis", 0), len(x.Shape))
	if err != nil {
		return err
	}
	size, sizes := int64(1), []int64(nil)
	switch {
	case split == nil:
	case split.Const == nil:
		return fmt.Errorf("split %s is not constant: %w", split, errSequence)
	case len(split.Shape) > 0:
		size, sizes = 0, split.Const.Tensor().I
	default:
		if size = split.Const.Tensor().I[0]; size <= 0 {
			return fmt.Errorf("pieces of length %d", size)
		}
	}
	for at := int64(0); size > 0 && at < x.Shape[axis]; at += size {
		sizes = append(sizes, min(size, x.Shape[axis]-at))
	}
	list := make([]*graph.Value, len(sizes))
	for i := range sizes {
		list[i] = &graph.Value{Name: fmt.Sprintf("%s.%d", n.Outputs[0].Name, i)}
	}
	if len(list) > 0 {
		inputs := []*graph.Value{x, graph.Constant(n.Outputs[0].Name+".sizes", graph.Ints(sizes...))}
		err = f.add(n, "Split", inputs, list, graph.IntAttr("axis", int64(axis)))
	}
	if err == nil && split == nil && n.Int("keepdims", 1) == 0 {
		list, err = f.each(n, "Squeeze", list, int64(axis))
	}
	return errors.Join(err, f.list(n, list))
}

func (f *inferrer) concatFromSequence(n *graph.Node) error {
	list, _, err := f.operands(n, 1, -1)
	if err == nil && n.Int("new_axis", 0) != 0 {
		list, err = f.each(n, "Unsqueeze", list, n.Int("axis", 0))
	}
	if err != nil {
		return err
	}
	return f.add(n, "Concat", list, n.Outputs, graph.IntAttr("axis", n.Int("axis", 0)))
}
