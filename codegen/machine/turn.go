package machine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/driver"
)

// turnPoll is how often a process asks whether the GPU is its own. A batch takes a second; one whose programs
// do not return, as long as their time limits allow.
const turnPoll = 2 * time.Millisecond

// A turn is a file that processes of one user lock while they time on a GPU: kernels of two
// processes share it in slices of time, and neither's times are its own. Without the file, such
// as where the folder cannot be written, nobody waits.
type turn struct{ path string }

// turnOf returns the turn at a GPU, which may have another number in another process.
func turnOf(d driver.Device) turn {
	return turn{filepath.Join(os.TempDir(), fmt.Sprintf("wmtune-%d-gpu-%s.lock", os.Getuid(), d.Bus))}
}

// take waits until no other process has the turn, and returns what gives it back. Who has to wait is told
// so, once. The error is the context's. A process that dies gives it back.
func (t turn) take(ctx context.Context, wait func()) (release func(), err error) {
	f, err := os.OpenFile(t.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return func() {}, nil
	}
	for waiting := false; ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if err != unix.EWOULDBLOCK && err != unix.EINTR {
			f.Close()
			return func() {}, nil
		}
		if !waiting {
			waiting = true
			wait()
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(turnPoll):
		}
	}
}
