#include "textflag.h"

#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define V14 Z14
#define V15 Z15
#define SIZE 64
#include "vector_amd64.h"

// SUM and MOST bring the lanes of V0 together in X0.
#define SUM \
	VEXTRACTF64X4 $1, Z0, Y1 \
	VADDPS Y1, Y0, Y0 \
	SUM_OF_256

#define MOST \
	VEXTRACTF64X4 $1, Z0, Y1 \
	VMAXPS Y1, Y0, Y0 \
	MOST_OF_256

// func expSumAVX512(table *[constants][16]float32, n int, x *float32, scale, shift float32) float32
TEXT ·expSumAVX512(SB), NOSPLIT, $0-36
	EXP_SUM_FUNC

// func geluAVX512(table *[constants][16]float32, n int, to, x *float32)
TEXT ·geluAVX512(SB), NOSPLIT, $0-32
	GELU_FUNC

// func geluGradAVX512(table *[constants][16]float32, n int, to, x, grad *float32)
TEXT ·geluGradAVX512(SB), NOSPLIT, $0-40
	GELU_GRAD_FUNC

// func tanhAVX512(table *[constants][16]float32, n int, to, x *float32)
TEXT ·tanhAVX512(SB), NOSPLIT, $0-32
	TANH_FUNC

// func largestAVX512(n int, x *float32) float32
TEXT ·largestAVX512(SB), NOSPLIT, $0-20
	LARGEST_FUNC

// func axpyAVX512(n int, to *float32, a float32, x *float32)
TEXT ·axpyAVX512(SB), NOSPLIT, $0-32
	AXPY_FUNC

// func dotAVX512(n int, x, y *float32) float32
TEXT ·dotAVX512(SB), NOSPLIT, $0-28
	DOT_FUNC
