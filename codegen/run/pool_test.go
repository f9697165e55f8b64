package run

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/ld"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/codegen/run/link"
)

// poolCode links the run-time and testdata/pool.ll into this process. Cores are as for
// linkBase.
func poolCode(t testing.TB, cores []int) *program {
	t.Helper()
	b := buildtest.NeedLLVM(t, build.Config{})
	text, err := os.ReadFile("testdata/pool.ll")
	if err != nil {
		t.Fatal(err)
	}
	var objects [][]byte
	for _, ir := range []string{llvm.RuntimeIR(), string(text)} {
		object, err := b.Compile(context.Background(), []byte(ir), build.Options{})
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	base, err := linkBase(objects[0], cores)
	if err != nil {
		t.Fatal(err)
	}
	p, err := base.link(objects[1], "counts", nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run calls a function of testdata/pool.ll.
func (p *program) run(t testing.TB, name string, args ...uintptr) {
	t.Helper()
	fn, err := p.image.Symbol(name)
	if err != nil {
		t.Fatal(err)
	}
	call(fn, args...)
}

// pointer returns the address of a slice that the caller has pinned.
func pointer[T any](pin *runtime.Pinner, list []T) uintptr {
	pin.Pin(&list[0])
	return uintptr(unsafe.Pointer(&list[0]))
}

func wantCounts(t *testing.T, counters []int32, want int32) {
	t.Helper()
	for i, c := range counters {
		if c != want {
			t.Fatalf("counter %d is %d, want %d", i, c, want)
		}
	}
}

func TestPoolCoversTheRange(t *testing.T) {
	p := poolCode(t, []int{0, 0, 0, 0, 0}) // five threads, however many processors
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 99, 1000} {
		var pin runtime.Pinner
		counters := make([]int32, 1001)
		p.run(t, "counts", pointer(&pin, counters), uintptr(n), 3)
		wantCounts(t, counters[:n], 3)
		wantCounts(t, counters[n:], 0)
		pin.Unpin()
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	counters := make([]int32, 1)
	minus := -5
	p.run(t, "counts", pointer(&pin, counters), uintptr(minus), 1)
	wantCounts(t, counters, 0)
}

// TestPoolPieces: pieces are contiguous, an eighth of a thread's part at the most, all threads take some, and
// threads run where they were pinned.
func TestPoolPieces(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	last, err := UsableCores()
	if err != nil {
		t.Fatal(err)
	}
	core := last[len(last)-1]
	p := poolCode(t, []int{core, core, core})
	const n = 100 // parts of 34, 33 and 33
	notes := make([][4]int64, n)
	var pin runtime.Pinner
	defer pin.Unpin()
	p.run(t, "notes", pointer(&pin, notes), n)
	threads := map[int64]bool{}
	caller := int64(unix.Gettid())
	for at := int64(0); at < n; {
		lo, hi, cpu, tid := notes[at][0], notes[at][1], notes[at][2], notes[at][3]
		if lo != at || hi <= lo || hi > lo+5 || lo < 34 && hi > 34 || lo < 67 && hi > 67 {
			t.Fatalf("piece [%d, %d) at %d", lo, hi, at)
		}
		if tid != caller && cpu != int64(core) {
			t.Errorf("the piece at %d ran on processor %d, want %d", at, cpu, core)
		}
		threads[tid] = true
		at = hi
	}
	if len(threads) != 3 {
		t.Errorf("%d threads", len(threads))
	}
}

func TestPoolNested(t *testing.T) {
	p := poolCode(t, []int{0, 0, 0})
	counters := make([]int32, 100)
	var pin runtime.Pinner
	defer pin.Unpin()
	p.run(t, "nested", pointer(&pin, counters), 40)
	wantCounts(t, counters, 40)
}

// TestPoolConcurrent: several threads of the process start loops at once.
func TestPoolConcurrent(t *testing.T) {
	p := poolCode(t, []int{0, 0, 0})
	counters := make([]int32, 500)
	var pin runtime.Pinner
	defer pin.Unpin()
	address := pointer(&pin, counters)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { p.run(t, "counts", address, 500, 300) })
	}
	wg.Wait()
	wantCounts(t, counters, 4*300)
}

// TestPoolFork: a child of a process with a pool gets one of its own, also if it
// was made while the pool was at work for another thread.
func TestPoolFork(t *testing.T) {
	p := poolCode(t, []int{0, 0, 0})
	var pin runtime.Pinner
	defer pin.Unpin()
	busy, counters, status := make([]int32, 100), make([]int32, 300), make([]int32, 1)
	address := pointer(&pin, busy)
	pin.Pin(&counters[0])
	pin.Pin(&status[0])
	fork := func(when string) {
		t.Helper()
		for i := range 20 {
			status[0] = -1
			p.run(t, "forked", uintptr(unsafe.Pointer(&counters[0])), 300, uintptr(unsafe.Pointer(&status[0])))
			if status[0] != 0 {
				t.Fatalf("child %d, made while the pool was %s, ended with wait status %#x", i, when, status[0])
			}
		}
	}
	fork("not there yet")
	p.run(t, "counts", address, 100, 1)
	fork("idle")
	stop := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				p.run(t, "counts", address, 100, 100)
			}
		}
	})
	fork("at work")
	close(stop)
	wg.Wait()
	wantCounts(t, counters, 0) // the child's are the child's
}

// TestPoolDefault: without pool_init there is one thread per usable processor.
func TestPoolDefault(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	var objects [][]byte
	text, err := os.ReadFile("testdata/pool.ll")
	if err != nil {
		t.Fatal(err)
	}
	for _, ir := range []string{llvm.RuntimeIR(), string(text)} {
		object, err := b.Compile(context.Background(), []byte(ir), build.Options{})
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	img, err := link.Link(link.Process(), objects...) // also: two objects in one image
	if err != nil {
		t.Fatal(err)
	}
	cores, err := UsableCores()
	if err != nil {
		t.Fatal(err)
	}
	notes := make([][4]int64, 1000)
	var pin runtime.Pinner
	defer pin.Unpin()
	(&program{image: img}).run(t, "notes", pointer(&pin, notes), 1000)
	threads := map[int64]bool{}
	for _, n := range notes {
		if n[1] != 0 {
			threads[n[3]] = true
		}
	}
	if want := min(len(cores), 64); len(threads) != want {
		t.Errorf("%d threads, want %d", len(threads), want)
	}
}

// TestRuntimeSymbols: the run-time defines what the ABI of kernels says, needs
// nothing but the C library, and shows one name to a library's users.
func TestRuntimeSymbols(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	object, err := b.Compile(context.Background(), []byte(llvm.RuntimeIR()), build.Options{})
	if err != nil {
		t.Fatal(err)
	}
	img, err := link.Link(link.Process(), object)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wmtune_parallel_for", "wmtune_alloc", "wmtune_free", "wmtune_pool_init", "wmtune_repeat"} {
		if _, err := img.Symbol(name); err != nil {
			t.Error(err)
		}
	}
	o, err := ld.Read(object)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range o.Symbols {
		if strings.Contains(s.Name, "__tls") {
			t.Errorf("thread-local variables: %s", s.Name)
		}
	}
	buildtest.NeedTool(t, "ld", "apt-get install binutils")
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/r.o", object, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("ld", "-shared", "-o", dir+"/r.so", dir+"/r.o").CombinedOutput(); err != nil {
		t.Errorf("ld: %v\n%s", err, out)
	}
}

// BenchmarkForkJoin is the cost of an empty parallel loop, hot: with a thread on each of two cores, and with more
// threads than cores, where it is what threads without a processor cost. Two busy cores of a Zen 5 processor,
// 2026-11-30, median and fastest of 12: 2 threads 0.2 us and 0.04, 4 0.4 and 0.2, 16 0.8 and 0.4, 64 2.9 and 2.0. What
// it costs 16 threads with a core each cannot be told from that.
func BenchmarkForkJoin(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cores, err := UsableCores()
	if err != nil {
		b.Fatal(err)
	}
	for _, threads := range []int{2, 4, 16, 64} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			var on []int
			for i := range threads {
				on = append(on, cores[i%len(cores)])
			}
			p := poolCode(b, on)
			counters := make([]int32, threads)
			var pin runtime.Pinner
			defer pin.Unpin()
			address := pointer(&pin, counters)
			p.run(b, "counts", address, uintptr(threads), 1)
			b.ResetTimer()
			p.run(b, "counts", address, uintptr(threads), uintptr(b.N))
		})
	}
}

// BenchmarkWake is what an empty parallel loop costs the caller if all other threads sleep. They share one processor,
// which is not the caller's. Same machine, fastest of 6: 2 threads 10 us, 16 34, 64 45. It was 67 us with 16 threads
// and 195 with 64 when the caller woke all of them itself.
func BenchmarkWake(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cores, err := UsableCores()
	if err != nil {
		b.Fatal(err)
	}
	for _, threads := range []int{2, 16, 64} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			var on []int
			for i := range threads {
				on = append(on, cores[min(i, len(cores)-1)])
			}
			p := poolCode(b, on)
			counters := make([]int32, threads)
			var pin runtime.Pinner
			defer pin.Unpin()
			address := pointer(&pin, counters)
			for b.Loop() {
				b.StopTimer()
				time.Sleep(5 * time.Millisecond)
				b.StartTimer()
				p.run(b, "counts", address, uintptr(threads), 1)
			}
		})
	}
}
