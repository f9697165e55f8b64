package compile

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/padded"
	"github.com/wmtune/wmtune/graph/pass"
)

// A StateRule says which values a context keeps from run to run: inputs of a model, by a pattern, that are what the run
// before made, outputs by a pattern. A * of both stands for the same text.
type StateRule struct {
	Output, Input string
	Max           int64 // rows that there may be; 0: another rule says it
}

// A StateList collects the rules of several flags: a value of such a flag.
type StateList []StateRule

func (l *StateList) String() string {
	var list []string
	for _, r := range *l {
		list = append(list, fmt.Sprintf("%s=%s,max=%d", r.Output, r.Input, r.Max))
	}
	return strings.Join(list, " ")
}

// Type says what the help calls it.
func (l *StateList) Type() string { return "rule" }

// Set adds the rule of a text such as present.*=past.*,max=1024.
func (l *StateList) Set(text string) error {
	pair, rest, told := strings.Cut(text, ",")
	r := StateRule{}
	ok := false
	if r.Output, r.Input, ok = strings.Cut(pair, "="); !ok || r.Output == "" || r.Input == "" ||
		strings.Count(r.Output, "*") != strings.Count(r.Input, "*") {
		return fmt.Errorf("%q: want OUTPUT=INPUT,max=N with as many * in both, such as present.*=past.*,max=1024", text)
	}
	if told {
		n, err := strconv.ParseInt(strings.TrimPrefix(rest, "max="), 10, 64)
		if err != nil || !strings.HasPrefix(rest, "max=") || n < 1 || n > math.MaxInt32 {
			return fmt.Errorf("%q: want max=N after the comma, with N from 1 on: the rows that there may be", text)
		}
		r.Max = n
	}
	*l = append(*l, r)
	return nil
}

// matched returns the states of a graph by the rules, in the order of the inputs, and how many rows there may be.
func matched(g *graph.Graph, rules []StateRule) ([]padded.State, int64, error) {
	most := int64(0)
	var list []padded.State
	for _, r := range rules {
		if r.Max > 0 && most > 0 && r.Max != most {
			return nil, 0, fmt.Errorf("--state: max is %d and %d: all states have one length", most, r.Max)
		}
		most = max(most, r.Max)
		re := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(r.Output), `\*`, "(.*)") + "$")
		found := false
		for _, v := range g.Outputs {
			parts := re.FindStringSubmatch(v.Name)
			if parts == nil {
				continue
			}
			found = true
			input := r.Input
			for _, text := range parts[1:] {
				input = strings.Replace(input, "*", text, 1)
			}
			at := slices.IndexFunc(g.Inputs, func(v *graph.Value) bool { return v.Name == input })
			switch {
			case at < 0:
				return nil, 0, fmt.Errorf("--state %s=%s: output %s matches, and there is no input %s", r.Output, r.Input, v.Name,
					input)
			case slices.ContainsFunc(list, func(s padded.State) bool { return s.Input == input || s.Output == v.Name }):
				return nil, 0, fmt.Errorf("--state %s=%s: output %s or input %s is a state already", r.Output, r.Input, v.Name,
					input)
			}
			list = append(list, padded.State{Input: input, Output: v.Name})
		}
		if !found {
			return nil, 0, fmt.Errorf("--state %s=%s: no output of the model is called so: there are %s", r.Output, r.Input,
				someNames(g.Outputs))
		}
	}
	if most == 0 {
		return nil, 0, fmt.Errorf("--state: how many rows may there be? Add ,max=N")
	}
	return list, most, nil
}

// someNames lists names of values, a few of many.
func someNames(values []*graph.Value) string {
	var list []string
	for _, v := range values[:min(len(values), 6)] {
		list = append(list, v.Name)
	}
	if n := len(values) - len(list); n > 0 {
		list = append(list, fmt.Sprintf("%d more", n))
	}
	return strings.Join(list, ", ")
}

// A keeping is what plans share that keep a state.
type keeping struct {
	states []padded.State // the last inputs and outputs of the graph, in order
	most   int64          // rows
	name   string         // of the dimension that is their number before a run: the last of all
	grows  padded.Growth
}

// keepStates returns the graph with the states as its last inputs and outputs, the dimensions with that of the length,
// and the extents of each plan. The memory of a state is as large in all plans.
func keepStates(ctx context.Context, g *graph.Graph, given []Dim, rules []StateRule, limit uint64) (*source, []Dim,
	[][]int64, *keeping, error) {
	fail := func(err error) (*source, []Dim, [][]int64, *keeping, error) { return nil, nil, nil, nil, err }
	k := &keeping{}
	dims, told := apart(given)
	sums := namedSums(g)
	var err error
	bytes := 0.0
	if k.states, k.most, err = matched(g, rules); err != nil {
		return fail(err)
	}
	g, _ = g.Clone()
	for _, s := range k.states {
		last := func(list []*graph.Value, name string) *graph.Value {
			i := slices.IndexFunc(list, func(v *graph.Value) bool { return v.Name == name })
			v := list[i]
			copy(list[i:], list[i+1:])
			list[len(list)-1] = v
			return v
		}
		in, out := last(g.Inputs, s.Input), last(g.Outputs, s.Output)
		name, row := "", float64(in.Type.Bytes())
		for a, d := range in.Shape {
			if d == graph.Open && sums[dimName(in, a)] == nil &&
				!slices.ContainsFunc(given, func(d Dim) bool { return d.Name == dimName(in, a) }) {
				name = dimName(in, a)
			}
			row *= float64(max(d, 1))
		}
		bytes += row * float64(k.most)
		switch {
		case in.Type != out.Type && out.Known():
			return fail(fmt.Errorf("--state %s=%s: the input is %s and the output %s: a state has one type", s.Output, s.Input,
				in.Type, out.Type))
		case name == "":
			return fail(fmt.Errorf("--state %s=%s: no axis of the input is open, so none grows; leave --dim out for the length "+
				"of a state", s.Output, s.Input))
		case k.name != "" && k.name != name:
			return fail(fmt.Errorf("--state %s=%s: its length is %s, and that of others %s: all states grow together", s.Output,
				s.Input, name, k.name))
		}
		k.name = name
	}
	for _, v := range g.Inputs[:len(g.Inputs)-len(k.states)] {
		for a, d := range v.Shape {
			if d == graph.Open && dimName(v, a) == k.name {
				return fail(fmt.Errorf("--state: input %s has the dimension %s, too, which is the length of the states: make it a "+
					"state, or give it another dimension", v.Name, k.name))
			}
		}
	}
	if limit > 0 && bytes > float64(limit) {
		return fail(fmt.Errorf("--state: %d rows of %d states need %s of memory, and %s may be used: give a smaller max, or "+
			"allow more with --memory", k.most, len(k.states), sizeText(int64(bytes)), sizeText(int64(limit))))
	}
	if n := len(g.Outputs); n == len(k.states) {
		return fail(fmt.Errorf("--state: all outputs are states: then a run makes nothing"))
	}
	// With the largest extents, too, a run may begin with one row less than there may be.
	room := max(k.most, 2) - 1 // a dimension varies
	all := append(slices.Clone(dims), Dim{Name: k.name, Extents: []int64{0, room}, Range: true})
	from := &source{g: g}
	if from.sums, err = resolve(g, all, told); err != nil {
		return fail(err)
	}
	most := make([]int64, len(all))
	list := []padded.Dim{}
	for i, d := range all {
		most[i] = d.Extents[len(d.Extents)-1]
		list = append(list, padded.Dim{Name: d.Name, From: d.Extents[0], To: most[i]})
	}
	r, err := padded.Rewrite(ctx, g, list, from.bind, k.states...)
	if err != nil {
		return fail(err)
	}
	k.grows = r.Grows
	by := func(extents []int64) int64 {
		if k.grows.Dim < 0 {
			return k.grows.By
		}
		return extents[k.grows.Dim]
	}
	if n := by(most); n > k.most {
		return fail(fmt.Errorf("--state: a run may add %d rows, and max is %d: give a larger max, or smaller --dim",
			n, k.most))
	}
	for i, d := range dims { // one row at a time, and as many as there may be
		if n := d.Extents[len(d.Extents)-1]; d.Range {
			all[i].Extents, all[i].from = []int64{n}, d.Extents[0]
			if i == k.grows.Dim && d.Extents[0] <= 1 && n > 1 {
				all[i].Extents = []int64{1, n}
			}
		}
	}
	all[len(dims)].Extents = []int64{0}
	plans, err := combinations(all)
	for _, extents := range plans {
		extents[len(dims)] = room + by(most) - by(extents)
	}
	return from, all, plans, k, err
}

// A StateInfo says what contexts of a bundle keep from run to run.
type StateInfo struct {
	Name   string   `json:"name"`            // of the number of rows
	Max    int64    `json:"max"`             // rows that there may be
	Grows  string   `json:"grows,omitempty"` // dimension by whose extent a run adds rows
	By     int64    `json:"by,omitempty"`    // or by how many
	Bytes  int64    `json:"bytes"`
	Values []string `json:"values"` // as outputs of the model are called
}

// stateInfo describes the state of a program, or returns nil.
func stateInfo(p *model.Program) *StateInfo {
	s := p.State
	if s == nil {
		return nil
	}
	info := &StateInfo{Name: p.Dims[len(p.Dims)-1], Max: s.Max, By: s.By, Bytes: s.Bytes}
	if s.Grows >= 0 {
		info.Grows = p.Dims[s.Grows]
	}
	for _, v := range s.Values {
		info.Values = append(info.Values, v.Output)
	}
	return info
}

// kept says where the states of a program lie in the arena.
func (k *keeping) kept(of *Model) *model.State {
	s := &model.State{Max: k.most, Grows: k.grows.Dim, By: k.grows.By, Bytes: of.layout.state}
	at := int64(model.StateHead)
	for i, v := range of.stateInputs() {
		s.Values = append(s.Values, model.Kept{Input: k.states[i].Input, Output: k.states[i].Output, Offset: at,
			Port: model.Port{Name: k.states[i].Input, Type: v.Type, Shape: v.Shape}, Axis: of.open.axes[i]})
		at = align(at + v.Bytes())
	}
	return s
}

// stateInputs returns the inputs that are states.
func (m *Model) stateInputs() []*graph.Value {
	if m.open == nil {
		return nil
	}
	return m.Graph.Inputs[m.inputs() : len(m.Graph.Inputs)-1]
}

// outputs returns how many outputs a plan has beside the states.
func (m *Model) outputs() int { return len(m.Graph.Outputs) - len(m.stateInputs()) }

// withState returns a plan's program with the states as inputs and outputs: as it is verified. Each is a dense array of
// the true rows.
func (m *Model) withState(p *model.Program) *model.Program {
	if len(m.stateInputs()) == 0 {
		return p
	}
	q := *p
	q.Inputs, q.Outputs = slices.Clone(p.Inputs), slices.Clone(p.Outputs)
	for i, v := range m.stateInputs() {
		s := m.open.states[i]
		q.Inputs = append(q.Inputs, model.Port{Name: s.Input, Type: v.Type, Shape: v.Shape})
		q.Outputs = append(q.Outputs, model.Port{Name: s.Output, Type: v.Type, Shape: v.Shape, Bounded: true})
	}
	return &q
}

// evaluate computes the graph after the passes in float64, for inputs and outputs whose states are dense arrays.
func (m *Model) evaluate(ctx context.Context, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
	inputs = slices.Clone(inputs)
	first := m.inputs()
	var extents []int64
	if m.open != nil {
		extents = inputs[len(inputs)-1].I
	}
	for i, v := range m.stateInputs() {
		inputs[first+i] = moveRows(inputs[first+i], v.Shape, m.open.axes[i], extents[len(extents)-1], true)
	}
	out, err := op.Evaluator().Run(ctx, m.Graph, inputs)
	if err != nil {
		return nil, err
	}
	for i, v := range m.stateInputs() {
		rows := extents[len(extents)-1] + m.open.grows.By
		if d := m.open.grows.Dim; d >= 0 {
			rows = extents[len(extents)-1] + extents[d]
		}
		out[m.outputs()+i] = moveRows(out[m.outputs()+i], v.Shape, m.open.axes[i], rows, false)
	}
	return out, nil
}

// moveRows moves the first rows along an axis from a dense array to where a shape has them, or to a dense array.
func moveRows(x *graph.Tensor, shape []int64, axis int, rows int64, spread bool) *graph.Tensor {
	small := slices.Clone(shape)
	small[axis] = rows
	to := small
	if spread {
		to = shape
	}
	y := graph.NewTensor(x.Type, to...)
	row := graph.Elems(shape[axis+1:])
	for b := range graph.Elems(shape[:axis]) {
		for i := range rows * row {
			wide, dense := b*shape[axis]*row+i, b*rows*row+i
			if !spread {
				wide, dense = dense, wide
			}
			if x.F != nil {
				y.F[wide] = x.F[dense]
			} else {
				y.I[wide] = x.I[dense]
			}
		}
	}
	return y
}

// Length returns how many rows the state of a bundle has: those that its runs have added. Without a state it fails.
func (b *Bundle) Length(ctx context.Context) (int64, error) { return b.loaded.Length(ctx) }

// Truncate has the state of a bundle forget all rows but the first so many; 0 begins anew.
func (b *Bundle) Truncate(ctx context.Context, rows int64) error {
	if err := b.loaded.Truncate(ctx, rows); err != nil {
		return err
	}
	return b.lengthen(ctx)
}

// newStateful is NewPlans of a model with states.
func newStateful(ctx context.Context, g *graph.Graph, dims []Dim, rules []StateRule, opt pass.Options) (*Model, error) {
	from, all, extents, k, err := keepStates(ctx, g, dims, rules, opt.Limit.Memory)
	if err != nil {
		return nil, err
	}
	return makePlans(ctx, from, all, extents, k, opt)
}
