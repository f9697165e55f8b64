package metaschedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxDepth bounds how deep nodes refer to each other. Each node of a real program is some
// 20 nodes below the last one of a level of loops.
const maxDepth = 5000

// A graph is a value of TVM as JSON: nodes that refer to others by number. Its first error
// stays: what follows are zeros, so that readers check it once at their end.
type graph struct {
	nodes []node
	root  int
	boxed bool // whole constants refer to a node with their value, as of TVM 0.27
	err   error
	depth int
}

// A node is one object. What its data is depends on the kind: for most it is an object of
// fields, whose values are numbers of other nodes or plain values.
type node struct {
	kind   string // without the name of its module, which differs between versions: "For" of tirx.For
	data   json.RawMessage
	fields map[string]json.RawMessage // of data, once it was asked for a field
}

// readGraph takes the text of a graph apart.
func readGraph(text []byte) (*graph, error) {
	var file struct {
		Root  *int `json:"root_index"`
		Nodes []struct {
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		} `json:"nodes"`
		Metadata struct {
			Version string `json:"tvm_version"`
		} `json:"metadata"`
	}
	if json.Unmarshal(text, &file) != nil {
		return nil, errors.New("no graph of nodes: it is cut off, or its fields hold something else")
	}
	if file.Root == nil {
		return nil, errors.New("no graph of nodes as TVM 0.25 and later write it: it has no root_index")
	}
	g := &graph{root: *file.Root, nodes: make([]node, len(file.Nodes))}
	var major, minor int
	if _, err := fmt.Sscanf(file.Metadata.Version, "%d.%d", &major, &minor); err != nil {
		return nil, fmt.Errorf("no graph of nodes of a version of TVM: its tvm_version is %q", file.Metadata.Version)
	}
	g.boxed = major > 0 || minor >= 27
	for i, n := range file.Nodes {
		g.nodes[i] = node{kind: n.Type[strings.LastIndexByte(n.Type, '.')+1:], data: n.Data}
	}
	return g, nil
}

func (g *graph) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// kind returns the kind of a node; "" if there is none.
func (g *graph) kind(at int) string {
	if at < 0 || at >= len(g.nodes) {
		g.fail("node %d of %d", at, len(g.nodes))
		return ""
	}
	return g.nodes[at].kind
}

// decode reads the data of a node.
func (g *graph) decode(at int, what any) {
	if g.kind(at); g.err != nil {
		return
	}
	if json.Unmarshal(g.nodes[at].data, what) != nil {
		g.fail("node %d (%s) holds %s", at, g.nodes[at].kind, clip(g.nodes[at].data))
	}
}

// plain reads a field that is a value rather than a node.
func (g *graph) plain(at int, field string, what any) {
	if !g.has(at, field) {
		g.fail("node %d has no %s", at, field)
		return
	}
	if json.Unmarshal(g.nodes[at].fields[field], what) != nil {
		g.fail("%s of node %d (%s) is %s", field, at, g.nodes[at].kind, clip(g.nodes[at].fields[field]))
	}
}

// has reports whether a node has a field.
func (g *graph) has(at int, field string) bool {
	if g.kind(at); g.err != nil {
		return false
	}
	n := &g.nodes[at]
	if n.fields == nil {
		g.decode(at, &n.fields)
	}
	_, ok := n.fields[field]
	return ok
}

// node returns the node that a field refers to.
func (g *graph) node(at int, field string) int {
	to := -1
	g.plain(at, field, &to)
	if to < 0 {
		g.fail("%s of node %d is no node", field, at)
		return 0
	}
	return to
}

// list returns the nodes of an array, or the keys and values of a map in turns.
func (g *graph) list(at int) []int {
	var list []int
	if g.kind(at) == "None" {
		return nil
	}
	g.decode(at, &list)
	return list
}

// text returns a string.
func (g *graph) text(at int) string {
	var s string
	g.decode(at, &s)
	return s
}

// int returns the value of a node that is a whole number: of an IntImm, or of a plain one.
func (g *graph) int(at int) int64 {
	var v int64
	switch {
	case g.kind(at) != "IntImm":
		g.decode(at, &v)
	case g.boxed:
		g.decode(g.node(at, "value"), &v)
	default:
		g.plain(at, "value", &v)
	}
	return v
}

// lookup returns the value of a text in a map, or -1.
func (g *graph) lookup(at int, key string) int {
	list := g.list(at)
	for i := 0; i+1 < len(list); i += 2 {
		if k := g.kind(list[i]); (k == "String" || k == "str") && g.text(list[i]) == key {
			return list[i+1]
		}
	}
	return -1
}

// enter begins a node inside another and reports whether it may. Each call has its leave.
func (g *graph) enter() bool {
	if g.depth++; g.depth > maxDepth {
		g.fail("its nodes refer to each other without an end")
	}
	return g.err == nil
}

func (g *graph) leave() { g.depth-- }
