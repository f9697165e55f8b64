package model

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// pythonTypes are numpy's names of types that are not TensorIR's.
var pythonTypes = map[tir.DType]string{tir.BF16: "uint16"}

// examplePython returns a Python module that runs the model.
func (n *names) examplePython() []byte {
	typ := func(t tir.DType) string {
		if name := pythonTypes[t]; name != "" {
			return name
		}
		return t.String()
	}
	var inputs, outputs strings.Builder
	call := make([]string, len(n.inputs))
	for i, p := range n.inputs {
		fmt.Fprintf(&inputs, "    %s: (%q, %s),\n", pythonString(p.Name), typ(p.Type), p.pythonShape())
		call[i] = fmt.Sprintf("%s: %s", pythonString(p.Name), p.c)
	}
	for _, p := range n.outputs {
		bounded := "False"
		if p.Bounded {
			bounded = "True"
		}
		fmt.Fprintf(&outputs, "    %s: (%q, %s, %s),\n", pythonString(p.Name), typ(p.Type), tuple(p.Shape), bounded)
	}
	weights := fmt.Sprintf("os.path.join(HERE, %q)", n.name+".weights")
	if n.Embedded || n.Program.Weights == 0 {
		weights = "None"
	}
	words := n.pythonPlanWords()
	maps.Copy(words, map[string]string{
		"NAME": n.name, "INPUTS": inputs.String(), "OUTPUTS": outputs.String(), "WEIGHTS": weights,
		"CALL": "**{" + strings.ReplaceAll(strings.Join(call, ", "), `\`, `\\`) + "}",
	})
	return fillTemplate("example.py", words)
}

// pythonString quotes a text; Go's escapes of ASCII are Python's, too.
func pythonString(s string) string { return strconv.QuoteToASCII(s) }

// tuple writes a shape in Python.
func tuple(shape []int64) string {
	var b strings.Builder
	for i, d := range shape {
		if i > 0 {
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "%d,", d)
	}
	return "(" + strings.TrimSuffix(b.String(), ",") + map[bool]string{true: ","}[len(shape) == 1] + ")"
}
