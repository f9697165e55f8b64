package build

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// exampleHead begins the example; its argument is the name of the function.
const exampleHead = `/* How to call %s from C.
 *
 *   cc -O2 example.c kernel.o -o example -lm -lpthread && ./example
 *
 * or, with the shared library,
 *
 *   cc -O2 example.c ./kernel.so -Wl,-rpath,'$ORIGIN' -o example -lm -lpthread && ./example
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Kernels want arrays that start at a multiple of 64 bytes. */
static void *array(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return p;
}

/* The bits of the two 16-bit types of floats, for numbers 0 and 1/8 to 7/8. */
static uint16_t bfloat16_bits(float x)
{
	uint32_t u;
	memcpy(&u, &x, 4);
	return u >> 16;
}

static uint16_t float16_bits(float x)
{
	uint32_t u;
	memcpy(&u, &x, 4);
	return u == 0 ? 0 : (u >> 13) - (112 << 10);
}

int main(void)
{
	(void)bfloat16_bits, (void)float16_bits;
`

// example returns a C program that fills the inputs with small numbers, packs those that
// are to be packed, calls the function, and prints how long a call takes and a sum over
// each output. Its own names do not begin as those of the arrays do, which are called after tensors.
func example(name string, fn *tir.Func) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, exampleHead, name)
	params, inputs := cParams(fn), len(fn.Params)-fn.Outputs
	var all, args []string
	for i, p := range cParams(plain(fn)) {
		buf := fn.Plain(i)
		typ := cTypes[buf.Type].name
		if i < inputs {
			p = "in_" + p
		} else {
			p = "out_" + p
		}
		all = append(all, p)
		fmt.Fprintf(&b, "\t%s *%s = array(sizeof(%s) * %d);\n", typ, p, typ, buf.Extent())
		if i < inputs {
			fmt.Fprintf(&b, "\tfor (int64_t i = 0; i < %d; i++)\n\t\t%s[i] = %s;\n", buf.Extent(), p, cFill(buf.Type))
		}
	}
	for i, p := range all {
		if fn.Pack(i) != nil {
			plain, typ := p, cTypes[fn.Params[i].Type].name
			p = "packed_" + params[i]
			fmt.Fprintf(&b, "\t%s *%s = array(sizeof(%s) * %d);\n", typ, p, typ, fn.Params[i].Extent())
			fmt.Fprintf(&b, "\t%s(%s, %s); /* once */\n", packName(name, fn, i), plain, p)
			all = append(all, p)
		}
		args = append(args, p)
	}
	call := name + "(" + strings.Join(args, ", ") + ");"
	fmt.Fprintf(&b, `
	%s /* the first call starts the threads */
	double best = 1e30;
	for (int round = 0; round < 10; round++) {
		double begin = now();
		%s
		double seconds = now() - begin;
		if (seconds < best)
			best = seconds;
	}
	printf("%s: %%.3f us\n", 1e6 * best);
`, call, call, name)
	for i := inputs; i < len(params); i++ {
		buf := fn.Params[i]
		value := args[i] + "[i]"
		what := "sum"
		if buf.Type == tir.F16 || buf.Type == tir.BF16 {
			what = "sum of the bits"
		}
		fmt.Fprintf(&b, "\tdouble sum_%d = 0;\n\tfor (int64_t i = 0; i < %d; i++)\n\t\tsum_%d += %s;\n", i,
			buf.Extent(), i, value)
		fmt.Fprintf(&b, "\tprintf(\"%s: %s %%g\\n\", sum_%d);\n", params[i], what, i)
	}
	for _, p := range all {
		fmt.Fprintf(&b, "\tfree(%s);\n", p)
	}
	b.WriteString("\treturn 0;\n}\n")
	return []byte(b.String())
}

// cFill returns the C expression of element i of an input.
func cFill(t tir.DType) string {
	switch t {
	case tir.Bool:
		return "i % 2"
	case tir.F16:
		return "float16_bits(i * 7 % 8 / 8.0f)"
	case tir.BF16:
		return "bfloat16_bits(i * 7 % 8 / 8.0f)"
	case tir.F32:
		return "i * 7 % 8 / 8.0f"
	case tir.F64:
		return "i * 7 % 8 / 8.0"
	}
	return "i * 7 % 8"
}
