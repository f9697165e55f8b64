package model

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/build"
)

// Files returns the files that a bundle consists of beside its weights: NAME.so, NAME.o,
// NAME.h, example.c, example.py and example.go. The examples look for NAME.weights beside
// them unless the weights are embedded. Note is text for the head of the header, such as
// where the model came from.
func (b *Bundle) Files(note string) []build.File {
	n := newNames(b)
	return []build.File{
		{Name: n.name + ".so", Data: b.Shared},
		{Name: n.name + ".o", Data: b.Object},
		{Name: n.name + ".h", Data: n.header(note)},
		{Name: "example.c", Data: n.exampleC()},
		{Name: "example.py", Data: n.examplePython()},
		{Name: "example.go", Data: n.exampleGo()},
	}
}

// names are what a bundle's header and examples call its ports.
type names struct {
	*Bundle
	name            string
	inputs, outputs []portName
}

// A portName is a port as C sees it.
type portName struct {
	Port
	c     string // of the parameter
	shape string // of the parameter for the shape of a bounded output
	typ   string // of the elements
}

func newNames(b *Bundle) *names {
	n := &names{Bundle: b, name: b.Program.Name}
	list := []string{"context", "inputs", "outputs", "seconds"} // words of header and examples
	fixed := len(list)
	for _, p := range b.Program.Inputs {
		list = append(list, p.Name)
	}
	for _, p := range b.Program.Outputs {
		list = append(list, p.Name)
		if p.Bounded {
			list = append(list, p.Name+"_shape")
		}
	}
	list = build.CNames(list)[fixed:]
	next := func() string {
		first := list[0]
		list = list[1:]
		return first
	}
	port := func(p Port) portName {
		typ, _ := build.CType(p.Type)
		q := portName{Port: p, typ: typ, c: next()}
		if p.Bounded {
			q.shape = next()
		}
		return q
	}
	for _, p := range b.Program.Inputs {
		n.inputs = append(n.inputs, port(p))
	}
	for _, p := range b.Program.Outputs {
		n.outputs = append(n.outputs, port(p))
	}
	return n
}

// pointers returns the names of all parameters for outputs.
func (n *names) pointers() []string {
	var list []string
	for _, p := range n.outputs {
		list = append(list, p.c)
		if p.Bounded {
			list = append(list, p.shape)
		}
	}
	return list
}

// rank returns the number of dimensions of an array in C: 1 for a scalar, which C has as
// an array of one element.
func (p portName) rank() int { return max(len(p.Shape), 1) }

// dims writes a shape as C writes dimensions.
func dims(shape []int64) string {
	var b strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&b, "[%d]", d)
	}
	return b.String()
}

// fillIn replaces words in capitals between @ signs of a text: "@NAME@".
func fillIn(text string, words map[string]string) []byte {
	pairs := make([]string, 0, 2*len(words))
	for word, value := range words {
		pairs = append(pairs, "@"+word+"@", value)
	}
	return []byte(strings.NewReplacer(pairs...).Replace(text))
}
