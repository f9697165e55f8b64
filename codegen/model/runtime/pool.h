/* A pool of threads that run the parts of loops.
 *
 * Thread 0 is the caller of parallel_for. Each other thread has a cache line of its own, into
 * which the caller writes that there is a loop and where the thread says what became of it. So
 * handing a loop over moves one line to the thread, and one back.
 *
 * Each thread has a part of a loop, which is the same in every run, so that caches have what it
 * reads. It runs the part in pieces. When it is done it takes pieces of a few other threads' parts:
 * a processor that is slower holds up nobody for longer than a piece. One that the system gives to
 * another program holds up a loop until the piece under way goes on.
 *
 * A thread without work spins for SPIN_NS, about as long as it takes to wake a thread where
 * that is slow; there waiting costs about twice, at most, what it would if the time of the
 * next loop were known. For the first HOT pauses of that time it keeps its processor; then it yields it to
 * whoever else wants it. Then it sleeps on a futex.
 *
 * The caller waits for nobody who has not begun: when it has done its own part, it does
 * those of threads that still sleep, or have no processor.
 *
 * To wake a thread is a system call, which takes the caller longer than a short loop. So it
 * wakes the first FANOUT of those that sleep, and each of these the next FANOUT.
 */
#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINE 64 /* bytes of a cache line, and the alignment of every tensor */
#define PAIR 128 /* of two lines, which some processors fetch together */

#ifndef SPIN_NS
#define SPIN_NS 200000
#endif

enum { HOT = 2000, PIECES = 8, HELPED = 4, FANOUT = 4, SHORT = 10000 /* clock ticks */ };
enum { STACK_BYTES = 2 << 20, PAGE = 4096 };

/* The last two bits of thread.state. The others count the loops that were handed over. */
enum { HANDED, TAKEN, DONE, QUIT, PHASES = 4 };

struct thread;

typedef void part(struct thread *self, void *arg, int64_t lo, int64_t hi);

struct thread {
	_Alignas(PAIR) struct pool *pool;
	char *top; /* of its scratch memory */
	int64_t index;
	pthread_t id;
	uint32_t flags;		 /* of MXCSR after the parts that it ran in this run */
	_Atomic int32_t sleeper; /* of thread k: which one is the sleeper k of the pool */

	_Alignas(LINE) _Atomic uint32_t state; /* it sleeps on this word */
	_Atomic int32_t asleep;		       /* 1: it is, or will soon be, asleep */
	part *body;
	void *arg;
	_Atomic int64_t next; /* of its part, the first iteration that nobody has taken */
	int64_t end, step;    /* of the part, and of a piece */
	uint32_t mode;	      /* MXCSR while it works: that of the caller */
	int32_t parties;      /* that share the loop */
	_Atomic int32_t place; /* among the sleepers; -1: it was awake */
};

struct pool {
	struct thread *threads;
	int64_t wanted, alive; /* threads, the caller included */
	int64_t limit;	       /* those that may share the next loops */
	uint32_t mode;	       /* MXCSR while the program runs */
	_Atomic int32_t busy;
	_Atomic int32_t sleepers; /* threads that were asleep when they were last told something */

	_Atomic int32_t *mark; /* 1; the kernel zeroes its page in a child, where it can */
	pid_t pid;
};

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* relax waits a little, for the k-th time. Where threads share a processor, going on with
 * pauses would keep the one that is waited for from it. */
static void relax(uint32_t k)
{
	if (k < HOT)
		_mm_pause();
	else
		sched_yield();
}

static void futex(_Atomic uint32_t *word, int op, uint32_t value)
{
	syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/* wake wakes a thread if it sleeps, or is about to. Its state has changed, so it will not sleep on. */
static void wake(struct thread *t)
{
	if (atomic_load_explicit(&t->asleep, memory_order_relaxed) && atomic_exchange(&t->asleep, 0))
		futex(&t->state, FUTEX_WAKE_PRIVATE, 1);
}

/* relay wakes those sleepers whose turn it is after the one at a place; -1: the first ones. The list may be
 * that of a later loop by now: then it wakes who is woken anyway. */
static void relay(struct thread *threads, struct pool *p, int32_t place)
{
	int32_t from = FANOUT * (place + 1), n = atomic_load_explicit(&p->sleepers, memory_order_relaxed);
	for (int32_t k = from; k < from + FANOUT && k < n; k++)
		wake(&threads[atomic_load_explicit(&threads[k].sleeper, memory_order_relaxed)]);
}

/* enlist makes thread t the next of n sleepers if it sleeps, and returns how many there are. */
static int32_t enlist(struct thread *threads, struct thread *t, int32_t n)
{
	int asleep = atomic_load_explicit(&t->asleep, memory_order_relaxed);
	atomic_store_explicit(&t->place, asleep ? n : -1, memory_order_relaxed);
	if (asleep)
		atomic_store_explicit(&threads[n].sleeper, t->index, memory_order_relaxed);
	return n + (asleep != 0);
}

/* await returns the state of a thread once it is another one than before. */
static uint32_t await(struct thread *self, uint32_t before)
{
	int64_t since = 0;
	for (uint32_t k = 1;; k++) {
		uint32_t state = atomic_load_explicit(&self->state, memory_order_acquire);
		if (state != before)
			return state;
		relax(k);
		if (k % (k < HOT ? 256 : 16))
			continue;
		int64_t t = now();
		if (!since)
			since = t;
		if (t - since < SPIN_NS)
			continue;
		/* A caller that does not see this in time does our part itself, and sees it
		 * the next time. */
		atomic_store(&self->asleep, 1);
		futex(&self->state, FUTEX_WAIT_PRIVATE, before);
		atomic_store(&self->asleep, 0);
		since = 0, k = 0;
		state = atomic_load_explicit(&self->state, memory_order_acquire);
		int32_t place = atomic_load_explicit(&self->place, memory_order_relaxed);
		if (state != before && place >= 0)
			relay(self - self->index, self->pool, place);
	}
}

/* pieces runs what nobody has taken of the part of thread t, and reports whether there was any. */
static int pieces(struct thread *self, struct thread *t, part *body, void *arg)
{
	int some = 0;
	while (atomic_load_explicit(&t->next, memory_order_relaxed) < t->end) {
		int64_t lo = atomic_fetch_add_explicit(&t->next, t->step, memory_order_relaxed), hi = lo + t->step;
		if (lo < t->end)
			some = 1, body(self, arg, lo, hi < t->end ? hi : t->end);
	}
	return some;
}

/* share runs the part of a thread, and what is left of the parts of a few others. To look at
 * one costs what a short part takes; all threads looking at all would cost more than it brings. */
static void share(struct thread *self, part *body, void *arg)
{
	struct thread *threads = self - self->index;
	uint64_t since = __rdtsc();
	if (pieces(self, self, body, arg) && __rdtsc() - since < SHORT)
		return;
	for (int64_t k = 1; k < self->parties && k <= HELPED; k++)
		pieces(self, &threads[(self->index + k) % self->parties], body, arg);
}

/* take changes the state of a loop that nobody has begun, and reports whether it did. */
static int take(struct thread *t, uint32_t state, uint32_t phase)
{
	return state % PHASES == HANDED && atomic_compare_exchange_strong(&t->state, &state, state + phase);
}

static void *work(void *p)
{
	struct thread *self = p;
	for (uint32_t state = DONE;;) {
		state = await(self, state);
		if (state % PHASES == QUIT)
			return NULL;
		if (!take(self, state, TAKEN))
			continue;
		_mm_setcsr(self->mode);
		share(self, self->body, self->arg);
		self->flags |= _mm_getcsr();
		state += DONE;
		atomic_store_explicit(&self->state, state, memory_order_release);
	}
}

/* tell changes the state of a thread that does nothing. It wakes it if it sleeps and is not in the list of sleepers. */
static void tell(struct thread *t, uint32_t phase)
{
	uint32_t state = atomic_load_explicit(&t->state, memory_order_relaxed);
	atomic_store_explicit(&t->state, state / PHASES * PHASES + PHASES + phase, memory_order_release);
	if (atomic_load_explicit(&t->place, memory_order_relaxed) < 0)
		wake(t);
}

/* finish returns when the part of thread t is done, and the thread has no piece of another part
 * under way. Self runs what is left of the part, all of it if the thread has not begun. */
static void finish(struct thread *self, struct thread *t, part *body, void *arg)
{
	uint32_t state = atomic_load_explicit(&t->state, memory_order_acquire);
	int taken = take(t, state, DONE);
	pieces(self, t, body, arg);
	for (uint32_t k = 0; !taken && atomic_load_explicit(&t->state, memory_order_acquire) % PHASES != DONE; k++)
		relax(k);
}

/* parallel_for runs body over [0, n) in contiguous parts, one for each thread, and returns
 * when all are done. The first n % parties threads have one iteration more. All compute with
 * the caller's MXCSR. A loop inside of a part is not divided. */
static void parallel_for(struct pool *p, struct thread *self, part *body, void *arg, int64_t n)
{
	int64_t parties = n < p->limit ? n : p->limit;
	uint32_t mode = _mm_getcsr();
	if (n < 1)
		return;
	if (parties < 2 || atomic_exchange_explicit(&p->busy, 1, memory_order_acquire)) {
		body(self, arg, 0, n);
		return;
	}
	struct thread *threads = p->threads;
	int32_t sleepers = 0;
	for (int64_t i = 0, lo = 0; i < parties; i++) {
		struct thread *t = &threads[i];
		int64_t part = n / parties + (i < n % parties);
		atomic_store_explicit(&t->next, lo, memory_order_relaxed);
		t->end = lo += part;
		t->step = (part + PIECES - 1) / PIECES;
		t->body = body, t->arg = arg, t->mode = mode, t->parties = parties;
		if (i)
			sleepers = enlist(threads, t, sleepers);
	}
	atomic_store_explicit(&p->sleepers, sleepers, memory_order_relaxed);
	for (int64_t i = 1; i < parties; i++) /* each may take of all parts from now on */
		tell(&threads[i], HANDED);
	if (sleepers)
		relay(threads, p, -1);
	share(self, body, arg);
	for (int64_t i = 1; i < parties; i++)
		finish(self, &threads[i], body, arg);
	atomic_store_explicit(&p->busy, 0, memory_order_release);
}

/* rouse wakes the threads that sleep, so that they are there when the first loop begins. */
static void rouse(struct pool *p)
{
	int32_t sleepers = 0;
	for (int64_t i = 1; i < p->alive; i++)
		sleepers = enlist(p->threads, &p->threads[i], sleepers);
	atomic_store_explicit(&p->sleepers, sleepers, memory_order_relaxed);
	for (int32_t k = 0; k < sleepers; k++)
		tell(&p->threads[atomic_load_explicit(&p->threads[k].sleeper, memory_order_relaxed)], DONE);
	relay(p->threads, p, -1);
}

/* start makes the threads of the pool. Where there are no more to be had, those that
 * there are do the work. */
static void start(struct pool *p)
{
	sigset_t blocked, before;
	pthread_attr_t attr;
	p->pid = getpid();
	if (p->mark)
		atomic_store(p->mark, 1);
	p->alive = p->limit = 1;
	p->busy = 0;
	if (p->wanted < 2 || pthread_attr_init(&attr))
		return;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* Signals are for the threads of the host; only faults are a thread's own. */
	sigfillset(&blocked);
	const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	for (; p->alive < p->wanted; p->alive++) {
		struct thread *t = &p->threads[p->alive];
		t->state = DONE;
		t->asleep = 0;
		if (pthread_create(&t->id, &attr, work, t))
			break;
	}
	p->limit = p->alive;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
}

/* stop ends the threads. */
static void stop(struct pool *p)
{
	for (int64_t i = 1; i < p->alive; i++) {
		tell(&p->threads[i], QUIT);
		futex(&p->threads[i].state, FUTEX_WAKE_PRIVATE, 1);
	}
	for (int64_t i = 1; i < p->alive; i++)
		pthread_join(p->threads[i].id, NULL);
}

/* open_mark makes what tells a child process from its parent. */
static int open_mark(struct pool *p)
{
	void *mark = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mark == MAP_FAILED)
		return 0;
	if (madvise(mark, PAGE, MADV_WIPEONFORK))
		munmap(mark, PAGE); /* an old kernel: processes are told apart by their numbers */
	else
		p->mark = mark;
	return 1;
}

/* forked reports whether this process is a child of the one that made the threads. */
static int forked(struct pool *p)
{
	if (p->mark)
		return !atomic_load_explicit(p->mark, memory_order_relaxed);
	return getpid() != p->pid;
}
