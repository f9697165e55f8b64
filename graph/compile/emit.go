package compile

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// program makes the program of a model whose tasks are scheduled, for a target.
func (m *Model) program(name string, on target.Target) (*model.Program, *weights, error) {
	w := &weights{byLayout: m.Plans != nil}
	p, err := m.programWith(name, on, w)
	return p, w, err
}

// programWith is program that adds constants to weights.
func (m *Model) programWith(name string, on target.Target, w *weights) (*model.Program, error) {
	l := m.layout
	p := &model.Program{
		Name:    name,
		Inputs:  ports(m.Graph.Inputs[:m.inputs()], m.Original.Inputs),
		Outputs: ports(m.Graph.Outputs[:m.outputs()], m.Original.Outputs),
	}
	e := &emission{on: on, l: l, p: p, w: w, kernels: map[kernelKey]int{}, periods: map[*storage]int64{},
		variants: map[*Task][]*tir.Func{}}
	var err error
	if m.Plans != nil {
		err = m.severalPlans(e)
	} else {
		p.Arena = plan(l.spans)
		p.Steps, err = e.steps(m.actions)
	}
	if err != nil {
		return nil, err
	}
	p.Weights = w.size
	m.variants = e.variants
	return p, nil
}

type emission struct {
	on      target.Target
	l       *layout
	p       *model.Program
	w       *weights
	kernels map[kernelKey]int
	periods map[*storage]int64 // how threads divide what lies there, see lower.Shares

	variants map[*Task][]*tir.Func // of each task, by the shares that their threads have
}

// A kernelKey stands for a kernel: the tasks' functions have variants, whose threads have other shares.
type kernelKey struct {
	task *Task
	hash [16]byte
}

// kernel returns the number of the kernel of a job.
func (e *emission) kernel(j *job) int {
	f := j.task.Func
	if j.task.DAG != nil || j.task.divides {
		inputs, constant, other := map[*tir.Buffer]int64{}, int64(0), int64(0)
		for i, v := range j.inputs {
			if v.Const != nil {
				constant += v.Bytes()
				continue
			}
			other += v.Bytes()
			inputs[f.Params[i]] = e.periods[e.l.stores[v]]
		}
		for _, v := range j.outputs {
			other += v.Bytes()
		}
		var periods map[*tir.Buffer]int64
		f, periods = lower.Shares(f, inputs, constant < other, e.on)
		for i, v := range j.outputs {
			e.periods[e.l.stores[v]] = periods[f.Params[len(j.inputs)+i]]
		}
	}
	if j.task.DAG != nil || readsAsTold(j) {
		f = e.within(j, f)
	}
	key := kernelKey{j.task, f.Hash()}
	i, ok := e.kernels[key]
	if !ok {
		i = len(e.p.Kernels)
		e.kernels[key] = i
		e.p.Kernels = append(e.p.Kernels, f)
		e.variants[j.task] = append(e.variants[j.task], f)
	}
	return i
}

// readsAsTold reports whether a function by hand reads its operand where it says, so that no element of its result
// needs another.
func readsAsTold(j *job) bool {
	row, err := op.Find(j.group.Nodes[0])
	return err == nil && !j.inPlace && row.Opaque != nil && row.Opaque.Reads != nil
}

// within leaves out what a kernel makes and nobody needs, if extents are an input of the model.
func (e *emission) within(j *job, f *tir.Func) *tir.Func {
	v := e.l.extents
	if v == nil || e.l.stores[v] == nil {
		return f
	}
	extents := &tir.Buffer{Name: "within", Type: v.Type, Shape: v.Shape}
	at := slices.Index(j.inputs, v)
	if at >= 0 {
		extents = f.Params[at]
	}
	bounds, masks := map[*tir.Buffer][][]lower.Digit{}, map[*tir.Buffer]lower.Mask{}
	for i, v := range j.outputs {
		b := f.Params[len(j.inputs)+i]
		if list := digitsOf(e.l.needs[v], b); list != nil {
			bounds[b] = list
		}
		for _, n := range j.group.Nodes {
			if extent.IsMask(n) && n.Outputs[0] == v {
				number := tir.Expr(&tir.IntImm{Value: n.Int("ivalue", 0), Type: b.Type})
				if b.Type.IsFloat() {
					number = tir.Float(b.Type, n.Float("value", 0))
				}
				masks[b] = lower.Mask{Digits: digitsOf(extent.Hidden(n), b), Value: number}
			}
		}
	}
	g := lower.Within(f, bounds, masks, extents, e.on.Hardware.Cores)
	j.within = g != f && at < 0
	return g
}

// digitsOf returns the digits of each dimension of a buffer, or nil if they do not fit.
func digitsOf(digits []extent.Digit, b *tir.Buffer) [][]lower.Digit {
	digits, _, ok := extent.Regroup(digits, b.Shape)
	if !ok {
		return nil
	}
	list := make([][]lower.Digit, len(b.Shape))
	for _, d := range digits {
		list[d.Axis] = append(list[d.Axis], lower.Digit{Upper: d.Upper, Entry: d.Entry})
	}
	return list
}

func (e *emission) place(s *storage) model.Place {
	if s == nil {
		return model.Place{}
	}
	if s.konst != nil {
		return e.w.add(s.konst, nil)
	}
	p := s.place
	if s.span != nil {
		p.Offset += s.span.Offset
	}
	return p
}

func (e *emission) steps(actions []*action) ([]model.Step, error) {
	var steps []model.Step
	for _, a := range actions {
		switch {
		case a.job != nil:
			call, err := e.call(a)
			if err != nil {
				return nil, err
			}
			steps = append(steps, call)
		case a.check != "":
			steps = append(steps, model.Check{Error: e.place(a.to), Message: a.check})
		case a.from != nil:
			steps = append(steps, model.Copy{From: e.place(a.from), To: e.place(a.to), Bytes: a.bytes})
		default:
			s, err := e.control(a)
			if err != nil {
				return nil, err
			}
			steps = append(steps, s)
		}
	}
	return steps, nil
}

func (e *emission) control(a *action) (model.Step, error) {
	then, err := e.steps(a.then)
	if err != nil {
		return nil, err
	}
	if a.loop != nil {
		return model.Loop{Trip: e.place(a.loop.trip), Cond: e.place(a.loop.cond), Counter: e.place(a.loop.counter),
			Body: then}, nil
	}
	els, err := e.steps(a.els)
	return model.If{Cond: e.place(a.to), Then: then, Else: els}, err
}

func (e *emission) call(a *action) (model.Call, error) {
	c, t := *a.call, a.job.task
	c.Kernel = e.kernel(a.job)
	for k, v := range a.job.inputs {
		if pack := t.Func.Pack(k); pack != nil {
			if v.Const == nil {
				return c, fmt.Errorf("BUG: compile: %s packs %s, which is not constant", t.Name, v.Name)
			}
			c.Args = append(c.Args, e.w.add(v.Const, pack))
			c.Bytes += float64(pack.Params[1].Bytes())
			continue
		}
		c.Args = append(c.Args, e.place(e.l.stores[v]))
		c.Bytes += float64(v.Bytes())
	}
	if a.job.within {
		c.Args = append(c.Args, e.place(e.l.stores[e.l.extents]))
	}
	for _, v := range a.job.outputs {
		if v == nil {
			v = errorOf(a.job)
		}
		c.Args = append(c.Args, e.place(e.l.stores[v]))
		c.Bytes += float64(v.Bytes())
	}
	if t.DAG != nil {
		c.FLOPs = t.DAG.FLOPs()
	}
	return c, nil
}

// ports describes inputs or outputs, whose names are those of the original graph.
func ports(values, original []*graph.Value) []model.Port {
	list := make([]model.Port, len(values))
	for i, v := range values {
		list[i] = model.Port{Name: original[i].Name, Type: v.Type, Shape: v.Shape, Bounded: v.Extents != nil}
	}
	return list
}
