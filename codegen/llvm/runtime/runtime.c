/* The run-time that kernels may call: a parallel loop over a pool of threads, and memory for
 * temporaries. runtime.ll is what clang makes of this file and those that it includes:
 * runtime.sh has the command. It is linked beside a kernel by the run worker's relocator, or
 * into an exported library by ld. It needs libc only.
 *
 * It is for x86-64 Linux. There are no thread-local variables, because the relocator has none
 * to offer.
 *
 * The pool is that of whole models. One process has one, whoever calls: while it runs a loop,
 * the loops of others are not divided.
 *
 * fork. A child has no threads but its own, so it must not wait for the pool of its parent. All
 * state of the pool lies in pages that the kernel zeroes in a child (MADV_WIPEONFORK), and zero
 * means that no pool was started. Where the kernel cannot do that, the process id is compared.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

/* A caller that times kernels one by one does other things in between. */
#define SPIN_NS 1000000

#include "../../model/runtime/pool.h"
#include "../../model/runtime/processor.h"

#define API __attribute__((visibility("default")))

enum { MAX_THREADS = 256, USUAL_THREADS = 64 };
enum { MAX_KEPT = 64, KEPT_BYTES = 256 << 20, HUGE_PAGE = 2 << 20 };

/* A kept block is one that wmtune_alloc has made. Those that are free wait for the next call. */
struct kept {
	void *at; /* null: there is none */
	int64_t size, freed; /* freed: when; 0 while it is in use */
};

struct state {
	struct pool pool;
	_Atomic int32_t starting, ready;
	atomic_flag looking; /* at what is below */
	int64_t now, used;   /* used: no entry from this one on was ever taken */
	struct kept kept[MAX_KEPT];
	int32_t pid; /* 0: the kernel zeroes the state in a child */
	struct thread threads[MAX_THREADS];
};

static struct state *_Atomic known;

/* What wmtune_pool_init asked for. It survives a fork, so that the pool of a child is like
 * that of its parent. 0 threads: one for each processor that the process may use. */
static int64_t wanted;
static int32_t pinned, cpus[MAX_THREADS];

/* state returns the pool's state of this process, or null if there is no memory. */
static struct state *state(void)
{
	struct state *old = atomic_load_explicit(&known, memory_order_acquire), *s;
	if (old && (!old->pid || old->pid == getpid()))
		return old;
	s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return NULL;
	if (madvise(s, sizeof *s, MADV_WIPEONFORK))
		s->pid = getpid();
	if (atomic_compare_exchange_strong(&known, &old, s))
		return s;
	munmap(s, sizeof *s); /* another thread was faster */
	return old;
}

/* pin moves the threads of a pool to the processors that were asked for. A failure is no
 * reason not to run. */
static void pin(struct pool *p)
{
	for (int64_t i = 1; i < p->alive; i++) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET((unsigned)cpus[i] % CPU_SETSIZE, &set);
		pthread_setaffinity_np(p->threads[i].id, sizeof set, &set);
	}
}

/* begin makes the threads. If another thread is at it, it returns at once, and the caller
 * finds that the pool is not ready. */
static void begin(struct state *s)
{
	struct pool *p = &s->pool;
	int32_t no = 0;
	if (!atomic_compare_exchange_strong(&s->starting, &no, 1))
		return;
	p->threads = s->threads;
	p->wanted = wanted > 0 ? wanted : processors(USUAL_THREADS);
	for (int64_t i = 0; i < p->wanted; i++)
		p->threads[i].pool = p, p->threads[i].index = i;
	start(p);
	if (pinned)
		pin(p);
	atomic_store_explicit(&s->ready, 1, memory_order_release);
}

/* wmtune_pool_init starts the pool with so many threads, the caller included (0: one for each
 * processor that the process may use), and pins thread i, for i from 1, to processor cpus[i]
 * unless that is null. The calling thread's own affinity is left to its owner. Once a pool
 * runs, further calls do nothing. */
API void wmtune_pool_init(int64_t threads, const int32_t *on)
{
	struct state *s = state();
	if (!s || atomic_load(&s->starting))
		return;
	wanted = threads < MAX_THREADS ? threads : MAX_THREADS;
	if (on && wanted > 0) {
		memcpy(cpus, on, wanted * sizeof *cpus);
		pinned = 1;
	}
	begin(s);
}

struct job {
	void (*body)(void *, int64_t, int64_t);
	void *context;
};

static void run(struct thread *self, void *arg, int64_t lo, int64_t hi)
{
	struct job *j = arg;
	(void)self;
	j->body(j->context, lo, hi);
}

/* wmtune_parallel_for runs body(context, lo, hi) for parts of [0, n), and returns when all are
 * done. */
void wmtune_parallel_for(void (*body)(void *, int64_t, int64_t), void *context, int64_t n)
{
	struct job j = {body, context};
	struct state *s;
	if (n < 1)
		return;
	if (n > 1 && (s = state())) {
		if (!atomic_load_explicit(&s->ready, memory_order_acquire))
			begin(s);
		if (atomic_load_explicit(&s->ready, memory_order_acquire)) {
			parallel_for(&s->pool, s->threads, run, &j, n);
			return;
		}
	}
	body(context, 0, n);
}

/* Where wmtune_guard_blocks is not 0 - the run worker sets it while it checks a kernel - a block
 * lies between two pages that may not be written, ends at the second one, and is filled with
 * bytes 0xff, which are NaN: a kernel that uses a temporary before it has written it, or writes
 * past it, is found out. The first word of the page before the block is the size of the
 * mapping. */
__attribute__((visibility("hidden"))) int32_t wmtune_guard_blocks;

static void *guarded(int64_t bytes)
{
	int64_t pages = (bytes + PAGE - 1) / PAGE * PAGE, total = pages + 2 * PAGE;
	char *m = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *end = m + PAGE + pages;
	if (m == MAP_FAILED)
		return NULL;
	*(int64_t *)m = total;
	memset(m + PAGE, 0xff, pages);
	mprotect(m, PAGE, PROT_READ);
	mprotect(end, PAGE, PROT_NONE);
	return end - bytes;
}

static void lock(struct state *s)
{
	while (atomic_flag_test_and_set_explicit(&s->looking, memory_order_acquire))
		sched_yield();
}

static void unlock(struct state *s)
{
	atomic_flag_clear_explicit(&s->looking, memory_order_release);
}

/* fresh makes a block. Large ones are of huge pages, if there are any. */
static void *fresh(int64_t size)
{
	if (size < HUGE_PAGE)
		return aligned_alloc(LINE, size);
	void *block = aligned_alloc(HUGE_PAGE, size);
	if (block)
		madvise(block, size, MADV_HUGEPAGE);
	return block;
}

/* rounded returns the size of a block that has so many bytes. */
static int64_t rounded(int64_t bytes)
{
	int64_t unit = bytes < HUGE_PAGE ? LINE : HUGE_PAGE;
	return bytes > 0 ? (bytes + unit - 1) / unit * unit : unit;
}

/* oldest returns the free block that was used least recently, or null. */
static struct kept *oldest(struct state *s)
{
	struct kept *old = NULL;
	for (struct kept *k = s->kept; k < s->kept + s->used; k++)
		if (k->at && k->freed && (!old || k->freed < old->freed))
			old = k;
	return old;
}

/* drop gives a free block back to the system. */
static struct kept *drop(struct kept *k)
{
	free(k->at);
	k->at = NULL;
	return k;
}

/* freshest makes a block. If there is no memory, those that are kept go first. */
static void *freshest(struct state *s, int64_t size)
{
	void *block = fresh(size);
	for (struct kept *k; !block && (k = oldest(s)); block = fresh(size))
		drop(k);
	return block;
}

/* kept returns a block, if one can be kept at all. A kernel takes the same blocks in each call,
 * and the system needs as long to clear the pages of new ones as the kernel for its work. */
static void *kept(struct state *s, int64_t size)
{
	struct kept *best = NULL, *empty = NULL;
	lock(s);
	for (struct kept *k = s->kept; k < s->kept + s->used; k++) {
		if (!k->at)
			empty = k;
		else if (k->freed && k->size >= size && k->size / 2 <= size && (!best || k->size < best->size))
			best = k;
	}
	if (!best && !empty) {
		if (s->used < MAX_KEPT)
			empty = &s->kept[s->used++];
		else if ((empty = oldest(s)))
			drop(empty);
	}
	if (!best && empty && (empty->at = freshest(s, size)))
		best = empty, best->size = size;
	if (best)
		best->freed = 0;
	unlock(s);
	return best ? best->at : NULL;
}

/* keep takes a block back. It returns 0 if the block is not one of those. What is more than
 * KEPT_BYTES goes back to the system, the block that was used least recently first. */
static int32_t keep(struct state *s, void *block)
{
	int64_t bytes = 0;
	int32_t found = 0;
	lock(s);
	for (struct kept *k = s->kept; k < s->kept + s->used; k++) {
		if (k->at == block)
			k->freed = ++s->now, found = 1;
		bytes += k->at && k->freed ? k->size : 0;
	}
	while (bytes > KEPT_BYTES)
		bytes -= drop(oldest(s))->size;
	unlock(s);
	return found;
}

/* wmtune_alloc returns a block of at least so many bytes, aligned to 64. There is no way for a
 * kernel to report failure, so without memory the process ends. */
void *wmtune_alloc(int64_t bytes)
{
	int64_t size = rounded(bytes);
	struct state *s = state();
	void *block = NULL;
	if (wmtune_guard_blocks)
		block = guarded(bytes > 0 ? (bytes + LINE - 1) / LINE * LINE : LINE);
	else if (!s || !(block = kept(s, size)))
		block = fresh(size);
	if (!block) {
		dprintf(2, "wmtune: out of memory: a kernel wants %ld B\n", (long)bytes);
		abort();
	}
	return block;
}

void wmtune_free(void *block)
{
	struct state *s = state();
	if (wmtune_guard_blocks && block) {
		char *m = (char *)((uintptr_t)block / PAGE * PAGE) - PAGE;
		munmap(m, *(int64_t *)m);
	} else if (!block || !s || !keep(s, block)) {
		free(block);
	}
}

/* wmtune_repeat calls a kernel n times; the timer uses it, so that a short kernel is not timed
 * together with the way from Go to C. */
void wmtune_repeat(void (*kernel)(void **), void **args, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		kernel(args);
}
