/* Runs a bundle called two, whose input and output are N floats, in a process that may make no
 * system call but those of a pool, and counts what it allocates. It prints "ok", "skip" and why, or
 * what is wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "two.h"

#define N two_x_ELEMENTS

static _Atomic int allocated;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t n)
{
	allocated++;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	allocated++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	allocated++;
	return __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	allocated++;
	return __libc_memalign(align, n);
}

/* confine has the kernel end the process at any system call but these. Those of the last line are a
 * new thread's, which may begin late. */
static int confine(void)
{
	static const int allowed[] = {SYS_futex, SYS_sched_yield, SYS_clock_gettime, SYS_getpid,
				      SYS_write, SYS_exit_group,  SYS_exit,		SYS_restart_syscall,
				      SYS_rseq,	 SYS_set_robust_list, SYS_rt_sigprocmask};
	enum { COUNT = sizeof allowed / sizeof *allowed };
	struct sock_filter code[COUNT + 3];
	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < COUNT; i++)
		code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], COUNT - i, 0);
	code[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {COUNT + 3, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/* pause_ms spins, since sleeping is a system call. */
static void pause_ms(int ms)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	int64_t end = t.tv_sec * 1000LL + t.tv_nsec / 1000000 + ms;
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while (t.tv_sec * 1000LL + t.tv_nsec / 1000000 < end);
}

int main(void)
{
	two_context *c;
	static _Alignas(64) float x[N + 16], y[N + 16];
	static char out[4096];
	int before, code = two_open(&c, "two.weights", 3);
	setvbuf(stdout, out, _IOFBF, sizeof out);
	before = allocated;
	if (code || confine()) {
		printf(code ? "open: %s\n" : "skip: seccomp: %s\n", code ? two_error(code) : strerror(errno));
		fflush(stdout);
		_exit(0);
	}
	for (int i = 0; i < 200; i++) {
		int shift = i % 3; /* the second and the third time, tensors are not aligned, and overlap */
		for (int k = 0; k < N; k++)
			x[k + shift] = k % 13;
		float *to = shift == 2 ? x + shift : y + shift;
		if ((code = two_call(c, x + shift, to)))
			printf("run: %s\n", two_error(code));
		for (int k = 0; k < N; k++)
			if (to[k] != k % 13 * (0.5f * (k + 1)) + k % 13)
				code = 1;
		if (code)
			break;
		if (i % 50 == 49)
			pause_ms(3); /* the threads fall asleep */
	}
	if (allocated != before)
		printf("%d allocations in 200 runs\n", allocated - before);
	else
		printf(code ? "a wrong result\n" : "ok\n");
	fflush(stdout);
	_exit(0);
}
