package model

import (
	"embed"
	"fmt"
	"strings"
)

// A File is the contents of one file.
type File struct {
	Name string
	Data []byte
	Link string // if not "", the file is a symbolic link to the one of this name
}

// Files returns the files that a bundle consists of beside its weights: NAME.so, NAME.o,
// NAME.h, NAME.pc, example.c, example.py and example.go. The examples look for NAME.weights beside
// them unless the weights are embedded. Note is text for the head of the header, such as
// where the model came from.
func (b *Bundle) Files(note string) []File {
	n := newNames(b)
	return []File{
		{Name: n.name + ".so", Data: b.Shared},
		{Name: n.name + ".o", Data: b.Object},
		{Name: n.name + ".h", Data: n.header(note)},
		{Name: n.name + ".pc", Data: fillTemplate("bundle.pc", map[string]string{"NAME": n.name, "VERSION": Version})},
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

// A portName is a port of a bundle, or a parameter of an exported kernel, as C sees it.
type portName struct {
	Port
	c               string // of the parameter
	shape           string // of the parameter for the shape of a bounded output
	size            int64  // in memory, in bytes
	elements, bytes string // how an example writes the size

	// Of a kernel's parameter only.
	role    string  // for the list of parameters
	strides []int64 // in elements; nil if it is dense
	packer  string  // the function that makes it; "" if there is none
}

// typ is the C type of elements.
func (p portName) typ() string { return cTypes[p.Type].name }

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
	list = cNames(list)[fixed:]
	next := func() string {
		first := list[0]
		list = list[1:]
		return first
	}
	port := func(p Port) portName {
		q := portName{Port: p, c: next(), size: p.Bytes()}
		q.elements, q.bytes = n.name+"_"+q.c+"_ELEMENTS", n.name+"_"+q.c+"_BYTES"
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

//go:embed templates
var templates embed.FS

// template returns the text of a template.
func template(name string) string {
	text, err := templates.ReadFile("templates/" + name + ".tmpl")
	if err != nil {
		panic("BUG: model: " + err.Error())
	}
	return string(text)
}

func fillTemplate(name string, words map[string]string) []byte { return fillIn(template(name), words) }

// fillIn replaces words in capitals between @ signs of a text: "@NAME@".
func fillIn(text string, words map[string]string) []byte {
	pairs := make([]string, 0, 2*len(words))
	for word, value := range words {
		pairs = append(pairs, "@"+word+"@", value)
	}
	return []byte(strings.NewReplacer(pairs...).Replace(text))
}
