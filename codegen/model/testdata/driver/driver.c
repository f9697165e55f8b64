// A driver that prints its calls. With an argument, the call of that number fails.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_launch.h"

static int fails = -1, calls;

static CUresult called(void)
{
	int failed = calls++ == fails;
	printf(failed ? " fails\n" : "\n");
	return failed ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	printf("load %s", (const char *)image);
	CUresult result = called();
	if (result == CUDA_SUCCESS)
		*module = (CUmodule)malloc(1);
	return result;
}

CUresult cuModuleUnload(CUmodule module)
{
	free(module);
	printf("unload");
	return called();
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	(void)module;
	*function = name;
	printf("get %s", name);
	return called();
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes)
{
	static CUdeviceptr next = 1000;
	printf("alloc %zu", bytes);
	CUresult result = called();
	if (result == CUDA_SUCCESS)
		*pointer = next++;
	return result;
}

CUresult cuMemFree(CUdeviceptr pointer)
{
	printf("free %llu", pointer);
	return called();
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
	unsigned blockZ, unsigned sharedBytes, CUstream stream, void **params, void **extra)
{
	printf("launch %s %u,%u,%u %u,%u,%u shared %u stream %p extra %p first argument %llu second %llu", function, gridX, gridY, gridZ,
		blockX, blockY, blockZ, sharedBytes, (void *)stream, (void *)extra, *(CUdeviceptr *)params[0], *(CUdeviceptr *)params[1]);
	return called();
}

int main(int n, char **args)
{
	if (n > 1)
		fails = atoi(args[1]);
	softmax_program program;
	if (softmax_load(&program, "image") != CUDA_SUCCESS)
		return 1;
	CUresult result = softmax_launch(&program, 7, 8, NULL);
	softmax_unload(&program);
	return result != CUDA_SUCCESS;
}
