/* The choice among variants of a program for several processors. levels.ll is what clang makes of this file: runtime.sh
 * has the command. Such a library has it beside runtime.c, whose functions that open contexts are called wmtune_base_*
 * there. The first open of a process chooses.
 */
#define _GNU_SOURCE
#include <stdatomic.h>

#pragma clang diagnostic ignored "-Wunused-function"
#include "processor.h"

#define API __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

enum { WRONG_PROCESSOR = -6 };

/* What the emitter says of a level; data.go writes it. */
struct level {
	uint64_t features; /* of the processor, see features */
	const char *name;
};

extern HIDDEN const struct level wmtune_levels[]; /* the lowest first */
extern HIDDEN const int32_t wmtune_n_levels;

/* The number of the level that was chosen, from 1 on; 0: none was. */
HIDDEN _Atomic int32_t wmtune_chosen;

/* choose returns the highest level that the processor has, or the one that WMTUNE_LEVEL names; null if there is none. */
static const struct level *choose(void)
{
	int32_t i = atomic_load(&wmtune_chosen);
	if (i)
		return &wmtune_levels[i - 1];
	uint64_t has = features();
	const char *only = getenv("WMTUNE_LEVEL");
	for (i = wmtune_n_levels; i > 0; i--) {
		const struct level *l = &wmtune_levels[i - 1];
		if (l->features & ~has || (only && *only && strcmp(only, l->name)) || (l->features & TILES && !permitted()))
			continue;
		atomic_store(&wmtune_chosen, i);
		return l;
	}
	return NULL;
}

API const char *wmtune_level(void)
{
	const struct level *l = choose();
	return l ? l->name : NULL;
}

extern HIDDEN int wmtune_base_open(void **context, const char *path, int threads);
extern HIDDEN int wmtune_base_open_memory(void **context, const void *weights, int64_t bytes, int threads);
extern HIDDEN int wmtune_base_open_read(void **context, void *read, void *user, int threads);

/* lacking sets a context to null and returns the error, if there is no level for the processor. */
static int lacking(void **context)
{
	if (choose())
		return 0;
	if (context)
		*context = NULL;
	return WRONG_PROCESSOR;
}

API int wmtune_open(void **context, const char *path, int threads)
{
	return lacking(context) ? WRONG_PROCESSOR : wmtune_base_open(context, path, threads);
}

API int wmtune_open_memory(void **context, const void *weights, int64_t bytes, int threads)
{
	return lacking(context) ? WRONG_PROCESSOR : wmtune_base_open_memory(context, weights, bytes, threads);
}

API int wmtune_open_read(void **context, void *read, void *user, int threads)
{
	return lacking(context) ? WRONG_PROCESSOR : wmtune_base_open_read(context, read, user, threads);
}
