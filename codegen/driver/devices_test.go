package driver

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/driver/drivertest"
)

// The fake driver asks the environment that its process began with, so each case is a
// process.
func TestDevices(t *testing.T) {
	if lib := os.Getenv("FAKE_CUDA"); lib != "" {
		list, err := Devices(lib)
		t.Logf("says: %+v, %v; none: %v", list, err, errors.Is(err, ErrNone))
		return
	}
	lib := drivertest.Driver(t)
	const same = " Multiprocessors:10 MemoryBytes:1073741824 L2Bytes:1048576 ClockMHz:1500 "
	for fake, want := range map[string]string{
		"count=2": "says: [{Name:Fake 0 Arch:sm_86" + same + "Bus:fa4e:01:00.0} " +
			"{Name:Fake 1 Arch:sm_89" + same + "Bus:fa4e:02:00.0}], <nil>; none: false",
		"count=0":                     "says: [], no GPU is present: the driver finds none; none: true",
		"fail=cuInit:100":             "says: [], no GPU is present: the driver finds none; none: true",
		"fail=cuInit:999":             "says: [], driver: cuInit: CUDA_ERROR_UNKNOWN (unknown error); none: false",
		"fail=cuDeviceGetCount:3":     "says: [], driver: cuDeviceGetCount: code 3; none: false",
		"fail=cuDeviceGetAttribute:1": "says: [], GPU 0: driver: cuDeviceGetAttribute: CUDA_ERROR_INVALID_VALUE (invalid argument); none: false",
		"fail=cuDeviceTotalMem:2":     "says: [], GPU 0: driver: cuDeviceTotalMem: CUDA_ERROR_OUT_OF_MEMORY (out of memory); none: false",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDevices$", "-test.v")
		cmd.Env = append(os.Environ(), "FAKE_GPU="+fake, "FAKE_CUDA="+lib)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s\nwant %s", fake, err, out, want)
		}
	}
	if _, err := Devices(filepath.Join(t.TempDir(), "libcuda.so.1")); !errors.Is(err, ErrNone) {
		t.Errorf("no library: %v", err)
	}
	if _, err := Devices(drivertest.NVRTC(t)); err == nil || errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "is no driver") {
		t.Errorf("another library: %v", err)
	}
}
