/* Tests the pool of threads by itself, under a sanitizer: the program's one step is a
 * loop of which every iteration is counted.
 */
#include "../runtime/runtime.c"
#include <stdio.h>
#include <sys/wait.h>

static const struct region none[1];
const struct program wmtune_program = {.scratch = 4096, .parallel = 1, .inputs = none, .outputs = none, .n_steps = 1};

enum { SIZE = 1000 };
static int64_t counts[8][SIZE]; /* of contexts */

struct job {
	int64_t *counts, n;
};

static void body(struct thread *self, void *arg, int64_t lo, int64_t hi)
{
	struct job *j = arg;
	if (lo >= hi || hi > j->n)
		abort();
	/* Two blocks, which no other thread has. */
	int64_t *a = wmtune_alloc(self, 100), *b = wmtune_alloc(self, 8);
	if ((uintptr_t)a % 64 || b != a + 16)
		abort();
	*a = lo, *b = hi;
	for (int64_t i = lo; i < hi; i++)
		j->counts[i]++;
	if (*a != lo || *b != hi)
		abort();
	if (lo % 2) {
		wmtune_free(self, b);
		wmtune_free(self, a);
	} else {
		wmtune_free(self, a);
		wmtune_free(self, b);
	}
}

static int forking;

/* forks forks in the middle of a run that has all scratch memory, and runs the context in the child. */
static int forks(struct thread *self)
{
	void *block = wmtune_alloc(self, wmtune_program.scratch);
	pid_t child = fork();
	int status = -1;
	if (!child) {
		alarm(20);
		forking = 0;
		_exit(wmtune_run(context_of(self), NULL, NULL));
	}
	waitpid(child, &status, 0);
	wmtune_free(self, block);
	return status;
}

/* wmtune_sequence runs loops of many lengths and limits. The "weights" say which context
 * it is. */
int wmtune_sequence(struct thread *self, char *arena, const uint8_t *weights, const void **in, void **out, int64_t *ns)
{
	struct job j = {counts[(intptr_t)weights], 0};
	if (forking)
		return forks(self);
	(void)arena, (void)in, (void)out, (void)ns;
	memset(j.counts, 0, sizeof counts[0]);
	int64_t runs[SIZE] = {0};
	for (int64_t k = 0; k < 100; k++) {
		j.n = k * k * 7 % SIZE;
		wmtune_limit(self, k % 5);
		wmtune_parallel_for(self, body, &j, j.n);
		for (int64_t i = 0; i < j.n; i++)
			runs[i]++;
		if (k % 50 == 49)
			usleep(2000); /* the threads fall asleep */
	}
	for (int64_t i = 0; i < self->pool->alive; i++)
		if (self[i].top != context_of(self)->scratch + i * wmtune_program.scratch)
			abort();
	return memcmp(runs, j.counts, sizeof runs) ? 1 : 0;
}

static void *use(void *arg)
{
	for (int i = 0; i < 4; i++) {
		struct context *c;
		if (wmtune_open(&c, NULL, 1 + ((intptr_t)arg + i) % 4))
			abort();
		c->weights = arg;
		for (int n = 0; n < 2; n++)
			if (wmtune_run(c, NULL, NULL)) {
				printf("a loop did not run as often as it should\n");
				exit(1);
			}
		c->weights = NULL;
		wmtune_close(c);
	}
	return NULL;
}

/* A held loop is one in which one thread is held up in its first piece until all other pieces
 * are done, as if it had lost its processor. */
struct held {
	_Atomic int64_t done;
	int64_t n, index; /* of the thread */
	_Atomic int holds;
};

static void hold(struct thread *self, void *arg, int64_t lo, int64_t hi)
{
	struct held *h = arg;
	if (self->index == h->index && !atomic_exchange(&h->holds, 1)) {
		int64_t since = now();
		while (atomic_load(&h->done) < h->n - (hi - lo))
			if (sched_yield(), now() - since > 60000000000LL) {
				printf("nobody takes the pieces of a thread that is held up\n");
				exit(1);
			}
	}
	for (uint64_t since = __rdtsc(); __rdtsc() - since < SHORT;) /* who is done soon looks for no more */
		;
	atomic_fetch_add(&h->done, hi - lo);
}

/* held runs loops in which each thread of a pool is held up. */
static void held(void)
{
	struct thread threads[8] = {0};
	struct pool pool = {.threads = threads, .wanted = 8};
	for (int64_t i = 0; i < 8; i++)
		threads[i].pool = &pool, threads[i].index = i;
	start(&pool);
	for (int64_t k = 0; k < 80; k++) {
		struct held h = {.n = 40 + k, .index = k % 8};
		parallel_for(&pool, threads, hold, &h, h.n);
		if (h.done != h.n) {
			printf("%lld of %lld iterations\n", (long long)h.done, (long long)h.n);
			exit(1);
		}
	}
	stop(&pool);
}

/* file is the SHA-256 of what stands in files of lengths 0 to 300, both ways. */
static void hashes(void)
{
	uint8_t data[300], fast[32], slow[32];
	for (int i = 0; i < 300; i++)
		data[i] = i * 31;
	for (int n = 0; n <= 300; n++) {
		sha256(data, n, fast, 1);
		sha256(data, n, slow, 0);
		if (memcmp(fast, slow, 32))
			printf("sha256 differs\n");
		for (int i = 0; i < 32; i++)
			printf("%02x", slow[i]);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	pthread_t t[8];
	if (argc > 1 && !strcmp(argv[1], "hashes")) {
		hashes();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "features")) {
		printf("%llx\n", (unsigned long long)features());
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		struct context *c;
		forking = 1;
		int code = wmtune_open(&c, NULL, 2);
		printf("%d\n", code ? code : wmtune_run(c, NULL, NULL));
		wmtune_close(c);
		return 0;
	}
	if (argc > 4 && !strcmp(argv[1], "quota")) { /* of groups in a file, under a mount point, at most so many */
		printf("%lld\n", (long long)quota(argv[2], argv[3], atoi(argv[4])));
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "number")) { /* in a file */
		int64_t second = -7, first = number(argv[2], &second);
		printf("%lld %lld\n", (long long)first, (long long)second);
		return 0;
	}
	for (intptr_t i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, use, (void *)i);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	held();
	printf("ok\n");
	return 0;
}
