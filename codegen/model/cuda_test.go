package model

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var gpu = target.Target{Kind: target.CUDA, Arch: "sm_75"}

// gpuProgram lowers a DAG of tirtest.Named with the steps of a record.
func gpuProgram(t *testing.T, dag, steps string) *tir.Func {
	t.Helper()
	d, err := tirtest.Named(dag)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, list)
	if err != nil {
		t.Fatal(err)
	}
	fn, err := lower.Lower(s, lower.Config{Target: gpu})
	if err != nil {
		t.Fatal(err)
	}
	return fn
}

// TestLauncher compiles a launcher with a driver that prints what it is called
// with, as C and as C++: all kernels are launched in order with what they take, and
// whatever fails, what was loaded and allocated is given back.
func TestLauncher(t *testing.T) {
	fn := gpuProgram(t, "softmax 16 40", `[["SP", 1, 1, 40, [8], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6], ["FU", 2, [0, 1]], ["SP", 2, 0, 640, [32], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 6],
		["SP", 3, 1, 40, [8], 1], ["AN", 3, 0, 5], ["AN", 3, 2, 6], ["FU", 4, [0, 1]], ["SP", 4, 0, 640, [32], 1], ["AN", 4, 0, 5], ["AN", 4, 1, 6]]`)
	files, err := ExportCUDA(fn, gpu, cuda.Emit, KernelOptions{Name: "softmax", Note: "workload: softmax\\\nof a test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files[1:] {
		golden(t, f.Name, f.Data)
	}
	if want := "// workload: softmax\n// of a test\n// main, for cuda -arch=sm_75. Launch, in this order:\n//   max_kernel<<<"; !strings.HasPrefix(string(files[0].Data), want) {
		t.Errorf("kernel.cu begins with %.200s, want %s", files[0].Data, want)
	}
	if strings.Contains(string(files[1].Data), "\\\n") {
		t.Error("a note's line swallows the one after it")
	}
	want := `load image
get max_kernel
get exp_kernel
get sum_kernel
get softmax_kernel
alloc 64
alloc 2560
alloc 64
launch max_kernel 16,1,1 8,1,1 shared 0 stream (nil) extra (nil) first argument 7 second 1000
launch exp_kernel 20,1,1 32,1,1 shared 0 stream (nil) extra (nil) first argument 7 second 1000
launch sum_kernel 16,1,1 8,1,1 shared 0 stream (nil) extra (nil) first argument 1001 second 1002
launch softmax_kernel 20,1,1 32,1,1 shared 0 stream (nil) extra (nil) first argument 8 second 1001
free 1000
free 1001
free 1002
unload
`
	for _, compiler := range [][]string{{"cc", "-x", "c"}, {"g++", "-x", "c++"}} {
		tool := buildtest.NeedTool(t, compiler[0], "on Debian, apt-get install gcc g++")
		binary := filepath.Join(t.TempDir(), "launch")
		args := append(compiler[1:], "-Wall", "-Wextra", "-Werror", "-Itestdata", "-Itestdata/driver", "-o", binary, "testdata/kernel_launch.c", "testdata/driver/driver.c")
		if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, err := exec.Command(binary).CombinedOutput(); err != nil || string(got) != want {
			t.Errorf("%s: %v: got\n%swant\n%s", compiler[0], err, got, want)
		}
		for call, ends := range map[string]string{
			"0": "load image fails\n", "2": "get exp_kernel fails\nunload\n", "6": "alloc 2560 fails\nfree 1000\nunload\n",
			"9": "second 1000 fails\nfree 1000\nfree 1001\nfree 1002\nunload\n",
		} {
			if got, err := exec.Command(binary, call).CombinedOutput(); err == nil || !strings.HasSuffix(string(got), ends) {
				t.Errorf("%s: call %s fails: %v: got\n%swant it to end with\n%s", compiler[0], call, err, got, ends)
			}
		}
	}
}

// TestLauncherNames compiles a launcher whose parameters are called like what it uses, like
// keywords and like macros, as C and as C++.
func TestLauncherNames(t *testing.T) {
	fn := gpuProgram(t, "add 4 4", `[["AN", 2, 0, 5], ["AN", 2, 1, 6]]`)
	var extra []*tir.Buffer
	for word := range strings.FieldsSeq(`program stream image result args memset kernel kernel_program kernel_launch
		cuLaunchKernel CUresult CUdeviceptr CUstream CUmodule CUfunction CUDA_SUCCESS NULL EOF errno stdin linux unix
		restrict class concept co_await requires char8_t typeof _Bool __linux__ x x`) {
		extra = append(extra, &tir.Buffer{Name: word, Type: tir.F32, Shape: []int64{4}})
	}
	fn.Params = append(extra, fn.Params...)
	files, err := ExportCUDA(fn, gpu, cuda.Emit, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tool := buildtest.NeedTool(t, "g++", "on Debian, apt-get install gcc g++")
	for _, language := range []string{"c", "c++"} {
		args := []string{"-x", language, "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-Itestdata/driver", "-fsyntax-only"}
		for _, other := range []string{"stdio.h", "errno.h"} {
			args = append(args, "-include", other)
		}
		if language == "c++" {
			args = append(args, "-std=gnu++20")
		}
		if out, err := exec.Command(tool, append(args, filepath.Join(dir, "kernel_launch.c"))...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", language, err, out)
		}
	}
}

// TestCUDARefused: a name that C does not take, and what Emit refuses.
func TestCUDARefused(t *testing.T) {
	fn := gpuProgram(t, "add 4 4", "[]")
	for name, want := range map[string]string{"2x": `"2x" is not a name`, "a__b": "single _", "a b": "letters"} {
		if _, err := ExportCUDA(fn, gpu, cuda.Emit, KernelOptions{Name: name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := ExportCUDA(fn, target.Generic(32, 2), cuda.Emit, KernelOptions{}); err == nil {
		t.Error("a processor has no CUDA")
	}
}
