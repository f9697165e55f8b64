/* What the processor can do, and how much of it the process may use. */
#include <cpuid.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* number returns the first number in a file and, if there is a second one, sets it; -1
 * if there is no number. */
static int64_t number(const char *path, int64_t *second)
{
	char text[64], *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n < 1 || text[0] < '0' || text[0] > '9')
		return -1;
	text[n] = 0;
	int64_t first = strtoll(text, &end, 10);
	if (second && *end == ' ')
		*second = strtoll(end, NULL, 10);
	return first;
}

/* quota returns how many processors' time a container leaves the process, rounded up. */
static int64_t quota(void)
{
	int64_t period = 0, time = number("/sys/fs/cgroup/cpu.max", &period);
	if (time < 0) { /* the older way */
		time = number("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", NULL);
		period = number("/sys/fs/cgroup/cpu/cpu.cfs_period_us", NULL);
	}
	return time > 0 && period > 0 ? (time + period - 1) / period : INT64_MAX;
}

/* processors returns how many processors the process may use, at most so many. */
static int64_t processors(int64_t most)
{
	uint64_t set[CPU_SETSIZE / 64] = {0};
	int64_t n = 0, limit = quota();
	if (limit < most)
		most = limit;
	sched_getaffinity(0, sizeof set, (cpu_set_t *)set);
	for (size_t i = 0; i < CPU_SETSIZE / 64; i++)
		n += __builtin_popcountll(set[i]);
	if (n < 1) /* there are more than CPU_SETSIZE */
		n = 1;
	return n < most ? n : most;
}

/* The features that a program may need. ../features.go has the same list. */
enum { EDX, ECX, EBX, EAX };
static const struct {
	uint8_t leaf, sub, reg, bit, state; /* state: what the system must save, in XCR0 */
} feature_list[] = {
	{1, 0, ECX, 0, 0},      /* sse3 */
	{1, 0, ECX, 9, 0},      /* ssse3 */
	{1, 0, ECX, 19, 0},     /* sse4.1 */
	{1, 0, ECX, 20, 0},     /* sse4.2 */
	{1, 0, ECX, 23, 0},     /* popcnt */
	{1, 0, ECX, 22, 0},     /* movbe */
	{1, 0, ECX, 28, 0x06},  /* avx */
	{1, 0, ECX, 12, 0x06},  /* fma */
	{1, 0, ECX, 29, 0x06},  /* f16c */
	{7, 0, EBX, 5, 0x06},   /* avx2 */
	{7, 0, EBX, 3, 0},      /* bmi */
	{7, 0, EBX, 8, 0},      /* bmi2 */
	{7, 0, EBX, 16, 0xe6},  /* avx512f */
	{7, 0, EBX, 28, 0xe6},  /* avx512cd */
	{7, 0, EBX, 30, 0xe6},  /* avx512bw */
	{7, 0, EBX, 17, 0xe6},  /* avx512dq */
	{7, 0, EBX, 31, 0xe6},  /* avx512vl */
	{7, 0, ECX, 11, 0xe6},  /* avx512vnni */
	{7, 1, EAX, 5, 0xe6},   /* avx512bf16 */
	{7, 0, EDX, 23, 0xe6},  /* avx512fp16 */
	{7, 1, EAX, 4, 0x06},   /* avxvnni */
};

/* features returns the set of those that the processor and the system have. */
static uint64_t features(void)
{
	uint64_t set = 0;
	uint32_t xcr0 = 0, high;
	unsigned r[4];
	if (__get_cpuid(1, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) && r[ECX] >> 27 & 1)
		__asm__("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
	for (size_t i = 0; i < sizeof feature_list / sizeof *feature_list; i++)
		if (__get_cpuid_count(feature_list[i].leaf, feature_list[i].sub, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) &&
		    r[feature_list[i].reg] >> feature_list[i].bit & 1 &&
		    (xcr0 & feature_list[i].state) == feature_list[i].state)
			set |= 1ULL << i;
	return set;
}
