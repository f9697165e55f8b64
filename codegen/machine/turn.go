package machine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/driver"
	"github.com/wmtune/wmtune/dataset/file"
)

// turnPoll is how often a process asks whether the GPU is its own. A batch takes a second; one whose programs
// do not return, as long as their time limits allow.
const turnPoll = 2 * time.Millisecond

// A turn is a file that processes of one user lock while they time on a GPU: kernels of two
// processes share it in slices of time, and neither's times are its own. Without the file, such
// as where no folder is the user's alone, nobody waits.
type turn struct{ path string }

// turnOf returns the turn at a GPU, which may have another number in another process. The file is in the user's runtime
// folder, or else in the user's cache: in a folder of all users another one could make it first, and never give it
// back.
func turnOf(d driver.Device) turn {
	dirs := []string{os.Getenv("XDG_RUNTIME_DIR"), fmt.Sprintf("/run/user/%d", os.Geteuid())}
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "wmtune"))
		_ = os.MkdirAll(dirs[2], 0o700) // else nobody waits
	}
	i := slices.IndexFunc(dirs, func(dir string) bool { return filepath.IsAbs(dir) && file.Private(dir) == nil })
	if i < 0 {
		return turn{}
	}
	return turn{filepath.Join(dirs[i], fmt.Sprintf("wmtune-gpu-%s.lock", d.Bus))}
}

// take waits until no other process has the turn, and returns what gives it back. Who has to wait is told
// so, once. The error is the context's. A process that dies gives it back.
func (t turn) take(ctx context.Context, wait func()) (release func(), err error) {
	f, err := os.OpenFile(t.path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return func() {}, nil
	}
	if file.Owned(f) != nil {
		f.Close()
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
