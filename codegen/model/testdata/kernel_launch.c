// workload: softmax
// of a test
#include "kernel_launch.h"

#include <stddef.h>
#include <string.h>

CUresult softmax_load(softmax_program *program, const void *image)
{
	memset(program, 0, sizeof *program);
	CUresult result = cuModuleLoadData(&program->module, image);
	if (result == CUDA_SUCCESS)
		result = cuModuleGetFunction(&program->kernel[0], program->module, "max_kernel");
	if (result == CUDA_SUCCESS)
		result = cuModuleGetFunction(&program->kernel[1], program->module, "exp_kernel");
	if (result == CUDA_SUCCESS)
		result = cuModuleGetFunction(&program->kernel[2], program->module, "sum_kernel");
	if (result == CUDA_SUCCESS)
		result = cuModuleGetFunction(&program->kernel[3], program->module, "softmax_kernel");
	if (result == CUDA_SUCCESS)
		result = cuMemAlloc(&program->workspace[0], 64);
	if (result == CUDA_SUCCESS)
		result = cuMemAlloc(&program->workspace[1], 2560);
	if (result == CUDA_SUCCESS)
		result = cuMemAlloc(&program->workspace[2], 64);
	if (result != CUDA_SUCCESS)
		softmax_unload(program);
	return result;
}

CUresult softmax_launch(softmax_program *program, CUdeviceptr X, CUdeviceptr softmax, CUstream stream)
{
	CUresult result = CUDA_SUCCESS;
	if (result == CUDA_SUCCESS) { // max_kernel
		void *args[] = {&X, &program->workspace[0]};
		result = cuLaunchKernel(program->kernel[0], 16, 1, 1, 8, 1, 1, 0, stream, args, NULL);
	}
	if (result == CUDA_SUCCESS) { // exp_kernel
		void *args[] = {&X, &program->workspace[0], &program->workspace[1]};
		result = cuLaunchKernel(program->kernel[1], 20, 1, 1, 32, 1, 1, 0, stream, args, NULL);
	}
	if (result == CUDA_SUCCESS) { // sum_kernel
		void *args[] = {&program->workspace[1], &program->workspace[2]};
		result = cuLaunchKernel(program->kernel[2], 16, 1, 1, 8, 1, 1, 0, stream, args, NULL);
	}
	if (result == CUDA_SUCCESS) { // softmax_kernel
		void *args[] = {&softmax, &program->workspace[1], &program->workspace[2]};
		result = cuLaunchKernel(program->kernel[3], 20, 1, 1, 32, 1, 1, 0, stream, args, NULL);
	}
	return result;
}

void softmax_unload(softmax_program *program)
{
	if (program->workspace[0])
		cuMemFree(program->workspace[0]);
	if (program->workspace[1])
		cuMemFree(program->workspace[1]);
	if (program->workspace[2])
		cuMemFree(program->workspace[2]);
	if (program->module)
		cuModuleUnload(program->module);
	memset(program, 0, sizeof *program);
}
