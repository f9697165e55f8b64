package machine

import (
	"fmt"
	"io"
	"os"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/codegen/worker"
)

// WorkerMain does the work of a worker process and exits, if this process was started
// as one; else it returns at once. A program that opens machines calls it first in main,
// or names a WorkerCommand in Options: workers are this program, started again.
func WorkerMain() {
	if worker.Kind() == "" || len(os.Args) < 3 || os.Args[1] != "worker" {
		return
	}
	if err := Worker(os.Args[2:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Worker does the work of a kind of worker: build compiles LLVM IR, nvrtc compiles CUDA C, run runs candidates,
// bundle runs whole models, gpu candidates of a GPU by the driver that the second argument names.
func Worker(args []string, in io.Reader, out io.Writer) error {
	args = append(args, "", "")
	switch args[0] {
	case "build":
		return build.Worker(in, out)
	case "nvrtc":
		return nvrtc.Worker(in, out)
	case model.WorkerKind:
		return model.Worker(in, out)
	case "run":
		return run.Worker(in, out)
	case "gpu":
		return run.GPUWorker(in, out, args[1])
	}
	return fmt.Errorf("worker %q: worker processes are started by the tuner itself", args[0])
}
