package compile

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// control returns the actions of a node that runs graphs: If and wmtune.Loop, as graph/op defines them.
func (l *layout) control(n *graph.Node) ([]*action, error) {
	switch n.Op {
	case "If":
		return l.branches(n)
	case "Loop":
		return l.loop(n)
	}
	return nil, fmt.Errorf("BUG: compile: %s runs graphs", n.Label())
}

// branches returns an If, whose branches copy their outputs to where those of the node lie.
func (l *layout) branches(n *graph.Node) ([]*action, error) {
	l.time++
	a := &action{to: l.use(n.Inputs[0])}
	for _, v := range n.Outputs {
		if v != nil {
			l.define(v)
		}
	}
	branch := func(g *graph.Graph) ([]*action, error) {
		list, err := l.graph(g)
		if err != nil {
			return nil, err
		}
		l.time++
		for i, v := range n.Outputs {
			if v != nil {
				list = append(list, l.copy(l.use(g.Outputs[i]), l.use(v), v.Bytes()))
			}
		}
		return present(list), nil
	}
	var err error
	if a.then, err = branch(n.Graph("then_branch")); err != nil {
		return nil, err
	}
	if a.els, err = branch(n.Graph("else_branch")); err != nil {
		return nil, err
	}
	return []*action{a}, nil
}

// loop returns a loop. The values that it carries lie where the outputs of the node do:
//
//	copy initial to output; copy cond to on
//	loop { body, which reads counter, on and output; copy what it makes to on and output }
func (l *layout) loop(n *graph.Node) ([]*action, error) {
	body := n.Graph("body")
	l.time++
	begin := l.time
	a := &action{loop: &loopAction{}}
	var before []*action
	if v := n.Input(0); v != nil {
		a.loop.trip = l.use(v)
	}
	a.loop.counter = l.arena(n.Label()+" counter", 8)
	l.stores[body.Inputs[0]] = a.loop.counter
	on := l.constantTrue()
	if v := n.Input(1); v != nil {
		on = l.arena(n.Label()+" condition", 1)
		a.loop.cond = on
		before = append(before, l.copy(l.use(v), on, 1))
	}
	l.stores[body.Inputs[1]] = on
	carried := make([]*storage, len(body.Inputs)-2)
	for i := range carried {
		in := body.Inputs[i+2]
		if v := n.Output(i); v != nil {
			carried[i] = l.define(v)
		} else {
			carried[i] = l.arena(in.Name, in.Bytes())
		}
		if v := n.Input(i + 2); v != nil {
			before = append(before, l.copy(l.use(v), carried[i], in.Bytes()))
		}
		l.stores[in], l.owned[in], l.carried[in] = carried[i], true, true
	}
	list, err := l.graph(body)
	if err != nil {
		return nil, err
	}
	l.time++
	list = append(list, l.carry(body, a.loop.cond, carried)...)
	a.then = present(list)
	for _, s := range l.spans { // what is there before is needed until the last iteration
		if s.From <= begin && s.To >= begin {
			s.To = l.time
		}
	}
	return append(present(before), a), nil
}

// carry copies what the body made to where the next iteration reads it. What would be overwritten before it is read
// goes by way of a temporary.
func (l *layout) carry(body *graph.Graph, cond *storage, carried []*storage) []*action {
	var first, then []*action
	for i, v := range body.Outputs {
		to := cond
		if i > 0 {
			to = carried[i-1]
		}
		from := l.use(v)
		if to == nil || from == to {
			continue
		}
		if from == cond || slices.Contains(carried, from) {
			temp := l.arena(v.Name+" to carry", v.Bytes())
			first = append(first, l.copy(from, temp, v.Bytes()))
			from = temp
		}
		then = append(then, l.copy(from, to, v.Bytes()))
	}
	return append(first, then...)
}

func (l *layout) constantTrue() *storage {
	return &storage{place: model.Place{Space: model.Weights}, konst: graph.Scalar(tir.Bool, 1).Const()}
}

// present drops copies of nothing.
func present(list []*action) []*action {
	return slices.DeleteFunc(list, func(a *action) bool { return a == nil })
}
