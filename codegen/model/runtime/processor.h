/* What the processor can do, and how much of it the process may use. */
#include <cpuid.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

/* least returns how many processors' time a limit grants, rounded down, but at least one; and at
 * most so many. What is no number is no limit. */
static int64_t least(int64_t most, int64_t time, int64_t period)
{
	int64_t n = time > 0 && period > 0 ? time / period : most;
	return n < 1 ? 1 : n < most ? n : most;
}

enum { PATH_BYTES = 1024, LIST_BYTES = 256, GROUPS_BYTES = 4096 };

/* climb returns what the control group at a path under a mount point grants, and those around it,
 * at most so many. */
static int64_t climb(const char *mount, const char *group, size_t length, int v1, int64_t most)
{
	static const char max[] = "/cpu.max", quota[] = "/cpu.cfs_quota_us", period[] = "/cpu.cfs_period_us";
	char path[PATH_BYTES];
	size_t top = strlen(mount);
	if (top + length + sizeof period > sizeof path)
		return most;
	memcpy(path, mount, top);
	memcpy(path + top, group, length);
	for (size_t end = top + length;; end--) {
		while (end > top && path[end - 1] == '/')
			end--;
		int64_t us = 0;
		memcpy(path + end, v1 ? quota : max, v1 ? sizeof quota : sizeof max);
		int64_t time = number(path, &us);
		if (v1) {
			memcpy(path + end, period, sizeof period);
			us = number(path, NULL);
		}
		most = least(most, time, us);
		if (end == top)
			return most;
		while (path[end - 1] != '/') /* there is one at top */
			end--;
	}
}

/* listed reports whether a list with commas has cpu. */
static int listed(const char *list, size_t length)
{
	for (size_t at = 0; at + 3 <= length; at++)
		if (!memcmp(list + at, "cpu", 3) && (at == 0 || list[at - 1] == ',') &&
		    (at + 3 == length || list[at + 3] == ','))
			return 1;
	return 0;
}

/* quota returns how many processors' time the control groups of the process leave it, at most so
 * many. cores.go in ../.. reads the same. A line of /proc/self/cgroup is number:controllers:path;
 * the version without controllers is the newer one. */
static int64_t quota(const char *groups, const char *mount, int64_t most)
{
	char text[GROUPS_BYTES], at[PATH_BYTES];
	size_t n = 0, top = strlen(mount);
	ssize_t got;
	int fd = top + LIST_BYTES < sizeof at ? open(groups, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return most;
	while ((got = read(fd, text + n, sizeof text - n)) > 0)
		n += got;
	close(fd);
	memcpy(at, mount, top);
	for (char *line = text, *end; (end = memchr(line, '\n', text + n - line)); line = end + 1) {
		char *list = memchr(line, ':', end - line), *path = list ? memchr(list + 1, ':', end - list - 1) : NULL;
		if (!path++ || *path != '/')
			continue;
		size_t names = path - list - 2, length = end - path;
		const char *folders[] = {"/cpu", "/cpu,cpuacct", "/unified", ""};
		if (names && !listed(list + 1, names))
			continue;
		for (size_t i = names ? 0 : 2, k = names ? 2 : 4; i < k; i++) {
			memcpy(at + top, folders[i], strlen(folders[i]) + 1);
			most = climb(at, path, length, names > 0, most);
		}
		if (names && names < LIST_BYTES - 1) { /* all controllers that are mounted together */
			at[top] = '/';
			memcpy(at + top + 1, list + 1, names);
			at[top + 1 + names] = 0;
			most = climb(at, path, length, 1, most);
		}
	}
	return most;
}

/* processors returns how many processors the process may use, at most so many. */
static int64_t processors(int64_t most)
{
	uint64_t set[CPU_SETSIZE / 64] = {0};
	int64_t n = 0;
	most = quota("/proc/self/cgroup", "/sys/fs/cgroup", most);
	sched_getaffinity(0, sizeof set, (cpu_set_t *)set);
	for (size_t i = 0; i < CPU_SETSIZE / 64; i++)
		n += __builtin_popcountll(set[i]);
	if (n < 1) /* there are more than CPU_SETSIZE */
		n = 1;
	return n < most ? n : most;
}

#ifdef __x86_64__
/* The features that a program may need. ../features.go has the same list. */
enum { EDX, ECX, EBX, EAX };
#define MORE 0x80000001 /* the leaf of AMD's features */
static const struct {
	uint32_t leaf;
	uint8_t sub, reg, bit;
	uint32_t state; /* what the system must save, in XCR0 */
} feature_list[] = {
	{1, 0, ECX, 0, 0},         /* sse3 */
	{1, 0, ECX, 9, 0},         /* ssse3 */
	{1, 0, ECX, 19, 0},        /* sse4.1 */
	{1, 0, ECX, 20, 0},        /* sse4.2 */
	{1, 0, ECX, 23, 0},        /* popcnt */
	{1, 0, ECX, 22, 0},        /* movbe */
	{1, 0, ECX, 28, 0x06},     /* avx */
	{1, 0, ECX, 12, 0x06},     /* fma */
	{1, 0, ECX, 29, 0x06},     /* f16c */
	{7, 0, EBX, 5, 0x06},      /* avx2 */
	{7, 0, EBX, 3, 0},         /* bmi */
	{7, 0, EBX, 8, 0},         /* bmi2 */
	{7, 0, EBX, 16, 0xe6},     /* avx512f */
	{7, 0, EBX, 28, 0xe6},     /* avx512cd */
	{7, 0, EBX, 30, 0xe6},     /* avx512bw */
	{7, 0, EBX, 17, 0xe6},     /* avx512dq */
	{7, 0, EBX, 31, 0xe6},     /* avx512vl */
	{7, 0, ECX, 11, 0xe6},     /* avx512vnni */
	{7, 1, EAX, 5, 0xe6},      /* avx512bf16 */
	{7, 0, EDX, 23, 0xe6},     /* avx512fp16 */
	{7, 1, EAX, 4, 0x06},      /* avxvnni */
	{MORE, 0, ECX, 5, 0},      /* lzcnt */
	{MORE, 0, ECX, 6, 0},      /* sse4a */
	{MORE, 0, ECX, 11, 0x06},  /* xop */
	{MORE, 0, ECX, 16, 0x06},  /* fma4 */
	{MORE, 0, ECX, 21, 0},     /* tbm */
	{7, 0, ECX, 8, 0},         /* gfni */
	{7, 0, ECX, 1, 0xe6},      /* avx512vbmi */
	{7, 0, ECX, 6, 0xe6},      /* avx512vbmi2 */
	{7, 0, ECX, 12, 0xe6},     /* avx512bitalg */
	{7, 0, ECX, 14, 0xe6},     /* avx512vpopcntdq */
	{7, 0, EBX, 21, 0xe6},     /* avx512ifma */
	{7, 1, EAX, 23, 0x06},     /* avxifma */
	{7, 1, EDX, 4, 0x06},      /* avxvnniint8 */
	{7, 1, EDX, 10, 0x06},     /* avxvnniint16 */
	{7, 1, EDX, 5, 0x06},      /* avxneconvert */
	{7, 0, EDX, 24, 0x60000},  /* amx-tile */
	{7, 0, EDX, 25, 0x60000},  /* amx-int8 */
	{7, 0, EDX, 22, 0x60000},  /* amx-bf16 */
};

/* Features of tile registers, and what Linux calls asking for them. */
#define TILES (7ULL << 36)
enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };

/* permitted asks for tile registers, without which an instruction of theirs ends the process, and returns whether it
 * has them now. All threads do. Linux refuses them where a thread has a signal stack that is too small to save them. */
static int permitted(void)
{
	return !syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA);
}

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
#else
#include <sys/auxv.h>

/* The features of aarch64 that a program may need: bits of the two words of the system. ../features.go has the same
 * list. There are no tile registers. */
#define TILES 0ULL
static const uint8_t feature_list[][2] = {
	{0, 1},  /* neon */
	{0, 20}, /* dotprod */
	{0, 10}, /* fullfp16 */
	{1, 13}, /* i8mm */
	{1, 14}, /* bf16 */
	{0, 8},  /* lse */
	{0, 12}, /* rdm */
};

static int permitted(void)
{
	return 1;
}

static uint64_t features(void)
{
	uint64_t set = 0, words[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
	for (size_t i = 0; i < sizeof feature_list / sizeof *feature_list; i++)
		set |= (words[feature_list[i][0]] >> feature_list[i][1] & 1) << i;
	return set;
}
#endif
