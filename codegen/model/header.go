package model

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/build"
)

const headerText = `/* @NAME@: a model compiled by wmtune.
@NOTE@ *
 * Compiled for: @TARGET@
 * @NAME@_open returns an error on a processor without these features.
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
 */
#ifndef @NAME@_H_INCLUDED
#define @NAME@_H_INCLUDED

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of elements, and of bytes, of each input and output. */
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

#ifdef __cplusplus
}
#endif
#endif
`

// header documents the bundle for its callers in C and C++.
func (n *names) header(note string) []byte {
	var notes, sizes strings.Builder
	for line := range strings.Lines(note) {
		fmt.Fprintf(&notes, " * %s\n", strings.ReplaceAll(strings.TrimRight(line, "\n"), "*/", "* /"))
	}
	parameters := []string{n.name + "_context *context"}
	var inputs, outputs []string
	for _, p := range n.inputs {
		parameters = append(parameters, "const "+p.typ+" *"+p.c)
		inputs = append(inputs, p.c)
	}
	for _, p := range n.outputs {
		parameters = append(parameters, p.typ+" *"+p.c)
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
	return fillIn(headerText, map[string]string{
		"NAME": n.name, "FLUSH": flush, "NOTE": notes.String(), "TARGET": strings.ReplaceAll(n.Target.String(), "*/", "* /"),
		"INPUTS": portNotes(n.inputs), "OUTPUTS": portNotes(n.outputs), "SIZES": sizes.String(),
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
		fmt.Fprintf(&b, " *   %s: %s%s, %d bytes", p.c, p.typ, dims(p.Shape), p.Bytes())
		if p.Bounded {
			fmt.Fprintf(&b, " at most; %s: int64_t[%d], the true shape", p.shape, len(p.Shape))
		}
		if _, note := build.CType(p.Type); note != "" {
			fmt.Fprintf(&b, " (%s)", note)
		}
		if p.c != p.Name {
			fmt.Fprintf(&b, "; the model calls it %q", strings.ReplaceAll(p.Name, "*/", "* /"))
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
