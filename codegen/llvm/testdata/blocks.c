/* Takes and frees temporaries as kernels do, from several threads at once. It prints "ok". With an
 * argument, it also has little memory. */
#include "../runtime/runtime.c"
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define CHECK(what) \
	do { \
		if (!(what)) { \
			printf("line %d: %s\n", __LINE__, #what); \
			exit(1); \
		} \
	} while (0)

/* held returns how many bytes are kept, those in use left out. */
static int64_t held(void)
{
	int64_t bytes = 0;
	for (int i = 0; i < MAX_KEPT; i++)
		bytes += state()->kept[i].at && state()->kept[i].freed ? state()->kept[i].size : 0;
	return bytes;
}

static void *use(void *seed)
{
	uint64_t r = (uintptr_t)seed;
	for (int round = 0; round < 300; round++) {
		unsigned char *block[3];
		int64_t size[3];
		for (int i = 0; i < 3; i++) {
			r = r * 6364136223846793005u + 1442695040888963407u;
			size[i] = 1 + (r >> 33) % (round % 50 ? 20000 : 3 << 20);
			block[i] = wmtune_alloc(size[i]);
			CHECK((uintptr_t)block[i] % LINE == 0);
			memset(block[i], (uintptr_t)seed + i, size[i]);
		}
		for (int i = 0; i < 3; i++) {
			CHECK(block[i][0] == (unsigned char)((uintptr_t)seed + i));
			CHECK(block[i][size[i] - 1] == (unsigned char)((uintptr_t)seed + i));
			wmtune_free(block[i]);
		}
	}
	return NULL;
}

enum { FLUSH = 0x8040 };

static _Atomic int others, wrong; /* parts that another thread ran, and those with another mode */
static pthread_t caller;

static void mode(void *want, int64_t lo, int64_t hi)
{
	(void)lo, (void)hi;
	others += !pthread_equal(pthread_self(), caller);
	wrong += (_mm_getcsr() & FLUSH) != (uintptr_t)want;
	usleep(1000);
}

/* modes runs loops until other threads have parts of them. */
static void modes(uintptr_t want)
{
	_mm_setcsr((_mm_getcsr() & ~(unsigned)FLUSH) | want);
	others = wrong = 0;
	for (int i = 0; i < 1000 && !others; i++)
		wmtune_parallel_for(mode, (void *)want, 16);
	CHECK(others > 0 && !wrong);
}

int main(int argc, char **argv)
{
	(void)argv;
	/* A block is used again, also for less, but not for less than half. */
	char *a = wmtune_alloc(3 << 20), *b = wmtune_alloc(100);
	CHECK(a != b && held() == 0);
	wmtune_free(a);
	CHECK(held() == 4 << 20);
	CHECK(wmtune_alloc(3500000) == a && held() == 0);
	char *c = wmtune_alloc(3 << 20);
	CHECK(c != a);
	wmtune_free(a);
	char *d = wmtune_alloc(1 << 20);
	CHECK(d != a);
	wmtune_free(d), wmtune_free(c), wmtune_free(b), wmtune_free(NULL);

	/* No more than so many bytes are kept: the one that was used least recently goes first. */
	char *large[5];
	for (int i = 0; i < 5; i++)
		large[i] = wmtune_alloc(100 << 20);
	for (int i = 0; i < 5; i++)
		wmtune_free(large[i]);
	CHECK(held() <= KEPT_BYTES && held() >= 200 << 20);
	char *again = wmtune_alloc(100 << 20);
	CHECK(again == large[3] || again == large[4]);
	wmtune_free(again);

	/* Where memory ends, blocks that are kept make room for others. Sanitizers end the program there. */
	if (argc > 1) {
		large[0] = wmtune_alloc(240 << 20);
		wmtune_free(large[0]);
		struct rlimit old, less;
		CHECK(!getrlimit(RLIMIT_AS, &old));
		long pages = 0;
		FILE *f = fopen("/proc/self/statm", "r");
		CHECK(f && fscanf(f, "%ld", &pages) == 1 && !fclose(f));
		less = old, less.rlim_cur = pages * PAGE + (150 << 20);
		CHECK(!setrlimit(RLIMIT_AS, &less));
		large[0] = wmtune_alloc(330 << 20);
		CHECK(!setrlimit(RLIMIT_AS, &old));
		wmtune_free(large[0]);
		CHECK(held() == 0);
	}

	/* Blocks beyond the table are blocks, too. */
	char *many[MAX_KEPT + 10];
	for (int i = 0; i < MAX_KEPT + 10; i++)
		*(many[i] = wmtune_alloc(50 + i)) = i;
	for (int i = 0; i < MAX_KEPT + 10; i++) {
		CHECK(*many[i] == i);
		wmtune_free(many[i]);
	}

	/* A child has none of its parent's, and does not wait for its threads. */
	atomic_flag_test_and_set(&state()->looking);
	pid_t child = fork();
	if (child == 0) {
		use((void *)7);
		_exit(0);
	}
	atomic_flag_clear(&state()->looking);
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child && status == 0);

	pthread_t threads[4];
	struct kept *kept_block;
	for (uintptr_t i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, use, (void *)(i + 1)));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);

	/* A full table makes room: the blocks that are used are those that are kept. */
	for (int i = 0; i < MAX_KEPT; i++)
		many[i] = wmtune_alloc(1 << (i % 20));
	for (int i = 0; i < MAX_KEPT; i++)
		wmtune_free(many[i]);
	wmtune_free(a = wmtune_alloc(9 << 20));
	CHECK(wmtune_alloc(9 << 20) == a);
	wmtune_free(a);

	/* The threads of the pool flush denormal numbers if the caller does. */
	caller = pthread_self();
	wmtune_pool_init(3, NULL);
	modes(0), modes(FLUSH), modes(0);

	while ((kept_block = oldest(state())))
		drop(kept_block);
	puts("ok");
	return 0;
}
