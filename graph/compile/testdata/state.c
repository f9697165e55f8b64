/* Uses the functions of a library with a state, see TestDecoder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"

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
static int tokens(decoder_context *c, int64_t first, int64_t n, float *y)
{
	int64_t ids[MOST], shape[3], dims[decoder_DIMS] = {n};
	for (int64_t i = 0; i < n && i < MOST; i++)
		ids[i] = first + i;
	int code = decoder_call(c, dims, ids, y, shape);
	CHECK(code || (shape[0] == 1 && shape[1] == n && shape[2] == WIDTH));
	return code;
}

int main(void)
{
	static float a[MOST * WIDTH], b[MOST * WIDTH];
	decoder_context *c, *d;
	CHECK(decoder_open(&c, "decoder.weights", 2) == 0 && decoder_open(&d, "decoder.weights", 1) == 0);
	CHECK(decoder_length(c) == 0 && decoder_length(NULL) == decoder_ERR_NO_CONTEXT);
	CHECK(tokens(c, 1, 5, a) == 0 && tokens(c, 6, 3, a) == 0 && decoder_length(c) == 8);

	/* the same again gives the same numbers */
	CHECK(decoder_truncate(c, 5) == 0 && tokens(c, 6, 3, b) == 0 && !memcmp(a, b, 3 * WIDTH * sizeof *a));
	CHECK(decoder_reset(c) == 0 && decoder_length(c) == 0 && tokens(c, 1, 5, b) == 0 && tokens(c, 6, 3, b) == 0);
	CHECK(!memcmp(a, b, 3 * WIDTH * sizeof *a));

	/* a copy goes on from there, and leaves the other as it was */
	CHECK(decoder_fork(d, c) == 0 && decoder_length(d) == 8);
	CHECK(tokens(d, 50, 1, b) == 0 && tokens(d, 51, 2, b) == 0 && decoder_length(d) == 11 && decoder_length(c) == 8);
	CHECK(tokens(c, 9, 1, a) == 0 && decoder_truncate(d, 8) == 0 && tokens(d, 9, 1, b) == 0);
	CHECK(!memcmp(a, b, WIDTH * sizeof *a));
	CHECK(decoder_fork(c, c) == 0 && decoder_fork(NULL, c) == decoder_ERR_NO_CONTEXT);
	CHECK(decoder_fork(c, NULL) == decoder_ERR_NO_CONTEXT);

	/* no more than there is room for; the state stays */
	while (decoder_length(c) < decoder_STATE_MAX - 3)
		CHECK(tokens(c, 1, 1, a) == 0);
	CHECK(tokens(c, 1, 5, a) == decoder_STATE_FULL && decoder_length(c) == decoder_STATE_MAX - 3);
	CHECK(strstr(decoder_error(decoder_STATE_FULL), "room for 40 of past") != NULL);
	CHECK(tokens(c, 1, 3, a) == 0 && tokens(c, 1, 1, a) == decoder_STATE_FULL && decoder_length(c) == decoder_STATE_MAX);
	CHECK(decoder_truncate(c, 41) == decoder_STATE_FULL + 1 && decoder_truncate(c, -1) > 0);
	CHECK(decoder_length(c) == decoder_STATE_MAX);

	/* a run that fails adds nothing: a token that there is not, a length that no plan serves */
	CHECK(decoder_truncate(c, 4) == 0 && tokens(c, 1, 1, a) == 0 && decoder_truncate(c, 4) == 0);
	CHECK(tokens(c, 100, 1, b) > 0 && decoder_length(c) == 4);
	CHECK(tokens(c, 1, 6, b) == decoder_NO_PLAN && tokens(c, 1, -1, b) == decoder_NO_PLAN);
	CHECK(tokens(c, 1, 0, b) == decoder_NO_PLAN);
	CHECK(decoder_length(c) == 4 && tokens(c, 1, 1, b) == 0 && !memcmp(a, b, WIDTH * sizeof *a));

	int64_t dims[] = {5}, none[] = {7};
	CHECK(decoder_run_dims(c, NULL, NULL, NULL) == decoder_ERR_NULL_TENSOR && decoder_bytes_dims(dims, 0) == 40);
	CHECK(decoder_bytes_dims(dims, 1) == 5 * WIDTH * 4);
	CHECK(decoder_bytes_dims(none, 0) == -1 && decoder_bytes_dims(NULL, 0) == -1);
	CHECK(decoder_memory(dims) > 2 * 2 * 40 * 16 * 4 && decoder_memory(none) == -1 && decoder_memory(NULL) == -1);
	decoder_close(c), decoder_close(d);
	printf("ok\n");
	return 0;
}
