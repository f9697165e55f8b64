#include "textflag.h"

// TILE adds to c the sum over depth of 6 rows a times a row b of two registers: 12 sums in Y4 to Y15.
#define TILE \
	MOVQ depth+0(FP), CX \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), DI \
	MOVQ c+24(FP), DX \
	MOVQ ldc+32(FP), R8 \
	SHLQ LOG, R8 \
	VXORPS Y4, Y4, Y4 \
	VXORPS Y5, Y5, Y5 \
	VXORPS Y6, Y6, Y6 \
	VXORPS Y7, Y7, Y7 \
	VXORPS Y8, Y8, Y8 \
	VXORPS Y9, Y9, Y9 \
	VXORPS Y10, Y10, Y10 \
	VXORPS Y11, Y11, Y11 \
	VXORPS Y12, Y12, Y12 \
	VXORPS Y13, Y13, Y13 \
	VXORPS Y14, Y14, Y14 \
	VXORPS Y15, Y15, Y15 \
loop: \
	VMOVUPS (DI), Y0 \
	VMOVUPS 32(DI), Y1 \
	BROADCAST (0*BYTES)(SI), Y2 \
	BROADCAST (1*BYTES)(SI), Y3 \
	FMA Y0, Y2, Y4 \
	FMA Y1, Y2, Y5 \
	FMA Y0, Y3, Y6 \
	FMA Y1, Y3, Y7 \
	BROADCAST (2*BYTES)(SI), Y2 \
	BROADCAST (3*BYTES)(SI), Y3 \
	FMA Y0, Y2, Y8 \
	FMA Y1, Y2, Y9 \
	FMA Y0, Y3, Y10 \
	FMA Y1, Y3, Y11 \
	BROADCAST (4*BYTES)(SI), Y2 \
	BROADCAST (5*BYTES)(SI), Y3 \
	FMA Y0, Y2, Y12 \
	FMA Y1, Y2, Y13 \
	FMA Y0, Y3, Y14 \
	FMA Y1, Y3, Y15 \
	ADDQ $(6*BYTES), SI \
	ADDQ $64, DI \
	DECQ CX \
	JNZ  loop \
	ADD (DX), Y4, Y4 \
	ADD 32(DX), Y5, Y5 \
	VMOVUPS Y4, (DX) \
	VMOVUPS Y5, 32(DX) \
	ADDQ R8, DX \
	ADD (DX), Y6, Y6 \
	ADD 32(DX), Y7, Y7 \
	VMOVUPS Y6, (DX) \
	VMOVUPS Y7, 32(DX) \
	ADDQ R8, DX \
	ADD (DX), Y8, Y8 \
	ADD 32(DX), Y9, Y9 \
	VMOVUPS Y8, (DX) \
	VMOVUPS Y9, 32(DX) \
	ADDQ R8, DX \
	ADD (DX), Y10, Y10 \
	ADD 32(DX), Y11, Y11 \
	VMOVUPS Y10, (DX) \
	VMOVUPS Y11, 32(DX) \
	ADDQ R8, DX \
	ADD (DX), Y12, Y12 \
	ADD 32(DX), Y13, Y13 \
	VMOVUPS Y12, (DX) \
	VMOVUPS Y13, 32(DX) \
	ADDQ R8, DX \
	ADD (DX), Y14, Y14 \
	ADD 32(DX), Y15, Y15 \
	VMOVUPS Y14, (DX) \
	VMOVUPS Y15, 32(DX) \
	VZEROUPPER \
	RET

#define BROADCAST VBROADCASTSS
#define FMA VFMADD231PS
#define ADD VADDPS
#define BYTES 4
#define LOG $2

// func tileAVX2(depth int, a, b, c *float32, ldc int)
// c[6][16] += sum over depth of a[6] * b[16]
TEXT ·tileAVX2(SB), NOSPLIT, $0-40
	TILE

#undef BROADCAST
#undef FMA
#undef ADD
#undef BYTES
#undef LOG
#define BROADCAST VBROADCASTSD
#define FMA VFMADD231PD
#define ADD VADDPD
#define BYTES 8
#define LOG $3

// func doubleAVX2(depth int, a, b, c *float64, ldc int)
// c[6][8] += sum over depth of a[6] * b[8]
TEXT ·doubleAVX2(SB), NOSPLIT, $0-40
	TILE
