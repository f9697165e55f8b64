/* Uses a bundle called two, y = x * w + x over 800 floats, in all the ways that a program may:
 * the first argument says which. It prints "ok", or what is wrong.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "two.h"

#define WEIGHTS "two.weights"
#define N two_x_ELEMENTS

static void fail(const char *what)
{
	printf("%s\n", what);
	exit(1);
}

static void check(int code, const char *what)
{
	if (code) {
		printf("%s: %s\n", what, two_error(code));
		exit(1);
	}
}

static void want(int code, const char *text)
{
	if (!code || !strstr(two_error(code), text)) {
		printf("code %d: %s, want %s\n", code, two_error(code), text);
		exit(1);
	}
}

static void fill(float *x, int seed)
{
	for (int i = 0; i < N; i++)
		x[i] = (i * 7 + seed) % 13 - 5;
}

static int right(const float *x, const float *y)
{
	for (int i = 0; i < N; i++)
		if (y[i] != x[i] * (0.5f * (i + 1)) + x[i])
			return 0;
	return 1;
}

/* use runs a context n times with x and y at an odd distance from 64 bytes. */
static void use(two_context *c, int seed, int n, int shift)
{
	float *x = malloc(sizeof(float) * (N + 16)), *y = malloc(sizeof(float) * (N + 16));
	for (int i = 0; i < n; i++) {
		fill(x + shift, seed + i);
		memset(y, 0xff, sizeof(float) * (N + 16));
		check(two_call(c, x + shift, y + shift), "run");
		if (!right(x + shift, y + shift))
			fail("a wrong result");
	}
	free(x);
	free(y);
}

static void *in_thread(void *arg)
{
	int id = (int)(intptr_t)arg;
	two_context *c;
	check(two_open(&c, WEIGHTS, 1 + id % 3), "open");
	use(c, id, 300, id);
	two_close(c);
	return NULL;
}

static void threads(void)
{
	pthread_t t[8];
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, in_thread, (void *)(intptr_t)i);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
}

/* child runs what a child does, and fails if that fails or hangs. */
static void child(two_context *c, int depth)
{
	pid_t pid = fork();
	if (!pid) {
		alarm(20);
		use(c, 3, 50, 0);
		if (depth)
			child(c, depth - 1);
		two_close(c);
		exit(0);
	}
	int status;
	waitpid(pid, &status, 0);
	if (status)
		fail(WIFSIGNALED(status) ? "the child hangs or crashes" : "the child fails");
}

static void forks(void)
{
	two_context *c;
	check(two_open(&c, WEIGHTS, 3), "open");
	child(c, 0); /* before the first run */
	use(c, 1, 20, 0);
	child(c, 2);
	usleep(20000); /* the threads sleep */
	child(c, 1);
	use(c, 2, 20, 0);
	pid_t pid = fork(); /* a child that only closes */
	if (!pid) {
		alarm(20);
		two_close(c);
		exit(0);
	}
	int status;
	waitpid(pid, &status, 0);
	if (status)
		fail("the child that closes");
	use(c, 3, 20, 0);
	two_close(c);
}

static two_context *worked;
static _Atomic int enough;

static void *work(void *arg)
{
	while (!enough)
		use(worked, 1, 1, 0);
	return arg;
}

/* busy forks while another thread is in a run. */
static void busy(void)
{
	pthread_t t;
	check(two_open(&worked, WEIGHTS, 3), "open");
	pthread_create(&t, NULL, work, NULL);
	for (int i = 0; i < 50; i++) {
		usleep(1000);
		child(worked, 0);
	}
	enough = 1;
	pthread_join(t, NULL);
	two_close(worked);
}

static void reopen(void)
{
	for (int i = 0; i < 200; i++) {
		two_context *c;
		check(two_open(&c, WEIGHTS, 3), "open");
		if (i % 3)
			use(c, i, 2, 0);
		two_close(c);
	}
	two_close(NULL);
}

/* unload loads the library, uses it, and unloads it while the pool has just worked. */
static void unload(void)
{
	float *x = malloc(two_x_BYTES), *y = malloc(two_y_BYTES);
	fill(x, 1);
	for (int i = 0; i < 100; i++) {
		void *lib = dlopen("./two.so", RTLD_NOW | RTLD_LOCAL);
		if (!lib)
			fail(dlerror());
		int (*open)(two_context **, const char *, int);
		int (*run)(two_context *, const void *const *, void *const *);
		void (*close)(two_context *);
		*(void **)&open = dlsym(lib, "two_open");
		*(void **)&run = dlsym(lib, "two_run");
		*(void **)&close = dlsym(lib, "two_close");
		two_context *c;
		const void *in[] = {x};
		void *out[] = {y};
		if (open(&c, WEIGHTS, 3) || run(c, in, out) || !right(x, y))
			fail("a loaded library");
		close(c);
		dlclose(lib);
		if (dlopen("./two.so", RTLD_NOW | RTLD_NOLOAD))
			fail("the library cannot be unloaded");
	}
	free(x);
	free(y);
}

static void errors(void)
{
	two_context *c = (two_context *)1;
	float x[N], y[N];
	want(two_open(&c, "missing.weights", 1), "cannot open the weights file");
	if (c)
		fail("a context after an error");
	want(two_open(&c, ".", 1), "is that of a folder, a pipe or a device");
	want(two_open(&c, "fifo", 1), "is that of a folder, a pipe or a device");
	want(two_open(&c, "/dev/zero", 1), "is that of a folder, a pipe or a device");
	want(two_open(&c, "fifo/x", 1), "cannot open the weights file");
	want(two_open(&c, "short.weights", 1), "another size");
	want(two_open(&c, "long.weights", 1), "another size");
	want(two_open(&c, "other.weights", 1), "another content");
	want(two_open(&c, NULL, 1), "no weights inside");
	want(two_open(&c, WEIGHTS, -1), "number of threads");
	want(two_open(&c, WEIGHTS, 1000), "number of threads");
	want(two_open(NULL, WEIGHTS, 1), "context is null");
	want(two_run(NULL, NULL, NULL), "context is null");
	check(two_open(&c, WEIGHTS, 0), "open");
	want(two_call(c, x, NULL), "null");
	want(two_call(c, NULL, y), "null");
	want(two_run(c, NULL, NULL), "null");
	if (strcmp(two_error(0), "no error") || strcmp(two_error(-1000), "unknown error code") ||
	    strcmp(two_error(1000), "unknown error code"))
		fail("texts");
	use(c, 1, 1, 0);
	two_close(c);
}

/* A file that is read in pieces. */
struct pieces {
	FILE *file;
	int64_t most, stop, extra; /* bytes of a piece; where it fails; what it says beyond the truth */
};

static int64_t read_piece(void *user, void *to, int64_t bytes)
{
	struct pieces *p = user;
	if (ftell(p->file) >= p->stop)
		return p->stop < 0 ? -1 : 0;
	return fread(to, 1, bytes < p->most ? bytes : p->most, p->file) + p->extra;
}

static int open_pieces(two_context **c, const char *path, int64_t most, int64_t stop, int64_t extra)
{
	struct pieces p = {fopen(path, "rb"), most, stop, extra};
	int code = two_open_read(c, read_piece, &p, 2);
	fclose(p.file);
	return code;
}

/* sources opens weights that lie in memory, or that a function reads, and weights that are wrong. */
static void sources(void)
{
	two_context *c, *d;
	static _Alignas(64) char memory[two_WEIGHTS_BYTES + 64];
	FILE *f = fopen(WEIGHTS, "rb");
	if (fread(memory, 1, sizeof memory, f) != two_WEIGHTS_BYTES)
		fail("the size of the weights");
	fclose(f);
	check(two_open_memory(&c, memory, two_WEIGHTS_BYTES, 2), "open");
	check(two_open_memory(&d, memory, two_WEIGHTS_BYTES, 1), "open again");
	use(c, 1, 3, 0);
	two_close(c);
	use(d, 2, 3, 0);
	two_close(d);
	want(two_open_memory(&c, memory, two_WEIGHTS_BYTES - 1, 2), "another size");
	want(two_open_memory(&c, memory, -1, 2), "another size");
	want(two_open_memory(&c, NULL, two_WEIGHTS_BYTES, 2), "no weights inside");
	memmove(memory + 4, memory, two_WEIGHTS_BYTES);
	want(two_open_memory(&c, memory + 4, two_WEIGHTS_BYTES, 2), "multiple of 64");
	want(two_open_memory(&c, memory, two_WEIGHTS_BYTES, 2), "another content");
	if (c)
		fail("a context after an error");
	want(two_open_memory(&c, memory, two_WEIGHTS_BYTES, -1), "number of threads");
	want(two_open_memory(NULL, memory, two_WEIGHTS_BYTES, 1), "context is null");

	for (int most = 1; most <= two_WEIGHTS_BYTES; most += 499) {
		check(open_pieces(&c, WEIGHTS, most, two_WEIGHTS_BYTES, 0), "read");
		use(c, most, 2, 0);
		two_close(c);
	}
	want(open_pieces(&c, WEIGHTS, 100, 700, 0), "the function that reads");
	want(open_pieces(&c, WEIGHTS, 100, -1, 0), "the function that reads");
	want(open_pieces(&c, WEIGHTS, two_WEIGHTS_BYTES, two_WEIGHTS_BYTES, 1), "the function that reads");
	want(open_pieces(&c, "short.weights", 100, two_WEIGHTS_BYTES, 0), "the function that reads");
	want(open_pieces(&c, "other.weights", 100, two_WEIGHTS_BYTES, 0), "another content");
	if (c)
		fail("a context after an error");
	want(two_open_read(&c, NULL, NULL, 2), "no weights inside");
}

/* overlaps has the output lie where the input does, or partly. */
static void overlaps(void)
{
	two_context *c;
	static _Alignas(64) float memory[2 * N], x[N];
	check(two_open(&c, WEIGHTS, 2), "open");
	for (int shift = 0; shift <= N; shift += 16) {
		fill(x, shift);
		memcpy(memory, x, sizeof x);
		check(two_call(c, memory, memory + shift), "run");
		if (!right(x, memory + shift))
			fail("an output that overlaps the input");
	}
	two_close(c);
}

/* modes: neither the rounding nor the flushing of the caller has an effect, and both
 * are as before afterwards. */
static void modes(void)
{
	two_context *c;
	static _Alignas(64) float x[N], y[N];
	check(two_open(&c, WEIGHTS, 2), "open");
	check(two_call(c, x, y), "run");
	if (two_denormals(c))
		fail("denormals in zeros");
	fesetround(FE_UPWARD);
	__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
	for (int i = 0; i < N; i++)
		x[i] = 0x1p-140f;
	check(two_call(c, x, y), "run");
	unsigned after = __builtin_ia32_stmxcsr();
	__builtin_ia32_ldmxcsr(0x1f80);
	if (!right(x, y) || y[0] == 0 || y[N - 1] == 0)
		fail("denormals are lost");
	if (!two_denormals(c))
		fail("denormals are not seen");
	for (int i = 0; i < N; i++)
		x[i] = 1;
	for (int i = 0; i < 2; i++) { /* in the first thread's part, in the last one's */
		float *one = i ? &x[0] : &x[N - 1];
		*one = 0x1p-140f;
		check(two_call(c, x, y), "run");
		if (!two_denormals(c))
			fail("one denormal is not seen");
		*one = 1;
		check(two_call(c, x, y), "run");
		if (two_denormals(c))
			fail("denormals of an earlier run");
	}
	x[0] = x[N - 1] = 0x1p-140f;
	if ((after & 0x8040) != 0x8040 || (after & 0x6000) != 0x4000)
		fail("the caller's mode has changed");
	check(two_flush_denormals(c, 1), "flush");
	check(two_call(c, x, y), "run");
	if (y[0] != 0 || y[N - 1] != 0 || two_denormals(c))
		fail("denormals are kept");
	check(two_flush_denormals(c, 0), "flush");
	check(two_call(c, x, y), "run");
	if (y[0] == 0 || y[N - 1] == 0)
		fail("denormals are lost again");
	two_close(c);
}

/* profile counts the steps and adds their times up. */
static void profile(void)
{
	two_context *c;
	static _Alignas(64) float x[N], y[N];
	int64_t ns[2] = {0, 0};
	const void *in[] = {x};
	void *out[] = {y};
	fill(x, 1);
	check(two_open(&c, WEIGHTS, 2), "open");
	if (two_steps() != 2)
		fail("the number of steps");
	check(two_profile(c, in, out, ns), "profile");
	int64_t first = ns[0];
	check(two_profile(c, in, out, ns), "profile");
	if (first <= 0 || ns[0] <= first || ns[1] <= 0 || !right(x, y))
		fail("times");
	two_close(c);
}

static two_context *shared;
static _Atomic int told;

static void *late(void *arg)
{
	static _Thread_local _Alignas(64) float x[N], y[N];
	time_t end = time(NULL) + 20;
	while (!told && time(NULL) < end)
		if (strstr(two_error(two_call(shared, x, y)), "another thread"))
			told = 1;
	return arg;
}

/* sharing: one of two threads that use a context is told so. */
static void sharing(void)
{
	pthread_t t;
	check(two_open(&shared, WEIGHTS, 1), "open");
	pthread_create(&t, NULL, late, NULL);
	late(NULL);
	pthread_join(t, NULL);
	if (!told)
		fail("nobody was told");
	two_close(shared);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} list[] = {{"threads", threads}, {"forks", forks},	  {"busy", busy},	{"reopen", reopen},   {"unload", unload},
		    {"errors", errors},	  {"sources", sources},	  {"overlaps", overlaps}, {"modes", modes}, {"profile", profile}, {"sharing", sharing}};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (argc == 2 && !strcmp(argv[1], list[i].name)) {
			list[i].run();
			printf("ok\n");
			return 0;
		}
	fail("which?");
}
