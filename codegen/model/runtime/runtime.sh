#!/bin/sh
# Makes runtime.ll of runtime.c and what it includes, plans.ll of plans.c, and levels.ll of levels.c. The text must be of
# LLVM 16, the oldest that is read; on Debian, apt-get install clang-16.
set -e
cd "$(dirname "$0")"

# emit NAME SOURCES...: compiles NAME.c. The first line of NAME.ll has the hash of its sources.
emit() {
	name=$1
	shift
	list=$(echo "$*" | sed 's/ /, /g')
	echo "; $(cat "$@" | sha256sum | cut -d ' ' -f 1) of $list; by runtime.sh"
	"${CLANG:-clang-16}" -S -emit-llvm -O2 -std=c11 -Wall -Wextra -Werror -target x86_64-linux-gnu -fPIC \
		-fvisibility=hidden -fno-stack-protector -fno-unroll-loops -fno-vectorize -fno-slp-vectorize \
		-fno-strict-aliasing -fno-ident -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE -o - "$name.c" |
		sed -e '/^; ModuleID/d' -e '/^source_filename/d' -e '/^target /d' -e '/^; Function Attrs/d' -e 's/ *;.*preds = .*//'
}
emit runtime pool.h processor.h runtime.c sha256.h >runtime.ll
emit plans plans.c >plans.ll
emit levels levels.c processor.h >levels.ll
