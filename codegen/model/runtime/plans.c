/* What bundles of several plans have beside runtime.c: a run is told the extents of dimensions, and the plan for them
 * does it. plans.ll is what clang makes of this file: runtime.sh has the command.
 *
 * The program that runtime.c sees has inputs and outputs of no bytes, so that it neither looks at them nor copies
 * them, and one more input: the struct call of the run.
 */
#include <stdint.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

enum { LINE = 64 };
enum { NO_CONTEXT = -8, NULL_TENSOR = -9, OVERLAP = -10 }; /* as in runtime.c */

struct context;
struct thread;

/* An input, or one pointer of the outputs: bytes of an element, and extents. One below 0 is that of dimension -1 - it;
 * the sums come after the dimensions. If it is bounded, the true shape is what the next pointer of the outputs leads to. */
struct tensor {
	int64_t item;
	const int64_t *shape;
	int32_t rank, bounded;
};

typedef int sequence(struct thread *, char *arena, const uint8_t *weights, const void **in, void **out, int64_t *ns);

/* A plan serves the extents from least to most. */
struct plan {
	const int64_t *least, *most;
	const struct tensor *outputs; /* as they are at the most */
	const int64_t *const *shapes; /* what a run writes to a pointer of the outputs; null: the steps write it */
	int64_t arena;
	sequence *run;
};

/* What the emitter says of the plans; plans.go writes it. */
struct plans {
	const struct plan *plans; /* the cheapest first */
	const struct tensor *inputs;
	const int64_t *sums; /* of each: how often each dimension is in it, and a number */
	int64_t staging; /* where in the arena copies of inputs and outputs begin */
	int32_t n_plans, n_dims, n_inputs, n_outputs, no_plan;
};

extern HIDDEN const struct plans wmtune_plans;
extern HIDDEN int wmtune_run(struct context *, const void *const *inputs, void *const *outputs);
extern HIDDEN int wmtune_profile(struct context *, const void *const *inputs, void *const *outputs, int64_t *ns);

struct call {
	const struct plan *plan;
	const int64_t *dims;
	void *const *outputs;
};

/* find returns the first plan that serves the extents, or null. */
static const struct plan *find(const int64_t *dims)
{
	for (int i = 0; dims && i < wmtune_plans.n_plans; i++) {
		const struct plan *p = &wmtune_plans.plans[i];
		int k = 0;
		while (k < wmtune_plans.n_dims && p->least[k] <= dims[k] && dims[k] <= p->most[k])
			k++;
		if (k == wmtune_plans.n_dims)
			return p;
	}
	return NULL;
}

static int64_t extent(int64_t k, const int64_t *dims)
{
	int64_t n_dims = wmtune_plans.n_dims;
	if (k < n_dims)
		return dims[k];
	const int64_t *sum = &wmtune_plans.sums[(k - n_dims) * (n_dims + 1)];
	int64_t n = sum[n_dims];
	for (int64_t d = 0; d < n_dims; d++)
		n += sum[d] * dims[d];
	return n;
}

static int64_t bytes_of(struct tensor t, const int64_t *dims)
{
	int64_t n = t.item;
	for (int32_t d = 0; d < t.rank; d++)
		n *= t.shape[d] < 0 ? extent(-1 - t.shape[d], dims) : t.shape[d];
	return n;
}

static int64_t lines(int64_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

static int overlap(const void *a, int64_t n, const void *b, int64_t m)
{
	return n && m && (const char *)a < (const char *)b + m && (const char *)b < (const char *)a + n;
}

/* place sets where the plan finds inputs and outputs: at the caller's, unless those are not aligned, or an output
 * overlaps an input. */
static int place(const struct call *c, char *to, const void **in, void **out)
{
	const struct plans *p = &wmtune_plans;
	for (int i = 0; i < p->n_inputs; i++) {
		int64_t bytes = bytes_of(p->inputs[i], c->dims);
		if (bytes && !in[i])
			return NULL_TENSOR;
		if (!bytes || (uintptr_t)in[i] % LINE == 0)
			continue;
		in[i] = memcpy(to, in[i], bytes);
		to += lines(bytes);
	}
	for (int i = 0; i < p->n_outputs; i++) {
		int64_t bytes = bytes_of(c->plan->outputs[i], c->dims);
		if (bytes && !out[i])
			return NULL_TENSOR;
		int stage = bytes && (uintptr_t)out[i] % LINE;
		for (int j = 0; j < p->n_inputs && !stage; j++)
			stage = overlap(out[i], bytes, in[j], bytes_of(p->inputs[j], c->dims));
		for (int j = 0; j < i; j++)
			if (overlap(out[i], bytes, c->outputs[j], bytes_of(c->plan->outputs[j], c->dims)))
				return OVERLAP;
		if (!stage)
			continue;
		out[i] = to;
		to += lines(bytes);
	}
	return 0;
}

/* wmtune_sequence runs the plan of a call. A plan that takes the extents finds them behind its other inputs. */
HIDDEN int wmtune_sequence(struct thread *self, char *arena, const uint8_t *weights, const void **in, void **out,
			   int64_t *ns)
{
	const struct plans *p = &wmtune_plans;
	const struct call *c = in[p->n_inputs];
	char *to = arena + p->staging;
	in[p->n_inputs] = memcpy(to, c->dims, p->n_dims * sizeof *c->dims);
	int code = place(c, to + lines(p->n_dims * sizeof *c->dims), in, out);
	if (!code)
		code = c->plan->run(self, arena, weights, in, out, ns);
	for (int i = 0; i < p->n_outputs && !code; i++) {
		const int64_t *shape = c->plan->shapes[i];
		struct tensor t = c->plan->outputs[i];
		if (t.bounded)
			t.shape = out[i + 1];
		int64_t bytes = bytes_of(t, c->dims);
		if (shape)
			memcpy(c->outputs[i], shape, bytes);
		else if (out[i] != c->outputs[i])
			memcpy(c->outputs[i], out[i], bytes);
	}
	for (int i = 0; i < p->n_outputs; i++)
		out[i] = c->outputs[i]; /* runtime.c copies nothing */
	return code;
}

static int run(struct context *c, const int64_t *dims, const void *const *inputs, void *const *outputs, int64_t *ns)
{
	const struct plans *p = &wmtune_plans;
	if (!c || !dims || (!inputs && p->n_inputs) || (!outputs && p->n_outputs))
		return c ? NULL_TENSOR : NO_CONTEXT;
	struct call call = {find(dims), dims, outputs};
	if (!call.plan)
		return p->no_plan;
	const void *list[p->n_inputs + 1];
	for (int i = 0; i < p->n_inputs; i++)
		list[i] = inputs[i];
	list[p->n_inputs] = &call;
	return ns ? wmtune_profile(c, list, outputs, ns) : wmtune_run(c, list, outputs);
}

API int wmtune_run_dims(struct context *c, const int64_t *dims, const void *const *inputs, void *const *outputs)
{
	return run(c, dims, inputs, outputs, NULL);
}

API int wmtune_profile_dims(struct context *c, const int64_t *dims, const void *const *inputs, void *const *outputs,
			    int64_t *ns)
{
	return run(c, dims, inputs, outputs, ns);
}

API int64_t wmtune_memory(const int64_t *dims)
{
	const struct plan *p = find(dims);
	return p ? p->arena : -1;
}

API int64_t wmtune_bytes_dims(const int64_t *dims, int tensor)
{
	const struct plans *p = &wmtune_plans;
	const struct plan *plan = find(dims);
	if (!plan || tensor < 0 || tensor >= p->n_inputs + p->n_outputs)
		return -1;
	return tensor < p->n_inputs ? bytes_of(p->inputs[tensor], dims) : bytes_of(plan->outputs[tensor - p->n_inputs], dims);
}
