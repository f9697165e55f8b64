/* How to run f from C.
 *
 *   cc -O2 example.c kernel.o -o example -lm -lpthread && ./example
 *
 * or, with the shared library,
 *
 *   cc -O2 example.c ./kernel.so -Wl,-rpath,'$ORIGIN' -o example && ./example
 *
 * Arguments are files with the bytes of the inputs, in order; inputs without a file get
 * random numbers, the same ones each time.
 */
#define _POSIX_C_SOURCE 200112L /* for posix_memalign and clock_gettime, which C99 does not have */
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

/* Returns memory for an array, read from a file if there is a path. */
static void *array(size_t bytes, const char *path)
{
	void *p;
	if (posix_memalign(&p, 64, bytes + 64)) {
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

int main(int argc, char **argv)
{
	double best = 1e30;

	(void)argv, (void)array, (void)uniform;
	float *in_float_ = array(96, argc > 1 ? argv[1] : NULL);
	for (int64_t i = 0; argc <= 1 && i < 24; i++)
		in_float_[i] = uniform();
	int8_t *in_float__2 = array(6, argc > 2 ? argv[2] : NULL);
	for (int64_t i = 0; argc <= 2 && i < 6; i++)
		in_float__2[i] = uniform() < 0.5f;
	float *out_C = array(24, NULL);
	float *packed_float_packed = array(96, NULL);
	int8_t *packed_float_packed_2 = array(6, NULL);
	if (argc > 3) {
		fprintf(stderr, "there are 2 inputs\n");
		return 1;
	}
	f_pack_float_(in_float_, packed_float_packed); /* once */
	f_pack_float__2(in_float__2, packed_float_packed_2); /* once */
	for (int round = 0; round < 10; round++) {
		double begin = now();
		f(packed_float_packed, packed_float_packed_2, out_C);
		double seconds = now() - begin;
		if (seconds < best)
			best = seconds;
	}
	printf("f: %.3f us\n", 1e6 * best);
	printf("C[6]:");
	for (int64_t i = 0; i < 6 && i < 8; i++)
		printf(" %g", (double)out_C[i]);
	printf("\n");
	free(in_float_);
	free(in_float__2);
	free(out_C);
	free(packed_float_packed);
	free(packed_float_packed_2);
	return 0;
}
