/* f: a kernel made by wmtune 0.1.0.
 * matmul:m=1
 * key "* /"
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
 *   in  A_2: uint8_t[7], 7 bytes (bool: 0 or 1 in one byte)
 *   in  long_: float[4][4], strides in elements [8][1], 112 bytes
 *   out C: int32_t, 4 bytes
 *
 * Every element of the outputs is written, whatever was there before; inputs are
 * only read.
 *
 * It runs in the calling thread, and may be called by several at once.
 */
void f(const uint16_t *A, const uint8_t *A_2, const float *long_, int32_t *C);

/* Starts the threads of the kernel: so many, the caller included, thread i on
 * processor cpus[i], or wherever the system likes if cpus is null. Only the
 * first call has an effect, and none is needed. */
void f_pool_init(int64_t threads, const int32_t *cpus);

#ifdef __cplusplus
}
#endif
#endif
