package worker

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What workers have in common that call code which Go did not compile.

// GuardBytes is the size of the forbidden memory on either side of a tensor.
const GuardBytes = 1 << 20

// faults are the signals that wrong code can cause.
var faults = []unix.Signal{unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV,
	unix.SIGSYS}

// A FaultAction is the kernel's struct sigaction: what happens when code faults. The zero value ends the process at
// once, with the signal as its status.
type FaultAction struct {
	Handler, Flags, Restorer uintptr
	Mask                     uint64
}

// OnFault says what happens when foreign code faults, of which Go's own handler knows nothing. The function that it
// returns puts back what was there.
func OnFault(act FaultAction) (restore func(), err error) {
	before := make([]FaultAction, len(faults))
	for i, sig := range faults {
		if err := sigaction(sig, &act, &before[i]); err != nil {
			return nil, err
		}
	}
	return func() {
		for i, sig := range faults {
			if err := sigaction(sig, &before[i], nil); err != nil {
				panic("BUG: " + err.Error())
			}
		}
	}, nil
}

func sigaction(sig unix.Signal, act, old *FaultAction) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(act)),
		uintptr(unsafe.Pointer(old)), 8, 0, 0)
	if errno != 0 {
		return fmt.Errorf("worker: handler of %s: %w", unix.SignalName(sig), errno)
	}
	return nil
}

// Monotonic returns the monotonic clock in nanoseconds; unlike time.Time's reading it means the same in two processes.
func Monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic("BUG: worker: no monotonic clock: " + err.Error())
	}
	return ts.Nano()
}
