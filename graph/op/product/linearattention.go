package product

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

// LinearAttentions has LinearAttention: a matrix of state for each head of keys, of which the rules that change it at
// each time are gated, delta, or both.
var LinearAttentions = []op.Row{
	{Op: "LinearAttention", Since: 27, In: "T:F T:F T:F S:F? T:F? T:F?", Class: op.Opaque, Infer: inferLinearAttention,
		Eval: op.EvalBy(linearAttentionOf, evalLinearAttention), Opaque: &op.Function{Make: opaqueLinearAttention}},
}

// A linearAttention has the sizes of a LinearAttention.
type linearAttention struct {
	batch, time, heads, keyHeads int64
	size, valueSize              int64 // of a head
	decays, betas                int64 // numbers at a time, 0 without
	scale                        float64
}

func linearAttentionOf(n *graph.Node) (*linearAttention, error) {
	for i := range 6 {
		if v := n.Input(i); v != nil && i != 3 && (len(v.Shape) != 3 ||
			!slices.Equal(v.Shape[:2], n.Inputs[0].Shape[:2])) {
			return nil, fmt.Errorf("input %d has shape %v: it must have 3 dimensions, and batch and length of input 0",
				i, v.Shape)
		}
	}
	q, k, v := n.Inputs[0].Shape, n.Inputs[1].Shape, n.Inputs[2].Shape
	a := &linearAttention{batch: q[0], time: q[1], heads: n.Int("q_num_heads", 0), keyHeads: n.Int("kv_num_heads", 0)}
	if a.keyHeads < 1 || a.heads < 1 || a.heads%a.keyHeads != 0 || q[2]%a.heads != 0 || v[2]%a.keyHeads != 0 ||
		k[2] != q[2]/a.heads*a.keyHeads {
		return nil, fmt.Errorf("inputs %v, %v and %v do not fit %d heads of queries and %d of keys", q, k, v, a.heads,
			a.keyHeads)
	}
	a.size, a.valueSize = q[2]/a.heads, v[2]/a.keyHeads
	rule := n.Str("update_rule", "gated_delta")
	gated, delta := rule == "gated" || rule == "gated_delta", rule == "delta" || rule == "gated_delta"
	if !gated && !delta && rule != "linear" {
		return nil, fmt.Errorf("attribute update_rule is %q: known are linear gated delta gated_delta", rule)
	}
	if gated != (n.Input(4) != nil) || delta != (n.Input(5) != nil) {
		return nil, fmt.Errorf("rule %s: inputs 4 (decay) and 5 (beta) must be there exactly if it uses them", rule)
	}
	if gated {
		if a.decays = n.Inputs[4].Shape[2]; a.decays != a.keyHeads && a.decays != a.keyHeads*a.size {
			return nil, fmt.Errorf("%d decays at a time: they must be %d or %d", a.decays, a.keyHeads,
				a.keyHeads*a.size)
		}
	}
	if delta {
		if a.betas = n.Inputs[5].Shape[2]; a.betas != a.keyHeads && a.betas != 1 {
			return nil, fmt.Errorf("%d betas at a time: they must be %d or 1", a.betas, a.keyHeads)
		}
	}
	if s := n.Input(3); s != nil && !slices.Equal(s.Shape, a.state()) {
		return nil, fmt.Errorf("a state of shape %v: it must be %v", s.Shape, a.state())
	}
	if a.scale = n.Float("scale", 0); a.scale == 0 {
		a.scale = 1 / math.Sqrt(float64(a.size))
	}
	return a, nil
}

func (a *linearAttention) state() []int64 { return []int64{a.batch, a.keyHeads, a.size, a.valueSize} }

func inferLinearAttention(n *graph.Node) ([]op.Type, error) {
	a, err := linearAttentionOf(n)
	if err != nil {
		return nil, err
	}
	t := n.Inputs[0].Type
	s := t
	if v := n.Input(3); v != nil {
		s = v.Type
	}
	return []op.Type{{DType: t, Shape: []int64{a.batch, a.time, a.heads * a.valueSize}}, {DType: s, Shape: a.state()}}, nil
}

// evalLinearAttention is the reference of LinearAttention.
func evalLinearAttention(a *linearAttention, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor,
	error) {
	types, err := inferLinearAttention(n)
	if err != nil {
		return nil, err
	}
	y, end := graph.NewTensor(types[0].DType, types[0].Shape...), graph.NewTensor(types[1].DType, types[1].Shape...)
	if s := array.Argument(in, 3); s != nil {
		copy(end.F, s.F)
	}
	err = array.Parallel(call.Context, int(a.batch*a.keyHeads), func(i int) {
		b, h := int64(i)/a.keyHeads, int64(i)%a.keyHeads
		state := end.F[int64(i)*a.size*a.valueSize:][:a.size*a.valueSize]
		for t := range a.time {
			now := b*a.time + t
			k, v := in[1].F[(now*a.keyHeads+h)*a.size:][:a.size], in[2].F[(now*a.keyHeads+h)*a.valueSize:][:a.valueSize]
			for s := range state {
				if a.decays > 0 {
					d := int64(s) / a.valueSize
					state[s] *= math.Exp(in[4].F[now*a.decays+(h*a.size+d)*a.decays/(a.keyHeads*a.size)])
				}
			}
			for m := range a.valueSize {
				write := v[m]
				if a.betas > 0 {
					for d := range a.size {
						write -= state[d*a.valueSize+m] * k[d]
					}
					write *= in[5].F[now*a.betas+h*a.betas/a.keyHeads]
				}
				for d := range a.size {
					state[d*a.valueSize+m] += k[d] * write
				}
			}
			for g := h * a.heads / a.keyHeads; g < (h+1)*a.heads/a.keyHeads; g++ {
				q := in[0].F[(now*a.heads+g)*a.size:]
				for s, v := range state {
					y.F[(now*a.heads+g)*a.valueSize+int64(s)%a.valueSize] += a.scale * q[int64(s)/a.valueSize] * v
				}
			}
		}
	})
	return []*graph.Tensor{y, end}, err
}

// opaqueLinearAttention works on each head of keys in parallel, time after time, on vectors of values.
func opaqueLinearAttention(n *graph.Node) (*tir.Func, error) {
	a, err := linearAttentionOf(n)
	if err != nil {
		return nil, err
	}
	heads := func(name string, i int, count int64) *tir.Buffer {
		v := n.Input(i)
		if v == nil {
			return nil
		}
		return &tir.Buffer{Name: name, Type: v.Type, Shape: []int64{a.batch, a.time, count, v.Shape[2] / count}}
	}
	q, k, v := heads("q", 0, a.heads), heads("k", 1, a.keyHeads), heads("v", 2, a.keyHeads)
	decay, beta := heads("decay", 4, a.keyHeads), heads("beta", 5, max(1, a.betas))
	params := []*tir.Buffer{q, k, v}
	var past *tir.Buffer
	if s := n.Input(3); s != nil {
		past = Parameter("past", s)
		params = append(params, past)
	}
	for _, p := range []*tir.Buffer{decay, beta} {
		if p != nil {
			params = append(params, p)
		}
	}
	y := &tir.Buffer{Name: "y", Type: n.Outputs[0].Type, Shape: []int64{a.batch, a.time, a.heads, a.valueSize}}
	params = append(params, y)
	outputs := 1
	var present *tir.Buffer
	if s := n.Output(1); s != nil {
		present = Parameter("present", s)
		params, outputs = append(params, present), 2
	}
	body := Nest([]int64{a.batch, a.keyHeads}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		f := linearHead{a: a, at: at, q: q, k: k, v: v, decay: decay, beta: beta, y: y,
			t: Register(q.Type), state: &tir.Buffer{Name: "state", Type: Register(q.Type),
				Shape: []int64{a.size, a.valueSize}},
			row: &tir.Buffer{Name: "row", Type: Register(q.Type), Shape: []int64{a.valueSize}}}
		return Alloc(f.state, Alloc(f.row, f.all(past, present)))
	})
	return NewFunc("linear_attention", outputs, body, params...), nil
}

// A linearHead writes what is done for a head of keys.
type linearHead struct {
	a           *linearAttention
	at          []tir.Expr // batch and head
	q, k, v, y  *tir.Buffer
	decay, beta *tir.Buffer // nil without
	state, row  *tir.Buffer
	t           tir.DType
}

func (f *linearHead) read(b *tir.Buffer, at ...tir.Expr) tir.Expr { return Cast(Load(b, at...), f.t) }

// each does something for each element of the state.
func (f *linearHead) each(do func(d, m tir.Expr) tir.Stmt) tir.Stmt {
	return Loop("d", f.a.size, func(d tir.Expr) tir.Stmt {
		return Vectors("m", f.a.valueSize, func(m tir.Expr) tir.Stmt { return do(d, m) })
	})
}

func (f *linearHead) all(past, present *tir.Buffer) tir.Stmt {
	place := func(d, m tir.Expr) []tir.Expr { return []tir.Expr{f.at[0], f.at[1], d, m} }
	stmts := []tir.Stmt{f.each(func(d, m tir.Expr) tir.Stmt {
		if past == nil {
			return Store(f.state, tir.Const(f.t, 0), d, m)
		}
		return Store(f.state, f.read(past, place(d, m)...), d, m)
	}), Loop("t", f.a.time, f.step)}
	if present != nil {
		stmts = append(stmts, f.each(func(d, m tir.Expr) tir.Stmt {
			return Store(present, Cast(Load(f.state, d, m), present.Type), place(d, m)...)
		}))
	}
	return Seq(stmts...)
}

// step changes the state by what stands at a time, and writes what the queries of that time read.
func (f *linearHead) step(t tir.Expr) tir.Stmt {
	a := f.a
	b, h := f.at[0], f.at[1]
	row := func(do func(m tir.Expr) tir.Stmt) tir.Stmt { return Vectors("m", a.valueSize, do) }
	var stmts []tir.Stmt
	if f.decay != nil {
		stmts = append(stmts, f.each(func(d, m tir.Expr) tir.Stmt {
			which := d
			if a.decays == a.keyHeads {
				which = tir.Int(0)
			}
			return Store(f.state, Mul(Load(f.state, d, m), Fn(tir.Exp, f.read(f.decay, b, t, h, which))), d, m)
		}))
	}
	if f.beta == nil {
		stmts = append(stmts, row(func(m tir.Expr) tir.Stmt { return Store(f.row, f.read(f.v, b, t, h, m), m) }))
	} else {
		head := h
		if a.betas == 1 {
			head = tir.Int(0)
		}
		stmts = append(stmts,
			row(func(m tir.Expr) tir.Stmt { return Store(f.row, f.read(f.v, b, t, h, m), m) }),
			f.each(func(d, m tir.Expr) tir.Stmt {
				return Store(f.row, Sub(Load(f.row, m), Mul(Load(f.state, d, m), f.read(f.k, b, t, h, d))), m)
			}),
			row(func(m tir.Expr) tir.Stmt {
				return Store(f.row, Mul(Load(f.row, m), f.read(f.beta, b, t, head, tir.Int(0))), m)
			}))
	}
	stmts = append(stmts, f.each(func(d, m tir.Expr) tir.Stmt {
		return Store(f.state, Add(Load(f.state, d, m), Mul(f.read(f.k, b, t, h, d), Load(f.row, m))), d, m)
	}))
	group := a.heads / a.keyHeads
	return Seq(append(stmts, Loop("g", group, func(g tir.Expr) tir.Stmt {
		q := Add(Times(h, group), g)
		return Seq(row(func(m tir.Expr) tir.Stmt { return Store(f.row, tir.Const(f.t, 0), m) }),
			f.each(func(d, m tir.Expr) tir.Stmt {
				return Store(f.row, Add(Load(f.row, m), Mul(f.read(f.q, b, t, q, d), Load(f.state, d, m))), m)
			}),
			row(func(m tir.Expr) tir.Stmt {
				return Store(f.y, Cast(Mul(Load(f.row, m), tir.Const(f.t, a.scale)), f.y.Type), b, t, q, m)
			}))
	}))...)
}
