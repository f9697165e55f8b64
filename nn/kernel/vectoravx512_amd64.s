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
	VEXTRACTF128 $1, Y0, X1 \
	VADDPS X1, X0, X0 \
	VPERMILPS $0x4e, X0, X1 \
	VADDPS X1, X0, X0 \
	VPERMILPS $0xb1, X0, X1 \
	VADDSS X1, X0, X0

#define MOST \
	VEXTRACTF64X4 $1, Z0, Y1 \
	VMAXPS Y1, Y0, Y0 \
	VEXTRACTF128 $1, Y0, X1 \
	VMAXPS X1, X0, X0 \
	VPERMILPS $0x4e, X0, X1 \
	VMAXPS X1, X0, X0 \
	VPERMILPS $0xb1, X0, X1 \
	VMAXSS X1, X0, X0

// func expSumAVX512(table *[constants][16]float32, n int, x *float32, scale, shift float32) float32
TEXT ·expSumAVX512(SB), NOSPLIT, $0-36
	MOVQ table+0(FP), AX
	MOVQ n+8(FP), CX
	MOVQ x+16(FP), DI
	VBROADCASTSS scale+24(FP), V5
	VBROADCASTSS shift+28(FP), V6
	EXPSUM
	VMOVUPS V7, V0
	SUM
	VMOVSS X0, ret+32(FP)
	VZEROUPPER
	RET

// func geluAVX512(table *[constants][16]float32, n int, to, x *float32)
TEXT ·geluAVX512(SB), NOSPLIT, $0-32
	MOVQ table+0(FP), AX
	MOVQ n+8(FP), CX
	MOVQ to+16(FP), DI
	MOVQ x+24(FP), SI
	GELU
	VZEROUPPER
	RET

// func geluGradAVX512(table *[constants][16]float32, n int, to, x, grad *float32)
TEXT ·geluGradAVX512(SB), NOSPLIT, $0-40
	MOVQ table+0(FP), AX
	MOVQ n+8(FP), CX
	MOVQ to+16(FP), DI
	MOVQ x+24(FP), SI
	MOVQ grad+32(FP), DX
	GELUGRAD
	VZEROUPPER
	RET

// func tanhAVX512(table *[constants][16]float32, n int, to, x *float32)
TEXT ·tanhAVX512(SB), NOSPLIT, $0-32
	MOVQ table+0(FP), AX
	MOVQ n+8(FP), CX
	MOVQ to+16(FP), DI
	MOVQ x+24(FP), SI
	TANH
	VZEROUPPER
	RET

// func largestAVX512(n int, x *float32) float32
TEXT ·largestAVX512(SB), NOSPLIT, $0-20
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), SI
	LARGEST
	MOST
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func axpyAVX512(n int, to *float32, a float32, x *float32)
TEXT ·axpyAVX512(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ to+8(FP), DI
	VBROADCASTSS a+16(FP), V5
	MOVQ x+24(FP), SI
	AXPY
	VZEROUPPER
	RET

// func dotAVX512(n int, x, y *float32) float32
TEXT ·dotAVX512(SB), NOSPLIT, $0-28
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DI
	DOT
	SUM
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET
