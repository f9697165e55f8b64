package dataset

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wmtune/wmtune/tir/target"
)

func TestContinue(t *testing.T) {
	path := writeLog(t, 3, 4)
	var past []Record
	w, err := OpenWriter(path, WriterOptions{Task: testTask(), Past: func(r Record) { past = append(past, r) }})
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, past, sampleRound(0, 7))
	if w.Records() != 7 || w.number != 3 {
		t.Errorf("%d records in %d rounds, want 7 in 2", w.Records(), w.number-1)
	}
	if err := w.Append(sampleRound(7, 2)); err != nil {
		t.Fatal(err)
	}
	if w.Records() != 9 || w.number != 4 {
		t.Errorf("%d records in %d rounds, want 9 in 3", w.Records(), w.number-1)
	}
	w.Close()
	wantRecords(t, mustRead(t, path), sampleRound(0, 9))
}

// A log that was interrupted and continued has the bytes of one that was not.
func TestContinueSameBytes(t *testing.T) {
	whole, parts := writeLog(t, 3, 4, 5), writeLog(t, 3)
	appendRounds(t, parts, 3, 4)
	appendRounds(t, parts, 7, 5)
	if !bytes.Equal(mustReadFile(t, whole), mustReadFile(t, parts)) {
		t.Error("the bytes differ")
	}
}

// The writer computes the trajectory, whatever the record says.
func TestTrajectoryIsComputed(t *testing.T) {
	path := writeLog(t)
	w, err := OpenWriter(path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := sampleRecord(0)
	r.Trajectory = "nonsense"
	r.Message = "invalid \xff text"
	if err := w.Append([]Record{r}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	got := mustRead(t, path)[0]
	if got.Trajectory != sampleRecord(0).Trajectory || got.Message != "invalid \uFFFD text" {
		t.Errorf("got trajectory %q, message %q", got.Trajectory, got.Message)
	}
}

// A log with a damaged round is continued behind it; the warning comes again,
// since the round lies in the middle now.
func TestContinueDamaged(t *testing.T) {
	path := writeLog(t, 2, 1, 2)
	b, ends := mustReadFile(t, path), frameEnds(t, path)
	b[ends[1]+99] ^= 4
	mustWriteFile(t, path, b)
	w, err := OpenWriter(path, WriterOptions{Task: testTask()})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Warnings()) != 1 || w.Records() != 4 || w.number != 4 {
		t.Errorf("%d records in %d rounds, warnings %v", w.Records(), w.number-1, w.Warnings())
	}
	if err := w.Append(sampleRound(5, 1)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	got, warnings, err := ReadLog(path)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].String(), "round 2 was dropped") {
		t.Errorf("%v, warnings %v", err, warnings)
	}
	wantRecords(t, got, append(sampleRound(0, 2), sampleRound(3, 3)...))
}

// A damaged schema is written anew.
func TestContinueRepairsSchema(t *testing.T) {
	path := writeLog(t, 2, 1)
	whole := mustReadFile(t, path)
	b := append([]byte(nil), whole...)
	b[77] ^= 4
	mustWriteFile(t, path, b)
	w, err := OpenWriter(path, WriterOptions{Task: testTask()})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Warnings()) != 1 {
		t.Errorf("warnings %v", w.Warnings())
	}
	w.Close()
	if !bytes.Equal(mustReadFile(t, path), whole) {
		t.Error("the bytes differ")
	}
}

// A schema that is damaged together with round 1 is not written over: nobody
// knows where it ended.
func TestContinueSchemaAndRoundDamaged(t *testing.T) {
	path := writeLog(t, 2, 1)
	b, ends := mustReadFile(t, path), frameEnds(t, path)
	b[77] ^= 4
	b[ends[0]+5] ^= 4
	mustWriteFile(t, path, b)
	appendRounds(t, path, 3, 1)
	got, warnings, err := ReadLog(path)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].String(), "the schema and round 1 were dropped") {
		t.Errorf("%v, warnings %v", err, warnings)
	}
	wantRecords(t, got, sampleRound(2, 2))
}

// A log holds one task if it is opened for one.
func TestOtherTask(t *testing.T) {
	path := writeLog(t, 1)
	before := mustReadFile(t, path)
	workload, types, definition, machine, layout := *testTask(), *testTask(), *testTask(), *testTask(), *testTask()
	workload.WorkloadKey, workload.Workload = "other", "softmax:m=8,n=8"
	types.Workload += ",dtype=float16"
	definition.WorkloadKey = "other"
	machine.Target.CPU = "znver5"
	layout.Layout = target.Keep
	for _, c := range []struct {
		task Task
		want string
	}{
		{workload, "it holds the workload matmul:m=64,n=64,k=64, not softmax:m=8,n=8; choose another log file"},
		{types, "not matmul:m=64,n=64,k=64,dtype=float16; choose another log file"},
		{definition, `as another wmtune defined it (key ["0123456789abcdef", [64, 64], [64, 64], [64, 64]], not other)`},
		{machine, `it was measured on "llvm -mcpu=generic -mattr=avx2,fma -cores=2", and this target is "llvm -mcpu=znver5`},
		{layout, "it was searched with --layout rewrite, not keep; choose another log file, or that layout"},
	} {
		_, err := OpenWriter(path, WriterOptions{Task: &c.task})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if !bytes.Equal(mustReadFile(t, path), before) {
		t.Error("the log was changed")
	}
	w, err := OpenWriter(path, WriterOptions{Task: testTask()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := sampleRecord(1)
	r.WorkloadKey = "other"
	if err := w.Append([]Record{r}); err == nil {
		t.Error("a record of another task was appended")
	}
}

// Without a task, a log takes any.
func TestManyTasks(t *testing.T) {
	path := writeLog(t, 1)
	w, err := OpenWriter(path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := sampleRecord(1)
	r.WorkloadKey, r.Workload = "other", "softmax:m=8,n=8"
	r.Trajectory = TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps)
	if err := w.Append([]Record{r}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	wantRecords(t, mustRead(t, path), []Record{sampleRecord(0), r})
}

// A log that vanishes while it is written to is an error, not a silent loss.
func TestRemovedLog(t *testing.T) {
	for name, do := range map[string]func(path string) error{
		"removed":  os.Remove,
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o666)) },
	} {
		path := writeLog(t, 1)
		w, err := OpenWriter(path, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := do(path); err != nil {
			t.Fatal(err)
		}
		if err := w.Append(sampleRound(1, 1)); err == nil || !strings.Contains(err.Error(), "removed or replaced") {
			t.Errorf("%s: %v", name, err)
		}
		w.Close()
	}
}

func TestOpenWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	mustWriteFile(t, filepath.Join(dir, "file"), nil)
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "none", "x.arrow"), "no such file or directory; make the directory first"},
		{dir, "is a directory"},
		{filepath.Join(dir, "file", "x.arrow"), "not a directory"},
		{os.DevNull, "it is a device, not a regular file"},
	} {
		_, err := OpenWriter(c.path, WriterOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A failing file is a log in memory whose next calls fail as told.
type failingFile struct {
	b     []byte
	room  int // bytes that the file can have
	sync  error
	trunc error
}

func (f *failingFile) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(f.b).ReadAt(p, at)
}

func (f *failingFile) WriteAt(p []byte, at int64) (int, error) {
	n := min(len(p), max(0, f.room-int(at)))
	f.b = append(f.b[:at], p[:n]...)
	if n < len(p) {
		return n, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	return n, nil
}

func (f *failingFile) Truncate(size int64) error {
	if f.trunc == nil {
		f.b = f.b[:size]
	}
	return f.trunc
}

func (f *failingFile) Sync() error  { return f.sync }
func (f *failingFile) Close() error { return nil }

// When the disk fills up at any byte of a round, the log keeps all whole rounds
// and goes on once there is room.
func TestDiskFull(t *testing.T) {
	whole := mustReadFile(t, writeLog(t, 2, 1))
	step := 1
	if testing.Short() {
		step = 23
	}
	kept := mustReadFile(t, writeLog(t, 2))
	for room := len(kept); room < len(whole); room += step {
		f := &failingFile{b: append([]byte(nil), kept...), room: room}
		w, err := newWriter("x", f, int64(len(f.b)), WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Append(sampleRound(2, 1))
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "write round 2: no space left on device; free some space") {
			t.Fatalf("room %d: %v", room, err)
		}
		if !bytes.Equal(f.b, kept) {
			t.Fatalf("room %d: the log is not what it was", room)
		}
		f.room = len(whole)
		if err := w.Append(sampleRound(2, 1)); err != nil || !bytes.Equal(f.b, whole) {
			t.Fatalf("room %d: then with room: %v", room, err)
		}
	}
}

// If not even cutting off works, the log is still read, and continued.
func TestDiskFullAndNoCut(t *testing.T) {
	kept := mustReadFile(t, writeLog(t, 2))
	f := &failingFile{b: append([]byte(nil), kept...), room: len(kept) + 50, trunc: io.ErrClosedPipe}
	w, err := newWriter("x", f, int64(len(f.b)), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(sampleRound(2, 1)); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, io.ErrClosedPipe) {
		t.Fatalf("%v", err)
	}
	f.trunc = nil
	w, err = newWriter("x", f, int64(len(f.b)), WriterOptions{})
	if err != nil || len(w.Warnings()) != 1 || !bytes.Equal(f.b, kept) {
		t.Errorf("%v, warnings %v", err, w.Warnings())
	}
}

// A disk that cannot keep what was written is an error of that round.
func TestSyncFails(t *testing.T) {
	kept := mustReadFile(t, writeLog(t, 2))
	f := &failingFile{b: append([]byte(nil), kept...), room: 1 << 20, sync: syscall.EIO}
	w, err := newWriter("x", f, int64(len(f.b)), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(sampleRound(2, 1)); !errors.Is(err, syscall.EIO) || w.Records() != 2 {
		t.Errorf("%v, %d records", err, w.Records())
	}
	if !bytes.Equal(f.b, kept) {
		t.Error("the log is not what it was")
	}
}
