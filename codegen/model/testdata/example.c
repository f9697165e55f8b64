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

int main(int argc, char **argv)
{
	double best = 1e30;

	(void)argv, (void)array, (void)uniform;
	uint16_t *in_A = array(12, argc > 1 ? argv[1] : NULL);
	for (int64_t i = 0; argc <= 1 && i < 6; i++)
		in_A[i] = to_float16(uniform());
	uint8_t *in_A_2 = array(7, argc > 2 ? argv[2] : NULL);
	for (int64_t i = 0; argc <= 2 && i < 7; i++)
		in_A_2[i] = uniform() < 0.5f;
	float *in_long_ = array(112, argc > 3 ? argv[3] : NULL);
	for (int64_t i = 0; argc <= 3 && i < 28; i++)
		in_long_[i] = uniform();
	int32_t *out_C = array(4, NULL);
	(void)to_float16, (void)from_float16;
	if (argc > 4) {
		fprintf(stderr, "there are 3 inputs\n");
		return 1;
	}
	for (int round = 0; round < 10; round++) {
		double begin = now();
		f(in_A, in_A_2, in_long_, out_C);
		double seconds = now() - begin;
		if (seconds < best)
			best = seconds;
	}
	printf("f: %.3f us\n", 1e6 * best);
	printf("C:");
	for (int64_t i = 0; i < 1 && i < 8; i++)
		printf(" %g", (double)out_C[i]);
	printf("\n");
	free(in_A);
	free(in_A_2);
	free(in_long_);
	free(out_C);
	return 0;
}
