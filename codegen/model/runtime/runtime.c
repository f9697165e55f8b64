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
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "processor.h"
#include "sha256.h"

#define API __attribute__((visibility("default")))
#define LINE 64 /* bytes of a cache line, and the alignment of every tensor */

enum { MAX_THREADS = 256, SPIN_NS = 1000000, PAUSES = 2000, STACK_BYTES = 2 << 20, COPY_UNIT = 256 << 10 };

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

struct context;

/* A thread of the pool. Thread 0 is the caller of run. */
struct thread {
	struct context *context;
	char *top; /* of its scratch memory */
	int64_t index;
	pthread_t id;
	uint32_t flags; /* of MXCSR after the parts that it ran in this run */

	_Alignas(LINE) _Atomic int32_t go; /* jobs handed to it so far; it sleeps on this word */
	_Atomic int32_t asleep;            /* 1: it is, or will soon be, asleep */
	_Atomic int32_t taken;             /* jobs that it, or the caller in its place, has begun */
	_Atomic int32_t done;              /* jobs that it has finished itself */
};

typedef void part(struct thread *self, void *arg, int64_t lo, int64_t hi);

struct context {
	struct thread *threads;
	int64_t wanted, alive; /* threads, the caller included */
	char *arena, *scratch, *staging;
	const uint8_t *weights;
	const void **in; /* as the program sees them */
	void **out;
	int64_t *ns;   /* of each step; null if the run is not profiled */
	int64_t since; /* time of the last mark */
	uint32_t mode; /* MXCSR while the program runs */
	_Atomic int32_t running;

	_Atomic int32_t *mark; /* 1; the kernel zeroes it in a child, where it can */
	pid_t pid;

	/* The job. A thread may read it while it has taken its part and has not finished. */
	part *body;
	void *arg;
	int64_t n, parties, limit;
	int32_t busy;
	_Atomic int32_t quit; /* a thread that is behind may read it at any time */
};

#define HIDDEN __attribute__((visibility("hidden")))
extern HIDDEN const struct program wmtune_program;
extern HIDDEN int wmtune_sequence(struct thread *, char *arena, const uint8_t *weights, const void **in, void **out,
			   int64_t *ns);

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* chunk runs the part of the job that is thread i's: the first n % parties threads have
 * one iteration more. */
static void chunk(struct context *c, struct thread *self, int64_t i)
{
	int64_t q = c->n / c->parties, r = c->n % c->parties;
	int64_t lo = q * i + (i < r ? i : r);
	c->body(self, c->arg, lo, lo + q + (i < r));
}

/* relax waits a little, for the k-th time. Where threads share a processor, going on with
 * pauses would keep the one that is waited for from it. */
static void relax(uint32_t k)
{
	if (k < PAUSES)
		_mm_pause();
	else
		sched_yield();
}

static void futex(_Atomic int32_t *word, int op, int32_t value)
{
	syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/* await returns the number of the next job after seen. A thread spins first: waking one
 * costs 50 to 150 us on a virtual machine. */
static int32_t await(struct thread *self, int32_t seen)
{
	int64_t since = 0;
	for (uint32_t k = 1;; k++) {
		int32_t go = atomic_load_explicit(&self->go, memory_order_acquire);
		if (go != seen)
			return go;
		relax(k);
		if (k % (k < PAUSES ? 256 : 16))
			continue;
		int64_t t = now();
		if (!since)
			since = t;
		if (t - since < SPIN_NS)
			continue;
		/* Either the caller sees that we are asleep, or the kernel sees its job. */
		atomic_store(&self->asleep, 1);
		futex(&self->go, FUTEX_WAIT_PRIVATE, seen);
		atomic_store(&self->asleep, 0);
		since = 0;
	}
}

/* take reports whether the part of thread t of a job is the calling thread's to run. */
static int take(struct thread *t, int32_t job)
{
	int32_t before = job - 1;
	return atomic_compare_exchange_strong(&t->taken, &before, job);
}

static void *work(void *p)
{
	struct thread *self = p;
	struct context *c = self->context;
	int32_t seen = 0;
	for (;;) {
		seen = await(self, seen);
		if (c->quit)
			return NULL;
		if (!take(self, seen))
			continue;
		_mm_setcsr(c->mode);
		chunk(c, self, self->index);
		self->flags |= _mm_getcsr();
		atomic_store_explicit(&self->done, seen, memory_order_release);
	}
}

static void hand(struct thread *t)
{
	atomic_store(&t->go, atomic_load_explicit(&t->go, memory_order_relaxed) + 1);
	if (atomic_load(&t->asleep))
		futex(&t->go, FUTEX_WAKE_PRIVATE, 1);
}

/* wmtune_parallel_for runs body over [0, n) in contiguous parts, one for each thread, and
 * returns when all are done. The caller runs the part of a thread that is not there yet
 * when it has done its own: one that still sleeps, or has no processor. */
void wmtune_parallel_for(struct thread *self, part *body, void *arg, int64_t n)
{
	struct context *c = self->context;
	int64_t parties = n < c->limit ? n : c->limit;
	if (n < 1)
		return;
	if (parties < 2 || self->index || c->busy) {
		body(self, arg, 0, n);
		return;
	}
	c->busy = 1;
	c->body = body, c->arg = arg, c->n = n, c->parties = parties;
	for (int64_t i = 1; i < parties; i++)
		hand(&c->threads[i]);
	chunk(c, self, 0);
	for (int64_t i = 1; i < parties; i++) {
		struct thread *t = &c->threads[i];
		int32_t job = atomic_load_explicit(&t->go, memory_order_relaxed);
		if (atomic_load_explicit(&t->taken, memory_order_relaxed) != job && take(t, job)) {
			chunk(c, self, i);
			continue;
		}
		for (uint32_t k = 0; atomic_load_explicit(&t->done, memory_order_acquire) != job; k++)
			relax(k);
	}
	c->busy = 0;
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
	struct context *c = self->context;
	c->limit = threads > 0 && threads < c->alive ? threads : c->alive;
}

/* wmtune_mark ends a step of a profiled run; step -1 only begins the next one. */
void wmtune_mark(struct thread *self, int64_t step)
{
	struct context *c = self->context;
	int64_t t = now();
	if (step >= 0)
		c->ns[step] += t - c->since;
	c->since = t;
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
		wmtune_parallel_for(self, copy_part, &c, (bytes + COPY_UNIT - 1) / COPY_UNIT);
}

/* start makes the threads of the pool. Where there are no more to be had, those that
 * there are do the work. */
static void start(struct context *c)
{
	sigset_t blocked, before;
	pthread_attr_t attr;
	c->pid = getpid();
	if (c->mark)
		atomic_store(c->mark, 1);
	c->alive = 1;
	c->busy = 0;
	c->quit = 0;
	if (c->wanted < 2 || pthread_attr_init(&attr))
		return;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* Signals are for the threads of the host; only faults are a thread's own. */
	sigfillset(&blocked);
	const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	for (; c->alive < c->wanted; c->alive++) {
		struct thread *t = &c->threads[c->alive];
		t->go = t->asleep = t->taken = t->done = 0;
		if (pthread_create(&t->id, &attr, work, t))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
}

/* forked reports whether this process is a child of the one that made the threads. */
static int forked(struct context *c)
{
	if (c->mark)
		return !atomic_load_explicit(c->mark, memory_order_relaxed);
	return getpid() != c->pid;
}

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* map returns zeroed memory, or null. What is large starts at a huge page and has such pages,
 * where the system likes. */
static void *map(int64_t bytes)
{
	int64_t size = (bytes + PAGE - 1) / PAGE * PAGE, more = bytes < HUGE_PAGE ? 0 : HUGE_PAGE;
	char *p = mmap(NULL, size + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (!more)
		return p;
	int64_t before = -(uintptr_t)p % HUGE_PAGE;
	if (before)
		munmap(p, before);
	if (more - before)
		munmap(p + before + size, more - before);
	madvise(p + before, size, MADV_HUGEPAGE);
	return p + before;
}

/* open_weights maps the file at path, or takes what is embedded, and checks it. */
static int open_weights(struct context *c, const char *path)
{
	const struct program *p = &wmtune_program;
	uint8_t sum[32];
	if (!p->weights)
		return 0;
	if (!path) {
		c->weights = p->embedded;
		return c->weights ? 0 : NO_PATH;
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NO_FILE;
	int code = 0;
	void *data = MAP_FAILED;
	off_t size = lseek(fd, 0, SEEK_END);
	if (size < 0)
		code = NO_FILE;
	else if (size != p->weights)
		code = WRONG_SIZE;
	else if ((data = mmap(NULL, p->weights, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
		code = NO_MAP;
	close(fd);
	if (code)
		return code;
	c->weights = data;
	madvise(data, p->weights, MADV_WILLNEED);
	sha256(data, p->weights, sum, 1);
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
	if (!forked(c)) {
		c->quit = 1;
		for (int64_t i = 1; i < c->alive; i++)
			hand(&c->threads[i]);
		for (int64_t i = 1; i < c->alive; i++)
			pthread_join(c->threads[i].id, NULL);
	}
	if (c->mark)
		munmap(c->mark, PAGE);
	if (c->arena)
		munmap(c->arena, p->arena);
	if (c->scratch)
		munmap(c->scratch, c->wanted * p->scratch);
	if (c->staging)
		munmap(c->staging, staging_bytes());
	if (c->weights && c->weights != p->embedded)
		munmap((void *)c->weights, p->weights);
	free(c->threads);
	free(c->in);
	free(c->out);
	free(c);
}

/* open_memory gets all that a run needs except the weights. */
static int open_memory(struct context *c)
{
	const struct program *p = &wmtune_program;
	c->threads = aligned_alloc(LINE, c->wanted * sizeof *c->threads);
	c->in = calloc(p->n_inputs + 1, sizeof *c->in);
	c->out = calloc(p->n_outputs + 1, sizeof *c->out);
	if (!c->threads || !c->in || !c->out)
		return NO_MEMORY;
	if (p->arena && !(c->arena = map(p->arena)))
		return NO_MEMORY;
	if (p->scratch && !(c->scratch = map(c->wanted * p->scratch)))
		return NO_MEMORY;
	memset(c->threads, 0, c->wanted * sizeof *c->threads);
	for (int64_t i = 0; i < c->wanted; i++) {
		c->threads[i].context = c;
		c->threads[i].index = i;
		c->threads[i].top = c->scratch + i * p->scratch;
	}
	void *mark = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mark == MAP_FAILED)
		return NO_MEMORY;
	if (madvise(mark, PAGE, MADV_WIPEONFORK))
		munmap(mark, PAGE); /* an old kernel: processes are told apart by their numbers */
	else
		c->mark = mark;
	return 0;
}

enum { MXCSR_DEFAULT = 0x1f80, MXCSR_FLUSH = 0x8040, MXCSR_DENORMAL = 0x0002 };

API int wmtune_flush_denormals(struct context *c, int on)
{
	if (!c)
		return NO_CONTEXT;
	c->mode = on ? MXCSR_DEFAULT | MXCSR_FLUSH : MXCSR_DEFAULT;
	return 0;
}

API int wmtune_open(struct context **context, const char *path, int threads)
{
	const struct program *p = &wmtune_program;
	if (!context)
		return NO_CONTEXT;
	*context = NULL;
	if (threads < 0 || threads > MAX_THREADS)
		return BAD_THREADS;
	if (p->features & ~features())
		return WRONG_PROCESSOR;
	struct context *c = calloc(1, sizeof *c);
	if (!c)
		return NO_MEMORY;
	wmtune_flush_denormals(c, p->flush);
	c->alive = 1;
	c->pid = getpid();
	c->wanted = !p->parallel ? 1 : threads ? threads : processors(MAX_THREADS);
	int code = open_memory(c);
	if (!code)
		code = open_weights(c, path);
	if (code) {
		wmtune_close(c);
		return code;
	}
	start(c);
	*context = c;
	return 0;
}

static int overlap(const void *a, int64_t n, const void *b, int64_t m)
{
	return (const char *)a < (const char *)b + m && (const char *)b < (const char *)a + n;
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
		if (!c->staging && !(c->staging = map(staging_bytes())))
			return NO_MEMORY;
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
		if (!c->staging && !(c->staging = map(staging_bytes())))
			return NO_MEMORY;
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
	if (atomic_exchange(&c->running, 1))
		return IN_USE;
	if (forked(c))
		start(c);
	uint32_t mode = _mm_getcsr();
	_mm_setcsr(c->mode);
	for (int64_t i = 0; i < c->alive; i++)
		c->threads[i].flags = 0;
	int code = place(c, inputs, outputs);
	if (!code) {
		c->limit = c->alive;
		c->ns = ns;
		code = wmtune_sequence(c->threads, c->arena, c->weights, c->in, c->out, ns);
	}
	for (int i = 0; i < p->n_outputs && !code; i++)
		if (c->out[i] != outputs[i])
			memcpy(outputs[i], c->out[i], p->outputs[i].bytes);
	c->threads[0].flags = _mm_getcsr();
	_mm_setcsr(mode);
	atomic_store(&c->running, 0);
	return code;
}

API int wmtune_denormals(struct context *c)
{
	uint32_t flags = 0;
	for (int64_t i = 0; c && i < c->alive; i++)
		flags |= c->threads[i].flags;
	return (flags & MXCSR_DENORMAL) != 0;
}

API int wmtune_run(struct context *c, const void *const *inputs, void *const *outputs)
{
	return run(c, inputs, outputs, NULL);
}

API int wmtune_profile(struct context *c, const void *const *inputs, void *const *outputs, int64_t *ns)
{
	return run(c, inputs, outputs, ns);
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
		return "the weights file has another size than this model's: it is another model's, or cut short";
	case WRONG_HASH:
		return "the weights file has another content than this model's: it is another model's, or damaged";
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
	}
	return "unknown error code";
}
