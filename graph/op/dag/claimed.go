package dag

import (
	"fmt"
	"iter"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Programs of nodes that get shapes, axes and the like at run time. The file declares the shapes of outputs. Mostly the
// operands follow from these: the program is then that of a node with constant operands, and a check that the operands
// are these constants.

// A Variant is one set of values that operands may have.
type Variant struct {
	Holds tir.Expr // whether operands have these values

	// node is the node with constant operands, if Body or Decompose reads them.
	Node *graph.Node
	// body, if not nil, stands for the row's.
	Body func(b *op.Body) error
}

// A Claim returns the variants of a node: none if the operands cannot lead to the shapes that the file declares.
type Claim func(d *Draft) []Variant

// A Draft is what a claim is told, and what it adds.
type Draft struct {
	*graph.Node
	In []*tir.Buffer // a parameter for each input; nil for one that is left out

	Err     error
	Before  []tir.Stmt // runs before the conditions of variants
	scratch []*tir.Buffer
	builder *compute.Builder
}

// Input returns the parameter of an input, or nil without one.
func (d *Draft) Input(i int) *tir.Buffer {
	if i >= 0 && i < len(d.In) {
		return d.In[i]
	}
	return nil
}

// Cells returns integers that before sets and bodies may read.
func (d *Draft) Cells(name string, n int) compute.Tensor {
	t := d.builder.Placeholder(name, tir.I64, int64(n))
	t.Scope = tir.Local
	d.scratch = append(d.scratch, t.Buffer)
	return t
}

// Claimed returns the function of nodes that have data in inputs which Body or Decompose needs as constants.
func Claimed(claim Claim, inputs ...int) *op.Function {
	return &op.Function{Make: claim.Function, When: op.Open(inputs...)}
}

// mostListed is the number of elements of the longest operand: one that says more than a number for each dimension is
// wrong, and conditions on its elements grow with it.
const mostListed = 256

// Function makes the function of a node: it runs the variant that holds, and sets error if none does.
func (claim Claim) Function(n *graph.Node) (*tir.Func, error) {
	c := composer{b: compute.NewBuilder(), tensors: map[*graph.Value]compute.Tensor{}, names: map[string]int{}}
	d := &Draft{Node: n, In: make([]*tir.Buffer, len(n.Inputs)), builder: c.b}
	var params []*tir.Buffer
	for i, v := range n.Inputs {
		if v == nil {
			continue
		}
		if i > 0 && v.Const == nil && (len(v.Shape) > 1 || v.Elems() > mostListed) {
			return nil, fmt.Errorf("input %d is %s: it must be a list, of at most %d elements", i, v, mostListed)
		}
		name := fmt.Sprintf("in%d", i)
		if _, twice := c.tensors[v]; twice || v.Elems() == 0 {
			d.In[i] = Flat(name, v)
		} else {
			c.tensors[v] = c.b.Placeholder(name, v.Type, v.Shape...)
			d.In[i] = c.tensors[v].Buffer
		}
		params = append(params, d.In[i])
	}
	var out []*tir.Buffer
	for i, v := range n.Outputs {
		if v != nil {
			out = append(out, Parameter(fmt.Sprintf("out%d", i), v))
		}
	}
	fault := ErrorFlag()
	list := claim(d)
	if d.Err != nil {
		return nil, d.Err
	}
	var holds tir.Expr = tir.BoolImm(false)
	var body tir.Stmt
	for i, v := range slices.Backward(list) { // the last one runs if none holds, too
		loops, err := c.loops(n, v, out)
		if err != nil {
			return nil, err
		}
		if holds = Or(v.Holds, holds); i < len(list)-1 {
			loops = &tir.If{Cond: v.Holds, Then: loops, Else: body}
		}
		body = loops
	}
	if list == nil {
		body = Cleared(out)
	}
	stmts := append(d.Before, Store(fault, Cast(Not(holds), tir.I32), Zero), body)
	params = slices.Concat(params, out, []*tir.Buffer{fault})
	return NewFunc(n.Op, len(out)+1, Allocs(Seq(stmts...), d.scratch...), params...), nil
}

// loops returns what computes the outputs of a node by a variant.
func (c *composer) loops(n *graph.Node, v Variant, out []*tir.Buffer) (tir.Stmt, error) {
	if v.Node != nil {
		n = v.Node
	}
	if err := c.node(n, v.Body); err != nil {
		return nil, err
	}
	if len(c.values) > 0 {
		return nil, op.Unsupported("%s with operands that are data: it", n.Op)
	}
	var results []compute.Tensor
	place := map[*tir.Buffer]*tir.Buffer{}
	for _, v := range n.Outputs {
		if v != nil {
			place[c.tensors[v].Buffer] = out[len(results)]
			results = append(results, c.tensors[v])
		}
	}
	dag, err := c.b.BuildNeeded(results...)
	if err != nil {
		return nil, err
	}
	var list []tir.Stmt
	var temps []*tir.Buffer
	for _, op := range dag.Ops {
		if op.IsPlaceholder() {
			continue
		}
		to := place[op.Results[0]]
		if to == nil {
			to = op.Results[0]
			temps = append(temps, to)
		}
		list = append(list, stageLoops(op, to, tir.SubstituteLoads(op.Body[0], func(l *tir.Load) tir.Expr {
			if b := place[l.Buffer]; b != nil {
				return Load(b, l.Index...)
			}
			return l
		})))
	}
	return Allocs(Seq(list...), temps...), nil
}

// stageLoops computes a stage of one result, to a buffer.
func stageLoops(op *compute.Op, to *tir.Buffer, value tir.Expr) tir.Stmt {
	at := compute.Vars(op.Axes)
	if op.Combine == nil {
		return over(op.Axes, tir.Parallel, Store(to, value, at...))
	}
	acc := Scratch("acc", to.Type, 1)
	sum := Load(acc, Zero)
	fold := tir.Substitute(op.Combine.Fold()[0], map[*tir.Var]tir.Expr{op.Combine.Acc[0]: sum, op.Combine.Src[0]: value})
	return over(op.Axes, tir.Parallel, Alloc(acc, Seq(Store(acc, op.Combine.Start()[0], Zero),
		over(op.ReduceAxes, tir.Serial, Store(acc, fold, Zero)), Store(to, sum, at...))))
}

// over runs body for each point of axes; the outermost loop is of a kind, the others are serial.
func over(axes []*compute.Axis, kind tir.ForKind, body tir.Stmt) tir.Stmt {
	for d := len(axes) - 1; d >= 0; d-- {
		f := &tir.For{Var: axes[d].Var, Extent: tir.Int(axes[d].Extent), Body: body}
		if d == 0 {
			f.Kind = kind
		}
		body = f
	}
	return body
}

// A subset says of each dimension whether it belongs to a set.
type subset []bool

// Subsets yields the sets of the dimensions of a tensor.
func Subsets(rank int) iter.Seq[subset] {
	return func(yield func(subset) bool) {
		s := make(subset, rank)
		for more := true; more; {
			if !yield(s) {
				return
			}
			i := slices.Index(s, false)
			if more = i >= 0; more {
				clear(s[:i])
				s[i] = true
			}
		}
	}
}

// List returns the dimensions in a set.
func (s subset) List() []int64 {
	var list []int64
	for d, in := range s {
		if in {
			list = append(list, int64(d))
		}
	}
	return list
}

// Named is the condition that a list of axes names the dimensions of a set, and no others but free ones.
func (s subset) Named(axes *tir.Buffer, free func(d int) bool) tir.Expr {
	list := AxisList{axes, Elems(axes), len(s)}
	all := list.Valid()
	for d, in := range s {
		is := tir.Expr(tir.BoolImm(false))
		for i := range list.Count {
			is = Or(is, list.Is(i, d))
		}
		if !in {
			is = Not(is)
		}
		if free == nil || !free(d) {
			all = append(all, is)
		}
	}
	return tir.AllOf(all...)
}

// An AxisList is an operand of count axes of a tensor, or, without the operand, the first dimensions.
type AxisList struct {
	Operand     *tir.Buffer
	Count, Rank int
}

// Is is the condition that entry i names a dimension.
func (l AxisList) Is(i, dim int) tir.Expr {
	if l.Operand == nil {
		return tir.BoolImm(i == dim)
	}
	a := Entry(l.Operand, i)
	return Or(Eq(a, tir.Int(int64(dim))), Eq(a, tir.Int(int64(dim-l.Rank))))
}

// Valid are the conditions that all entries name dimensions.
func (l AxisList) Valid() []tir.Expr {
	var all []tir.Expr
	for i := 0; l.Operand != nil && i < l.Count; i++ {
		a := Entry(l.Operand, i)
		all = append(all, Ge(a, tir.Int(int64(-l.Rank))), Lt(a, tir.Int(int64(l.Rank))))
	}
	return all
}

// Holding is a claim of one variant, the node as it is, that holds where all conditions do.
func Holding(all ...tir.Expr) []Variant { return []Variant{{Holds: tir.AllOf(all...)}} }

// WithInts returns n with integers as the constant input i.
func WithInts(n *graph.Node, i int, list ...int64) *graph.Node {
	k, v := *n, *n.Inputs[i]
	k.Inputs = slices.Clone(n.Inputs)
	v.Shape, v.Const = []int64{int64(len(list))}, graph.Ints(list...).Const()
	v.Type = tir.I64
	k.Inputs[i] = &v
	return &k
}

// Entries are the conditions that an operand holds numbers.
func Entries(b *tir.Buffer, want []int64) []tir.Expr {
	if Elems(b) != len(want) {
		return []tir.Expr{tir.BoolImm(false)}
	}
	var all []tir.Expr
	for i, e := range want {
		all = append(all, Eq(Entry(b, i), tir.Int(e)))
	}
	return all
}

func ShapeIn(n *graph.Node) []int64  { return n.Inputs[0].Shape }
func ShapeOut(n *graph.Node) []int64 { return n.Outputs[0].Shape }
