/* The run-time of a bundle. runtime.ll is what clang makes of this file and those that it
 * includes: runtime.sh has the command. A bundle holds one copy, in which every name wmtune_*
 * begins with the name of the program instead.
 *
 * There are no variables outside of a context, no thread-local ones, and nothing that
 * runs when the library is loaded or unloaded. It is for x86-64 Linux.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pool.h"
#include "processor.h"
#include "sha256.h"

#define API __attribute__((visibility("default")))

enum { MAX_THREADS = 256, COPY_UNIT = 256 << 10, HUGE_PAGE = 2 << 20 };

/* Codes of errors; those of checks are 1, 2 and so on. The texts are in wmtune_error. */
enum {
	NO_MEMORY = -1,
	NO_FILE = -2,
	WRONG_SIZE = -3,
	WRONG_HASH = -4,
	NO_MAP = -5,
	WRONG_PROCESSOR = -6,
	BAD_THREADS = -7,
	NO_CONTEXT = -8,
	NULL_TENSOR = -9,
	OVERLAP = -10,
	IN_USE = -11,
	NO_PATH = -12,
	NO_REGULAR_FILE = -13,
	NO_ALIGNMENT = -14,
	NO_READ = -15,
	NO_TILES = -16,
};

/* A region is the memory of an input or an output. */
struct region {
	int64_t bytes, align;
};

/* What the emitter says of the program; data.go writes it. */
struct program {
	int64_t arena, weights, scratch; /* bytes; scratch for each thread */
	uint64_t features;               /* of the processor, see features */
	const uint8_t *embedded;         /* the weights, or null */
	const struct region *inputs, *outputs;
	const char *const *messages; /* of checks */
	int32_t parallel;            /* whether a kernel has a parallel loop */
	int32_t flush;               /* whether a new context flushes denormals */
	int32_t n_inputs, n_outputs, n_steps, n_messages;
	uint8_t hash[32]; /* sha256 of the weights */
};

/* A watcher is told of each mark, see wmtune_watch. */
typedef void watcher(char *arena, const void **in, void **out, int64_t step);

struct context {
	struct pool pool; /* first, so that a thread finds its context */
	char *arena, *scratch, *staging;
	const uint8_t *weights;
	int mapped;	 /* whether the weights are memory of the context */
	const void **in; /* as the program sees them */
	void **out;
	int64_t *ns;   /* of each step; null if the run is not profiled */
	int64_t since; /* time of the last mark */
	_Atomic int32_t own, *running; /* where the mark of the pool is: clear in a child, too, if a run was under way */
	watcher *told;                 /* or null */
};

#define HIDDEN __attribute__((visibility("hidden")))
extern HIDDEN const struct program wmtune_program;
extern HIDDEN int wmtune_sequence(struct thread *, char *arena, const uint8_t *weights, const void **in, void **out,
			   int64_t *ns);

static struct context *context_of(struct thread *self)
{
	return (struct context *)self->pool;
}

void wmtune_parallel_for(struct thread *self, part *body, void *arg, int64_t n)
{
	parallel_for(self->pool, self, body, arg, n);
}

/* wmtune_alloc never fails: program.scratch is the most that a thread takes at once. */
void *wmtune_alloc(struct thread *self, int64_t bytes)
{
	char *block = self->top;
	self->top += (bytes + LINE - 1) / LINE * LINE;
	return block;
}

/* wmtune_free frees a block and all that were taken later: a function frees its blocks
 * together, in any order. */
void wmtune_free(struct thread *self, void *block)
{
	if ((char *)block < self->top)
		self->top = block;
}

/* wmtune_limit says how many threads may share the next loops; 0: all. */
void wmtune_limit(struct thread *self, int64_t threads)
{
	struct pool *p = self->pool;
	p->limit = threads > 0 && threads < p->alive ? threads : p->alive;
}

/* wmtune_mark ends a step of a profiled run. Below 0 it only begins the next one, which is -1 - step. */
void wmtune_mark(struct thread *self, int64_t step)
{
	struct context *c = context_of(self);
	int64_t t = now();
	if (step >= 0)
		c->ns[step] += t - c->since;
	c->since = t;
	if (c->told)
		c->told(c->arena, c->in, c->out, step);
}

struct copy {
	char *to;
	const char *from;
	int64_t bytes;
};

static void copy_part(struct thread *self, void *arg, int64_t lo, int64_t hi)
{
	struct copy *c = arg;
	int64_t start = lo * COPY_UNIT, end = hi * COPY_UNIT < c->bytes ? hi * COPY_UNIT : c->bytes;
	(void)self;
	memcpy(c->to + start, c->from + start, end - start);
}

void wmtune_copy(struct thread *self, char *to, const char *from, int64_t bytes)
{
	struct copy c = {to, from, bytes};
	if (bytes < 2 * COPY_UNIT || (to < from + bytes && from < to + bytes))
		memmove(to, from, bytes);
	else
		parallel_for(self->pool, self, copy_part, &c, (bytes + COPY_UNIT - 1) / COPY_UNIT);
}

/* reserve returns where so many bytes may be mapped. What is large starts at a huge page. */
static char *reserve(int64_t *size)
{
	int64_t more = *size < HUGE_PAGE ? 0 : HUGE_PAGE;
	*size = (*size + PAGE - 1) / PAGE * PAGE;
	char *p = mmap(NULL, *size + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	int64_t before = more ? -(uintptr_t)p % HUGE_PAGE : 0;
	if (before)
		munmap(p, before);
	if (more - before)
		munmap(p + before + *size, more - before);
	return p + before;
}

/* map returns zeroed memory, or null. What is large has huge pages, where the system likes. */
static void *map(int64_t size)
{
	char *p = reserve(&size);
	if (p && size >= HUGE_PAGE)
		madvise(p, size, MADV_HUGEPAGE);
	return p;
}

/* map_file maps a file to be read, or returns null. A file system that keeps files in huge
 * pages is told that this one is worth it, before it is read. */
static void *map_file(int fd, int64_t size)
{
	int64_t all = size;
	char *p = reserve(&all);
	if (!p)
		return NULL;
	if (mmap(p, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
		munmap(p, all);
		return NULL;
	}
	if (size >= HUGE_PAGE)
		madvise(p, size, MADV_HUGEPAGE);
	return p;
}

/* A reader writes the next bytes of the weights, at most so many, and returns how many. */
typedef int64_t reader(void *user, void *to, int64_t bytes);

/* A source says where the weights are: in a file, in memory of the caller's, or where a reader reads; inside the
 * library if it says nothing. */
struct source {
	const char *path;
	const void *memory;
	int64_t bytes; /* at memory */
	reader *read;
	void *user;
};

/* map_weights maps the file at path. The open of a pipe must not wait for a writer. The kernel is asked for the size:
 * fstat is a symbol of glibc 2.33 and later only. */
static int map_weights(struct context *c, const char *path)
{
	const struct program *p = &wmtune_program;
	struct stat is;
	int code = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NO_FILE;
	if (syscall(SYS_fstat, fd, &is))
		code = NO_FILE;
	else if (!S_ISREG(is.st_mode))
		code = NO_REGULAR_FILE;
	else if (is.st_size != p->weights)
		code = WRONG_SIZE;
	else if (!(c->weights = map_file(fd, p->weights)))
		code = NO_MAP;
	close(fd);
	c->mapped = !code;
	if (!code)
		madvise((void *)c->weights, p->weights, MADV_WILLNEED);
	return code;
}

/* read_weights reads the weights into memory of the context. */
static int read_weights(struct context *c, const struct source *from)
{
	int64_t size = wmtune_program.weights;
	char *to = map(size);
	if (!to)
		return NO_MEMORY;
	c->weights = (const uint8_t *)to;
	c->mapped = 1;
	for (int64_t done = 0, n; done < size; done += n) {
		n = from->read(from->user, to + done, size - done);
		if (n <= 0 || n > size - done)
			return NO_READ;
	}
	return 0;
}

/* open_weights finds the weights and checks them. */
static int open_weights(struct context *c, const struct source *from)
{
	const struct program *p = &wmtune_program;
	uint8_t sum[32];
	int code = 0;
	if (!p->weights)
		return 0;
	if (!from->path && !from->memory && !from->read) {
		c->weights = p->embedded;
		return c->weights ? 0 : NO_PATH;
	}
	if (from->path)
		code = map_weights(c, from->path);
	else if (from->read)
		code = read_weights(c, from);
	else if (from->bytes != p->weights)
		code = WRONG_SIZE;
	else if ((uintptr_t)from->memory % LINE)
		code = NO_ALIGNMENT;
	else
		c->weights = from->memory;
	if (code)
		return code;
	sha256(c->weights, p->weights, sum, 1);
	return memcmp(sum, p->hash, 32) ? WRONG_HASH : 0;
}

static int64_t staging_bytes(void)
{
	const struct program *p = &wmtune_program;
	int64_t n = 0;
	for (int i = 0; i < p->n_inputs; i++)
		n += (p->inputs[i].bytes + LINE - 1) / LINE * LINE;
	for (int i = 0; i < p->n_outputs; i++)
		n += (p->outputs[i].bytes + LINE - 1) / LINE * LINE;
	return n;
}

API void wmtune_close(struct context *c)
{
	const struct program *p = &wmtune_program;
	if (!c)
		return;
	if (!forked(&c->pool))
		stop(&c->pool);
	if (c->pool.mark)
		munmap(c->pool.mark, PAGE);
	if (c->arena)
		munmap(c->arena, p->arena);
	if (c->scratch)
		munmap(c->scratch, c->pool.wanted * p->scratch);
	if (c->staging)
		munmap(c->staging, staging_bytes());
	if (c->mapped)
		munmap((void *)c->weights, p->weights);
	free(c->pool.threads);
	free(c->in);
	free(c->out);
	free(c);
}

/* free_scratch frees all blocks of all threads. */
static void free_scratch(struct context *c)
{
	for (int64_t i = 0; i < c->pool.wanted; i++)
		c->pool.threads[i].top = c->scratch + i * wmtune_program.scratch;
}

/* open_memory gets all that a run needs except the weights, so that a run allocates nothing. */
static int open_memory(struct context *c)
{
	const struct program *p = &wmtune_program;
	struct pool *pool = &c->pool;
	struct thread *threads = pool->threads = aligned_alloc(PAIR, pool->wanted * sizeof *threads);
	c->in = calloc(p->n_inputs + 1, sizeof *c->in);
	c->out = calloc(p->n_outputs + 1, sizeof *c->out);
	if (!threads || !c->in || !c->out || !open_mark(pool))
		return NO_MEMORY;
	c->running = pool->mark ? pool->mark + 1 : &c->own;
	if (p->arena && !(c->arena = map(p->arena)))
		return NO_MEMORY;
	if (p->scratch && !(c->scratch = map(pool->wanted * p->scratch)))
		return NO_MEMORY;
	if (staging_bytes() && !(c->staging = map(staging_bytes())))
		return NO_MEMORY;
	memset(threads, 0, pool->wanted * sizeof *threads);
	for (int64_t i = 0; i < pool->wanted; i++) {
		threads[i].pool = pool;
		threads[i].index = i;
	}
	free_scratch(c);
	return 0;
}

/* touch writes to the pages of a thread's share of the arena, and to those of its scratch
 * memory: they are the memory that is nearest to it, and the first run need not wait. */
static void touch(struct thread *self, void *arg, int64_t lo, int64_t hi)
{
	struct context *c = arg;
	const struct program *p = &wmtune_program;
	for (int64_t at = lo * HUGE_PAGE; at < hi * HUGE_PAGE && at < p->arena; at += PAGE)
		((volatile char *)c->arena)[at] = 0;
	for (int64_t at = 0; at < p->scratch; at += PAGE)
		((volatile char *)self->top)[at] = 0;
}

enum { MXCSR_DEFAULT = 0x1f80, MXCSR_FLUSH = 0x8040, MXCSR_DENORMAL = 0x0002 };

API int wmtune_flush_denormals(struct context *c, int on)
{
	if (!c)
		return NO_CONTEXT;
	c->pool.mode = on ? MXCSR_DEFAULT | MXCSR_FLUSH : MXCSR_DEFAULT;
	return 0;
}

static int open_context(struct context **context, struct source from, int threads)
{
	const struct program *p = &wmtune_program;
	if (!context)
		return NO_CONTEXT;
	*context = NULL;
	if (threads < 0 || threads > MAX_THREADS)
		return BAD_THREADS;
	if (p->features & ~features())
		return WRONG_PROCESSOR;
	if (p->features & TILES && !permitted())
		return NO_TILES;
	struct context *c = calloc(1, sizeof *c);
	if (!c)
		return NO_MEMORY;
	wmtune_flush_denormals(c, p->flush);
	c->pool.alive = 1;
	c->pool.pid = getpid();
	c->pool.wanted = !p->parallel ? 1 : threads ? threads : processors(MAX_THREADS);
	int code = open_memory(c);
	if (!code)
		code = open_weights(c, &from);
	if (code) {
		wmtune_close(c);
		return code;
	}
	start(&c->pool);
	int64_t shares = (p->arena + HUGE_PAGE - 1) / HUGE_PAGE;
	parallel_for(&c->pool, c->pool.threads, touch, c, shares > c->pool.alive ? shares : c->pool.alive);
	*context = c;
	return 0;
}

API int wmtune_open(struct context **context, const char *path, int threads)
{
	return open_context(context, (struct source){.path = path}, threads);
}

API int wmtune_open_memory(struct context **context, const void *weights, int64_t bytes, int threads)
{
	return open_context(context, (struct source){.memory = weights, .bytes = bytes}, threads);
}

API int wmtune_open_read(struct context **context, reader *read, void *user, int threads)
{
	return open_context(context, (struct source){.read = read, .user = user}, threads);
}

static int overlap(const void *a, int64_t n, const void *b, int64_t m)
{
	return n && m && (const char *)a < (const char *)b + m && (const char *)b < (const char *)a + n;
}

/* place sets where the program finds inputs and outputs: at the caller's, unless those
 * are not aligned, or an output overlaps an input. */
static int place(struct context *c, const void *const *inputs, void *const *outputs)
{
	const struct program *p = &wmtune_program;
	int64_t at = 0;
	for (int i = 0; i < p->n_inputs; i++) {
		struct region r = p->inputs[i];
		if (r.bytes && !inputs[i])
			return NULL_TENSOR;
		c->in[i] = inputs[i];
		if (!r.bytes || (uintptr_t)inputs[i] % r.align == 0)
			continue;
		c->in[i] = memcpy(c->staging + at, inputs[i], r.bytes);
		at += (r.bytes + LINE - 1) / LINE * LINE;
	}
	for (int i = 0; i < p->n_outputs; i++) {
		struct region r = p->outputs[i];
		if (r.bytes && !outputs[i])
			return NULL_TENSOR;
		c->out[i] = outputs[i];
		int stage = r.bytes && (uintptr_t)outputs[i] % r.align;
		for (int j = 0; j < p->n_inputs && !stage; j++)
			stage = overlap(outputs[i], r.bytes, c->in[j], p->inputs[j].bytes);
		for (int j = 0; j < i; j++)
			if (overlap(outputs[i], r.bytes, outputs[j], p->outputs[j].bytes))
				return OVERLAP;
		if (!stage)
			continue;
		c->out[i] = c->staging + at;
		at += (r.bytes + LINE - 1) / LINE * LINE;
	}
	return 0;
}

static int run(struct context *c, const void *const *inputs, void *const *outputs, int64_t *ns)
{
	const struct program *p = &wmtune_program;
	if (!c || (!inputs && p->n_inputs) || (!outputs && p->n_outputs))
		return c ? NULL_TENSOR : NO_CONTEXT;
	struct pool *pool = &c->pool;
	if (!pool->mark && forked(pool)) /* an old kernel, which clears nothing */
		atomic_store(c->running, 0);
	if (atomic_exchange(c->running, 1))
		return IN_USE;
	if (forked(pool)) { /* perhaps in the middle of a run */
		free_scratch(c);
		start(pool);
	}
	rouse(pool);
	uint32_t mode = _mm_getcsr();
	_mm_setcsr(pool->mode);
	for (int64_t i = 0; i < pool->alive; i++)
		pool->threads[i].flags = 0;
	int code = place(c, inputs, outputs);
	if (!code) {
		pool->limit = pool->alive;
		c->ns = ns;
		code = wmtune_sequence(pool->threads, c->arena, c->weights, c->in, c->out, ns);
	}
	for (int i = 0; i < p->n_outputs && !code; i++)
		if (c->out[i] != outputs[i])
			memcpy(outputs[i], c->out[i], p->outputs[i].bytes);
	pool->threads[0].flags = _mm_getcsr();
	_mm_setcsr(mode);
	atomic_store(c->running, 0);
	return code;
}

API int wmtune_denormals(struct context *c)
{
	uint32_t flags = 0;
	for (int64_t i = 0; c && i < c->pool.alive; i++)
		flags |= c->pool.threads[i].flags;
	return (flags & MXCSR_DENORMAL) != 0;
}

API int64_t wmtune_bytes(int tensor)
{
	const struct program *p = &wmtune_program;
	if (tensor < 0 || tensor >= p->n_inputs + p->n_outputs)
		return -1;
	return tensor < p->n_inputs ? p->inputs[tensor].bytes : p->outputs[tensor - p->n_inputs].bytes;
}

API int wmtune_run(struct context *c, const void *const *inputs, void *const *outputs)
{
	return run(c, inputs, outputs, NULL);
}

API int wmtune_profile(struct context *c, const void *const *inputs, void *const *outputs, int64_t *ns)
{
	return run(c, inputs, outputs, ns);
}

/* wmtune_watch has a function told of each mark of profiled runs, while the run waits: whoever verifies a bundle sees
 * what its kernels compute. It is in no header. */
API void wmtune_watch(struct context *c, watcher *told)
{
	c->told = told;
}

API int wmtune_steps(void)
{
	return wmtune_program.n_steps;
}

API const char *wmtune_error(int code)
{
	if (code > 0 && code <= wmtune_program.n_messages)
		return wmtune_program.messages[code - 1];
	switch (code) {
	case 0:
		return "no error";
	case NO_MEMORY:
		return "out of memory";
	case NO_FILE:
		return "cannot open the weights file";
	case WRONG_SIZE:
		return "the weights have another size than this model's: they are another model's, or cut short";
	case WRONG_HASH:
		return "the weights have another content than this model's: they are another model's, or damaged";
	case NO_MAP:
		return "cannot map the weights file into memory";
	case WRONG_PROCESSOR:
		return "this processor lacks instructions that the library was compiled for";
	case BAD_THREADS:
		return "the number of threads is negative or above 256";
	case NO_CONTEXT:
		return "the context is null";
	case NULL_TENSOR:
		return "the address of an input or an output is null";
	case OVERLAP:
		return "two outputs overlap in memory";
	case IN_USE:
		return "another thread is using the context: open one for each thread";
	case NO_PATH:
		return "the library has no weights inside: give the path of the weights file";
	case NO_REGULAR_FILE:
		return "the path of the weights file is that of a folder, a pipe or a device: name a regular file";
	case NO_ALIGNMENT:
		return "the weights in memory do not start at a multiple of 64 bytes";
	case NO_READ:
		return "the function that reads the weights failed, or returned more bytes than it was asked for";
	case NO_TILES:
		return "Linux refuses the process the tile registers (AMX) that the library needs: call open before a thread sets an "
		       "alternate signal stack below 12 KB, or compile for a processor without amx-tile";
	}
	return "unknown error code";
}
