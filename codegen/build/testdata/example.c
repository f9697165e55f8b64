/* How to call f from C.
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
	uint16_t *in_A = array(sizeof(uint16_t) * 6);
	for (int64_t i = 0; i < 6; i++)
		in_A[i] = float16_bits(i * 7 % 8 / 8.0f);
	uint8_t *in_A_2 = array(sizeof(uint8_t) * 7);
	for (int64_t i = 0; i < 7; i++)
		in_A_2[i] = i % 2;
	float *in_long_ = array(sizeof(float) * 28);
	for (int64_t i = 0; i < 28; i++)
		in_long_[i] = i * 7 % 8 / 8.0f;
	int32_t *out_C = array(sizeof(int32_t) * 1);

	f(in_A, in_A_2, in_long_, out_C); /* the first call starts the threads */
	double best = 1e30;
	for (int round = 0; round < 10; round++) {
		double begin = now();
		f(in_A, in_A_2, in_long_, out_C);
		double seconds = now() - begin;
		if (seconds < best)
			best = seconds;
	}
	printf("f: %.3f us\n", 1e6 * best);
	double sum_3 = 0;
	for (int64_t i = 0; i < 1; i++)
		sum_3 += out_C[i];
	printf("C: sum %g\n", sum_3);
	free(in_A);
	free(in_A_2);
	free(in_long_);
	free(out_C);
	return 0;
}
