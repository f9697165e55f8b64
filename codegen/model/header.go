package model

import (
	"fmt"
	"maps"
	"strings"

	"github.com/wmtune/wmtune/tir/target"
)

// Version is that of wmtune, which headers, the command and the Python package say.
const Version = "0.1.0"

// headerText is what all headers have in common.
const headerText = `/* @NAME@: @WHAT@ by wmtune @VERSION@.
@NOTE@ *
 * Compiled for: @TARGET@
@ABOUT@ */
#ifndef @GUARD@
#define @GUARD@

#include <@INCLUDE@.h>

#ifdef __cplusplus
extern "C" {
#endif

@BODY@
#ifdef __cplusplus
}
#endif
#endif
`

// A header is the part of a header in C and C++ that is its own.
type header struct{ name, what, guard, include, about, body string }

// text returns the header, with words for those in its about and body. Note is text for its head.
func (h header) text(note string, t target.Target, words map[string]string) []byte {
	text := fillIn(headerText, map[string]string{
		"WHAT": h.what, "GUARD": h.guard, "INCLUDE": h.include, "ABOUT": h.about, "BODY": h.body,
	})
	var notes strings.Builder
	for line := range strings.Lines(note) {
		fmt.Fprintf(&notes, " * %s\n", inComment(strings.TrimRight(line, "\n")))
	}
	maps.Copy(words, map[string]string{
		"NAME": h.name, "VERSION": Version, "NOTE": notes.String(), "TARGET": inComment(t.String()),
	})
	return fillIn(string(text), words)
}

// inComment returns text that does not end a comment.
func inComment(text string) string { return strings.ReplaceAll(text, "*/", "* /") }

const modelAbout = ` * @NAME@_open returns an error on a processor without these features.
 *
 * Inputs, in order:
@INPUTS@ *
 * Outputs, in order:
@OUTPUTS@ *
 * Arrays are dense and row-major. Where one does not start at a multiple of 64 bytes, or
 * an output overlaps an input, a run copies it. Inputs are only read. All of an output
 * is written, except that of a bounded output, whose size is not known ahead, the true
 * shape and so many elements are.
 *
 * A context needs @MEMORY@ bytes and @SCRATCH@ more for each thread, beside the weights,
 * which all contexts share. A thread that runs the model needs 1 MiB of stack.
`

const modelBody = `/* The number of elements, and of bytes, of each input and output. */
@SIZES@
/* The number of pointers that @NAME@_run takes. */
#define @NAME@_INPUTS @N_INPUTS@
#define @NAME@_OUTPUTS @N_OUTPUTS@

/* A context is all the state of a model: memory for intermediate values and a pool of
 * threads. One thread at a time may use it. Threads that run the model at once have a
 * context each. After a fork, the child may go on with it.
 */
typedef struct @NAME@_context @NAME@_context;

/* Makes a context.@WEIGHTS@ A run uses so many threads, the calling one included; 0 stands
 * for one for each processor that the process may use, at most 256. Returns 0, or the code of
 * an error, and then *context is null.
 */
int @NAME@_open(@NAME@_context **context, const char *weights_path, int threads);

/* Runs the model. Returns 0, the code of an error below 0, or the code of a check of the
 * model's own above 0, after which the outputs are undefined.
 */
int @NAME@_run(@NAME@_context *context, const void *const *inputs, void *const *outputs);

/* Ends the threads and frees the memory. A null context is ignored. A program that unloads the
 * library (dlclose) closes all contexts first: their threads run the library's code.
 */
void @NAME@_close(@NAME@_context *context);

/* Returns the text of a code. It is not to be freed. */
const char *@NAME@_error(int code);

/* Runs the model as @NAME@_run does, and adds the time of each of its steps, in
 * nanoseconds, to ns[0] ... ns[@NAME@_steps() - 1].
 */
int @NAME@_profile(@NAME@_context *context, const void *const *inputs, void *const *outputs, int64_t *ns);
int @NAME@_steps(void);

/* Says whether numbers so small that they are denormal count as 0. They may make a run many
 * times slower. A new context @FLUSH@ them.
 */
int @NAME@_flush_denormals(@NAME@_context *context, int on);

/* Returns 1 if the last run computed with denormal numbers, else 0. */
int @NAME@_denormals(@NAME@_context *context);

/* Returns the bytes of a tensor: of the inputs, and then of the outputs. -1: there is none.
 * Libraries that wmtune made before 2026-11-28 have no such function.
 */
int64_t @NAME@_bytes(int tensor);

/* @NAME@_run with the types of the model. */
static inline int @NAME@_call(@PARAMETERS@)
{
	const void *inputs[] = {@INPUT_LIST@};
	void *outputs[] = {@OUTPUT_LIST@};
	return @NAME@_run(context, inputs, outputs);
}
`

// header documents the bundle for its callers in C and C++.
func (n *names) header(note string) []byte {
	var sizes strings.Builder
	parameters := []string{n.name + "_context *context"}
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
	weights := " There are no weights: weights_path is ignored."
	switch {
	case n.Embedded:
		weights = " The weights are inside: weights_path is null, or the path of\n * the same weights in a file."
	case n.Program.Weights > 0:
		weights = " weights_path is the path of " + n.name + ".weights, which is mapped, and\n * checked by its sha256."
	}
	flush := "keeps"
	if n.Flush {
		flush = "flushes"
	}
	h := header{n.name, "a model compiled", n.name + "_H_INCLUDED", "stdint", modelAbout, modelBody}
	return h.text(note, n.Target, map[string]string{
		"FLUSH": flush, "INPUTS": portNotes(n.inputs), "OUTPUTS": portNotes(n.outputs), "SIZES": sizes.String(),
		"MEMORY": fmt.Sprint(n.Program.Arena), "SCRATCH": fmt.Sprint(n.Scratch), "WEIGHTS": weights,
		"N_INPUTS": fmt.Sprint(len(inputs)), "N_OUTPUTS": fmt.Sprint(len(outputs)),
		"PARAMETERS": wrapped(parameters, "\t\t"), "INPUT_LIST": orNull(wrapped(inputs, "\t\t")),
		"OUTPUT_LIST": orNull(wrapped(outputs, "\t\t")),
	})
}

// portNotes describes ports, each on a line of a comment.
func portNotes(ports []portName) string {
	var b strings.Builder
	for _, p := range ports {
		fmt.Fprintf(&b, " *   %s%s: %s%s", p.role, p.c, p.typ(), dims(p.Shape))
		if p.strides != nil {
			fmt.Fprintf(&b, ", strides in elements %s", dims(p.strides))
		}
		fmt.Fprintf(&b, ", %d bytes", p.size)
		if p.Bounded {
			fmt.Fprintf(&b, " at most; %s: int64_t[%d], the true shape", p.shape, len(p.Shape))
		}
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
