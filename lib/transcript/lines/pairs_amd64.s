#include "textflag.h"

// func pairsSSE2(text *byte, whole int, first, second uint64, distance *[3]int) int
TEXT ·pairsSSE2(SB), NOSPLIT, $0-48
	MOVQ text+0(FP), DI
	MOVQ whole+8(FP), DX
	MOVQ first+16(FP), X0
	PUNPCKLQDQ X0, X0
	MOVQ second+24(FP), X1
	PUNPCKLQDQ X1, X1
	MOVQ distance+32(FP), AX
	MOVQ 0(AX), R8
	MOVQ 8(AX), R9
	MOVQ 16(AX), R10
	ADDQ DI, R8
	ADDQ DI, R9
	ADDQ DI, R10
	XORQ SI, SI

next:
	MOVOU (DI)(SI*1), X2
	MOVOU (R8)(SI*1), X3
	MOVOU (R9)(SI*1), X4
	MOVOU (R10)(SI*1), X5
	PCMPEQB X0, X2
	PCMPEQB X1, X3
	PCMPEQB X1, X4
	PCMPEQB X1, X5
	POR X4, X3
	POR X5, X3
	PAND X3, X2
	PMOVMSKB X2, AX
	TESTL AX, AX
	JNE  found
	ADDQ $16, SI
	CMPQ SI, DX
	JB   next
	MOVQ DX, ret+40(FP)
	RET

found:
	BSFL AX, AX
	ADDQ AX, SI
	MOVQ SI, ret+40(FP)
	RET
