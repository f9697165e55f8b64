#!/bin/sh
# Makes runtime.ll of runtime.c and what it includes, and runtime_aarch64.ll. The text must be of LLVM 16, the oldest that
# is read; on Debian, apt-get install clang-16 libc6-dev-arm64-cross.
set -e
cd "$(dirname "$0")"
shared=../../model/runtime
sum=$(cat $shared/pool.h $shared/processor.h runtime.c | sha256sum | cut -d ' ' -f 1)
# emit TARGET
emit() {
	echo "; $sum of pool.h, processor.h, runtime.c; by runtime.sh"
	"${CLANG:-clang-16}" -S -emit-llvm -O2 -std=c11 -Wall -Wextra -Werror -Wno-unused-function -target $1 \
		-fPIC -fvisibility=hidden -fno-stack-protector -fno-unroll-loops -fno-vectorize -fno-slp-vectorize \
		-fno-strict-aliasing -fno-ident -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE -o - runtime.c |
		sed -e '/^; ModuleID/d' -e '/^source_filename/d' -e '/^target datalayout/d' -e '/^; Function Attrs/d' \
			-e 's/ *;.*preds = .*//'
}
emit x86_64-pc-linux-gnu >runtime.ll
emit "aarch64-linux-gnu -Os -mno-outline-atomics -isystem $shared/aarch64 -isystem /usr/aarch64-linux-gnu/include" \
	| sed -e 's/, !\(tbaa\|tbaa.struct\|srcloc\|llvm.loop\|range\|noundef\) ![0-9]*//g' -e '/^!/d' >runtime_aarch64.ll
