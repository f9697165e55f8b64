#include "textflag.h"

#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V14 Y14
#define V15 Y15
#define SIZE 32
#include "vector_amd64.h"

// SUM and MOST bring the lanes of V0 together in X0.
#define SUM SUM_OF_256

#define MOST MOST_OF_256

// func expSumAVX2(table *[constants][16]float32, n int, x *float32, scale, shift float32) float32
TEXT ·expSumAVX2(SB), NOSPLIT, $0-36
	EXP_SUM_FUNC

// func geluAVX2(table *[constants][16]float32, n int, to, x *float32)
TEXT ·geluAVX2(SB), NOSPLIT, $0-32
	GELU_FUNC

// func geluGradAVX2(table *[constants][16]float32, n int, to, x, grad *float32)
TEXT ·geluGradAVX2(SB), NOSPLIT, $0-40
	GELU_GRAD_FUNC

// func tanhAVX2(table *[constants][16]float32, n int, to, x *float32)
TEXT ·tanhAVX2(SB), NOSPLIT, $0-32
	TANH_FUNC

// func largestAVX2(n int, x *float32) float32
TEXT ·largestAVX2(SB), NOSPLIT, $0-20
	LARGEST_FUNC

// func axpyAVX2(n int, to *float32, a float32, x *float32)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-32
	AXPY_FUNC

// func dotAVX2(n int, x, y *float32) float32
TEXT ·dotAVX2(SB), NOSPLIT, $0-28
	DOT_FUNC
