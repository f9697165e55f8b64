// Package op has the words of the table of operators of whole models, and what works on graphs by that table. The table
// has a row for an operator and a range of versions. A row says which inputs, types and shapes an operator has (In,
// Infer), what it computes, in float64 (Eval: the reference), and how it becomes a program: a piece of a compute DAG
// (Body), other nodes (Decompose), or a TensorIR function written by hand (Opaque). Eval shares no code with Body,
// Decompose and Opaque, so that each is a witness against the other.
//
// Rows stand in the rooms below, a table a family: tensor, pointwise, reduce, order, window, image, product, sequence,
// classic, rare, extent, microsoft. Package table puts them together. Package dag makes programs of rows, expr has the
// words of programs, and array those of references. The packages must not know how nodes are grouped, scheduled or
// run.
package op

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// A Class says how a node may share a kernel with others (TVM's paper, section 3).
type Class uint8

// The classes of operators.
const (
	// an element of the result follows from at most one of each input: elementwise, transpose, slice
	Injective  Class = iota
	Reduction        // sums, maxima, softmax
	ComplexOut       // convolutions and matrix products: elementwise nodes may follow in the same kernel
	Opaque           // a kernel of its own
)

func (c Class) String() string {
	return [...]string{"injective", "reduction", "complex-out", "opaque"}[c]
}

// A Row describes an operator, from a version of its operator set on until the next row of that operator.
type Row struct {
	Op    string // with its domain before a dot, unless it is ONNX's
	Since int    // first version of the operator set

	// In lists the inputs: of each the name of its type, a letter of kinds, and ? if it may be left out, or * if it may be
	// repeated. Inputs of one name have one type; "-" is no name. What follows a bar holds from a version on. "none" means
	// no inputs. An empty In checks nothing. It follows the schemas of ONNX 1.23:
	//
	//	T:F T:F T1:I? | 13 T:F T:N*
	In     string
	Class  Class
	Traits Traits

	// Infer returns type and shape of each output. All inputs that In requires are there and known (graph.Value.Known);
	// constant inputs have Const. Infer returns an *OpenError if a shape follows from the elements of an input that is not
	// constant.
	Infer func(n *graph.Node) ([]Type, error)

	// Eval is the reference. It does not use what makes the program.
	Eval graph.EvalFunc

	// Enter, if not nil, says that the node runs graphs in its attributes; see sequence/control.go. It gives the inputs of
	// these graphs their types. Then the graphs are inferred, and then the node.
	Enter func(n *graph.Node) error

	// Body, Decompose or Opaque makes the program of a node; see Form.
	Body      func(b *Body) error
	Decompose func(d *Decomposer) error
	Opaque    *Function
}

// Traits are properties of an operator.
type Traits uint8

// The traits.
const (
	ShapesOnly Traits = 1 << iota // Eval reads types and shapes of inputs, but no elements
	Extents                       // inputs may have Extents (graph.Value), which are an error otherwise
	Alias                         // output 0 has the elements of input 0 in their order; see IsAlias
)

// Has reports whether the operator has a trait.
func (r *Row) Has(t Traits) bool { return r.Traits&t != 0 }

// A Function is a program that is written in TensorIR, not scheduled.
type Function struct {
	// Make returns the function. Its parameters are the inputs that the node has, constants included; the outputs that it
	// has; a vector of extents for each output with Extents; and, if it can fail at run time, an int32[1] named "error",
	// which it sets to 0 if all was well. A parameter has the bytes of its value, and may have another shape. Every output
	// of the node has elements or Extents; see flat for a value without elements.
	Make func(n *graph.Node) (*tir.Func, error)

	// For, if not nil, returns what Make does in the form that suits a target.
	For func(n *graph.Node, t target.Target) (*tir.Func, error)

	// Divides says that threads may divide its parallel loops in another order (lower.Shares).
	Divides bool

	// When reports whether Make makes the program of n; nil stands for all nodes. It is for operands that Body and
	// Decompose need as constants.
	When func(n *graph.Node) bool

	// Alone says that the function is only for a node that shares its kernel with no other, and faster there than what a
	// search makes of Body, which the row has, too.
	Alone bool

	// Update, if not nil, returns a function that changes some elements of output 0, which shares the memory of input 0.
	// Its parameters are those of Make, without input 0. The error may be graph.ErrUnsupported.
	Update func(n *graph.Node) (*tir.Func, error)

	// Fault, if not nil, says what an error at run time means; see the function Fault.
	Fault func(n *graph.Node) string

	// Reads, if not nil, returns where the elements of output 0 at the places at read input 0: of a dimension where they
	// read several places, the places that they and their neighbours along one of at read.
	Reads func(n *graph.Node, at []tir.Expr) []tir.Expr
}

// A Form is one of the ways in which a node becomes a program.
type Form uint8

// The forms, each named after the field of Row that makes the program.
const (
	FormBody Form = iota
	FormDecompose
	FormOpaque
	FormControl // none of these: whoever calls kernels runs the graphs of the node
	FormNone    // the operator has no program: all its nodes must be computed ahead of time
)

// Form returns how the row makes the program of n. The class of a node of FormOpaque is Opaque, whatever the row's is.
func (r *Row) Form(n *graph.Node) Form {
	switch {
	case r.Opaque != nil && !r.Opaque.Alone && r.Opaque.has(n):
		return FormOpaque
	case r.Decompose != nil:
		return FormDecompose
	case r.Body != nil:
		return FormBody
	case r.Enter != nil:
		return FormControl
	}
	return FormNone
}

// Alone returns the function of a node that shares its kernel with no other, or nil if its program is the same as that
// of other nodes.
func (r *Row) Alone(n *graph.Node) *Function {
	if r.Opaque != nil && r.Opaque.Alone && r.Opaque.has(n) {
		return r.Opaque
	}
	return nil
}

// has reports whether Make makes the program of n.
func (f *Function) has(n *graph.Node) bool { return f.When == nil || f.When(n) }

// IsAlias reports whether output 0 of n has the elements of input 0 in their order, and n needs no program where both
// may share memory.
func IsAlias(n *graph.Node) bool {
	r, err := Find(n)
	return err == nil && r.Has(Alias) && r.Form(n) != FormOpaque
}

// Fault says what an error of a node's function at run time means.
func Fault(n *graph.Node) string {
	if r, err := Find(n); err == nil && r.Opaque != nil && r.Opaque.Fault != nil {
		return r.Opaque.Fault(n)
	}
	return "an index is out of range, or an operand contradicts the shapes that the model was compiled for"
}

// Open is When of operators that need some inputs as constants.
func Open(inputs ...int) func(n *graph.Node) bool {
	return func(n *graph.Node) bool {
		for _, i := range inputs {
			if v := n.Input(i); v != nil && v.Const == nil && v.Elems() > 0 {
				return true
			}
		}
		return false
	}
}

// A Type is what is known of a value before it is computed.
type Type struct {
	DType tir.DType
	Shape []int64
	// Narrow is that of the value (graph.Value).
	Narrow *graph.Element
	// Bounded says that Shape is a bound, and the true extents depend on data; see graph.Value.Extents.
	Bounded bool
}

// An OpenError says that an output's shape follows from the elements of an input that is not constant.
type OpenError struct{ Input int }

func (e *OpenError) Error() string {
	return fmt.Sprintf("the shape of an output depends on input %d, which is not constant: "+
		"export the model with that input fixed", e.Input)
}

// index finds the rows of an operator, by its full name.
var index = map[string][]*Row{}

// AddRows adds tables of rows. The rows of an operator are in one table, in order of Since.
func AddRows(tables ...[]Row) {
	for _, t := range tables {
		for i, r := range t {
			index[r.Op] = append(index[r.Op], &t[i])
		}
	}
}

// Find returns the row of a node's operator and version, or an error that wraps graph.ErrUnsupported.
func Find(n *graph.Node) (*Row, error) {
	name := fullName(n)
	var found *Row
	for _, r := range index[name] {
		if r.Since <= n.Version || n.Domain != "" {
			found = r
		}
	}
	switch {
	case len(index) == 0:
		panic("BUG: there are no rows: import graph/op/table")
	case index[name] == nil && cmp.Or(without[name], withoutDomain[n.Domain]) != "":
		return nil, fmt.Errorf("operator %s is %w: %s", name, graph.ErrUnsupported,
			cmp.Or(without[name], withoutDomain[n.Domain]))
	case index[name] == nil:
		return nil, fmt.Errorf("operator %s is %w", name, graph.ErrUnsupported)
	case found == nil:
		return nil, fmt.Errorf("operator %s of version %d is %w: it is from version %d on", name, n.Version,
			graph.ErrUnsupported, index[name][0].Since)
	}
	return found, nil
}

// Unsupported returns an error that wraps graph.ErrUnsupported: a use of an operator that wmtune knows otherwise.
func Unsupported(format string, args ...any) error {
	return fmt.Errorf(format+" is %w", append(args, graph.ErrUnsupported)...)
}

// Evaluator returns the reference evaluator of graphs.
func Evaluator() *graph.Evaluator {
	return &graph.Evaluator{Lookup: func(n *graph.Node) (graph.EvalFunc, error) {
		r, err := Find(n)
		if err != nil {
			return nil, err
		}
		return func(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
			return r.Eval(c, withShapes(n, in), in)
		}, nil
	}}
}

// withShapes returns n with inputs of the types and the shapes that in has: in a graph as it was read, those may be
// open.
func withShapes(n *graph.Node, in []*graph.Tensor) *graph.Node {
	k := *n
	k.Inputs = slices.Clone(n.Inputs)
	for i, v := range k.Inputs {
		if v == nil || in[i] == nil || v.Ranked && v.Type == in[i].Type && slices.Equal(v.Shape, in[i].Shape) {
			continue
		}
		k.Inputs[i] = &graph.Value{Name: v.Name, Type: in[i].Type, Shape: in[i].Shape, Ranked: true, Const: v.Const,
			Narrow: in[i].Narrow}
	}
	return &k
}
