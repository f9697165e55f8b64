package nvrtc_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/driver/drivertest"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/nvrtc/nvrtctest"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
)

// TestMain makes the test binary a worker when it is started as one: one that
// compiles, or one that does as bad ones do.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "worker" && os.Args[2] != "nvrtc" {
		os.Exit(bad(os.Args[2]))
	}
	os.Exit(nvrtctest.Main(m))
}

// bad is a worker that goes wrong in the way told when it gets a source, or before its
// greeting.
func bad(how string) int {
	if os.Getenv("NVRTC_TEST_GONE") != "" {
		how = "early"
	}
	switch how {
	case "early":
		fmt.Fprintln(os.Stderr, "last words")
		return 7
	case "other":
		fmt.Println("hello")
		return 0
	}
	type message struct{ Info nvrtc.Info }
	err := worker.Serve(worker.Service{Kind: "nvrtc"}, os.Stdin, os.Stdout, func(_ *message, blobs [][]byte) (any, [][]byte) {
		switch {
		case len(blobs) == 0:
			return message{nvrtc.Info{Major: 12}}, nil
		case how == "hang":
			time.Sleep(time.Minute)
		case how == "killed":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		fmt.Fprintln(os.Stderr, "last words")
		os.Exit(7)
		return nil, nil
	})
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func command(worker string) []string { return []string{os.Args[0], "worker", worker} }

const source = `extern "C" __global__ void __launch_bounds__(128) twice(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[127 - threadIdx.x] * 2.0f;
}
extern "C" __global__ void __launch_bounds__(1) once(float* y) { y[0] = 1.0f; }
`

// TestCompile compiles for each architecture and holds what is said of the
// kernels.
func TestCompile(t *testing.T) {
	c := nvrtctest.Need(t)
	for _, arch := range []string{"sm_75", "sm_80", "sm_86", "sm_90"} {
		out, err := c.Compile(context.Background(), source, nvrtc.Options{Arch: arch, PTX: true})
		if err != nil {
			t.Fatalf("%s: %v", arch, err)
		}
		if len(out.Kernels) != 2 || out.Log != "" {
			t.Fatalf("%s: got %+v and log %q, want two kernels and none", arch, out.Kernels, out.Log)
		}
		if !strings.HasPrefix(string(out.Cubin), "\x7fELF") {
			t.Errorf("%s: the machine code is no ELF file", arch)
		}
		for i, shared := range []int{0, 1024} {
			if u := out.Kernels[i]; u.Registers < 1 || u.Registers > 64 || u.SharedBytes != shared || u.Spills() || u.StackBytes != 0 {
				t.Errorf("%s: got %+v", arch, u)
			}
		}
		if !strings.Contains(string(out.PTX), ".entry twice") {
			t.Errorf("%s: no kernel in the PTX text", arch)
		}
	}
}

// TestSpills: with too few registers, values go to local memory, and are counted.
func TestSpills(t *testing.T) {
	c := nvrtctest.Need(t)
	src := `extern "C" __global__ void __launch_bounds__(1024, 2) many(const float* x, float* y) {
  float a[100];
  #pragma unroll
  for (int i = 0; i < 100; ++i) a[i] = x[i * 32 + threadIdx.x];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 100; ++i) y[i * 32 + threadIdx.x] = a[i] * a[(i + 51) % 100];
}
`
	out, err := c.Compile(context.Background(), src, nvrtc.Options{Arch: "sm_80"})
	if err != nil {
		t.Fatal(err)
	}
	if u := out.Kernels[0]; !u.Spills() || u.StackBytes == 0 || u.Registers > 32 {
		t.Errorf("got %+v, want spills with 32 registers", u)
	}
}

// TestSpillsBesideCalled: a kernel that spills is seen to, though it calls a function that
// does not: pow of doubles is not inlined.
func TestSpillsBesideCalled(t *testing.T) {
	c := nvrtctest.Need(t)
	src := `extern "C" __global__ void __launch_bounds__(1024) many(const double* x, const double* y, double* z) {
  double a[48];
  #pragma unroll
  for (int i = 0; i < 48; ++i) a[i] = pow(x[i * 1024 + threadIdx.x], y[i]);
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 48; ++i) z[i * 1024 + threadIdx.x] = a[i] * a[(i + 25) % 48];
}
`
	out, err := c.Compile(context.Background(), src, nvrtc.Options{Arch: "sm_80", PTX: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out.PTX), "call.uni") {
		t.Fatal("the kernel calls no function: the test proves nothing")
	}
	if u := out.Kernels[0]; !u.Spills() || u.StackBytes == 0 || u.Registers > 64 {
		t.Errorf("got %+v, want spills", u)
	}
}

// TestCompileError: what is wrong with a source is a status.
func TestCompileError(t *testing.T) {
	c := nvrtctest.Need(t)
	for _, test := range []struct{ name, src, arch, want string }{
		{"syntax", "__global__ void f() { int x = }", "sm_75", "expected an expression"},
		{"architecture", source, "sm_1", "sm_1"},
		{"shared memory", `extern "C" __global__ void f(float* y) { __shared__ float s[20000]; s[threadIdx.x] = y[0]; __syncthreads(); y[1] = s[3 + threadIdx.x]; }`, "sm_75", "too much shared"},
		{"nothing", "", "sm_75", "empty"},
	} {
		_, err := c.Compile(context.Background(), test.src, nvrtc.Options{Arch: test.arch})
		var ce *nvrtc.CompileError
		if !errors.As(err, &ce) || ce.Status != measure.BuildError || !strings.Contains(ce.Why, test.want) {
			t.Errorf("%s: got %v, want a build error with %q", test.name, err, test.want)
		}
	}
}

// TestWorkers: a worker that crashes or hangs over a source is a status, and a command
// that is no worker an error.
func TestWorkers(t *testing.T) {
	for _, test := range []struct {
		worker string
		status measure.Status
		want   string
	}{
		{"crash", measure.BuildCrash, "last words (exit status 7)"},
		{"killed", measure.BuildCrash, "SIGKILL"},
		{"hang", measure.BuildTimeout, "did not finish in 500ms"},
	} {
		timeout := time.Minute
		if test.status == measure.BuildTimeout {
			timeout = 500 * time.Millisecond
		}
		c, err := nvrtc.New(context.Background(), nvrtc.Config{Command: command(test.worker), Timeout: timeout})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Compile(context.Background(), source, nvrtc.Options{Arch: "sm_80"})
		var ce *nvrtc.CompileError
		if !errors.As(err, &ce) || ce.Status != test.status || !strings.Contains(ce.Why, test.want) {
			t.Errorf("%s: got %v", test.worker, err)
		}
	}
	for worker, want := range map[string]string{"early": "last words (exit status 7)", "other": `it printed "hello`} {
		_, err := nvrtc.New(context.Background(), nvrtc.Config{Command: command(worker)})
		if err == nil || !strings.Contains(err.Error(), "is not wmtune's nvrtc worker") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", worker, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := nvrtc.New(ctx, nvrtc.Config{Command: command("hang")}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if _, err := nvrtc.New(context.Background(), nvrtc.Config{}); err == nil {
		t.Error("no command: no error")
	}
}

// TestChoice: of several libraries the newest is taken that knows the architecture, and that is not newer than the
// driver. If none is, the error says why of each.
func TestChoice(t *testing.T) {
	dir := drivertest.NVRTCs(t)
	for _, c := range []struct {
		arch   string
		driver int
		major  int
		want   string
	}{
		{"", 0, 13, ""},
		{"sm_86", 0, 13, ""},
		{"sm_70", 0, 12, ""},
		{"sm_86", 13000, 13, ""},
		{"sm_86", 12020, 12, ""},
		{"sm_89", 0, 0, "libnvrtc.so.13 (CUDA 13.9) does not compile for sm_89: nvrtc: error: invalid value for " +
			"--gpu-architecture (-arch); "},
		{"sm_70", 11040, 0, "libnvrtc.so.12 (CUDA 12.9) is newer than the GPU's driver, which is of CUDA 11.4: " +
			"install another"},
	} {
		compiler, err := nvrtc.New(t.Context(),
			nvrtc.Config{Command: command("nvrtc"), Library: dir, Arch: c.arch, Driver: c.driver})
		if c.want != "" {
			if !nvrtc.IsMissing(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, driver %d: %v, want %s", c.arch, c.driver, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if info := compiler.Info(); info.Major != c.major {
			t.Errorf("%s, driver %d: %+v, want CUDA %d", c.arch, c.driver, info, c.major)
		}
		if _, err := compiler.Compile(t.Context(), source, nvrtc.Options{Arch: cmp.Or(c.arch, "sm_86")}); err != nil {
			t.Errorf("%s, driver %d: %v", c.arch, c.driver, err)
		}
	}
}

// TestGone: that no worker starts any more is not held against the source.
func TestGone(t *testing.T) {
	c, err := nvrtc.New(t.Context(), nvrtc.Config{Command: command("hang")})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("NVRTC_TEST_GONE", "1")
	_, err = c.Compile(t.Context(), source, nvrtc.Options{Arch: "sm_80"})
	var ce *nvrtc.CompileError
	if err == nil || errors.As(err, &ce) || !strings.Contains(err.Error(), "is not wmtune's nvrtc worker") {
		t.Errorf("got %v", err)
	}
}

// TestMissing: a compiler that is not there is told from one that fails.
func TestMissing(t *testing.T) {
	for path, want := range map[string]string{"no/such/libnvrtc.so": "loading no/such/libnvrtc.so", t.TempDir(): "no libnvrtc.so in "} {
		_, err := nvrtc.New(context.Background(), nvrtc.Config{Command: command("nvrtc"), Library: path})
		if !nvrtc.IsMissing(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
