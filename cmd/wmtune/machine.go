package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/wmtune/wmtune/codegen/machine"
)

// The environment variables with the paths of libraries; without them the usual names
// are tried.
const (
	llvmVariable    = "WMTUNE_LLVM"
	nvrtcVariable   = "WMTUNE_NVRTC" // or its folder
	cudaVariable    = "WMTUNE_CUDA"
	xgboostVariable = "WMTUNE_XGBOOST"
	armVariable     = "WMTUNE_ARM64" // wmtune for linux/arm64

	// emulatorVariable is a command that runs this program where Linux cannot start it, such as "qemu-aarch64 -L ROOT".
	emulatorVariable = "WMTUNE_EMULATOR"
)

// machineOptions are those of a machine with that many build workers; 0 means one per
// core.
func machineOptions(workers int) machine.Options {
	return machine.Options{Workers: workers, Arm64: os.Getenv(armVariable),
		Emulator: strings.Fields(os.Getenv(emulatorVariable)), Libraries: machine.Libraries{
			LLVM: os.Getenv(llvmVariable), NVRTC: os.Getenv(nvrtcVariable), CUDA: os.Getenv(cudaVariable),
			XGBoost: os.Getenv(xgboostVariable),
		}}
}

// runWorker is the hidden verb that the workers of this program are started with.
func runWorker(args []string, in io.Reader, out, stderr io.Writer) int {
	if err := machine.Worker(args, in, out); err != nil {
		fmt.Fprintln(stderr, "wmtune:", err)
		if len(args) == 0 {
			return exitUsage
		}
		return exitFailed
	}
	return exitOK
}
