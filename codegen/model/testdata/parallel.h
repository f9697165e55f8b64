/* f: a kernel made by wmtune 0.1.0.
 *
 * Compiled for: llvm -mcpu=generic -mattr= -cores=2
 * It faults on a processor without these features.
 */
#ifndef F_H
#define F_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments, in order. Each points to a dense row-major array that starts at a
 * multiple of 64 bytes; no two may overlap.
 *
 *   in  A: uint16_t[2][3], 12 bytes (float16: the bits of an IEEE 754 binary16)
 *   out C: int32_t, 4 bytes
 *
 * Every element of the outputs is written, whatever was there before; inputs are
 * only read.
 *
 * It runs on a pool of threads, which the first call starts: one for each
 * processor that the process may use, at most 64, unless f_pool_init said
 * otherwise. The calling thread works too. All threads round, and flush denormal
 * numbers or not, as the calling one does (MXCSR). Several threads may call it at
 * once; only one of the calls gets the pool, the others run in their own thread.
 */
void f(const uint16_t *A, int32_t *C);

/* Starts the threads of the kernel: so many, the caller included, thread i on
 * processor cpus[i], or wherever the system likes if cpus is null. Only the
 * first call has an effect, and none is needed. */
void f_pool_init(int64_t threads, const int32_t *cpus);

#ifdef __cplusplus
}
#endif
#endif
