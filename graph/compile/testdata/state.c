/* Uses the functions of a library with a state, see TestDecoder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dec.h"

static void check(int ok, const char *what, long line)
{
	if (!ok) {
		printf("line %ld: %s\n", line, what);
		exit(1);
	}
}
#define CHECK(ok) check(ok, #ok, __LINE__)

enum { WIDTH = 64, MOST = 5 };

/* tokens runs the model for tokens first, first + 1 and so on; y has a row for each. */
static int tokens(dec_context *c, int64_t first, int64_t n, float *y)
{
	int64_t ids[MOST], shape[3], dims[dec_DIMS] = {n};
	for (int64_t i = 0; i < n && i < MOST; i++)
		ids[i] = first + i;
	int code = dec_call(c, dims, ids, y, shape);
	CHECK(code || (shape[0] == 1 && shape[1] == n && shape[2] == WIDTH));
	return code;
}

int main(void)
{
	static float a[MOST * WIDTH], b[MOST * WIDTH];
	dec_context *c, *d;
	CHECK(dec_open(&c, "dec.weights", 2) == 0 && dec_open(&d, "dec.weights", 1) == 0);
	CHECK(dec_length(c) == 0 && dec_length(NULL) == dec_ERR_NO_CONTEXT);
	CHECK(tokens(c, 1, 5, a) == 0 && tokens(c, 6, 3, a) == 0 && dec_length(c) == 8);

	/* the same again gives the same numbers */
	CHECK(dec_truncate(c, 5) == 0 && tokens(c, 6, 3, b) == 0 && !memcmp(a, b, 3 * WIDTH * sizeof *a));
	CHECK(dec_reset(c) == 0 && dec_length(c) == 0 && tokens(c, 1, 5, b) == 0 && tokens(c, 6, 3, b) == 0);
	CHECK(!memcmp(a, b, 3 * WIDTH * sizeof *a));

	/* a copy goes on from there, and leaves the other as it was */
	CHECK(dec_fork(d, c) == 0 && dec_length(d) == 8);
	CHECK(tokens(d, 50, 1, b) == 0 && tokens(d, 51, 2, b) == 0 && dec_length(d) == 11 && dec_length(c) == 8);
	CHECK(tokens(c, 9, 1, a) == 0 && dec_truncate(d, 8) == 0 && tokens(d, 9, 1, b) == 0);
	CHECK(!memcmp(a, b, WIDTH * sizeof *a));
	CHECK(dec_fork(c, c) == 0 && dec_fork(NULL, c) == dec_ERR_NO_CONTEXT && dec_fork(c, NULL) == dec_ERR_NO_CONTEXT);

	/* no more than there is room for; the state stays */
	while (dec_length(c) < dec_STATE_MAX - 3)
		CHECK(tokens(c, 1, 1, a) == 0);
	CHECK(tokens(c, 1, 5, a) == dec_STATE_FULL && dec_length(c) == dec_STATE_MAX - 3);
	CHECK(strstr(dec_error(dec_STATE_FULL), "room for 40 of past") != NULL);
	CHECK(tokens(c, 1, 3, a) == 0 && tokens(c, 1, 1, a) == dec_STATE_FULL && dec_length(c) == dec_STATE_MAX);
	CHECK(dec_truncate(c, 41) == dec_STATE_FULL + 1 && dec_truncate(c, -1) > 0 && dec_length(c) == dec_STATE_MAX);

	/* a run that fails adds nothing: a token that there is not, a length that no plan serves */
	CHECK(dec_truncate(c, 4) == 0 && tokens(c, 1, 1, a) == 0 && dec_truncate(c, 4) == 0);
	CHECK(tokens(c, 100, 1, b) > 0 && dec_length(c) == 4);
	CHECK(tokens(c, 1, 6, b) == dec_NO_PLAN && tokens(c, 1, -1, b) == dec_NO_PLAN && tokens(c, 1, 0, b) == dec_NO_PLAN);
	CHECK(dec_length(c) == 4 && tokens(c, 1, 1, b) == 0 && !memcmp(a, b, WIDTH * sizeof *a));

	int64_t dims[] = {5}, none[] = {7};
	CHECK(dec_run_dims(c, NULL, NULL, NULL) == dec_ERR_NULL_TENSOR && dec_bytes_dims(dims, 0) == 40);
	CHECK(dec_bytes_dims(dims, 1) == 5 * WIDTH * 4 && dec_bytes_dims(none, 0) == -1 && dec_bytes_dims(NULL, 0) == -1);
	CHECK(dec_memory(dims) > 2 * 2 * 40 * 16 * 4 && dec_memory(none) == -1 && dec_memory(NULL) == -1);
	dec_close(c), dec_close(d);
	printf("ok\n");
	return 0;
}
