package main

import (
	"fmt"
	"io"
	"os"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/run"
)

// runWorker is the hidden subcommand that other processes of wmtune start:
// 'wmtune worker build' compiles, 'wmtune worker nvrtc' compiles CUDA C, 'wmtune
// worker run' runs candidates, 'wmtune worker gpu' those of a GPU.
func runWorker(args []string, in io.Reader, out, stderr io.Writer) int {
	var err error
	switch {
	case len(args) > 0 && args[0] == "build":
		err = build.Worker(in, out)
	case len(args) > 0 && args[0] == "nvrtc":
		err = nvrtc.Worker(in, out)
	case len(args) > 0 && args[0] == "run":
		err = run.Worker(in, out)
	case len(args) > 0 && args[0] == "gpu":
		err = run.GPUWorker(in, out, os.Getenv(cudaVariable))
	default:
		fmt.Fprintln(stderr, "wmtune: worker processes are started by wmtune itself")
		return exitUsage
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	return exitOK
}
