package tune_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tune"
)

// Tune a matmul on this machine, write the kernel to a folder, load the shared library
// without cgo and call the kernel. The program calls machine.WorkerMain first in main:
// compilers and candidates run in workers, which are the program, started again.
func ExampleRun() {
	ctx := context.Background()
	m, err := machine.Open(ctx, "llvm", machine.Options{Libraries: machine.Libraries{LLVM: os.Getenv("WMTUNE_LLVM")}})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	w, err := workload.Find("matmul:m=64,n=48,k=32")
	if err != nil {
		log.Fatal(err)
	}
	r, err := tune.Run(ctx, m, w, tune.Options{Trials: 8, Name: "fast_matmul", Observer: tune.Logger(os.Stderr)})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "wmtune-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := r.WriteTo(filepath.Join(dir, "matmul")); err != nil {
		log.Fatal(err)
	}

	library, err := purego.Dlopen(filepath.Join(dir, "matmul", "kernel.so"), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		log.Fatal(err)
	}
	var matmul func(x, y, out *float32) // as kernel.h declares it
	purego.RegisterLibFunc(&matmul, library, "fast_matmul")

	x, y, out := floats(64*32), floats(32*48), floats(64*48)
	for i := range x {
		x[i] = float32(i%7) / 8
	}
	for i := range y {
		y[i] = float32(i%5) / 4
	}
	matmul(&x[0], &y[0], &out[0])
	worst := 0.0
	for i := range 64 {
		for j := range 48 {
			want := 0.0
			for k := range 32 {
				want += float64(x[i*32+k] * y[k*48+j])
			}
			worst = max(worst, math.Abs(want-float64(out[i*48+j])))
		}
	}
	fmt.Printf("%d trials, timed: %v, largest error below 1e-4: %v\n", r.Trials, r.BestUS != nil, worst < 1e-4)
	// Output: 8 trials, timed: true, largest error below 1e-4: true
}

// floats allocates n elements that start at a multiple of 64 bytes, as kernels want them.
func floats(n int) []float32 {
	const align = 64 / 4
	list := make([]float32, n+align)
	for uintptr(unsafe.Pointer(&list[0]))%64 != 0 {
		list = list[1:]
	}
	return list[:n]
}

// A program tells its user's mistakes from failures by their type.
func ExampleOptionError() {
	ctx := context.Background()
	m, err := machine.Open(ctx, "llvm", machine.Options{Libraries: machine.Libraries{LLVM: os.Getenv("WMTUNE_LLVM")}})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	w, err := workload.Find("matmul:m=32,n=32,k=32")
	if err != nil {
		log.Fatal(err)
	}
	_, err = tune.Run(ctx, m, w, tune.Options{Trials: -1})
	var wrong *tune.OptionError
	fmt.Println(errors.As(err, &wrong), err)
	// Output: true tune: a negative number: trials -1, time 0s, patience 0, per round 0, workers 0
}
