package model

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

const exampleCText = `/* How to run @NAME@ from C.
 *
 *   cc -O2 example.c @NAME@.o -o example -lm -lpthread && ./example
 *
 * or, with the shared library,
 *
 *   cc -O2 example.c ./@NAME@.so -Wl,-rpath,'$ORIGIN' -o example && ./example
 *
 * Arguments are files with the bytes of the inputs, in order; inputs without a file get
 * random numbers, the same ones each time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "@NAME@.h"

static double now(void)
{
	struct timespec t;
	timespec_get(&t, TIME_UTC);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Returns memory for an array, read from a file if there is a path. */
static void *array(size_t bytes, const char *path)
{
	void *p = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	if (path) {
		FILE *f = fopen(path, "rb");
		if (!f || fread(p, 1, bytes, f) != bytes || fgetc(f) != EOF) {
			fprintf(stderr, "%s: there are no %zu bytes to read\n", path, bytes);
			exit(1);
		}
		fclose(f);
	}
	return p;
}

/* Returns a random number, at least 0 and below 1. */
static float uniform(void)
{
	static uint32_t state = 1;
	state = state * 1664525 + 1013904223;
	return (state >> 8) / 16777216.0f;
}
@HELPERS@
static void check(int code)
{
	if (code) {
		fprintf(stderr, "@NAME@: %s\n", @NAME@_error(code));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	@NAME@_context *context;
	double best = 1e30;

	(void)argv, (void)array, (void)uniform;
	check(@NAME@_open(&context, @WEIGHTS@, 0));
@ARRAYS@	if (argc > @AFTER@) {
		fprintf(stderr, "there are @N_INPUTS@ inputs\n");
		return 1;
	}
	for (int round = 0; round < 10; round++) {
		double begin = now();
		check(@NAME@_call(@ARGUMENTS@));
		double seconds = now() - begin;
		if (seconds < best)
			best = seconds;
	}
	printf("@NAME@: %.3f us\n", 1e6 * best);
@PRINTS@	@NAME@_close(context);
@FREES@	return 0;
}
`

// halfHelpers convert the 16-bit floats, which C has as their bits. Numbers from 0 to 1 are
// cut, not rounded.
var halfHelpers = map[tir.DType]string{
	tir.BF16: `
static uint16_t to_bfloat16(float x)
{
	uint32_t u;
	memcpy(&u, &x, 4);
	return u >> 16;
}

static float from_bfloat16(uint16_t h)
{
	uint32_t u = (uint32_t)h << 16;
	float x;
	memcpy(&x, &u, 4);
	return x;
}
`,
	tir.F16: `
static uint16_t to_float16(float x)
{
	uint32_t u;
	memcpy(&u, &x, 4);
	return u >> 23 < 113 ? 0 : (u >> 13) - (112 << 10);
}

static float from_float16(uint16_t h)
{
	uint32_t e = h >> 10 & 31, f = h & 1023, u = (uint32_t)(h & 0x8000) << 16;
	float x;
	if (e == 0)
		return (h & 0x8000 ? -1 : 1) * (f / 16777216.0f);
	u |= (e == 31 ? 255 : e + 112) << 23 | f << 13;
	memcpy(&x, &u, 4);
	return x;
}
`}

// exampleC returns a C program that runs the model, prints how long a run takes and the
// first values of each output.
func (n *names) exampleC() []byte {
	var arrays, prints, frees, helpers strings.Builder
	used := map[tir.DType]bool{}
	args := []string{"context"}
	free := func(name string) { fmt.Fprintf(&frees, "\tfree(%s);\n", name) }
	for i, p := range n.inputs {
		used[p.Type] = true
		fmt.Fprintf(&arrays, "\t%s *in_%s = array(%s_%s_BYTES, argc > %d ? argv[%d] : NULL);\n", p.typ, p.c, n.name,
			p.c, i+1, i+1)
		fmt.Fprintf(&arrays, "\tfor (int64_t i = 0; argc <= %d && i < %s_%s_ELEMENTS; i++)\n\t\tin_%s[i] = %s;\n",
			i+1, n.name, p.c, p.c, cRandom(p.Type))
		args = append(args, "in_"+p.c)
		free("in_" + p.c)
	}
	for _, p := range n.outputs {
		used[p.Type] = true
		fmt.Fprintf(&arrays, "\t%s *out_%s = array(%s_%s_BYTES, NULL);\n", p.typ, p.c, n.name, p.c)
		args = append(args, "out_"+p.c)
		free("out_" + p.c)
		count := fmt.Sprintf("%s_%s_ELEMENTS", n.name, p.c)
		fmt.Fprintf(&prints, "\tprintf(\"%s%s:\"%s);\n", p.c, cShapeFormat(p), cShapeValues(p))
		if p.Bounded {
			fmt.Fprintf(&arrays, "\tint64_t *out_%s = array(%d, NULL);\n", p.shape, 8*p.rank())
			args = append(args, "out_"+p.shape)
			free("out_" + p.shape)
			count = cProduct(p)
		}
		fmt.Fprintf(&prints, "\tfor (int64_t i = 0; i < %s && i < 8; i++)\n\t\tprintf(\" %%g\", (double)%s);\n", count,
			cValue(p))
		prints.WriteString("\tprintf(\"\\n\");\n")
	}
	for _, t := range []tir.DType{tir.F16, tir.BF16} {
		if used[t] {
			helpers.WriteString(halfHelpers[t])
			name := "float16"
			if t == tir.BF16 {
				name = "bfloat16"
			}
			fmt.Fprintf(&arrays, "\t(void)to_%s, (void)from_%s;\n", name, name)
		}
	}
	weights := `"` + n.name + `.weights"`
	if n.Embedded || n.Program.Weights == 0 {
		weights = "NULL"
	}
	return fillIn(exampleCText, map[string]string{
		"NAME": n.name, "HELPERS": helpers.String(), "WEIGHTS": weights, "ARRAYS": arrays.String(),
		"AFTER": fmt.Sprint(len(n.inputs) + 1), "N_INPUTS": fmt.Sprint(len(n.inputs)),
		"ARGUMENTS": wrapped(args, "\t\t\t"), "PRINTS": prints.String(), "FREES": frees.String(),
	})
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
