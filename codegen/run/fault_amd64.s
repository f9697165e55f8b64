#include "textflag.h"

// onFault is a signal handler, called by the kernel on a thread that may not be
// Go's: DI is the signal, SI its siginfo, DX the context of the interrupted code.
// It may use nothing of the Go run-time. The first fault of the process is noted
// in the status page; then the thread sends itself the signal again, whose
// default action ends the process. Threads that fault meanwhile wait for that, for
// they would end it before all is noted; not for ever, as the first might be stuck.
TEXT ·onFault(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVL DI, R12
	MOVQ ·faultStatus(SB), R8
	TESTQ R8, R8
	JZ   raise
	XORL AX, AX
	LOCK
	CMPXCHGL R12, 16(R8)
	JNE  wait
	MOVL 8(SI), AX           // si_code
	MOVL AX, 20(R8)
	MOVQ 16(SI), AX          // si_addr
	MOVQ AX, 24(R8)
	MOVQ 168(DX), AX         // RIP of the context
	MOVQ AX, 32(R8)
	MOVQ 160(DX), AX         // RSP
	MOVQ AX, 40(R8)
	MOVQ 192(DX), AX         // error code of the page fault
	MOVQ AX, 48(R8)

	// Could the process get 64 MiB more? If not, it fell over a failed
	// allocation.
	MOVQ R8, R13
	MOVQ $0, DI
	MOVQ $(64<<20), SI
	MOVQ $3, DX              // PROT_READ|PROT_WRITE
	MOVQ $0x4022, R10        // MAP_PRIVATE|MAP_ANONYMOUS|MAP_NORESERVE
	MOVQ $-1, R8
	MOVQ $0, R9
	MOVQ $9, AX              // mmap
	SYSCALL
	CMPQ AX, $-12            // ENOMEM
	JNE  raise
	MOVQ $1, 56(R13)
	JMP  raise

wait:
	LEAQ faultPatience<>(SB), DI
	MOVQ $0, SI
	MOVQ $35, AX             // nanosleep
	SYSCALL

raise:
	MOVL R12, DI
	LEAQ defaultAction<>(SB), SI
	MOVQ $0, DX
	MOVQ $8, R10
	MOVQ $13, AX             // rt_sigaction
	SYSCALL
	MOVQ $39, AX             // getpid
	SYSCALL
	MOVQ AX, R13
	MOVQ $186, AX            // gettid
	SYSCALL
	MOVQ R13, DI
	MOVQ AX, SI
	MOVL R12, DX
	MOVQ $234, AX            // tgkill
	SYSCALL
	MOVL R12, DI             // not reached unless the signal is blocked
	ADDL $128, DI
	MOVQ $231, AX            // exit_group
	SYSCALL
	INT  $3

// A struct timespec: a tenth of a second.
DATA faultPatience<>+8(SB)/8, $100000000
GLOBL faultPatience<>(SB), NOPTR|RODATA, $16

// A struct sigaction: SIG_DFL.
GLOBL defaultAction<>(SB), NOPTR|RODATA, $32

// func faultHandler() uintptr
TEXT ·faultHandler(SB), NOSPLIT, $0-8
	LEAQ ·onFault(SB), AX
	MOVQ AX, ret+0(FP)
	RET
