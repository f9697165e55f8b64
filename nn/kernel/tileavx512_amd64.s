#include "textflag.h"

#define ROW(row, low, high) \
	BROADCAST (row*BYTES)(SI), Z2 \
	FMA Z0, Z2, low \
	FMA Z1, Z2, high

#define STORE(low, high) \
	ADD (DX), low, low \
	ADD 64(DX), high, high \
	VMOVUPS low, (DX) \
	VMOVUPS high, 64(DX) \
	ADDQ R8, DX

// TILE adds to c the sum over depth of 12 rows a times a row b of two registers: 24 sums in Z8 to Z31.
#define TILE \
	MOVQ depth+0(FP), CX \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), DI \
	MOVQ c+24(FP), DX \
	MOVQ ldc+32(FP), R8 \
	SHLQ LOG, R8 \
	VPXORD Z8, Z8, Z8 \
	VPXORD Z9, Z9, Z9 \
	VPXORD Z10, Z10, Z10 \
	VPXORD Z11, Z11, Z11 \
	VPXORD Z12, Z12, Z12 \
	VPXORD Z13, Z13, Z13 \
	VPXORD Z14, Z14, Z14 \
	VPXORD Z15, Z15, Z15 \
	VPXORD Z16, Z16, Z16 \
	VPXORD Z17, Z17, Z17 \
	VPXORD Z18, Z18, Z18 \
	VPXORD Z19, Z19, Z19 \
	VPXORD Z20, Z20, Z20 \
	VPXORD Z21, Z21, Z21 \
	VPXORD Z22, Z22, Z22 \
	VPXORD Z23, Z23, Z23 \
	VPXORD Z24, Z24, Z24 \
	VPXORD Z25, Z25, Z25 \
	VPXORD Z26, Z26, Z26 \
	VPXORD Z27, Z27, Z27 \
	VPXORD Z28, Z28, Z28 \
	VPXORD Z29, Z29, Z29 \
	VPXORD Z30, Z30, Z30 \
	VPXORD Z31, Z31, Z31 \
loop: \
	VMOVUPS (DI), Z0 \
	VMOVUPS 64(DI), Z1 \
	ROW(0, Z8, Z9) \
	ROW(1, Z10, Z11) \
	ROW(2, Z12, Z13) \
	ROW(3, Z14, Z15) \
	ROW(4, Z16, Z17) \
	ROW(5, Z18, Z19) \
	ROW(6, Z20, Z21) \
	ROW(7, Z22, Z23) \
	ROW(8, Z24, Z25) \
	ROW(9, Z26, Z27) \
	ROW(10, Z28, Z29) \
	ROW(11, Z30, Z31) \
	ADDQ $(12*BYTES), SI \
	ADDQ $128, DI \
	DECQ CX \
	JNZ  loop \
	STORE(Z8, Z9) \
	STORE(Z10, Z11) \
	STORE(Z12, Z13) \
	STORE(Z14, Z15) \
	STORE(Z16, Z17) \
	STORE(Z18, Z19) \
	STORE(Z20, Z21) \
	STORE(Z22, Z23) \
	STORE(Z24, Z25) \
	STORE(Z26, Z27) \
	STORE(Z28, Z29) \
	STORE(Z30, Z31) \
	VZEROUPPER \
	RET

#define BROADCAST VBROADCASTSS
#define FMA VFMADD231PS
#define ADD VADDPS
#define BYTES 4
#define LOG $2

// func tileAVX512(depth int, a, b, c *float32, ldc int)
// c[12][32] += sum over depth of a[12] * b[32]
TEXT ·tileAVX512(SB), NOSPLIT, $0-40
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

// func doubleAVX512(depth int, a, b, c *float64, ldc int)
// c[12][16] += sum over depth of a[12] * b[16]
TEXT ·doubleAVX512(SB), NOSPLIT, $0-40
	TILE
