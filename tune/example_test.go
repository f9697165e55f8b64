package tune_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tune"
)

// Tune a matmul on this machine and write its kernel to a folder. The program calls machine.WorkerMain first in main:
// compilers and candidates run in workers, which are the program, started again.
func ExampleRun() {
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
	r, err := tune.Run(ctx, m, w, tune.Options{Trials: 4, Name: "fast_matmul", Observer: tune.Logger(os.Stderr)})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "wmtune-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := r.WriteTo(dir + "/matmul"); err != nil {
		log.Fatal(err)
	}
	_, err = os.Stat(dir + "/matmul/kernel.so")
	fmt.Println(r.Trials, "trials, timed:", r.BestUS != nil, "library:", err == nil)
	// Output: 4 trials, timed: true library: true
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
