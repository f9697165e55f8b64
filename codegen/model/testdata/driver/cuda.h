// What launchers use of CUDA's driver API, under which driver.c says what it is
// called with.
#ifndef CUDA_H
#define CUDA_H
#include <stddef.h>

typedef int CUresult;
typedef struct fake_module *CUmodule;
typedef const char *CUfunction;
typedef struct fake_stream *CUstream;
typedef unsigned long long CUdeviceptr;

enum { CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_FOUND = 500 };

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes);
CUresult cuMemFree(CUdeviceptr pointer);
CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
	unsigned blockZ, unsigned sharedBytes, CUstream stream, void **params, void **extra);
#ifdef __cplusplus
}
#endif
#endif
