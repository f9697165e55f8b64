package run

import (
	"context"
	_ "embed" // kernels
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Facts are what this machine can do, measured.
type Facts struct {
	Threads   int     // that "all" figures use
	CoreFLOPS float64 // float32 operations per second of one core, in registers; a fused multiply-add is two
	AllFLOPS  float64 // of all threads together
	Copy      float64 // bytes per second read and written by a copy of a large array, all threads
	Triad     float64 // the same for a[i] = b[i] + s*c[i] (McCalpin's STREAM; no write-allocation counted)
	Cached    float64 // as Triad, of arrays that fit into caches
	Exchange  float64 // bytes per second that threads read of what others have just written; 0 for one thread
	Noise     Noise
}

// Busy reports whether other programs disturbed the measurement: half of the calls took a quarter longer than the
// fastest.
func (n Noise) Busy() bool { return n.Median > 0.25 }

// Noise says how much longer calls of one kernel take than its fastest: 0.1 is
// a tenth longer. The kernel streams through a few megabytes, as a neighbour's use of
// the shared caches disturbs memory, but not arithmetic.
type Noise struct {
	Median, P95 float64
	Samples     int
}

// A Compiler turns LLVM IR text into an object for this machine.
type Compiler func(ctx context.Context, ir string) ([]byte, error)

// MeasureMachine measures the machine with kernels that compile compiles; vectors are
// so many bytes wide. It takes a few seconds and 400 MB. Of the configuration it
// uses Command, Cores and Timeout.
func MeasureMachine(
	ctx context.Context, cfg Config, runtimeObject []byte, vectorBytes int, compile Compiler,
) (Facts, error) {
	cfg = cfg.withDefaults()
	if len(cfg.Command) == 0 {
		return Facts{}, errors.New("run: no command to start a worker with")
	}
	cores := cfg.Cores
	if len(cores) == 0 {
		var err error
		if cores, err = UsableCores(); err != nil {
			return Facts{}, err
		}
	}
	m := &machine{cfg: cfg, cores: cores, runtime: runtimeObject, compile: compile, lanes: max(vectorBytes/4, 1)}
	f := Facts{Threads: len(cores)}
	for _, b := range []struct {
		to    *float64
		bench benchmark
	}{
		{&f.CoreFLOPS, m.arithmetic(1)},
		{&f.AllFLOPS, m.arithmetic(len(cores))},
		{&f.Copy, m.stream(streamCopy, largeArray)},
		{&f.Triad, m.stream(streamTriad, largeArray)},
		{&f.Cached, m.stream(streamTriad, smallArray)},
		{&f.Exchange, m.exchange()},
	} {
		if b.to == &f.Exchange && len(cores) < 2 {
			continue
		}
		samples, err := m.time(ctx, b.bench)
		if err != nil {
			return Facts{}, err
		}
		*b.to = b.bench.work / slices.Min(samples)
	}
	samples, err := m.time(ctx, m.noise())
	if err != nil {
		return Facts{}, err
	}
	f.Noise = noiseOf(samples)
	return f, nil
}

// noiseOf relates samples to the smallest.
func noiseOf(samples []float64) Noise {
	s := slices.Sorted(slices.Values(samples))
	return Noise{Median: s[len(s)/2]/s[0] - 1, P95: s[len(s)*95/100]/s[0] - 1, Samples: len(s)}
}

// A benchmark is a kernel and what one call of it does.
type benchmark struct {
	ir      string
	buffers []int64
	cores   int
	work    float64 // floating-point operations, or bytes
	calls   int
	rounds  int
}

const (
	arithmeticIterations = 1 << 17
	accumulators         = 12               // enough to hide the latency of two units, few enough for 16 registers
	largeArray           = int64(128) << 20 // bytes: larger than most last-level caches
	smallArray           = int64(768) << 10 // bytes: three of them leave a second-level cache
	exchanged            = 256 << 10        // bytes
	noisePause           = 60 * time.Millisecond
)

type machine struct {
	cfg     Config
	cores   []int
	runtime []byte
	compile Compiler
	lanes   int
}

// time runs a benchmark in a worker of its own.
func (m *machine) time(ctx context.Context, b benchmark) ([]float64, error) {
	object, err := m.compile(ctx, b.ir)
	if err != nil {
		return nil, fmt.Errorf("run: measuring the machine: %w", err)
	}
	p, err := startIdle(ctx, hostKind, m.cfg.Command)
	if err != nil {
		return nil, err
	}
	defer p.kill()
	order := &benchOrder{Symbol: "wmtune_kernel", Buffers: b.buffers, Cores: m.cores[:b.cores]}
	order.Calls, order.MinSample = b.calls, 100e-6
	var samples []float64
	for round := range b.rounds {
		if round > 0 {
			if err := sleep(ctx, noisePause); err != nil {
				return nil, err
			}
		}
		ans, err := p.ask(ctx, &request{Kind: "bench", Bench: order}, limits{m.cfg.Timeout, 10 * m.cfg.Timeout},
			m.runtime, object)
		if err != nil {
			return nil, fmt.Errorf("run: measuring the machine: %w", err)
		}
		if ans.Error != "" {
			return nil, fmt.Errorf("run: measuring the machine: %s", ans.Error)
		}
		samples = append(samples, ans.Samples...)
	}
	return samples, nil
}

// The kernels that measure a machine, as LLVM IR with places for numbers.
var (
	//go:embed kernels/exchange.ll
	exchangeIR string
	//go:embed kernels/stream.ll
	streamIR string
)

// parallel is a kernel that runs @body over n iterations on the pool.
const parallel = `
declare void @wmtune_parallel_for(ptr, ptr, i64)
define void @wmtune_kernel(ptr %%args) {
  call void @wmtune_parallel_for(ptr @body, ptr %%args, i64 %d)
  ret void
}
`

// exchange is a kernel of two loops over arrays that fit into caches. Each reads the other's result from the far end,
// so that of two threads each has what the other one wrote.
func (m *machine) exchange() benchmark {
	const n = exchanged / 64
	ir := strings.NewReplacer("@N@", fmt.Sprint(n), "@LAST@", fmt.Sprint(n-1)).Replace(exchangeIR)
	return benchmark{ir: ir, buffers: []int64{exchanged, exchanged}, cores: len(m.cores),
		work: 2 * exchanged, calls: 20, rounds: 3}
}

// arithmetic is a loop of fused multiply-adds on registers, one per thread.
func (m *machine) arithmetic(threads int) benchmark {
	var b strings.Builder
	v := fmt.Sprintf("<%d x float>", m.lanes)
	fmt.Fprintf(&b, "declare %s @llvm.fmuladd.v%df32(%s, %s, %s)\n", v, m.lanes, v, v, v)
	fmt.Fprintf(&b, parallel, threads)
	fmt.Fprintf(&b, "define internal void @body(ptr %%args, i64 %%lo, i64 %%hi) \"prefer-vector-width\"=\"512\" "+
		"\"min-legal-vector-width\"=\"512\" {\nentry:\n")
	fmt.Fprintf(&b, "  %%out = load ptr, ptr %%args\n  %%p = getelementptr i8, ptr %%out, i64 0\n")
	fmt.Fprintf(&b, "  %%x = load %s, ptr %%p, align 4\n  br label %%loop\nloop:\n", v)
	fmt.Fprintf(&b, "  %%i = phi i64 [ 0, %%entry ], [ %%next, %%loop ]\n")
	for a := range accumulators {
		fmt.Fprintf(&b, "  %%a%d = phi %s [ zeroinitializer, %%entry ], [ %%b%d, %%loop ]\n", a, v, a)
	}
	for a := range accumulators {
		fmt.Fprintf(&b, "  %%b%d = call %s @llvm.fmuladd.v%df32(%s %%x, %s %%x, %s %%a%d)\n", a, v, m.lanes, v, v, v, a)
	}
	fmt.Fprintf(&b, "  %%next = add nuw nsw i64 %%i, 1\n  %%more = icmp ult i64 %%next, %d\n  br i1 %%more, label "+
		"%%loop, label %%out1\nout1:\n", arithmeticIterations)
	sum := "%b0"
	for a := 1; a < accumulators; a++ {
		fmt.Fprintf(&b, "  %%s%d = fadd %s %s, %%b%d\n", a, v, sum, a)
		sum = fmt.Sprintf("%%s%d", a)
	}
	// Each thread has 256 bytes of the result to itself.
	fmt.Fprintf(&b, "  %%at = mul i64 %%lo, 256\n  %%q = getelementptr i8, ptr %%out, i64 %%at\n  store %s %s, ptr "+
		"%%q, align 4\n  ret void\n}\n", v, sum)
	flops := 2 * float64(m.lanes) * accumulators * arithmeticIterations * float64(threads)
	return benchmark{ir: b.String(), buffers: []int64{int64(threads+1) * 256}, cores: threads, work: flops,
		calls: 20, rounds: 3}
}

// The kernels that stream through memory.
const (
	streamCopy = `  %r = load <16 x float>, ptr %pb, align 64
`
	streamTriad = `  %b = load <16 x float>, ptr %pb, align 64
  %c = load <16 x float>, ptr %pc, align 64
  %t = fmul contract <16 x float> %c, %scale
  %r = fadd contract <16 x float> %b, %t
`
)

// stream is a kernel that goes through arrays of so many bytes, all threads
// taking a part.
func (m *machine) stream(body string, size int64) benchmark {
	n := size / 64
	ir := fmt.Sprintf(parallel, n) + strings.Replace(streamIR, "@BODY@\n", body, 1)
	arrays, buffers := 3.0, []int64{size, size, size}
	if body == streamCopy {
		arrays, buffers[2] = 2, 64
	}
	return benchmark{ir: ir, buffers: buffers, cores: len(m.cores), work: arrays * float64(size),
		calls: 10, rounds: 1}
}

// noise is a kernel for telling how quiet the machine is, called often over more
// than a second, on one core.
func (m *machine) noise() benchmark {
	b := m.stream(streamTriad, smallArray)
	b.cores, b.calls, b.rounds = 1, 10, 25
	return b
}
