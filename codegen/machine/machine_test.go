package machine

import (
	"os"
	"testing"
)

// TestMain lets the test binary be a worker.
func TestMain(m *testing.M) {
	WorkerMain()
	os.Exit(m.Run())
}

// testOptions are those of a machine whose libraries the environment names.
func testOptions(workers int) Options {
	return Options{Workers: workers, Libraries: Libraries{
		LLVM: os.Getenv("WMTUNE_LLVM"), NVRTC: os.Getenv("WMTUNE_NVRTC"), CUDA: os.Getenv("WMTUNE_CUDA"),
	}}
}
