/* Continues a prompt that begins with tokens that are left out: prints 12 tokens, each the most likely one. See
 * TestMaskedDecoder. */
#include <stdio.h>

#include "masked.h"

enum { MOST = 4, LEFT_OUT = 3, WIDTH = 64 };

int main(int argc, char **argv)
{
	masked_context *c;
	int64_t prompt[] = {7, 7, 7, 14, 15, 92, 65, 35}, mask[masked_STATE_MAX], length = 0, token = 0;
	if (argc < 2 || masked_open(&c, argv[1], 2))
		return 1;
	for (int i = 0; i < masked_STATE_MAX; i++)
		mask[i] = i >= LEFT_OUT;
	for (int i = 0; i < 13; i++) {
		float y[MOST * WIDTH];
		int64_t shape[3], n = i < 2 ? MOST : 1, dims[] = {[masked_DIM_seq] = n};
		int code = masked_call(c, dims, i < 2 ? prompt + length : &token, mask, y, shape);
		if (code) {
			printf("%s\n", masked_error(code));
			return 1;
		}
		length += n;
		token = 0;
		for (int k = 0; k < WIDTH; k++)
			if (y[(n - 1) * WIDTH + k] > y[(n - 1) * WIDTH + token])
				token = k;
		if (i > 0)
			printf("%lld\n", (long long)token);
	}
	int64_t dims[] = {[masked_DIM_seq] = 3};
	if (length != masked_length(c) || masked_bytes_dims(dims, 1) != 8 * masked_STATE_MAX || masked_DIMS != 1)
		return 1;
	masked_close(c);
	return 0;
}
