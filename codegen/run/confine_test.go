package run

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestConfineBelow: limits of the process itself that are lower than a worker's stay. Raising them is an error where
// a worker may not, and wrong where it may.
func TestConfineBelow(t *testing.T) {
	const most, limit = 64 << 30, 128 << 30
	if os.Getenv("WMTUNE_TEST_CONFINE") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestConfineBelow$")
		cmd.Env = append(cmd.Environ(), "WMTUNE_TEST_CONFINE=1") // limits are for good
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	resources := []int{unix.RLIMIT_DATA, unix.RLIMIT_AS}
	var hard [2]uint64
	for i, resource := range resources {
		var now unix.Rlimit
		if err := unix.Getrlimit(resource, &now); err != nil {
			t.Fatal(err)
		}
		hard[i] = min(most, now.Max) // which every process may set
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: hard[i], Max: hard[i]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := confine(&signature{Limit: limit}); err != nil {
		t.Fatal(err)
	}
	for i, resource := range resources {
		var now unix.Rlimit
		if err := unix.Getrlimit(resource, &now); err != nil || now.Cur != hard[i] || now.Max != hard[i] {
			t.Errorf("resource %d: %+v, want %d: %v", resource, now, hard[i], err)
		}
	}
}
