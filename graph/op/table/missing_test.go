package table

import (
	"errors"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

func TestMissing(t *testing.T) {
	node := func(op, domain string, version int, out string, attrs ...graph.Attr) *graph.Node {
		n := &graph.Node{Op: op, Domain: domain, Version: version, Outputs: []*graph.Value{{Name: out}}}
		n.SetAttr(attrs...)
		return n
	}
	inner := &graph.Graph{Nodes: []*graph.Node{node("Quux", "", 13, "c"), node("Add", "", 13, "d")}}
	g := &graph.Graph{Nodes: []*graph.Node{
		node("Reshape", "", 13, "x"), node("Quux", "", 13, "a"), node("SequenceMap", "", 17, "b"),
		node("Foo", "com.me", 1, "e"), node("Trilu", "", 9, "f"), node("Conv", "com.microsoft.nchwc", 1, "h"),
		node("MatMulBnb4", "com.microsoft", 1, "i"), node("MoE", "com.microsoft", 1, "j"),
		node("Reshape", "", 13, "g", graph.Attr{Name: "body", Kind: graph.AttrGraph, Graphs: []*graph.Graph{inner}}),
	}}
	err := op.Missing(g)
	if !errors.Is(err, graph.ErrUnsupported) {
		t.Fatal(err)
	}
	for _, want := range []string{
		"operator Quux is not supported: 2 of the nodes: that makes a, that makes c",
		"operator SequenceMap is not supported: write what it does",
		"operator com.me.Foo is", "Trilu of version 9", "com.microsoft.nchwc.Conv is not supported: it fits the processor",
		"com.microsoft.MatMulBnb4 is not supported: quantize the model with", "com.microsoft.MoE is not supported: compile",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "Add") || strings.Contains(err.Error(), "Reshape") {
		t.Error(err)
	}
	for range 20 {
		inner.Nodes = append(inner.Nodes, node("Quux", "", 13, "more"))
	}
	err = op.Missing(g)
	if !strings.Contains(err.Error(), "22 of the nodes") || !strings.Contains(err.Error(), "and 14 more") {
		t.Error(err)
	}
	g.Nodes = g.Nodes[:1]
	if err := op.Missing(g); err != nil {
		t.Error(err)
	}
}
