package onnx

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
)

// sorted returns the nodes of g, each after those that it reads: as they are if they are in order, else each node that
// comes too early is put off until all that it reads is there.
func sorted(g *graph.Graph) ([]*graph.Node, error) {
	makers := map[*graph.Value]int{}
	for i, n := range g.Nodes {
		for _, v := range n.Outputs {
			if v != nil {
				makers[v] = i
			}
		}
	}
	order := make([]*graph.Node, 0, len(g.Nodes))
	state := make([]uint8, len(g.Nodes)) // 1: being visited, 2: in the order
	type visit struct {
		node  int
		reads []*graph.Value
	}
	for i := range g.Nodes {
		if state[i] != 0 {
			continue
		}
		state[i] = 1
		stack := []visit{{i, g.Nodes[i].Reads()}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.reads) == 0 {
				state[top.node] = 2
				order = append(order, g.Nodes[top.node])
				stack = stack[:len(stack)-1]
				continue
			}
			v := top.reads[0]
			top.reads = top.reads[1:]
			k, made := makers[v]
			switch {
			case !made || state[k] == 2:
			case state[k] == 1:
				return nil, fmt.Errorf("%s reads %q, which follows from what it makes: the graph has a cycle",
					g.Nodes[top.node].Label(), v.Name)
			default:
				state[k] = 1
				stack = append(stack, visit{k, g.Nodes[k].Reads()})
			}
		}
	}
	return order, nil
}
