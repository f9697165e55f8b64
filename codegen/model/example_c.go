package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// halfHelpers are the templates of what converts 16-bit floats, which C has as their bits. Numbers from 0 to 1 are cut,
// not rounded.
var halfHelpers = map[tir.DType]string{tir.BF16: "bfloat16.c", tir.F16: "float16.c"}

// exampleC returns a C program that runs the model.
func (n *names) exampleC() []byte {
	weights := `"` + n.name + `.weights"`
	if n.Embedded || n.Program.Weights == 0 {
		weights = "NULL"
	}
	e := newExampleC(n.inputs, n.outputs)
	e.args = append([]string{"context"}, e.args...)
	context := "\t" + n.name + "_context *context;\n"
	if n.several() {
		e.args = slices.Insert(e.args, 1, "dims")
		context += n.exampleDims()
	}
	reset := ""
	if n.Program.State != nil {
		reset = "check(" + n.name + "_reset(context));\n\t\t"
	}
	return e.program(map[string]string{
		"NAME": n.name, "FILE": n.name, "CALL": reset + "check(" + n.name + "_call(" + wrapped(e.args, "\t\t\t") + "))",
		"CHECK":   string(fillTemplate("check.c", map[string]string{"NAME": n.name})),
		"CONTEXT": context,
		"OPEN":    "\tcheck(" + n.name + "_open(&context, " + weights + ", 0));\n",
		"CLOSE":   "\t" + n.name + "_close(context);\n", "PREPARE": "",
	})
}

// An exampleC is a C program that fills arrays, prints how long a call takes and the first values of each output.
type exampleC struct {
	inputs                         int
	args                           []string // of the call: all arrays
	helpers, arrays, prints, frees strings.Builder
}

func newExampleC(inputs, outputs []portName) *exampleC {
	e := &exampleC{inputs: len(inputs)}
	used := map[tir.DType]bool{}
	for i, p := range inputs {
		used[p.Type] = true
		e.input(i, p)
	}
	for _, p := range outputs {
		used[p.Type] = true
		e.output(p)
	}
	for _, t := range []tir.DType{tir.F16, tir.BF16} {
		if used[t] {
			e.helpers.WriteString(template(halfHelpers[t]))
			fmt.Fprintf(&e.arrays, "\t(void)to_%s, (void)from_%s;\n", t, t)
		}
	}
	return e
}

// program returns the text, with words for what runs.
func (e *exampleC) program(words map[string]string) []byte {
	maps.Copy(words, map[string]string{
		"HELPERS": e.helpers.String(), "ARRAYS": e.arrays.String(), "AFTER": fmt.Sprint(e.inputs + 1),
		"N_INPUTS": fmt.Sprint(e.inputs), "PRINTS": e.prints.String(), "FREES": e.frees.String(),
	})
	return fillTemplate("example.c", words)
}

// array declares an array, which is an argument of the call.
func (e *exampleC) array(typ, name, bytes, path string) {
	fmt.Fprintf(&e.arrays, "\t%s *%s = array(%s, %s);\n", typ, name, bytes, path)
	fmt.Fprintf(&e.frees, "\tfree(%s);\n", name)
	e.args = append(e.args, name)
}

func (e *exampleC) input(i int, p portName) {
	e.array(p.typ(), "in_"+p.c, p.bytes, fmt.Sprintf("argc > %d ? argv[%d] : NULL", i+1, i+1))
	fmt.Fprintf(&e.arrays, "\tfor (int64_t i = 0; argc <= %d && i < %s; i++)\n\t\tin_%s[i] = %s;\n", i+1, p.elements, p.c,
		cRandom(p.Type))
}

func (e *exampleC) output(p portName) {
	e.array(p.typ(), "out_"+p.c, p.bytes, "NULL")
	fmt.Fprintf(&e.prints, "\tprintf(\"%s%s:\"%s);\n", p.c, cShapeFormat(p), cShapeValues(p))
	count := p.elements
	if p.Bounded {
		e.array("int64_t", "out_"+p.shape, fmt.Sprint(8*p.rank()), "NULL")
		count = cProduct(p)
	}
	fmt.Fprintf(&e.prints, "\tfor (int64_t i = 0; i < %s && i < 8; i++)\n\t\tprintf(\" %%g\", (double)%s);\n", count,
		cValue(p))
	e.prints.WriteString("\tprintf(\"\\n\");\n")
}

// cRandom returns the C expression of a random element: of an integer 0 or 1, which is an
// index into most things.
func cRandom(t tir.DType) string {
	switch t {
	case tir.F16:
		return "to_float16(uniform())"
	case tir.BF16:
		return "to_bfloat16(uniform())"
	case tir.F32, tir.F64:
		return "uniform()"
	}
	return "uniform() < 0.5f"
}

// cValue returns the C expression of element i of an output as a number.
func cValue(p portName) string {
	switch p.Type {
	case tir.F16:
		return "from_float16(out_" + p.c + "[i])"
	case tir.BF16:
		return "from_bfloat16(out_" + p.c + "[i])"
	}
	return "out_" + p.c + "[i]"
}

func cShapeFormat(p portName) string {
	if p.Bounded {
		return strings.Repeat("[%lld]", len(p.Shape))
	}
	return dims(p.Shape)
}

func cShapeValues(p portName) string {
	var b strings.Builder
	for d := range p.Shape {
		if p.Bounded {
			fmt.Fprintf(&b, ", (long long)out_%s[%d]", p.shape, d)
		}
	}
	return b.String()
}

// cProduct returns the C expression of the number of elements of a bounded output.
func cProduct(p portName) string {
	list := []string{"1"}
	for d := range p.Shape {
		list = append(list, fmt.Sprintf("out_%s[%d]", p.shape, d))
	}
	return strings.Join(list, " * ")
}
