package model

import (
	"fmt"
	"go/format"
	"maps"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// goTypes are Go's types of elements, and random ones.
var goTypes = map[tir.DType]struct{ typ, values, note string }{
	tir.Bool: {"bool", "false, true", ""},
	tir.I8:   {"int8", "0, 1", ""},
	tir.U8:   {"uint8", "0, 1", ""},
	tir.I16:  {"int16", "0, 1", ""},
	tir.U16:  {"uint16", "0, 1", ""},
	tir.I32:  {"int32", "0, 1", ""},
	tir.U32:  {"uint32", "0, 1", ""},
	tir.I64:  {"int64", "0, 1", ""},
	tir.U64:  {"uint64", "0, 1", ""},
	tir.F16:  {"uint16", "0x3800, 0x3c00", "bits of float16"},
	tir.BF16: {"uint16", "0x3f00, 0x3f80", "bits of bfloat16"},
	tir.F32:  {"float32", "0.25, 0.5, 1", ""},
	tir.F64:  {"float64", "0.25, 0.5, 1", ""},
}

// exampleGo returns a Go program that runs the model.
func (n *names) exampleGo() []byte {
	var inputs, outputs, fills, makes, prints strings.Builder
	var in, out []string
	fields := n.goFields()
	field := func(c string) string { return fields[c] }
	note := func(p portName) string {
		text := fmt.Sprintf("%q %s", p.Name, p.ShapeText())
		if extra := goTypes[p.Type].note; extra != "" {
			text += ", " + extra
		}
		return text
	}
	for _, p := range n.inputs {
		t := goTypes[p.Type]
		fmt.Fprintf(&inputs, "\t%s []%s // %s\n", field(p.c), t.typ, note(p))
		fmt.Fprintf(&fills, "\t\t%s: random[%s](%d, %s),\n", field(p.c), t.typ, n.first(p), t.values)
		in = append(in, fmt.Sprintf("at(in.%s, %s)", field(p.c), n.goElements(p, len(in))))
	}
	for _, p := range n.outputs {
		t := goTypes[p.Type]
		fmt.Fprintf(&outputs, "\t%s []%s // %s\n", field(p.c), t.typ, note(p))
		fmt.Fprintf(&makes, "\t\t%s: make([]%s, %d),\n", field(p.c), t.typ, p.Elements())
		out = append(out, fmt.Sprintf("at(out.%s, %s)", field(p.c), n.goElements(p, len(in)+len(out))))
		shape := fmt.Sprintf("%q", fmt.Sprint(p.Shape))
		if p.Bounded {
			shape = "out." + field(p.shape)
			fmt.Fprintf(&outputs, "\t%s []int64\n", field(p.shape))
			fmt.Fprintf(&makes, "\t\t%s: make([]int64, %d),\n", field(p.shape), len(p.Shape))
			out = append(out, fmt.Sprintf("at(out.%s, %d)", field(p.shape), len(p.Shape)))
		}
		fmt.Fprintf(&prints, "\tfmt.Println(%q, %s, out.%s[:%d])\n", printable(p.Name), shape, field(p.c),
			min(p.Elements(), 8))
	}
	weights := fmt.Sprintf("filepath.Join(bundle, %q)", n.name+".weights")
	if n.Embedded || n.Program.Weights == 0 {
		weights = `""`
	}
	words := n.goPlanWords()
	maps.Copy(words, map[string]string{
		"NAME": n.name, "INPUTS": inputs.String(), "OUTPUTS": outputs.String(), "WEIGHTS": weights,
		"INPUT_LIST": wrapped(in, "\t\t"), "OUTPUT_LIST": wrapped(out, "\t\t"), "RANDOM": fills.String(),
		"MAKE": makes.String(), "PRINT": prints.String(),
	})
	return formatted(fillTemplate("example.go", words))
}

// printable returns a name as a terminal may get it: quoted if it has control characters.
func printable(name string) string {
	if quoted := strconv.Quote(name); strings.Contains(quoted, `\`) {
		return quoted
	}
	return name
}

// goFields returns exported names for the fields of ports, by the names of the parameters.
func (n *names) goFields() map[string]string {
	var params, list []string
	for _, p := range n.inputs {
		params = append(params, p.c)
	}
	params = append(params, n.pointers()...)
	for _, c := range params {
		list = append(list, strings.ToUpper(c[:1])+c[1:])
	}
	fields := map[string]string{}
	for i, name := range cNames(list) {
		fields[params[i]] = name
	}
	return fields
}

// formatted is text as gofmt writes it.
func formatted(text []byte) []byte {
	pretty, err := format.Source(text)
	if err != nil {
		panic("BUG: model: example.go: " + err.Error())
	}
	return pretty
}
