package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the other process of a test: with the
// argument "worker" it does what the next argument names.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		if err := workers[os.Args[2]](os.Args[3]); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// workers are what the other process can do with a path. They print a line for
// each thing done.
var workers = map[string]func(path string) error{
	"hold":     holdLog,
	"append":   appendForever,
	"fill":     fillDisk,
	"readonly": readOnlyDisk,
}

// holdLog opens a log for writing until its input ends.
func holdLog(path string) error {
	w, err := OpenWriter(path, WriterOptions{})
	if err != nil {
		return err
	}
	defer w.Close()
	fmt.Println("open")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// appendForever appends rounds of three records and prints how many records the
// log holds for sure.
func appendForever(path string) error {
	w, err := OpenWriter(path, WriterOptions{Task: testTask()})
	if err != nil {
		return err
	}
	for {
		if err := w.Append(sampleRound(w.Records(), 3)); err != nil {
			return err
		}
		fmt.Println(w.Records())
	}
}

// mountTemp mounts a file system in memory, seen by this process alone.
func mountTemp(dir string, flags uintptr) error {
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, "size=64k"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	return nil
}

// fillDisk writes a log on a disk of 64 kB until that is full, frees some of it
// and goes on.
func fillDisk(dir string) error {
	if err := mountTemp(dir, 0); err != nil {
		return err
	}
	spare, path := filepath.Join(dir, "spare"), filepath.Join(dir, "test.arrow")
	if err := os.WriteFile(spare, make([]byte, 20<<10), 0o666); err != nil {
		return err
	}
	w, err := OpenWriter(path, WriterOptions{})
	if err != nil {
		return err
	}
	for err == nil {
		err = w.Append(sampleRound(w.Records(), 3))
	}
	fmt.Println(err)
	kept, warnings, err := ReadLog(path)
	if err != nil || len(warnings) > 0 || len(kept) != w.Records() || len(kept) == 0 {
		return fmt.Errorf("%d records, want %d; %v, warnings %v", len(kept), w.Records(), err, warnings)
	}
	if err := os.Remove(spare); err != nil {
		return err
	}
	if err := w.Append(sampleRound(w.Records(), 3)); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

// readOnlyDisk writes a log on a disk that cannot be written.
func readOnlyDisk(dir string) error {
	if err := mountTemp(dir, syscall.MS_RDONLY); err != nil {
		return err
	}
	_, err := OpenWriter(filepath.Join(dir, "test.arrow"), WriterOptions{})
	return err
}

// A worker is another process of this test.
type worker struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// start starts another process. Own means that it has mounts of its own.
func start(t *testing.T, do, path string, own bool) worker {
	t.Helper()
	w := worker{Cmd: exec.Command(os.Args[0], "worker", do, path)}
	if own {
		w.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
	}
	in, err := w.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.in, w.out = in, bufio.NewScanner(out)
	if err := w.Start(); err != nil {
		if own {
			t.Skipf("needs user namespaces: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Process.Kill()
		_ = w.Wait()
	})
	return w
}

// line returns the next line that the process prints.
func (w worker) line() string {
	w.out.Scan()
	return w.out.Text()
}

// A second writer is refused, in this and in another process, until the first
// ends; then, even if it was killed, the log can be continued. Readers are
// never refused.
func TestTwoWriters(t *testing.T) {
	path := writeLog(t, 2)
	refused := func() {
		t.Helper()
		_, err := OpenWriter(path, WriterOptions{})
		if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path+": another search is writing to it; wait") {
			t.Errorf("second writer: %v", err)
		}
	}
	first := start(t, "hold", path, false)
	if got := first.line(); got != "open" {
		t.Fatal(got)
	}
	refused()
	wantRecords(t, mustRead(t, path), sampleRound(0, 2))
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()

	w, err := OpenWriter(path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	refused()
	second := start(t, "hold", path, false)
	if got := second.line(); !strings.HasPrefix(got, "error: log "+path) || !strings.Contains(got, "another search is writing to it") {
		t.Error(got)
	}
	w.Close()
	appendRounds(t, path, 2, 1)
}

// A writer that is killed at random moments loses nothing that Append returned
// from, and the next writer goes on.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.arrow")
	rng := rand.New(rand.NewPCG(9, 9))
	kills := 20
	if testing.Short() {
		kills = 4
	}
	sure := 0
	for range kills {
		w := start(t, "append", path, false)
		for range rng.IntN(6) {
			n, err := strconv.Atoi(w.line())
			if err != nil || n != sure+3 {
				t.Fatalf("after %d records: %d, %v: %s", sure, n, err, w.out.Text())
			}
			sure = n
		}
		time.Sleep(time.Duration(rng.IntN(4000)) * time.Microsecond)
		if err := w.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for w.out.Scan() { // what it did before it was killed
			if n, err := strconv.Atoi(w.out.Text()); err == nil {
				sure = n
			}
		}
		_ = w.Wait()
		got, warnings, err := ReadLog(path)
		if errors.Is(err, os.ErrNotExist) && sure == 0 {
			continue // killed before it began
		}
		if err != nil || len(got) < sure || len(got) > sure+3 || len(warnings) > 1 {
			t.Fatalf("%d records, want %d or one round more; %v, warnings %v", len(got), sure, err, warnings)
		}
		sure = len(got)
		wantRecords(t, got, sampleRound(0, sure))
	}
	if sure == 0 {
		t.Error("no writer wrote anything")
	}
	w, err := OpenWriter(path, WriterOptions{Task: testTask()})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	wantRecords(t, mustRead(t, path), sampleRound(0, sure))
}

// A disk that is full is a sentence, and the log keeps every whole round.
func TestFullDisk(t *testing.T) {
	w := start(t, "fill", t.TempDir(), true)
	first := w.line()
	if strings.HasPrefix(first, "error: mount:") {
		t.Skip("needs to mount a tmpfs: ", first)
	}
	if !strings.Contains(first, "no space left on device; free some space") {
		t.Errorf("got %q", first)
	}
	if last := w.line(); last != "done" {
		t.Errorf("got %q", last)
	}
}

func TestReadOnlyDisk(t *testing.T) {
	w := start(t, "readonly", t.TempDir(), true)
	got := w.line()
	if strings.HasPrefix(got, "error: mount:") {
		t.Skip("needs to mount a tmpfs: ", got)
	}
	if !strings.Contains(got, "test.arrow: cannot be opened for writing: read-only file system; choose a log file that this user may write") {
		t.Errorf("got %q", got)
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere; TestReadOnlyDisk does the same")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	_, err := OpenWriter(filepath.Join(dir, "test.arrow"), WriterOptions{})
	if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), "choose a log file that this user may write") {
		t.Errorf("%v", err)
	}
}
