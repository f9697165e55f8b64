package tensor

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Scattering has the operators that write elements at indices that are data. Updates happen in row-major order, so the
// last of several without a reduction stays.
var Scattering = []op.Row{
	{Op: "Scatter", Since: 9, In: "T:A Tind:I T:A", Class: op.Opaque, Infer: op.InferBy(operands, inferScatterElements),
		Eval:      evalScatterElements,
		Decompose: decomposeNoUpdates, Opaque: &op.Function{Make: scatterProgram(scatterElements), When: scatters,
			Update: scatterUpdate(scatterElements)}},
	{Op: "ScatterElements", Since: 11, In: "T:A Tind:I T:A", Class: op.Opaque,
		Infer:     op.InferBy(operands, inferScatterElements),
		Eval:      evalScatterElements,
		Decompose: decomposeNoUpdates, Opaque: &op.Function{Make: scatterProgram(scatterElements), When: scatters,
			Update: scatterUpdate(scatterElements)}},
	{Op: "ScatterND", Since: 11, In: "T:A -:I T:A", Class: op.Opaque, Infer: inferScatterND, Eval: evalScatterND,
		Decompose: decomposeNoUpdates, Opaque: &op.Function{Make: scatterProgram(scatterND), When: scatters,
			Update: scatterUpdate(scatterND)}},
	{Op: "TensorScatter", Since: 24, In: "T:A T:A -:L?", Class: op.Opaque, Infer: inferTensorScatter,
		Eval:      evalTensorScatter,
		Decompose: decomposeNoUpdates, Opaque: &op.Function{Make: scatterProgram(tensorScatter), When: scatters,
			Update: scatterUpdate(tensorScatter)}},
}

// scatters reports whether there are updates: input 1, indices or updates, has elements.
func scatters(n *graph.Node) bool { return n.Inputs[1].Elems() > 0 }

// decomposeNoUpdates is for a node without updates.
func decomposeNoUpdates(d *op.Decomposer) error {
	d.Output(d.Apply("Identity", []*graph.Value{d.Input(0)}))
	return nil
}

// reductionOf returns what joins an element and its update: "none" or the name of a function.
func reductionOf(n *graph.Node) (string, error) {
	r := n.Str("reduction", "none")
	switch r {
	case "none":
	case "add", "mul", "max", "min":
		if n.Inputs[0].Type == tir.Bool {
			return "", op.Unsupported("reduction %s of bools", r)
		}
	default:
		return "", op.Unsupported("reduction %s", r)
	}
	return r, nil
}

func inferScatterElements(at int, n *graph.Node) ([]op.Type, error) {
	x, index, updates := n.Inputs[0], n.Inputs[1], n.Inputs[2]
	if err := fits(index.Shape, x.Shape, at); err != nil {
		return nil, err
	}
	if x.Type != updates.Type || !slices.Equal(index.Shape, updates.Shape) {
		return nil, fmt.Errorf("updates are %s, with indices %s and data %s", updates, index, x)
	}
	if _, err := reductionOf(n); err != nil {
		return nil, err
	}
	if err := checkConstant(index, x.Shape[at:at+1]); err != nil {
		return nil, err
	}
	return op.InferSame(n)
}

// merge puts an update of element i of r: the number of u at j.
func merge(r *graph.Tensor, i int64, u *graph.Tensor, j int64, reduction string) {
	if reduction == "none" {
		array.Put(r, i, u, j)
		return
	}
	if r.F != nil {
		x, y := r.F[i], u.F[j]
		least, most := array.Numpy(math.Min)(x, y), array.Numpy(math.Max)(x, y)
		r.F[i] = map[string]float64{"add": x + y, "mul": x * y, "max": most, "min": least}[reduction]
		return
	}
	x, y := r.I[i], u.I[j]
	least, most := min(x, y), max(x, y)
	if r.Type == tir.U64 && uint64(x) > uint64(y) {
		least, most = y, x
	} else if r.Type == tir.U64 {
		least, most = x, y
	}
	r.I[i] = array.Wrap(r.Type, map[string]int64{"add": x + y, "mul": x * y, "max": most, "min": least}[reduction])
}

// copied returns a tensor of the same elements, which may be changed.
func copied(x *graph.Tensor) *graph.Tensor {
	return &graph.Tensor{Type: x.Type, Shape: x.Shape, F: slices.Clone(x.F), I: slices.Clone(x.I)}
}

func evalScatterElements(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, index, updates := in[0], in[1], in[2]
	at, err := array.Axis(n.Int("axis", 0), len(x.Shape))
	if err != nil {
		return nil, err
	}
	r, stride := copied(x), array.Strides(x.Shape)
	along := stride[at]
	stride[at] = 0
	array.Walk(index.Shape, func(i int, to []int64) {
		k, e := array.InRange(index.I[i], x.Shape[at])
		if e != nil {
			err = e
			return
		}
		merge(r, to[0]+k*along, updates, int64(i), n.Str("reduction", "none"))
	}, stride)
	return []*graph.Tensor{r}, err
}

func inferScatterND(n *graph.Node) ([]op.Type, error) {
	x, index, updates := n.Inputs[0], n.Inputs[1], n.Inputs[2]
	_, limits, err := tuples(n, x.Shape, index.Shape)
	if err != nil {
		return nil, err
	}
	want := slices.Concat(index.Shape[:len(index.Shape)-1], x.Shape[len(limits):])
	if x.Type != updates.Type || !slices.Equal(updates.Shape, want) {
		return nil, fmt.Errorf("updates are %s, with indices %s and data %s", updates, index, x)
	}
	if _, err := reductionOf(n); err != nil {
		return nil, err
	}
	if err := checkConstant(index, limits); err != nil {
		return nil, err
	}
	return op.InferSame(n)
}

func evalScatterND(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, index, updates := in[0], in[1], in[2]
	_, limits, err := tuples(n, x.Shape, index.Shape)
	if err != nil {
		return nil, err
	}
	r, stride, k := copied(x), array.Strides(x.Shape), int64(len(limits))
	run := graph.Elems(x.Shape[k:])
	for t := range int64(index.Len()) / k {
		to := int64(0)
		for d, limit := range limits {
			at, err := array.InRange(index.I[t*k+int64(d)], limit)
			if err != nil {
				return nil, err
			}
			to += at * stride[d]
		}
		for j := range run {
			merge(r, to+j, updates, t*run+j, n.Str("reduction", "none"))
		}
	}
	return []*graph.Tensor{r}, nil
}

// cache returns the axis of a TensorScatter, and whether it writes in a circle.
func cache(n *graph.Node, past, update []int64) (int, bool, error) {
	at, err := array.Axis(n.Int("axis", -2), len(past))
	if err != nil {
		return 0, false, err
	}
	ok := at > 0 && len(past) == len(update)
	for d := range past {
		ok = ok && (update[d] == past[d] || d == at && update[d] <= past[d])
	}
	if !ok {
		return 0, false, fmt.Errorf("an update of shape %v does not fit a cache of shape %v along axis %d", update, past, at)
	}
	mode := n.Str("mode", "linear")
	if mode != "linear" && mode != "circular" {
		return 0, false, op.Unsupported("mode %s", mode)
	}
	return at, mode == "circular", nil
}

func inferTensorScatter(n *graph.Node) ([]op.Type, error) {
	past, update := n.Inputs[0], n.Inputs[1]
	if _, _, err := cache(n, past.Shape, update.Shape); err != nil {
		return nil, err
	}
	if v := n.Input(2); past.Type != update.Type || v != nil && (len(v.Shape) != 1 || v.Shape[0] != past.Shape[0]) {
		return nil, fmt.Errorf("an update %s and indices %v for a cache %s", update, v, past)
	}
	return op.InferSame(n)
}

func evalTensorScatter(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	past, update := in[0], in[1]
	at, circular, err := cache(n, past.Shape, update.Shape)
	if err != nil {
		return nil, err
	}
	r, length, run := copied(past), past.Shape[at], graph.Elems(past.Shape[at+1:])
	perBatch := graph.Elems(update.Shape[1 : at+1])
	for row := range graph.Elems(update.Shape[:at+1]) { // a run of elements behind the axis
		outer, s := row/update.Shape[at], row%update.Shape[at]
		if l := array.List(in, 2); l != nil {
			s += l[row/perBatch]
		}
		if circular && s >= 0 {
			s %= length
		}
		if s < 0 || s >= length {
			return nil, fmt.Errorf("index %d is outside of a cache of %d elements", s, length)
		}
		for j := range run {
			array.Put(r, (outer*length+s)*run+j, update, row*run+j)
		}
	}
	return []*graph.Tensor{r}, nil
}

// A scatter is the program of such an operator: its parameters, and what to store to where.
type scatter struct {
	n           *graph.Node
	data, index *tir.Buffer // index is nil if there is none
	updates     *tir.Buffer
	out, fault  *tir.Buffer
	reduction   string
}

func newScatter(n *graph.Node, index, updates int) (*scatter, error) {
	s := &scatter{n: n, data: Parameter("data", n.Inputs[0]), updates: Parameter("updates", n.Inputs[updates]),
		out: Parameter("out", n.Outputs[0]), fault: ErrorFlag()}
	if v := n.Input(index); v != nil {
		s.index = Parameter("indices", v)
	}
	var err error
	s.reduction, err = reductionOf(n)
	return s, err
}

// params are those of the node's inputs but the first, in order, and of its outputs.
func (s *scatter) params(index, updates int) []*tir.Buffer {
	list := []*tir.Buffer{s.index, s.updates}
	if updates < index {
		list = []*tir.Buffer{s.updates, s.index}
	}
	list = slices.DeleteFunc(list, func(b *tir.Buffer) bool { return b == nil })
	return append(list, s.out, s.fault)
}

// store updates the element at some indices.
func (s *scatter) store(value tir.Expr, at ...tir.Expr) tir.Stmt {
	if s.reduction == "none" {
		return Store(s.out, value, at...)
	}
	t := Register(s.out.Type)
	x, y := Cast(Load(s.out, at...), t), Cast(value, t)
	f := map[string]func(x, y tir.Expr) tir.Expr{"add": Add, "mul": Mul, "max": MaxOf, "min": MinOf}[s.reduction]
	return Store(s.out, Cast(f(x, y), s.out.Type), at...)
}

// checked runs then with an index into n elements counted from the beginning, or sets error.
func (s *scatter) checked(at tir.Expr, n int64) (begin, ok tir.Expr) {
	at = Cast(at, tir.Index)
	return Sel(Lt(at, tir.Int(0)), Plus(at, n), at), And(Ge(at, tir.Int(-n)), Lt(at, tir.Int(n)))
}

// An updater returns the program's parts and the statement that makes all updates.
type updater struct {
	index, updates int // inputs
	make           func(s *scatter) (tir.Stmt, error)
}

var (
	scatterElements = updater{1, 2, updateElements}
	scatterND       = updater{1, 2, updateND}
	tensorScatter   = updater{2, 1, updateCache}
)

// scatterProgram copies the data, and then makes the updates.
func scatterProgram(u updater) func(n *graph.Node) (*tir.Func, error) {
	return func(n *graph.Node) (*tir.Func, error) {
		s, err := newScatter(n, u.index, u.updates)
		if err != nil {
			return nil, err
		}
		update, err := u.make(s)
		if err != nil {
			return nil, err
		}
		copying := Rows(s.data.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
			return Store(s.out, Load(s.data, at...), at...)
		})
		params := append([]*tir.Buffer{s.data}, s.params(u.index, u.updates)...)
		return NewFunc("scatter", 2, Seq(ClearFault(s.fault), copying, update), params...), nil
	}
}

// scatterUpdate makes the updates only. A reduction is not supported, as it reads the output.
func scatterUpdate(u updater) func(n *graph.Node) (*tir.Func, error) {
	return func(n *graph.Node) (*tir.Func, error) {
		s, err := newScatter(n, u.index, u.updates)
		if err != nil {
			return nil, err
		}
		if s.reduction != "none" {
			return nil, op.Unsupported("a reduction in place")
		}
		update, err := u.make(s)
		if err != nil {
			return nil, err
		}
		return NewFunc("update", 2, Seq(ClearFault(s.fault), update), s.params(u.index, u.updates)...), nil
	}
}

func updateElements(s *scatter) (tir.Stmt, error) {
	along, err := array.Axis(s.n.Int("axis", 0), len(s.data.Shape))
	if err != nil {
		return nil, err
	}
	return Nest(s.index.Shape, tir.Serial, func(at []tir.Expr) tir.Stmt {
		k, ok := s.checked(Load(s.index, at...), s.data.Shape[along])
		to := slices.Clone(at)
		to[along] = k
		return &tir.If{Cond: ok, Then: s.store(Load(s.updates, at...), to...), Else: SetFault(s.fault)}
	}), nil
}

func updateND(s *scatter) (tir.Stmt, error) {
	_, limits, err := tuples(s.n, s.data.Shape, s.index.Shape)
	if err != nil {
		return nil, err
	}
	q := len(s.index.Shape) - 1
	return Nest(s.index.Shape[:q], tir.Serial, func(tuple []tir.Expr) tir.Stmt {
		var to, all []tir.Expr
		for d, n := range limits {
			k, ok := s.checked(Load(s.index, slices.Concat(tuple, []tir.Expr{tir.Int(int64(d))})...), n)
			to, all = append(to, k), append(all, ok)
		}
		return &tir.If{Cond: tir.AllOf(all...), Else: SetFault(s.fault),
			Then: Rows(s.data.Shape[len(limits):], tir.Serial, func(at []tir.Expr) tir.Stmt {
				return s.store(Load(s.updates, slices.Concat(tuple, at)...), slices.Concat(to, at)...)
			})}
	}), nil
}

func updateCache(s *scatter) (tir.Stmt, error) {
	along, circular, err := cache(s.n, s.data.Shape, s.updates.Shape)
	if err != nil {
		return nil, err
	}
	length := s.data.Shape[along]
	return Nest(s.updates.Shape[:along+1], tir.Serial, func(row []tir.Expr) tir.Stmt {
		place := row[along]
		if s.index != nil {
			place = Add(place, Load(s.index, row[0]))
		}
		ok := And(Ge(place, tir.Int(0)), Lt(place, tir.Int(length)))
		if circular {
			ok = Ge(place, tir.Int(0))
			place = Floormod(place, length)
		}
		return &tir.If{Cond: ok, Else: SetFault(s.fault),
			Then: Rows(s.data.Shape[along+1:], tir.Serial, func(at []tir.Expr) tir.Stmt {
				return s.store(Load(s.updates, slices.Concat(row, at)...), slices.Concat(row[:along], []tir.Expr{place}, at)...)
			})}
	}), nil
}
