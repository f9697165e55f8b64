/* What the run-time takes of immintrin.h, on aarch64. The bits are those of MXCSR, since that is what runtime.c knows:
 * rounding, flush, and whether a denormal number was met, which is noticed only while they are flushed. */
#pragma once
#include <stdint.h>

static inline void _mm_pause(void)
{
	__asm__ volatile("isb" ::: "memory"); /* about as long as a pause there */
}

/* About the cycles of a processor: the system's counter runs at some 1/32 of that. */
static inline uint64_t __rdtsc(void)
{
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks << 5;
}

enum { FPCR_FLUSH = 1 << 24, FPSR_DENORMAL = 1 << 7 };

static inline uint32_t _mm_getcsr(void)
{
	uint64_t control, status;
	__asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status)::"memory");
	uint32_t up = control >> 22 & 1, down = control >> 23 & 1;
	return 0x1f80 | up << 14 | down << 13 | (control & FPCR_FLUSH ? 0x8040 : 0) | (status & FPSR_DENORMAL ? 2 : 0);
}

static inline void _mm_setcsr(uint32_t mode)
{
	uint64_t control = (uint64_t)(mode >> 14 & 1) << 22 | (uint64_t)(mode >> 13 & 1) << 23, status;
	__asm__ volatile("mrs %0, fpsr" : "=r"(status)::"memory");
	status = (status & ~(uint64_t)FPSR_DENORMAL) | (mode & 2 ? FPSR_DENORMAL : 0);
	if (mode & 0x8000)
		control |= FPCR_FLUSH;
	__asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control), "r"(status) : "memory");
}
