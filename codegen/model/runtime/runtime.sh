#!/bin/sh
# Makes runtime.ll of runtime.c and what it includes, and plans.ll, state.ll and levels.ll of the files of their names.
# The text must be of LLVM 16, the oldest that is read; on Debian, apt-get install clang-16.
set -e
cd "$(dirname "$0")"

# emit NAME TARGET SOURCES...: compiles NAME.c. The first line of what it writes has the hash of its sources.
emit() {
	name=$1 target=$2
	shift 2
	list=$(echo "$*" | sed 's/ /, /g')
	echo "; $(cat "$@" | sha256sum | cut -d ' ' -f 1) of $list; by runtime.sh"
	"${CLANG:-clang-16}" -S -emit-llvm -O2 -std=c11 -Wall -Wextra -Werror -target $target -fPIC \
		-fvisibility=hidden -fno-stack-protector -fno-unroll-loops -fno-vectorize -fno-slp-vectorize \
		-fno-strict-aliasing -fno-ident -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE -o - "$name.c" |
		sed -e '/^; ModuleID/d' -e '/^source_filename/d' -e '/^target /d' -e '/^; Function Attrs/d' -e 's/ *;.*preds = .*//'
}
emit runtime x86_64-linux-gnu pool.h processor.h runtime.c sha256.h >runtime.ll
emit plans x86_64-linux-gnu plans.c >plans.ll
emit levels x86_64-linux-gnu levels.c processor.h >levels.ll

# For aarch64; apt-get install libc6-dev-arm64-cross. What plans.ll and state.ll say is true there, too. The texts are
# kept small.
arm="aarch64-linux-gnu -Os -mno-outline-atomics -isystem aarch64 -isystem /usr/aarch64-linux-gnu/include"
plain() { sed -e 's/, !\(tbaa\|tbaa.struct\|srcloc\|llvm.loop\|range\|noundef\) ![0-9]*//g' -e '/^!/d'; }
emit state "x86_64-linux-gnu -Os" plans.c state.c | plain >state.ll
emit runtime "$arm" aarch64/cpuid.h aarch64/immintrin.h pool.h processor.h runtime.c sha256.h | plain >runtime_aarch64.ll
emit levels "$arm" levels.c processor.h | plain >levels_aarch64.ll
