package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
)

// memoryLimit is what decoding n bytes may allocate.
func memoryLimit(n int) int64 { return 4*int64(n) + 64<<20 }

// TestMemory: files that are made to need memory do not get it.
func TestMemory(t *testing.T) {
	const size = 4 << 20
	fill := func(p pb) pb { return slices.Repeat(p, size/len(p)) }
	whole := func(parts ...pb) pb { return modelOf(18, graphOf("g", in("x"), out("x")).join(parts...)) }
	node := func(extra pb) pb { return whole(pb(nil).msg(graphNode, nodeBody("Op", names("x"), nil).join(extra))) }
	tensor := func(x pb) pb { return whole(initial(x)) }
	attr := func(a pb) pb { return node(pb(nil).msg(nodeAttribute, a)) }
	each := func(part func(name string) pb) pb {
		var m pb
		for i := 0; len(m) < size; i++ {
			m = m.join(part(fmt.Sprint("n", i)))
		}
		return m
	}
	location := pb(nil).msg(tensorExternal, pb(nil).str(pairKey, "location").str(pairValue, "w"))
	function := functionOf("d", "f", nil, nil)
	opset := func(n string) pb { return pb(nil).msg(modelOpset, pb(nil).str(pairKey, n).num(pairValue, 1)) }
	meta := func(n string) pb { return pb(nil).msg(modelMeta, pb(nil).str(pairKey, n)) }
	for name, model := range map[string]pb{
		"nodes without anything": whole(fill(pb(nil).msg(graphNode, nil))),
		"small nodes":            whole(fill(nodeOf("A", nil, nil))),
		"nodes of one output":    whole(each(func(n string) pb { return nodeOf("A", nil, names(n)) })),
		"operators":              whole(each(func(n string) pb { return nodeOf(n, nil, nil) })),
		"inputs":                 whole(each(func(n string) pb { return in(n) })),
		"inputs without a name":  whole(fill(pb(nil).msg(graphInput, nil))),
		"outputs":                whole(fill(out("x"))),
		"dimensions":             whole(in("y", slices.Repeat([]any{1}, size/4)...)),
		"values":                 whole(each(func(n string) pb { return inner(n, "a") })),
		"opsets":                 modelOf(18, nil, each(opset)),
		"metadata":               whole().join(each(meta)),
		"functions":              whole().join(each(func(n string) pb { return functions(functionOf("d", n, nil, nil)) })),
		"nodes of a function":    whole().join(functions(function.join(fill(pb(nil).msg(functionNode, nil))))),
		"inputs of a function":   whole().join(functions(function.join(fill(pb(nil).msg(functionInput, nil))))),
		"inputs of a node":       node(fill(pb(nil).str(nodeInput, ""))),
		"outputs of a node":      node(fill(pb(nil).str(nodeOutput, ""))),
		"attributes of a node":   node(fill(pb(nil).msg(nodeAttribute, nil))),
		"small attributes":       node(fill(pb(nil).msg(nodeAttribute, attrOf("a", 2)))),
		"numbers":                attr(attrOf("a", 7).msg(attrInts, make([]byte, size))),
		"numbers one by one":     attr(attrOf("a", 7).join(fill(pb(nil).num(attrInts, 1)))),
		"floats":                 attr(attrOf("a", 6).msg(attrFloats, make([]byte, size))),
		"texts":                  attr(attrOf("a", 8).join(fill(pb(nil).str(attrStrings, "")))),
		"graphs":                 node(fill(pb(nil).msg(nodeAttribute, attrOf("a", 5).msg(attrG, nil)))),
		"int64":                  tensor(headOf("w", 7, size).msg(tensorInt64s, make([]byte, size))),
		"int32":                  tensor(headOf("w", 6, size).msg(tensorInt32s, make([]byte, size))),
		"bools":                  tensor(headOf("w", 9, size).msg(tensorRaw, slices.Repeat([]byte{2}, size))),
		"tensors":                whole(each(func(n string) pb { return initial(headOf(n, 1, 0)) })),
		"a shape without data":   tensor(headOf("w", 1, 1<<40)),
		"external data":          tensor(headOf("w", 1, 1<<40).num(tensorLocation, 1).join(location)),
		"where data is":          tensor(headOf("w", 1, 1).join(fill(pb(nil).msg(tensorExternal, nil)))),
		"nested graphs":          whole(nested(1 << 10)),
	} {
		var g *graph.Graph
		var err error
		if n := allocated(func() { g, err = Decode(model, Options{}) }); n > memoryLimit(len(model)) {
			t.Errorf("%s: %d MB were allocated, not %d (%v)", name, n>>20, memoryLimit(len(model))>>20, err)
		} else {
			t.Logf("%s: %d MB of %d, %.100v", name, n>>20, memoryLimit(len(model))>>20, err)
		}
		if err == nil {
			err = graph.Check(g)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000 {
			t.Errorf("%s: error %.2000v", name, err)
		}
	}
}

// FuzzDecode: whatever the bytes are, Decode returns a graph that is well formed or an error, and does not allocate
// more than it may.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.onnx")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(externalModel("location", "w")))
	f.Add([]byte(modelOf(18, graphOf("g", in("x"), nested(3), out("y")))))
	f.Add([]byte(headOf("t", 1, 2).f32(tensorFloats, 1).f32(tensorFloats, 2)))
	f.Add([]byte(headOf("t", 5, 3).msg(tensorInt32s, packed(1, -2, 3))))
	opt := Options{External: func(_ string, offset, length int64) ([]byte, error) {
		if length > 1<<20 {
			return nil, fmt.Errorf("%d bytes from %d on", length, offset)
		}
		return make([]byte, length), nil
	}}
	f.Fuzz(func(t *testing.T, b []byte) {
		if x, err := DecodeTensor(b); err == nil && len(x.F)+len(x.I) != x.Len() {
			t.Errorf("%d and %d elements of shape %v", len(x.F), len(x.I), x.Shape)
		}
		var g *graph.Graph
		var err error
		if n := allocated(func() { g, err = Decode(b, opt) }); n > memoryLimit(len(b)) {
			t.Errorf("%d bytes were allocated for %d", n, len(b))
		}
		if err != nil {
			return
		}
		if err := graph.Check(g); err != nil {
			t.Error(err)
		}
	})
}
