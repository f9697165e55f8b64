/* There is no cpuid.h on aarch64: the system says what the processor has. */
#pragma once
