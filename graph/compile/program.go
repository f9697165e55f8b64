package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/graph/padded"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// A storage is where a value lies: in a port, among the weights, or in a span of the arena. Values that are the same
// elements share one.
type storage struct {
	place model.Place // offset 0 for the arena
	span  *Span       // of the arena
	konst *graph.Const
}

// An action is a step of the program before memory is planned.
type action struct {
	job      *job
	call     *model.Call // of job
	from, to *storage    // of a copy
	bytes    int64
	check    string // message, of a check of to
	then     []*action
	els      []*action
	loop     *loopAction
}

// A loopAction is a loop before memory is planned.
type loopAction struct{ trip, cond, counter *storage }

// A layout finds out where the values of a graph lie and what runs in which order.
type layout struct {
	tasks   *taskList
	stores  map[*graph.Value]*storage
	outputs map[*graph.Value]int  // port that a value is computed into
	owned   map[*graph.Value]bool // values with memory that only they, and aliases, have
	carried map[*graph.Value]bool // of them, those that a loop carries
	spans   []*Span
	time    int
	jobs    []*job
	aliases int

	needs   map[*graph.Value][]extent.Digit // what is needed of values, if extents are an input
	extents *graph.Value                    // the vector of extents, or nil

	state int64 // bytes of the arena that are no span's: those of the states, which lie at its beginning
}

// newLayout divides g into groups and tasks. Names of ports are those of the original graph. So many inputs before the
// last are states: an output each, the last ones, has their memory.
func newLayout(g *graph.Graph, tasks *taskList, states int) (*layout, []*action, error) {
	l := &layout{tasks: tasks, stores: map[*graph.Value]*storage{}, outputs: map[*graph.Value]int{},
		owned: map[*graph.Value]bool{}, carried: map[*graph.Value]bool{}}
	results := len(g.Outputs) - states
	index := 0
	for i, v := range g.Inputs {
		if i < len(g.Inputs)-1 && i >= len(g.Inputs)-1-states {
			l.keep(v)
			continue
		}
		l.stores[v] = &storage{place: model.Place{Space: model.Input, Index: index}}
		index++
	}
	l.needs, l.extents = padded.Needs(g)
	l.chooseOutputs(g, results)
	actions, err := l.graph(g)
	if err != nil {
		return nil, nil, err
	}
	l.time++
	for i, v := range g.Outputs[results:] {
		if in := g.Inputs[len(g.Inputs)-1-states+i]; l.use(v) != l.stores[in] {
			return nil, nil, fmt.Errorf("state %s: %s is not made in its place: that is %w", in, v, graph.ErrUnsupported)
		}
	}
	for i, v := range g.Outputs[:results] {
		if v.Extents != nil {
			shape := &storage{place: model.Place{Space: model.OutputShape, Index: i}}
			actions = append(actions, l.copy(l.use(v.Extents), shape, v.Extents.Bytes()))
		}
		if v.Elems() == 0 {
			continue
		}
		from, to := l.use(v), &storage{place: model.Place{Space: model.Output, Index: i}}
		if from.place != to.place {
			actions = append(actions, l.copy(from, to, v.Bytes()))
		}
	}
	return l, present(actions), nil
}

// keep gives a state memory at the beginning of the arena, which may be written.
func (l *layout) keep(v *graph.Value) {
	l.state = max(l.state, model.StateHead)
	l.stores[v] = &storage{place: model.Place{Space: model.Arena, Offset: l.state}}
	l.owned[v], l.carried[v] = true, true
	l.state = align(l.state + v.Bytes())
}

// chooseOutputs has values be computed where the caller wants them, if a kernel makes them.
func (l *layout) chooseOutputs(g *graph.Graph, results int) {
	made := g.Producers()
	taken := map[int]bool{}
	for i, v := range g.Outputs[:results] {
		root := v
		for n := made[root]; n != nil && op.IsAlias(n); n = made[root] {
			root = n.Inputs[0]
		}
		if _, ok := l.outputs[root]; made[root] == nil || ok || taken[i] || root.Elems() == 0 {
			continue
		}
		l.outputs[root], taken[i] = i, true
	}
}

// graph returns the actions of a graph's nodes.
func (l *layout) graph(g *graph.Graph) ([]*action, error) {
	groups, err := pass.Partition(g)
	if err != nil {
		return nil, err
	}
	var actions []*action
	readers, made := g.Readers(), g.Producers()
	for _, k := range groups {
		var add []*action
		switch k.Kind {
		case pass.Alias:
			n := k.Nodes[0]
			l.stores[n.Outputs[0]] = l.use(n.Inputs[0])
			l.aliases++
		case pass.Control:
			add, err = l.control(k.Nodes[0])
		default:
			add, err = l.kernel(k, l.inPlace(g, k, readers, made))
		}
		if err != nil {
			return nil, err
		}
		actions = append(actions, add...)
	}
	return actions, nil
}

// inPlace reports whether the node of a group may change its first input where it lies: nobody else reads that. What a
// graph around g makes may be read again, by what comes after the node of g or by the next iteration.
func (l *layout) inPlace(g *graph.Graph, k *pass.Group, readers map[*graph.Value][]*graph.Node,
	made map[*graph.Value]*graph.Node) bool {
	if k.Kind != pass.Opaque || len(k.Nodes[0].Inputs) == 0 || k.Nodes[0].Inputs[0] == nil {
		return false
	}
	n := k.Nodes[0]
	r, err := op.Find(n)
	v := n.Inputs[0]
	if err != nil || r.Opaque == nil || r.Opaque.Update == nil || len(readers[v]) != 1 || slices.Contains(g.Outputs,
		v) || !l.owned[v] ||
		slices.Contains(n.Inputs[1:], v) || v.Bytes() != n.Outputs[0].Bytes() ||
		made[v] == nil && !slices.Contains(g.Inputs, v) {
		return false
	}
	_, direct := l.outputs[n.Outputs[0]]
	return !direct && l.stores[v] != nil && l.stores[v].span != nil || l.carried[v]
}

// kernel returns the call of a group's kernel, and the check of what it may find. In place, its first input becomes its
// first output.
func (l *layout) kernel(k *pass.Group, inPlace bool) ([]*action, error) {
	if nothingToMake(k.Outputs) {
		for _, v := range k.Outputs {
			l.define(v)
		}
		return nil, nil
	}
	j, err := l.tasks.job(k, inPlace)
	if err != nil {
		return nil, err
	}
	l.jobs = append(l.jobs, j)
	l.time++
	var names []string
	for _, n := range k.Nodes {
		names = append(names, nodeName(n))
	}
	a := &action{job: j, call: &model.Call{Label: j.task.Name, Node: join(names)}}
	for _, v := range j.inputs {
		l.use(v)
	}
	if l.extents != nil && l.stores[l.extents] != nil {
		l.use(l.extents) // the kernel may leave out what nobody needs
	}
	if j.inPlace {
		l.stores[k.Nodes[0].Outputs[0]] = l.use(k.Nodes[0].Inputs[0])
	}
	actions := []*action{a}
	for _, v := range j.outputs {
		if v != nil {
			l.define(v)
			continue
		}
		flag := l.arena(j.task.Name+".error", 4)
		l.stores[errorOf(j)] = flag
		actions = append(actions, &action{to: flag, check: k.Nodes[0].Label() + ": " + op.Fault(k.Nodes[0])})
	}
	return actions, nil
}

// errors of jobs have values of their own, by which their place is found.
func errorOf(j *job) *graph.Value {
	if j.flag == nil {
		j.flag = &graph.Value{Name: j.task.Name + ".error", Type: tir.I32, Shape: []int64{1}, Ranked: true}
	}
	return j.flag
}

// nothingToMake reports whether values have no elements, and no extents that their node makes.
func nothingToMake(values []*graph.Value) bool {
	for _, v := range values {
		if v.Elems() > 0 || v.Extents != nil {
			return false
		}
	}
	return true
}

// use returns where v lies, which is needed now.
func (l *layout) use(v *graph.Value) *storage {
	s := l.stores[v]
	if s == nil {
		if v.Const == nil {
			panic(fmt.Sprintf("BUG: compile: %s is read before it is made", v.Name))
		}
		s = &storage{place: model.Place{Space: model.Weights}, konst: v.Const}
		if v.Elems() == 0 {
			s = l.arena(v.Name, 0)
		}
		l.stores[v] = s
	}
	if s.span != nil {
		s.span.To = max(s.span.To, l.time)
	}
	return s
}

// define gives v a place from now on.
func (l *layout) define(v *graph.Value) *storage {
	if l.stores[v] != nil {
		return l.use(v)
	}
	l.owned[v] = true
	if i, ok := l.outputs[v]; ok {
		l.stores[v] = &storage{place: model.Place{Space: model.Output, Index: i}}
	} else {
		l.stores[v] = l.arena(v.Name, v.Bytes())
	}
	return l.stores[v]
}

// arena returns a span. It is never empty, since a parameter for a value without elements needs an address, too.
func (l *layout) arena(name string, bytes int64) *storage {
	span := &Span{Name: name, Bytes: max(bytes, 1), From: l.time, To: l.time}
	l.spans = append(l.spans, span)
	return &storage{place: model.Place{Space: model.Arena}, span: span}
}

func (l *layout) copy(from, to *storage, bytes int64) *action {
	if bytes == 0 {
		return nil
	}
	return &action{from: from, to: to, bytes: bytes}
}

func nodeName(n *graph.Node) string {
	if n.Name != "" {
		return n.Name
	}
	return n.Op
}

func join(names []string) string { return strings.Join(slices.Compact(names), " ") }
