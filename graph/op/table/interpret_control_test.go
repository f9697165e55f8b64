package table

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// runControl runs a node that runs graphs, as the compiler must (sequence/control.go).
func (p *Programs) runControl(n *graph.Node) error {
	switch {
	case n.Op == "If":
		cond, err := p.Contents(n.Inputs[0])
		if err != nil {
			return err
		}
		name := "else_branch"
		if cond.Data[0] != 0 {
			name = "then_branch"
		}
		results, err := p.graph(n.Graph(name))
		return p.assign(n.Outputs, results, err)
	case n.Op == "Loop" && n.Domain == "wmtune":
		return p.runLoop(n)
	}
	return fmt.Errorf("BUG: node %s has form control", n.Op)
}

func (p *Programs) runLoop(n *graph.Node) error {
	body, trips := n.Graph("body"), int64(-1)
	on := &graph.Const{Type: tir.Bool, Shape: body.Inputs[1].Shape, Data: []byte{1}}
	if v := n.Inputs[0]; v != nil {
		c, err := p.Contents(v)
		if err != nil {
			return err
		}
		trips = c.Tensor().I[0]
	}
	var values []*graph.Const
	for i, v := range n.Inputs[1:] {
		var c *graph.Const
		var err error
		if v == nil {
			w := body.Inputs[1+i]
			c = &graph.Const{Type: w.Type, Shape: w.Shape, Data: make([]byte, w.Bytes())}
		} else if c, err = p.Contents(v); err != nil {
			return err
		}
		if i == 0 && v != nil {
			on = c
		}
		values = append(values, c)
	}
	values[0] = on
	for i := int64(0); (trips < 0 || i < trips) && (n.Inputs[1] == nil || values[0].Data[0] != 0); i++ {
		counter := graph.NewTensor(tir.I64, body.Inputs[0].Shape...)
		counter.I[0] = i
		p.Memory[body.Inputs[0]] = counter.Const()
		for k, c := range values {
			p.Memory[body.Inputs[1+k]] = c
		}
		var err error
		if values, err = p.graph(body); err != nil {
			return fmt.Errorf("iteration %d: %w", i, err)
		}
	}
	return p.assign(n.Outputs, values[1:], nil)
}

// graph runs a graph whose inputs are in memory.
func (p *Programs) graph(g *graph.Graph) ([]*graph.Const, error) {
	for _, n := range g.Nodes {
		if err := p.Run(n); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Label(), err)
		}
	}
	var list []*graph.Const
	for _, v := range g.Outputs {
		c, err := p.Contents(v)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func (p *Programs) assign(outputs []*graph.Value, results []*graph.Const, err error) error {
	if err != nil {
		return err
	}
	for i, v := range outputs {
		if v != nil {
			p.Memory[v] = results[i]
		}
	}
	return nil
}
