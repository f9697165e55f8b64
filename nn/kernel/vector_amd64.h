// Bodies of the elementwise routines, for registers of any width: the files that
// include this one define V0 to V7, V14 and V15, and SIZE, the bytes of a register.
//
// All take a count of elements (a multiple of a register's, not 0) in CX and the
// table of constants in AX. A constant is there 16 times, so it is 64 bytes apart.

#define LOW      0(AX)
#define HIGH    64(AX)
#define LOG2E  128(AX)
#define LN2HI  192(AX)
#define LN2LO  256(AX)
#define C7     320(AX)
#define C6     384(AX)
#define C5     448(AX)
#define C4     512(AX)
#define C3     576(AX)
#define C2     640(AX)
#define ONE    704(AX)
#define HALF   768(AX)
#define MHALF  832(AX)
#define ABS    896(AX)
#define SIGN   960(AX)
#define ERFP  1024(AX)
#define A5    1088(AX)
#define A4    1152(AX)
#define A3    1216(AX)
#define A2    1280(AX)
#define A1    1344(AX)
#define DENS  1408(AX)
#define MTWO  1472(AX)

// BOUNDS loads what EXP wants in registers: an operand in memory comes second, and
// MIN and MAX return the second one when either is NaN, which must be x.
#define BOUNDS \
	VMOVUPS LOW, V14 \
	VMOVUPS HIGH, V15

// EXP replaces V0 by its exponential: 2^n times the Taylor series of degree 7 of
// what is left, which is at most ln(2)/2. Uses V1 and V2.
#define EXP \
	VMINPS V0, V15, V0 \
	VMAXPS V0, V14, V0 \
	VMULPS LOG2E, V0, V1 \
	VCVTPS2DQ V1, V1 \
	VCVTDQ2PS V1, V2 \
	VFNMADD231PS LN2HI, V2, V0 \
	VFNMADD231PS LN2LO, V2, V0 \
	VMOVUPS C7, V2 \
	VFMADD213PS C6, V0, V2 \
	VFMADD213PS C5, V0, V2 \
	VFMADD213PS C4, V0, V2 \
	VFMADD213PS C3, V0, V2 \
	VFMADD213PS C2, V0, V2 \
	VFMADD213PS ONE, V0, V2 \
	VFMADD213PS ONE, V0, V2 \
	VPSLLD $23, V1, V1 \
	VPADDD ONE, V1, V1 \
	VMULPS V1, V2, V0

// PHI sets V4 to the normal distribution at V3 and V0 to exp(-x*x/2), by formula
// 7.1.26 of Abramowitz and Stegun, halved. Uses V1, V2 and V5 to V7.
#define PHI \
	VMULPS V3, V3, V0 \
	VMULPS MHALF, V0, V0 \
	EXP \
	VANDPS ABS, V3, V4 \
	VMOVUPS ONE, V5 \
	VMOVUPS V5, V6 \
	VFMADD231PS ERFP, V4, V5 \
	VDIVPS V5, V6, V6 \
	VMOVUPS A5, V7 \
	VFMADD213PS A4, V6, V7 \
	VFMADD213PS A3, V6, V7 \
	VFMADD213PS A2, V6, V7 \
	VFMADD213PS A1, V6, V7 \
	VMULPS V6, V7, V7 \
	VMULPS V0, V7, V7 \
	VMOVUPS HALF, V4 \
	VSUBPS V7, V4, V4 \
	VANDPS SIGN, V3, V5 \
	VORPS V5, V4, V4 \
	VADDPS HALF, V4, V4

// EXPSUM replaces the values at DI by exp(x*V5 - V6) and adds them up in V7.
#define EXPSUM \
	BOUNDS \
	VXORPS V7, V7, V7 \
loop: \
	VMOVUPS (DI), V0 \
	VFMSUB213PS V6, V5, V0 \
	EXP \
	VMOVUPS V0, (DI) \
	VADDPS V0, V7, V7 \
	ADDQ $SIZE, DI \
	SUBQ $(SIZE/4), CX \
	JNZ loop

// GELU sets the values at DI to x*PHI(x) of those at SI.
#define GELU \
	BOUNDS \
loop: \
	VMOVUPS (SI), V3 \
	PHI \
	VMULPS V3, V4, V4 \
	VMOVUPS V4, (DI) \
	ADDQ $SIZE, SI \
	ADDQ $SIZE, DI \
	SUBQ $(SIZE/4), CX \
	JNZ loop

// GELUGRAD sets the values at DI to the derivative of GELU at SI times those at DX.
#define GELUGRAD \
	BOUNDS \
loop: \
	VMOVUPS (SI), V3 \
	PHI \
	VMULPS V3, V0, V0 \
	VFMADD231PS DENS, V0, V4 \
	VMULPS (DX), V4, V4 \
	VMOVUPS V4, (DI) \
	ADDQ $SIZE, SI \
	ADDQ $SIZE, DX \
	ADDQ $SIZE, DI \
	SUBQ $(SIZE/4), CX \
	JNZ loop

// TANH sets the values at DI to sign(x) * (1 - 2/(exp(2*|x|) + 1)) of those at SI.
#define TANH \
	BOUNDS \
loop: \
	VMOVUPS (SI), V3 \
	VANDPS ABS, V3, V0 \
	VADDPS V0, V0, V0 \
	EXP \
	VADDPS ONE, V0, V0 \
	VMOVUPS MTWO, V4 \
	VDIVPS V0, V4, V4 \
	VADDPS ONE, V4, V4 \
	VANDPS SIGN, V3, V5 \
	VORPS V5, V4, V4 \
	VMOVUPS V4, (DI) \
	ADDQ $SIZE, SI \
	ADDQ $SIZE, DI \
	SUBQ $(SIZE/4), CX \
	JNZ loop

// LARGEST sets V0 to the largest of the values at SI, lane by lane.
#define LARGEST \
	VMOVUPS (SI), V0 \
	JMP next \
loop: \
	VMAXPS (SI), V0, V0 \
next: \
	ADDQ $SIZE, SI \
	SUBQ $(SIZE/4), CX \
	JNZ loop

// AXPY adds V5 times the values at SI to those at DI.
#define AXPY \
loop: \
	VMOVUPS (DI), V0 \
	VFMADD231PS (SI), V5, V0 \
	VMOVUPS V0, (DI) \
	ADDQ $SIZE, SI \
	ADDQ $SIZE, DI \
	SUBQ $(SIZE/4), CX \
	JNZ loop

// DOT adds up the products of the values at SI and DI, lane by lane, in V0.
#define DOT \
	VXORPS V0, V0, V0 \
loop: \
	VMOVUPS (SI), V2 \
	VFMADD231PS (DI), V2, V0 \
	ADDQ $SIZE, SI \
	ADDQ $SIZE, DI \
	SUBQ $(SIZE/4), CX \
	JNZ loop

// SUM_OF_256 and MOST_OF_256 bring the lanes of Y0 together in X0.
#define SUM_OF_256 \
	VEXTRACTF128 $1, Y0, X1 \
	VADDPS X1, X0, X0 \
	VPERMILPS $0x4e, X0, X1 \
	VADDPS X1, X0, X0 \
	VPERMILPS $0xb1, X0, X1 \
	VADDSS X1, X0, X0

#define MOST_OF_256 \
	VEXTRACTF128 $1, Y0, X1 \
	VMAXPS X1, X0, X0 \
	VPERMILPS $0x4e, X0, X1 \
	VMAXPS X1, X0, X0 \
	VPERMILPS $0xb1, X0, X1 \
	VMAXSS X1, X0, X0

// The functions themselves, behind their TEXT: each file has its own registers, SUM and MOST.

#define EXP_SUM_FUNC \
	MOVQ table+0(FP), AX \
	MOVQ n+8(FP), CX \
	MOVQ x+16(FP), DI \
	VBROADCASTSS scale+24(FP), V5 \
	VBROADCASTSS shift+28(FP), V6 \
	EXPSUM \
	VMOVUPS V7, V0 \
	SUM \
	VMOVSS X0, ret+32(FP) \
	VZEROUPPER \
	RET

#define GELU_FUNC \
	MOVQ table+0(FP), AX \
	MOVQ n+8(FP), CX \
	MOVQ to+16(FP), DI \
	MOVQ x+24(FP), SI \
	GELU \
	VZEROUPPER \
	RET

#define GELU_GRAD_FUNC \
	MOVQ table+0(FP), AX \
	MOVQ n+8(FP), CX \
	MOVQ to+16(FP), DI \
	MOVQ x+24(FP), SI \
	MOVQ grad+32(FP), DX \
	GELUGRAD \
	VZEROUPPER \
	RET

#define TANH_FUNC \
	MOVQ table+0(FP), AX \
	MOVQ n+8(FP), CX \
	MOVQ to+16(FP), DI \
	MOVQ x+24(FP), SI \
	TANH \
	VZEROUPPER \
	RET

#define LARGEST_FUNC \
	MOVQ n+0(FP), CX \
	MOVQ x+8(FP), SI \
	LARGEST \
	MOST \
	VMOVSS X0, ret+16(FP) \
	VZEROUPPER \
	RET

#define AXPY_FUNC \
	MOVQ n+0(FP), CX \
	MOVQ to+8(FP), DI \
	VBROADCASTSS a+16(FP), V5 \
	MOVQ x+24(FP), SI \
	AXPY \
	VZEROUPPER \
	RET

#define DOT_FUNC \
	MOVQ n+0(FP), CX \
	MOVQ x+8(FP), SI \
	MOVQ y+16(FP), DI \
	DOT \
	SUM \
	VMOVSS X0, ret+24(FP) \
	VZEROUPPER \
	RET
