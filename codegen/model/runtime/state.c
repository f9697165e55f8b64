/* What bundles with a state have in the place of plans.c, which it includes: the last dimension of the plans is how long
 * the state is, which the context knows. The state lies at the beginning of the arena: its length, and then values, each
 * with rows along an axis, of which a run writes new ones behind those that are there. state.ll is what clang makes of
 * this file: runtime.sh has the command.
 *
 * Whatever reads or changes a state is a run for runtime.c, so that one thread at a time does it.
 */
#define wmtune_sequence wmtune_plan_sequence
#define wmtune_run_dims wmtune_plan_run
#define wmtune_profile_dims wmtune_plan_profile
#define wmtune_memory wmtune_plan_memory
#define wmtune_bytes_dims wmtune_plan_bytes
#include "plans.c"
#undef wmtune_sequence
#undef wmtune_run_dims
#undef wmtune_profile_dims
#undef wmtune_memory
#undef wmtune_bytes_dims

/* A value of a state: blocks of rows, so many bytes from one to the next. */
struct kept {
	int64_t offset, blocks, stride, row;
};

/* What the emitter says of the state; state.go writes it. */
struct states {
	const struct kept *kept;
	int64_t most;		   /* rows */
	int64_t by;		   /* how many rows a run adds, if it is none of the dimensions */
	int32_t n_kept, dim;	   /* by which dimension's extent a run adds; -1: by */
	int32_t full, short_state; /* codes */
};

extern HIDDEN const struct states wmtune_states;

/* What is done; the worker that verifies bundles knows the numbers of the last three. */
enum { RUN, LENGTH, TRUNCATE, FORK, COPY, SET = 10, PUT = 11, GET = 12 };

struct command {
	int what;
	int64_t length;
	const int64_t *dims;
	void *const *outputs;
	char *arena;
	struct context *to;
	void *const *arrays; /* dense, a value each */
};

static int tell(struct context *c, struct command *k)
{
	const struct plans *p = &wmtune_plans;
	const void *in[p->n_inputs + 1];
	void *out[p->n_outputs + 1];
	memset(in, 0, sizeof in);
	memset(out, 0, sizeof out);
	in[p->n_inputs] = k;
	return wmtune_run(c, in, out);
}

/* with_length has the dimensions of the plans: those that a caller tells, and the length. */
static void with_length(int64_t *to, const int64_t *dims, int64_t length)
{
	int n = wmtune_plans.n_dims - 1;
	for (int k = 0; k < n; k++)
		to[k] = dims[k];
	to[n] = length;
}

/* added returns how many rows a run adds. */
static int64_t added(const int64_t *dims) { return wmtune_states.dim < 0 ? wmtune_states.by : dims[wmtune_states.dim]; }

/* rows copies rows of all values between arenas, or between an arena and dense arrays. */
static void rows(char *arena, const struct command *k, int64_t length)
{
	for (int i = 0; i < wmtune_states.n_kept; i++) {
		const struct kept *v = &wmtune_states.kept[i];
		int64_t bytes = length * v->row;
		for (int64_t b = 0; b < v->blocks; b++) {
			char *at = arena + v->offset + b * v->stride;
			if (k->what == COPY)
				memcpy(at, k->arena + v->offset + b * v->stride, bytes);
			else if (k->what == PUT)
				memcpy(at, (char *)k->arrays[i] + b * bytes, bytes);
			else
				memcpy((char *)k->arrays[i] + b * bytes, at, bytes);
		}
	}
}

static int run_on(struct thread *self, char *arena, const uint8_t *weights, const void **in, void **out, int64_t *ns,
		  const struct command *k)
{
	const struct states *s = &wmtune_states;
	int64_t *length = (int64_t *)arena, dims[wmtune_plans.n_dims];
	with_length(dims, k->dims, *length);
	struct call call = {find(dims), dims, k->outputs};
	int64_t more = added(dims);
	if (more > s->most - *length)
		return s->full;
	if (!call.plan)
		return wmtune_plans.no_plan;
	in[wmtune_plans.n_inputs] = &call;
	int code = wmtune_plan_sequence(self, arena, weights, in, out, ns);
	if (!code)
		*length += more;
	return code;
}

HIDDEN int wmtune_sequence(struct thread *self, char *arena, const uint8_t *weights, const void **in, void **out,
			   int64_t *ns)
{
	struct command *k = (struct command *)in[wmtune_plans.n_inputs];
	int64_t *length = (int64_t *)arena;
	switch (k->what) {
	case RUN:
		return run_on(self, arena, weights, in, out, ns, k);
	case TRUNCATE:
		if (k->length < 0 || k->length > *length)
			return wmtune_states.short_state;
		*length = k->length;
		break;
	case FORK:
		k->what = COPY;
		k->length = *length;
		k->arena = arena;
		return tell(k->to, k);
	case SET:
	case PUT:
		if (k->length < 0 || k->length > wmtune_states.most)
			return wmtune_states.full;
		*length = k->length;
		if (k->what == PUT)
			rows(arena, k, *length);
		break;
	case COPY:
		*length = k->length;
		rows(arena, k, *length);
		break;
	case GET:
		rows(arena, k, *length);
	}
	k->length = *length;
	return 0;
}

static int state_run(struct context *c, const int64_t *dims, const void *const *inputs, void *const *outputs,
		     int64_t *ns)
{
	const struct plans *p = &wmtune_plans;
	if (!c || (!dims && p->n_dims > 1) || (!inputs && p->n_inputs) || (!outputs && p->n_outputs))
		return c ? NULL_TENSOR : NO_CONTEXT;
	struct command k = {.what = RUN, .dims = dims, .outputs = outputs};
	const void *list[p->n_inputs + 1];
	for (int i = 0; i < p->n_inputs; i++)
		list[i] = inputs[i];
	list[p->n_inputs] = &k;
	return ns ? wmtune_profile(c, list, outputs, ns) : wmtune_run(c, list, outputs);
}

API int wmtune_run_dims(struct context *c, const int64_t *dims, const void *const *inputs, void *const *outputs)
{
	return state_run(c, dims, inputs, outputs, NULL);
}

API int wmtune_profile_dims(struct context *c, const int64_t *dims, const void *const *inputs, void *const *outputs,
			    int64_t *ns)
{
	return state_run(c, dims, inputs, outputs, ns);
}

API int64_t wmtune_length(struct context *c)
{
	struct command k = {.what = LENGTH};
	int code = tell(c, &k);
	return code ? code : k.length;
}

API int wmtune_truncate(struct context *c, int64_t length)
{
	struct command k = {.what = TRUNCATE, .length = length};
	return tell(c, &k);
}

API int wmtune_reset(struct context *c) { return wmtune_truncate(c, 0); }

API int wmtune_fork(struct context *to, struct context *from)
{
	struct command k = {.what = FORK, .to = to};
	return to && to == from ? 0 : tell(from, &k);
}

/* wmtune_state sets the length, and the rows of dense arrays if it is to put them, or gets the rows. It is in no header:
 * whoever verifies a bundle begins anywhere. */
API int wmtune_state(struct context *c, int what, int64_t length, void *const *arrays)
{
	struct command k = {.what = what, .length = length, .arrays = arrays};
	return tell(c, &k);
}

/* at_most has the extents of a plan for those that a caller tells, with the greatest length that a run may begin with;
 * it returns the plan, or null. */
static const struct plan *at_most(int64_t *to, const int64_t *dims)
{
	if (!dims && wmtune_plans.n_dims > 1)
		return NULL;
	with_length(to, dims, 0);
	const struct plan *p = find(to);
	if (p) {
		int64_t room = wmtune_states.most - added(to), most = p->most[wmtune_plans.n_dims - 1];
		to[wmtune_plans.n_dims - 1] = room < most ? room : most;
	}
	return p;
}

API int64_t wmtune_memory(const int64_t *dims)
{
	int64_t to[wmtune_plans.n_dims];
	const struct plan *p = at_most(to, dims);
	return p ? p->arena : -1;
}

API int64_t wmtune_bytes_dims(const int64_t *dims, int tensor)
{
	int64_t to[wmtune_plans.n_dims];
	return at_most(to, dims) ? wmtune_plan_bytes(to, tensor) : -1;
}
