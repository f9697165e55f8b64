/* Uses the functions of a library of several plans, see TestPlanExamples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "several.h"

static void check(int ok, const char *what, long line)
{
	if (!ok) {
		printf("line %ld: %s\n", line, what);
		exit(1);
	}
}
#define CHECK(ok) check(ok, #ok, __LINE__)

/* fits runs so many rows, which lie so many bytes after a multiple of 64; in place if y is null. */
static void fits(several_context *c, int64_t rows, int skip, int in_place)
{
	static _Alignas(64) char memory[2][4096];
	float *x = (float *)(memory[0] + skip), *y = in_place ? x : (float *)(memory[1] + skip), was[800];
	int64_t dims[several_DIMS] = {rows}, shape[3] = {-1, -1, -1};
	for (int i = 0; i < 800; i++)
		was[i] = x[i] = i % 7 - 2;
	if (!in_place)
		memset(y, 0, 3200);
	CHECK(several_call(c, dims, x, y, shape) == 0);
	CHECK(shape[0] == rows && shape[1] == 100 && shape[2] == -1);
	for (int i = 0; i < 800; i++)
		CHECK(y[i] == (i < 100 * rows ? was[i] * (0.5f * (i + 1)) + was[i] : in_place ? was[i] : 0));
}

int main(void)
{
	several_context *c;
	int64_t dims[several_DIMS] = {2}, none[several_DIMS] = {1}, least = -9223372036854775807 - 1, shape[2], ns[7] = {0};
	static float x[800], y[800];
	const void *in[] = {x}, *null[] = {NULL};
	void *out[] = {y, shape}, *same[] = {y, y};
	CHECK(several_open(&c, "several.weights", 2) == 0);
	for (int rows = 0; rows <= 8; rows++)
		for (int skip = 0; skip < 8 && rows != 1; skip += 4)
			fits(c, rows, skip, 0), fits(c, rows, skip, 1);
	CHECK(several_run_dims(c, none, in, out) == several_NO_PLAN);
	CHECK(strstr(several_error(several_NO_PLAN), "rows=3..7") != NULL);
	CHECK(several_run_dims(c, &least, in, out) == several_NO_PLAN);
	CHECK(several_run_dims(c, NULL, in, out) == several_ERR_NULL_TENSOR);
	CHECK(several_run_dims(NULL, dims, in, out) == several_ERR_NO_CONTEXT);
	CHECK(several_run_dims(c, dims, null, out) == several_ERR_NULL_TENSOR);
	CHECK(several_run_dims(c, dims, in, same) == several_ERR_OVERLAP);
	CHECK(several_memory(dims) == 800 && several_memory(none) == -1 && several_memory(NULL) == -1);
	CHECK(several_bytes_dims(dims, 0) == 800 && several_bytes_dims(dims, 1) == 800 && several_bytes_dims(dims, 2) == 16);
	dims[0] = 5;
	CHECK(several_bytes_dims(dims, 1) == 2000 && several_memory(dims) == 0);
	dims[0] = 2;
	CHECK(several_bytes_dims(dims, 3) == -1 && several_bytes_dims(dims, -1) == -1 && several_bytes_dims(none, 0) == -1);
	CHECK(several_steps() == 5 && several_DIM_rows == 0);
	CHECK(several_profile_dims(c, dims, in, out, ns) == 0);
	CHECK(ns[0] > 0 && ns[1] > 0 && !ns[2] && !ns[3] && !ns[4]);
	several_close(c);
	puts("ok");
	return 0;
}
