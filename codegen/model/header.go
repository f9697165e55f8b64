package model

import (
	"fmt"
	"maps"
	"strings"
)

// Version is that of wmtune, which headers, the command and the Python package say.
const Version = "0.1.0"

// abi is the number of a bundle's interface: it grows when a function changes its meaning.
const abi = 1

// errorNames are the names of the run-time's errors, -1 and so on: the enum of runtime/runtime.c.
var errorNames = []string{"NO_MEMORY", "NO_FILE", "WRONG_SIZE", "WRONG_HASH", "NO_MAP", "WRONG_PROCESSOR",
	"BAD_THREADS", "NO_CONTEXT", "NULL_TENSOR", "OVERLAP", "IN_USE", "NO_PATH", "NO_REGULAR_FILE", "NO_ALIGNMENT",
	"NO_READ", "NO_TILES"}

// A header says what one header in C and C++ has of its own. The part of its template before === stands in the first
// comment.
type header struct{ name, what, guard, include, template string }

// text returns the header, with words for those in its template. Note is text for its head, and on the target.
func (h header) text(note, on string, words map[string]string) []byte {
	about, body, _ := strings.Cut(template(h.template), "===\n")
	text := fillIn(template("header"), map[string]string{
		"WHAT": h.what, "GUARD": h.guard, "INCLUDE": h.include, "ABOUT": about, "BODY": body,
	})
	var notes strings.Builder
	for line := range strings.Lines(note) {
		fmt.Fprintf(&notes, " * %s\n", inComment(strings.TrimRight(line, "\n")))
	}
	maps.Copy(words, map[string]string{
		"NAME": h.name, "VERSION": Version, "NOTE": notes.String(), "TARGET": inComment(on),
	})
	return fillIn(string(text), words)
}

// inComment returns text that neither ends a comment nor seems to begin one, of which compilers warn.
func inComment(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "*/", "* /"), "/*", "/ *")
}

// header documents the bundle for its callers in C and C++.
func (n *names) header(note string) []byte {
	var sizes strings.Builder
	parameters := []string{n.name + "_context *context"}
	if n.several() {
		parameters = append(parameters, "const int64_t *dims")
	}
	var inputs, outputs []string
	for _, p := range n.inputs {
		parameters = append(parameters, "const "+p.typ()+" *"+p.c)
		inputs = append(inputs, p.c)
	}
	for _, p := range n.outputs {
		parameters = append(parameters, p.typ()+" *"+p.c)
		if p.Bounded {
			parameters = append(parameters, "int64_t *"+p.shape)
		}
	}
	outputs = n.pointers()
	for _, p := range append(n.inputs[:len(n.inputs):len(n.inputs)], n.outputs...) {
		fmt.Fprintf(&sizes, "#define %s_%s_ELEMENTS %d\n", n.name, p.c, p.Elements())
		fmt.Fprintf(&sizes, "#define %s_%s_BYTES %d\n", n.name, p.c, p.Bytes())
	}
	var codes strings.Builder
	for i, e := range errorNames {
		fmt.Fprintf(&codes, "#define %s_ERR_%s (%d)\n", n.name, e, -1-i)
	}
	weights, instead := " There are no weights: weights_path is ignored.", "There are no weights: they are ignored."
	switch {
	case n.Embedded:
		weights = " The weights are inside: weights_path is null, or the path of\n * the same weights in a file."
		instead = "A null address stands for the weights inside."
	case n.Program.Weights > 0:
		weights = " weights_path is the path of " + n.name + ".weights, which is mapped, and\n * checked by its sha256." +
			unchanged
		instead = "A null address is an error."
	}
	flush := "keeps"
	if n.Flush {
		flush = "flushes"
	}
	on, levels := n.Target.String(), ""
	if list := n.Program.Levels; len(list) > 0 {
		on = "the last of these that the processor can run"
		for _, l := range list {
			on += "\n *   " + l.Name + ": " + l.Target.String()
		}
		levels = fmt.Sprintf(levelText, n.name)
	}
	h := header{n.name, "a model compiled", n.name + "_H_INCLUDED", "stdint", "model.h"}
	words := n.planWords()
	maps.Copy(words, map[string]string{
		"ABI": fmt.Sprint(abi), "ERRORS": codes.String(), "FLUSH": flush,
		"INPUTS": portNotes(n.inputs), "OUTPUTS": portNotes(n.outputs), "SIZES": sizes.String(),
		"MEMORY": fmt.Sprint(n.Program.Arena), "SCRATCH": fmt.Sprint(n.Scratch), "WEIGHTS": weights,
		"WEIGHTS_BYTES": fmt.Sprint(n.Program.Weights), "INSTEAD": instead,
		"N_INPUTS": fmt.Sprint(len(inputs)), "N_OUTPUTS": fmt.Sprint(len(outputs)),
		"PARAMETERS": wrapped(parameters, "\t\t"), "INPUT_LIST": orNull(wrapped(inputs, "\t\t")),
		"OUTPUT_LIST": orNull(wrapped(outputs, "\t\t")), "LEVELS": levels,
	})
	return h.text(note, on, words)
}

// levelText describes the function that libraries with several levels have.
const levelText = `/* Returns the name of the level that the process uses, of those above; null if
 * the processor has none. The first open of a process chooses: the last level that the
 * processor can run, or the one that the environment variable WMTUNE_LEVEL names. If the
 * processor cannot run that, open returns %[1]s_ERR_WRONG_PROCESSOR.
 */
const char *%[1]s_level(void);

`

// unchanged says what a caller must not do to a mapped file.
const unchanged = ` The file must not change while a context is open: to replace
 * it, rename another file to its path. Bytes that change in place change results, and a file
 * that is cut short ends the program with SIGBUS.`

// portNotes describes ports, each on a line of a comment.
func portNotes(ports []portName) string {
	var b strings.Builder
	for _, p := range ports {
		shape, most := dims(p.Shape), ""
		if p.varies() {
			shape, most = strings.NewReplacer(" ", "][").Replace(p.ShapeText()), " at most"
		}
		fmt.Fprintf(&b, " *   %s%s: %s%s", p.role, p.c, p.typ(), inComment(shape))
		if p.strides != nil {
			fmt.Fprintf(&b, ", strides in elements %s", dims(p.strides))
		}
		fmt.Fprintf(&b, ", %d bytes", p.size)
		if p.Bounded {
			most = fmt.Sprintf(" at most; %s: int64_t[%d], the true shape", p.shape, len(p.Shape))
		}
		b.WriteString(most)
		if note := cTypes[p.Type].note; note != "" {
			fmt.Fprintf(&b, " (%s)", note)
		}
		if p.c != p.Name {
			fmt.Fprintf(&b, "; the model calls it %q", inComment(p.Name))
		}
		if p.packer != "" {
			fmt.Fprintf(&b, ", made by %s", p.packer)
		}
		b.WriteString("\n")
	}
	if len(ports) == 0 {
		b.WriteString(" *   none\n")
	}
	return b.String()
}

// orNull is a list for an array in C, which has one element at least.
func orNull(list string) string {
	if list == "" {
		return "0"
	}
	return list
}

// wrapped joins a list with commas, in lines of some hundred columns.
func wrapped(list []string, indent string) string {
	var b strings.Builder
	column := 40
	for i, s := range list {
		switch {
		case i == 0:
		case column+len(s) > 110:
			b.WriteString(",\n" + indent)
			column = 8 * len(indent)
		default:
			b.WriteString(", ")
		}
		b.WriteString(s)
		column += len(s) + 2
	}
	return b.String()
}
