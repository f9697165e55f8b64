; The run-time that kernels may call: a parallel loop over a thread pool, and
; memory for temporaries. It is linked beside a kernel by the run worker's
; relocator, or into an exported library by ld. It needs libc only.
;
;   void  wmtune_parallel_for(void (*body)(void *ctx, int64_t lo, int64_t hi), void *ctx, int64_t n)
;   void  wmtune_pool_init(int64_t threads, const int32_t *cpus)
;   void *wmtune_alloc(int64_t bytes)
;   void  wmtune_free(void *block)
;   void  wmtune_repeat(void (*kernel)(void **), void **args, int64_t n)
;
; The text is for x86-64 Linux: it holds the numbers of the futex call and the
; pause instruction. There are no thread-local variables, because the relocator
; has none to offer.
;
; How the pool works. The calling thread is thread 0 and takes the first chunk;
; threads 1 ... T-1 are made by the first parallel loop, or by wmtune_pool_init.
; A job is three words (body, ctx, n); to hand it out, the caller counts up
; `epoch`. A thread that sees the epoch change runs its chunk and counts down
; `pending`; the caller waits for 0. Idle threads spin for about a millisecond,
; because a futex wake costs 50 to 150 us on a virtual machine, then sleep on
; `epoch`. Only one job runs at a time: whoever finds `busy` set - a nested
; loop, or a second calling thread - runs its loop serially.
;
; fork. A child has no threads but its own, so it must not wait for the pool of
; its parent. All state of the pool lies in one page that the kernel zeroes in a
; child (MADV_WIPEONFORK), and a zero page means that no pool was started. Where
; the kernel cannot do that, the page holds the process id, which is compared.

target triple = "x86_64-pc-linux-gnu"

; Fields that different threads write lie in different cache lines.
%Pool = type {
  i32,       ;  0 epoch: jobs handed out so far; idle threads sleep on it
  i32,       ;  1 sleepers: threads that are, or will soon be, asleep on epoch
  [56 x i8], ;  2
  i32,       ;  3 pending: threads that have not finished the job
  [60 x i8], ;  4
  ptr,       ;  5 body of the job
  ptr,       ;  6 ctx of the job
  i64,       ;  7 n of the job
  i64,       ;  8 threads, the caller included
  i32,       ;  9 busy: 1 while a job runs
  i32,       ; 10 starting: 1 from when someone began to make the threads
  i32,       ; 11 ready: 1 when they are made
  i32        ; 12 pid of the process, if the kernel does not wipe the page; else 0
}

@pool = internal global ptr null, align 8

; What wmtune_pool_init asked for. It survives a fork, so that the pool of a
; child is like that of its parent. 0 threads: one per usable processor.
@wanted_threads = internal global i64 0, align 8
@wanted_pinned = internal global i32 0, align 4
@wanted_cpus = internal global [256 x i32] zeroinitializer, align 16

declare i64 @syscall(i64, ...) nounwind
declare ptr @mmap(ptr, i64, i32, i32, i32, i64) nounwind
declare i32 @munmap(ptr, i64) nounwind
declare i32 @madvise(ptr, i64, i32) nounwind
declare i32 @mprotect(ptr, i64, i32) nounwind
declare i32 @getpid() nounwind
declare i32 @pthread_create(ptr, ptr, ptr, ptr) nounwind
declare i32 @pthread_detach(i64) nounwind
declare i32 @pthread_sigmask(i32, ptr, ptr) nounwind
declare i32 @sched_getaffinity(i32, i64, ptr) nounwind
declare i32 @sched_setaffinity(i32, i64, ptr) nounwind
declare i32 @sched_yield() nounwind
declare i32 @clock_gettime(i32, ptr) nounwind
declare ptr @aligned_alloc(i64, i64) nounwind
declare void @free(ptr) nounwind
declare void @abort() noreturn nounwind
declare i32 @dprintf(i32, ptr, ...) nounwind
declare i64 @llvm.ctpop.i64(i64)

; now returns the monotonic clock in nanoseconds.
define internal i64 @now() noinline nounwind {
  %ts = alloca { i64, i64 }, align 8
  call i32 @clock_gettime(i32 1, ptr %ts) ; CLOCK_MONOTONIC
  %sec = load i64, ptr %ts, align 8
  %pnsec = getelementptr { i64, i64 }, ptr %ts, i64 0, i32 1
  %nsec = load i64, ptr %pnsec, align 8
  %ns = mul i64 %sec, 1000000000
  %t = add i64 %ns, %nsec
  ret i64 %t
}

define internal void @pause() alwaysinline nounwind {
  call void asm sideeffect "pause", "~{memory},~{dirflag},~{fpsr},~{flags}"()
  ret void
}

; chunk runs the part of the job that is thread i's: [i*q + min(i,r), ...) with
; q = n / threads and r = n % threads, so that the first r threads take one more.
define internal void @chunk(ptr %body, ptr %ctx, i64 %n, i64 %threads, i64 %i) nounwind {
  %q = udiv i64 %n, %threads
  %r = urem i64 %n, %threads
  %islow = icmp ult i64 %i, %r
  %extra = select i1 %islow, i64 %i, i64 %r
  %base = mul i64 %q, %i
  %lo = add i64 %base, %extra
  %one = zext i1 %islow to i64
  %len = add i64 %q, %one
  %hi = add i64 %lo, %len
  %some = icmp ugt i64 %len, 0
  br i1 %some, label %run, label %done
run:
  call void %body(ptr %ctx, i64 %lo, i64 %hi)
  br label %done
done:
  ret void
}

; worker is the life of thread %arg of the pool.
define internal ptr @worker(ptr %arg) noinline nounwind {
entry:
  %mask = alloca [128 x i8], align 16
  %i = ptrtoint ptr %arg to i64
  %p = load atomic ptr, ptr @pool acquire, align 8
  %pepoch = getelementptr %Pool, ptr %p, i64 0, i32 0
  %psleepers = getelementptr %Pool, ptr %p, i64 0, i32 1
  %ppending = getelementptr %Pool, ptr %p, i64 0, i32 3
  %pbody = getelementptr %Pool, ptr %p, i64 0, i32 5
  %pctx = getelementptr %Pool, ptr %p, i64 0, i32 6
  %pn = getelementptr %Pool, ptr %p, i64 0, i32 7
  %pthreads = getelementptr %Pool, ptr %p, i64 0, i32 8
  %pinned = load i32, ptr @wanted_pinned, align 4
  %pin = icmp ne i32 %pinned, 0
  br i1 %pin, label %setcpu, label %idle

setcpu: ; a failure is no reason not to run
  call void @llvm.memset.p0.i64(ptr align 16 %mask, i8 0, i64 128, i1 false)
  %pcpu = getelementptr [256 x i32], ptr @wanted_cpus, i64 0, i64 %i
  %cpu = load i32, ptr %pcpu, align 4
  %word = lshr i32 %cpu, 6
  %bit = and i32 %cpu, 63
  %bit64 = zext i32 %bit to i64
  %flag = shl i64 1, %bit64
  %word16 = and i32 %word, 15
  %pword = getelementptr i64, ptr %mask, i32 %word16
  store i64 %flag, ptr %pword, align 8
  call i32 @sched_setaffinity(i32 0, i64 128, ptr %mask)
  br label %idle

idle: ; %seen is the last epoch that this thread worked in
  %seen = phi i32 [ 0, %entry ], [ 0, %setcpu ], [ %seen, %slept ], [ %epoch, %work ]
  br label %spin

spin:
  %k = phi i32 [ 1, %idle ], [ %knext, %wait ]
  %since = phi i64 [ 0, %idle ], [ %since2, %wait ]
  %epoch = load atomic i32, ptr %pepoch acquire, align 4
  %called = icmp ne i32 %epoch, %seen
  br i1 %called, label %work, label %nothing

nothing: ; the clock is read every 256th time
  call void @pause()
  %knext = add i32 %k, 1
  %low = and i32 %k, 255
  %look = icmp eq i32 %low, 0
  br i1 %look, label %clock, label %wait

clock:
  %t = call i64 @now()
  %first = icmp eq i64 %since, 0
  %start = select i1 %first, i64 %t, i64 %since
  %spent = sub i64 %t, %start
  %long = icmp ugt i64 %spent, 1000000
  br i1 %long, label %sleep, label %wait

wait:
  %since2 = phi i64 [ %since, %nothing ], [ %start, %clock ]
  br label %spin

sleep: ; the kernel does not let us sleep if the epoch is no longer %seen
  atomicrmw add ptr %psleepers, i32 1 seq_cst
  call i64 (i64, ...) @syscall(i64 202, ptr %pepoch, i32 128, i32 %seen, ptr null, ptr null, i32 0) ; FUTEX_WAIT_PRIVATE
  atomicrmw sub ptr %psleepers, i32 1 seq_cst
  br label %slept

slept:
  br label %idle

work:
  %body = load ptr, ptr %pbody, align 8
  %ctx = load ptr, ptr %pctx, align 8
  %n = load i64, ptr %pn, align 8
  %threads = load i64, ptr %pthreads, align 8
  call void @chunk(ptr %body, ptr %ctx, i64 %n, i64 %threads, i64 %i)
  atomicrmw sub ptr %ppending, i32 1 release
  br label %idle
}

; usable returns the number of processors that the process may use, at most 64.
define internal i64 @usable() noinline nounwind {
entry:
  %mask = alloca [16 x i64], align 16
  call void @llvm.memset.p0.i64(ptr align 16 %mask, i8 0, i64 128, i1 false)
  call i32 @sched_getaffinity(i32 0, i64 128, ptr %mask)
  br label %loop
loop:
  %w = phi i64 [ 0, %entry ], [ %wnext, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum2, %loop ]
  %pw = getelementptr i64, ptr %mask, i64 %w
  %bits = load i64, ptr %pw, align 8
  %count = call i64 @llvm.ctpop.i64(i64 %bits)
  %sum2 = add i64 %sum, %count
  %wnext = add i64 %w, 1
  %more = icmp ult i64 %wnext, 16
  br i1 %more, label %loop, label %out
out:
  %none = icmp eq i64 %sum2, 0 ; the call failed, on more than 1024 processors
  %atleast = select i1 %none, i64 1, i64 %sum2
  %big = icmp ugt i64 %atleast, 64
  %r = select i1 %big, i64 64, i64 %atleast
  ret i64 %r
}

; start makes the threads. If another thread is at it, it returns at once, and
; the caller finds that the pool is not ready.
define internal void @start(ptr %p) noinline nounwind {
entry:
  %tid = alloca i64, align 8
  %blocked = alloca [128 x i8], align 16
  %before = alloca [128 x i8], align 16
  %pstarting = getelementptr %Pool, ptr %p, i64 0, i32 10
  %won = cmpxchg ptr %pstarting, i32 0, i32 1 acq_rel acquire
  %first = extractvalue { i32, i1 } %won, 1
  br i1 %first, label %begin, label %out

begin: ; the threads inherit a signal mask that leaves them only their own faults:
       ; ILL TRAP ABRT BUS FPE SEGV SYS (4 5 6 7 8 11 31) are not in it
  call void @llvm.memset.p0.i64(ptr align 16 %blocked, i8 0, i64 128, i1 false)
  store i64 -1073743097, ptr %blocked, align 16
  call i32 @pthread_sigmask(i32 2, ptr %blocked, ptr %before) ; SIG_SETMASK
  %asked = load i64, ptr @wanted_threads, align 8
  %default = icmp slt i64 %asked, 1
  br i1 %default, label %count, label %make

count:
  %cores = call i64 @usable()
  br label %make

make:
  %target = phi i64 [ %asked, %begin ], [ %cores, %count ]
  br label %loop

loop:
  %i = phi i64 [ 1, %make ], [ %inext, %made ]
  %more = icmp slt i64 %i, %target
  br i1 %more, label %create, label %end

create:
  %arg = inttoptr i64 %i to ptr
  %rc = call i32 @pthread_create(ptr %tid, ptr null, ptr @worker, ptr %arg)
  %ok = icmp eq i32 %rc, 0
  br i1 %ok, label %made, label %end ; no more to be had: work with those there are

made:
  %id = load i64, ptr %tid, align 8
  call i32 @pthread_detach(i64 %id)
  %inext = add i64 %i, 1
  br label %loop

end:
  call i32 @pthread_sigmask(i32 2, ptr %before, ptr null)
  %pthreads = getelementptr %Pool, ptr %p, i64 0, i32 8
  store i64 %i, ptr %pthreads, align 8
  %pready = getelementptr %Pool, ptr %p, i64 0, i32 11
  store atomic i32 1, ptr %pready release, align 4
  br label %out

out:
  ret void
}

; page returns the pool's page of this process, or null if there is no memory.
define internal ptr @page() noinline nounwind {
entry:
  %old = load atomic ptr, ptr @pool acquire, align 8
  %none = icmp eq ptr %old, null
  br i1 %none, label %new, label %known

known:
  %poldpid = getelementptr %Pool, ptr %old, i64 0, i32 12
  %oldpid = load i32, ptr %poldpid, align 4
  %wiped = icmp eq i32 %oldpid, 0
  br i1 %wiped, label %useold, label %compare

compare:
  %pid = call i32 @getpid()
  %same = icmp eq i32 %pid, %oldpid
  br i1 %same, label %useold, label %new

useold:
  ret ptr %old

new:
  %p = call ptr @mmap(ptr null, i64 4096, i32 3, i32 34, i32 -1, i64 0) ; read, write; private, anonymous
  %addr = ptrtoint ptr %p to i64
  %failed = icmp eq i64 %addr, -1
  br i1 %failed, label %nomem, label %have

nomem:
  ret ptr null

have:
  %rc = call i32 @madvise(ptr %p, i64 4096, i32 18) ; MADV_WIPEONFORK
  %wipes = icmp eq i32 %rc, 0
  br i1 %wipes, label %publish, label %setpid

setpid:
  %me = call i32 @getpid()
  %ppid = getelementptr %Pool, ptr %p, i64 0, i32 12
  store i32 %me, ptr %ppid, align 4
  br label %publish

publish:
  %x = cmpxchg ptr @pool, ptr %old, ptr %p acq_rel acquire
  %mine = extractvalue { ptr, i1 } %x, 1
  br i1 %mine, label %useours, label %lost

lost: ; another thread was faster
  call i32 @munmap(ptr %p, i64 4096)
  %theirs = extractvalue { ptr, i1 } %x, 0
  ret ptr %theirs

useours:
  ret ptr %p
}

; wmtune_pool_init starts the pool with so many threads, the caller included (0:
; one per processor that the process may use), and pins thread i, for i from 1,
; to processor cpus[i] unless cpus is null. The calling thread's own affinity is
; left to its owner. Once a pool runs, further calls do nothing.
define void @wmtune_pool_init(i64 %threads, ptr %cpus) nounwind {
entry:
  %p = call ptr @page()
  %none = icmp eq ptr %p, null
  br i1 %none, label %out, label %look

look:
  %pstarting = getelementptr %Pool, ptr %p, i64 0, i32 10
  %started = load atomic i32, ptr %pstarting acquire, align 4
  %isstarted = icmp ne i32 %started, 0
  br i1 %isstarted, label %out, label %set

set:
  %big = icmp sgt i64 %threads, 256
  %capped = select i1 %big, i64 256, i64 %threads
  store i64 %capped, ptr @wanted_threads, align 8
  %nopin = icmp eq ptr %cpus, null
  br i1 %nopin, label %go, label %pin

pin:
  %some = icmp sgt i64 %capped, 0
  br i1 %some, label %copy, label %go

copy:
  %bytes = mul i64 %capped, 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 @wanted_cpus, ptr align 4 %cpus, i64 %bytes, i1 false)
  store i32 1, ptr @wanted_pinned, align 4
  br label %go

go:
  call void @start(ptr %p)
  br label %out

out:
  ret void
}

; wmtune_parallel_for runs body(ctx, lo, hi) over [0, n) in contiguous chunks,
; one per thread, and returns when all are done.
define hidden void @wmtune_parallel_for(ptr %body, ptr %ctx, i64 %n) nounwind {
entry:
  %several = icmp sgt i64 %n, 1
  br i1 %several, label %find, label %few

few:
  %one = icmp eq i64 %n, 1
  br i1 %one, label %serial, label %out

serial:
  call void %body(ptr %ctx, i64 0, i64 %n)
  br label %out

out:
  ret void

find:
  %p = call ptr @page()
  %none = icmp eq ptr %p, null
  br i1 %none, label %serial, label %isready

isready:
  %pready = getelementptr %Pool, ptr %p, i64 0, i32 11
  %ready = load atomic i32, ptr %pready acquire, align 4
  %yes = icmp ne i32 %ready, 0
  br i1 %yes, label %claim, label %begin

begin:
  call void @start(ptr %p)
  %ready2 = load atomic i32, ptr %pready acquire, align 4
  %yes2 = icmp ne i32 %ready2, 0
  br i1 %yes2, label %claim, label %serial

claim:
  %pthreads = getelementptr %Pool, ptr %p, i64 0, i32 8
  %threads = load i64, ptr %pthreads, align 8
  %alone = icmp ult i64 %threads, 2
  br i1 %alone, label %serial, label %take

take:
  %pbusy = getelementptr %Pool, ptr %p, i64 0, i32 9
  %x = cmpxchg ptr %pbusy, i32 0, i32 1 acq_rel acquire
  %mine = extractvalue { i32, i1 } %x, 1
  br i1 %mine, label %hand, label %serial

hand: ; the job is written before the epoch, which the threads read first
  %pepoch = getelementptr %Pool, ptr %p, i64 0, i32 0
  %psleepers = getelementptr %Pool, ptr %p, i64 0, i32 1
  %ppending = getelementptr %Pool, ptr %p, i64 0, i32 3
  %pbody = getelementptr %Pool, ptr %p, i64 0, i32 5
  %pctx = getelementptr %Pool, ptr %p, i64 0, i32 6
  %pn = getelementptr %Pool, ptr %p, i64 0, i32 7
  store ptr %body, ptr %pbody, align 8
  store ptr %ctx, ptr %pctx, align 8
  store i64 %n, ptr %pn, align 8
  %threads32 = trunc i64 %threads to i32
  %others = sub i32 %threads32, 1
  store atomic i32 %others, ptr %ppending monotonic, align 4
  atomicrmw add ptr %pepoch, i32 1 seq_cst
  ; A thread counts itself a sleeper before it asks the kernel to sleep, and the
  ; kernel looks at the epoch: either we see the sleeper, or it sees the epoch.
  %asleep = load atomic i32, ptr %psleepers seq_cst, align 4
  %any = icmp ne i32 %asleep, 0
  br i1 %any, label %wake, label %own

wake:
  call i64 (i64, ...) @syscall(i64 202, ptr %pepoch, i32 129, i32 2147483647, ptr null, ptr null, i32 0) ; FUTEX_WAKE_PRIVATE
  br label %own

own:
  call void @chunk(ptr %body, ptr %ctx, i64 %n, i64 %threads, i64 0)
  br label %await

await:
  %k = phi i32 [ 0, %own ], [ %knext, %again ]
  %left = load atomic i32, ptr %ppending acquire, align 4
  %done = icmp eq i32 %left, 0
  br i1 %done, label %finish, label %still

still: ; where threads share a processor, spinning on would keep the last one from it
  call void @pause()
  %knext = add i32 %k, 1
  %enough = icmp ugt i32 %k, 20000
  br i1 %enough, label %yield, label %again

yield:
  call i32 @sched_yield()
  br label %again

again:
  br label %await

finish:
  store atomic i32 0, ptr %pbusy release, align 4
  ret void
}

; wmtune_alloc returns a block of at least so many bytes, aligned to 64. There is
; no way for a kernel to report failure, so without memory the process ends.
;
; Where wmtune_guard_blocks is not 0 - the run worker sets it while it checks a
; kernel - a block lies between two pages that may not be written, ends at the
; second one, and is filled with bytes 0xff, which are NaN: a kernel that uses a
; temporary before it has written it, or writes past it, is found out. The first
; word of the page before the block is the size of the mapping.
@wmtune_guard_blocks = hidden global i32 0, align 4

define hidden ptr @wmtune_alloc(i64 %bytes) nounwind {
  %up = add i64 %bytes, 63
  %size = and i64 %up, -64
  %zero = icmp eq i64 %size, 0
  %want = select i1 %zero, i64 64, i64 %size
  %guard = load i32, ptr @wmtune_guard_blocks, align 4
  %plain = icmp eq i32 %guard, 0
  br i1 %plain, label %take, label %map

take:
  %block = call ptr @aligned_alloc(i64 64, i64 %want)
  %none = icmp eq ptr %block, null
  br i1 %none, label %fail, label %ok
ok:
  ret ptr %block

map:
  %up2 = add i64 %want, 4095
  %pages = and i64 %up2, -4096
  %total = add i64 %pages, 8192
  %m = call ptr @mmap(ptr null, i64 %total, i32 3, i32 34, i32 -1, i64 0)
  %addr = ptrtoint ptr %m to i64
  %failed = icmp eq i64 %addr, -1
  br i1 %failed, label %fail, label %arm
arm:
  store i64 %total, ptr %m, align 8
  %data = getelementptr i8, ptr %m, i64 4096
  %end = getelementptr i8, ptr %data, i64 %pages
  call void @llvm.memset.p0.i64(ptr align 64 %data, i8 -1, i64 %pages, i1 false)
  call i32 @mprotect(ptr %m, i64 4096, i32 1) ; read only
  call i32 @mprotect(ptr %end, i64 4096, i32 0)
  %minus = sub i64 0, %want
  %start = getelementptr i8, ptr %end, i64 %minus
  ret ptr %start

fail:
  call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @nomem, i64 %bytes)
  call void @abort()
  unreachable
}

@nomem = private unnamed_addr constant [45 x i8] c"wmtune: out of memory: a kernel wants %ld B\0A\00"

define hidden void @wmtune_free(ptr %block) nounwind {
  %guard = load i32, ptr @wmtune_guard_blocks, align 4
  %plain = icmp eq i32 %guard, 0
  %none = icmp eq ptr %block, null
  %simple = or i1 %plain, %none
  br i1 %simple, label %give, label %unmap
give:
  call void @free(ptr %block)
  ret void
unmap:
  %addr = ptrtoint ptr %block to i64
  %page = and i64 %addr, -4096
  %base = sub i64 %page, 4096
  %m = inttoptr i64 %base to ptr
  %total = load i64, ptr %m, align 8
  call i32 @munmap(ptr %m, i64 %total)
  ret void
}

; wmtune_repeat calls a kernel n times; the timer uses it, so that a short kernel
; is not timed together with the way from Go to C.
define hidden void @wmtune_repeat(ptr %kernel, ptr %args, i64 %n) nounwind {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %out
loop:
  %i = phi i64 [ 0, %entry ], [ %inext, %loop ]
  call void %kernel(ptr %args)
  %inext = add i64 %i, 1
  %more = icmp slt i64 %inext, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
