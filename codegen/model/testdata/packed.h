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
 *   in  float_packed: float[6][4], 96 bytes, made by f_pack_float_
 *   in  float_packed_2: int8_t[6], 6 bytes, made by f_pack_float__2
 *   out C: float[6], 24 bytes
 *
 * Every element of the outputs is written, whatever was there before; inputs are
 * only read.
 *
 * It runs in the calling thread, and may be called by several at once.
 */
void f(const float *float_packed, const int8_t *float_packed_2, float *C);

/* Packs float_: float[4][6], 96 bytes, which is constant, for f: one call is
 * enough. All of the result is written:
 *
 *   float_packed[p0, p1] = float_[p1, p0]
 */
void f_pack_float_(const float *float_, float *float_packed);

/* Packs float__2: int8_t[6], 6 bytes, which is constant, for f: one call is
 * enough. All of the result is written:
 *
 *   float_packed_2[p0] = float__2[(5 - p0)]
 */
void f_pack_float__2(const int8_t *float__2, int8_t *float_packed_2);

/* Starts the threads of the kernel: so many, the caller included, thread i on
 * processor cpus[i], or wherever the system likes if cpus is null. Only the
 * first call has an effect, and none is needed. */
void f_pool_init(int64_t threads, const int32_t *cpus);

#ifdef __cplusplus
}
#endif
#endif
