/* softmax: kernels made by wmtune 0.1.0.
 * workload: softmax\
 * of a test
 *
 * Compiled for: cuda -arch=sm_75
 * These functions load and launch the kernels of kernel.cu. Their errors are the driver's.
 */
#ifndef SOFTMAX_LAUNCH_H
#define SOFTMAX_LAUNCH_H

#include <cuda.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	CUmodule module;
	CUfunction kernel[4];
	CUdeviceptr workspace[3];
} softmax_program;

/* Loads the kernels into the current context, and allocates what they need for
 * themselves. The image is what kernel.cu was compiled to, a cubin or PTX that
 * ends in a zero:
 *
 *	nvcc -arch=sm_75 -cubin kernel.cu
 */
CUresult softmax_load(softmax_program *program, const void *image);

/* Puts a run of all kernels into a stream. The arguments are dense row-major arrays
 * in the GPU's memory that start at a multiple of 16 bytes; no two may overlap:
 *
 *   in  X: float[16][40], 2560 bytes
 *   out softmax: float[16][40], 2560 bytes
 *
 * Every element of the outputs is written; inputs are only read.
 * One run of a program must have ended before the next one begins: they use the
 * same memory.
 */
CUresult softmax_launch(softmax_program *program, CUdeviceptr X, CUdeviceptr softmax, CUstream stream);

/* Gives back what was loaded and allocated. */
void softmax_unload(softmax_program *program);

#ifdef __cplusplus
}
#endif
#endif
