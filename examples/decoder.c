/* Continues a text: reads the tokens of a prompt from a file, numbers with spaces between, and prints the tokens that
 * a decoder thinks likeliest, one after the other.
 *
 *   wmtune compile MODEL.onnx --name decoder --dim seq=1..16 --state 'present.*=past.*,max=1024' --out bundle
 *   cc -O2 -Ibundle decoder.c bundle/decoder.o -o decoder -lm -lpthread &&
 *       ./decoder bundle/decoder.weights prompt.txt 20
 *
 * The model's input is called ids and its output logits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "decoder.h"

enum { CHUNK = decoder_ids_ELEMENTS, WORDS = decoder_logits_ELEMENTS / decoder_ids_ELEMENTS };

static void check(int code)
{
	if (code) {
		fprintf(stderr, "decoder: %s\n", decoder_error(code));
		exit(1);
	}
}

/* next runs the model for new tokens, at most CHUNK, and returns the token that it thinks likeliest after them. */
static int64_t next(decoder_context *context, const int64_t *tokens, int64_t count)
{
	static float logits[decoder_logits_ELEMENTS];
	int64_t dims[decoder_DIMS] = {[decoder_DIM_seq] = count}, shape[3], best = 0;
	check(decoder_call(context, dims, tokens, logits, shape));
	const float *last = logits + (count - 1) * WORDS;
	for (int64_t i = 1; i < WORDS; i++)
		if (last[i] > last[best])
			best = i;
	return best;
}

int main(int argc, char **argv)
{
	FILE *prompt = argc == 4 ? fopen(argv[2], "r") : NULL;
	if (!prompt) {
		fprintf(stderr, "usage: decoder WEIGHTS PROMPT TOKENS: a file of weights, one of tokens, and how many more\n");
		return 2;
	}
	decoder_context *context;
	check(decoder_open(&context, argv[1], 0));
	int64_t tokens[CHUNK], count = 0, token = 0;
	long long number;
	while (fscanf(prompt, "%lld", &number) == 1) {
		if (count == CHUNK) { /* a prompt runs in parts */
			next(context, tokens, count);
			count = 0;
		}
		tokens[count++] = number;
	}
	fclose(prompt);
	for (long more = atol(argv[3]); more > 0 && count; more--) {
		token = next(context, tokens, count);
		printf("%lld\n", (long long)token);
		tokens[0] = token; /* the context knows those before */
		count = 1;
	}
	decoder_close(context);
	return 0;
}
