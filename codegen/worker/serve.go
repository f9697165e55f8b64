package worker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// greeting is the line that each side sends first. It changes with Version only in its
// number, so that two versions understand each other so far.
func greeting(who, kind string) string { return fmt.Sprintf("wmtune %s %d %s\n", who, Version, kind) }

// A greetingError says what came in place of a greeting.
type greetingError struct {
	text    string
	version int // of a greeting of the other side; 0: it is no greeting
}

func (e *greetingError) Error() string { return e.text }

// maxGreeting bounds the length of a greeting.
const maxGreeting = 80

// readGreeting reads the greeting of the other side. What is none is known at the first
// byte that differs.
func readGreeting(r *bufio.Reader, who, kind string) error {
	start := "wmtune " + who + " "
	var line []byte
	for len(line) < maxGreeting {
		b, err := r.ReadByte()
		if err != nil && len(line) == 0 {
			return err
		}
		if err != nil {
			break
		}
		line = append(line, b)
		if at := len(line) - 1; at < len(start) && b != start[at] {
			break
		}
		if b != '\n' {
			continue
		}
		var version int
		var name string
		if n, _ := fmt.Sscanf(string(line), start+"%d %s\n", &version, &name); n != 2 {
			break
		}
		switch {
		case version != Version:
			text := fmt.Sprintf("its version is %d, but this program's is %d", version, Version)
			return &greetingError{text + ": take both from one release of wmtune", version}
		case name != kind:
			return &greetingError{fmt.Sprintf("it is the %s worker", name), version}
		}
		return nil
	}
	more, _ := r.Peek(min(r.Buffered(), maxGreeting-len(line)))
	return &greetingError{text: fmt.Sprintf("it printed %q", append(line, more...))}
}

// A Service is what a worker process serves.
type Service struct {
	Kind   string
	Memory uint64 // bytes of address space that the process may use; 0 means no limit
	After  func() // if not nil, is called after each answer, while the program is not waiting
}

// Serve answers the requests on in until in ends. A request is decoded into a Q; answer
// returns the answer's header and blobs. What is printed to the standard output goes to
// the standard error, and not among the answers. The process writes no core file.
//
// It stays on one thread, which answer may pin.
func Serve[Q any](
	s Service, in io.Reader, out io.Writer, answer func(request *Q, blobs [][]byte) (any, [][]byte),
) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out, err := privateOutput(out)
	if err == nil {
		err = Limits(map[int]uint64{unix.RLIMIT_CORE: 0})
	}
	if err == nil && s.Memory > 0 {
		err = Limits(map[int]uint64{unix.RLIMIT_AS: s.Memory})
	}
	if err != nil {
		return fmt.Errorf("%s worker: %w", s.Kind, err)
	}
	r := bufio.NewReaderSize(in, 1<<16)
	if _, err := io.WriteString(out, greeting("worker", s.Kind)); err != nil {
		return fmt.Errorf("%s worker: %w", s.Kind, err)
	}
	if err := readGreeting(r, "program", s.Kind); err != nil {
		return fmt.Errorf("%s worker: only wmtune starts worker processes, by its own greeting: %w", s.Kind, err)
	}
	for number := uint64(1); ; number++ {
		q := new(Q)
		blobs, err := readFrame(r, number, q, workerBounds)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s worker: %w", s.Kind, err)
		}
		header, outputs := answer(q, blobs)
		head, err := encodeFrame(number, header, outputs)
		if err == nil {
			err = writeFrame(out, head, outputs)
		}
		if err != nil {
			return fmt.Errorf("%s worker: %w", s.Kind, err)
		}
		if s.After != nil {
			s.After()
		}
	}
}

// Limits lowers limits of this process (RLIMIT_AS and others), never above what it has.
func Limits(values map[int]uint64) error {
	for resource, value := range values {
		var now unix.Rlimit
		err := unix.Getrlimit(resource, &now)
		if err == nil {
			value = min(value, now.Max)
			err = unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
		}
		if err != nil {
			return fmt.Errorf("limiting resources: %w", err)
		}
	}
	return nil
}

// privateOutput moves the standard output elsewhere, if out is it, so that what a library
// or a kernel prints goes to the standard error.
func privateOutput(out io.Writer) (io.Writer, error) {
	f, ok := out.(*os.File)
	if !ok || f.Fd() != uintptr(unix.Stdout) {
		return out, nil
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 10)
	if err == nil {
		err = unix.Dup3(unix.Stderr, unix.Stdout, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("moving the standard output: %w", err)
	}
	return os.NewFile(uintptr(fd), "answers"), nil
}
