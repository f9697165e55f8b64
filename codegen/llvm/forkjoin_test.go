package llvm_test

import (
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/tir"
)

// BenchmarkForkJoin times a parallel loop of two iterations that do next to
// nothing: what handing out a job and waiting for it costs. Pauses in which
// the caller works alone are not counted; the pool's thread spins, then sleeps.
func BenchmarkForkJoin(b *testing.B) {
	for _, c := range []struct {
		name  string
		cpus  []int32 // of the pool's threads; the caller's first
		pause time.Duration
	}{
		{"back to back", []int32{0, 1}, 0},
		{"after 100 us", []int32{0, 1}, 100 * time.Microsecond},
		{"after 1 ms", []int32{0, 1}, time.Millisecond},
		{"after 10 ms", []int32{0, 1}, 10 * time.Millisecond},
		{"one processor", []int32{0, 0}, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			if int(c.cpus[1]) >= runtime.NumCPU() {
				b.Skip("needs two processors")
			}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			defer pinTo(b, int(c.cpus[0]))()
			i, out := v("i"), buf("C", tir.F32, 2, 16)
			kernel, init := newExecutor(b).loadWithPool(fn("empty", 1, loop(tir.Parallel, i, 2, set(out, tir.Const(tir.F32, 1), i, n(0))), out))
			purego.SyscallN(init, uintptr(len(c.cpus)), uintptr(unsafe.Pointer(&c.cpus[0])))
			args := [][]byte{alignedBytes(out.Bytes())}
			call(kernel, args)
			var samples []time.Duration
			for b.Loop() {
				for from := time.Now(); time.Since(from) < c.pause; {
				}
				from := time.Now()
				call(kernel, args)
				samples = append(samples, time.Since(from))
			}
			slices.Sort(samples)
			b.ReportMetric(float64(samples[0].Nanoseconds())/1e3, "us-least")
			b.ReportMetric(float64(samples[len(samples)/2].Nanoseconds())/1e3, "us-median")
		})
	}
}

// loadWithPool is load for this machine, and returns wmtune_pool_init as well.
func (x *executor) loadWithPool(f *tir.Func) (kernel, init uintptr) {
	x.t.Helper()
	kernel, _ = x.load(f, x.host(32))
	lib, err := purego.Dlopen(x.library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		x.t.Fatal(err)
	}
	if init, err = purego.Dlsym(lib, "wmtune_pool_init"); err != nil {
		x.t.Fatal(err)
	}
	return kernel, init
}

// pinTo makes the calling thread run on one processor until undo is called.
func pinTo(b *testing.B, cpu int) (undo func()) {
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		b.Fatal(err)
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		b.Fatal(err)
	}
	return func() {
		if err := unix.SchedSetaffinity(0, &before); err != nil {
			b.Fatal(err)
		}
	}
}
