package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/dataset"
)

// trials returns the number of records in a log, 0 if it holds none yet.
func trials(t *testing.T, log string) int {
	t.Helper()
	records, _, err := dataset.ReadLog(log)
	if err != nil {
		if os.IsNotExist(err) || strings.Contains(err.Error(), "no such file") || strings.Contains(err.Error(), "empty") {
			return 0
		}
		t.Fatalf("the log does not open: %v", err)
	}
	return len(records)
}

// awaitTrials waits until a log holds so many records.
func awaitTrials(t *testing.T, p *process, log string, n int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); trials(t, log) < n; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %d trials within ten minutes\n%s", n, p.stderr.String())
		}
	}
}

// TestKilledSearch ends searches with SIGKILL at random moments, 20 times. The
// log opens each time, loses no round that was in it before, and the search
// goes on.
func TestKilledSearch(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "tuning.arrow")
	rng := rand.New(rand.NewPCG(1, 20))
	held := 0
	var first time.Duration // until a search has measured a round, lately
	for i := range 20 {
		began := time.Now()
		p := startProcess(t, searchArgsFor(dir, 400)...)
		if i%5 == 0 { // however busy the machine is
			awaitTrials(t, p, log, held+4)
			first = time.Since(began)
		} else {
			time.Sleep(first/4 + time.Duration(rng.Int64N(int64(2*first))))
		}
		p.cmd.Process.Kill()
		p.wait(t)
		now := trials(t, log)
		if now < held || now%4 != 0 {
			t.Fatalf("kill %d: %d trials in the log, %d before", i, now, held)
		}
		held = now
	}
	if held < 8 {
		t.Fatalf("%d trials after 20 searches: none but the first came as far as a round", held)
	}
	code, stdout, stderr := wmtune(t, searchArgsFor(dir, held+4)...)
	if code != 0 || !strings.Contains(stdout, fmt.Sprintf("trials: %d (%d ok), 4 of them now", held+4, held+4)) {
		t.Errorf("after the kills: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestInterruptedSearch: one SIGINT finishes the round and keeps it.
func TestInterruptedSearch(t *testing.T) {
	dir := t.TempDir()
	p := startProcess(t, searchArgsFor(dir, 4000)...)
	awaitTrials(t, p, filepath.Join(dir, "tuning.arrow"), 4)
	p.cmd.Process.Signal(os.Interrupt)
	if code := p.wait(t); code != exitInterrupted || !strings.Contains(p.stdout.String(), "best: ") || !strings.Contains(p.stderr.String(), "again to go on") {
		t.Errorf("exit code %d\n%s%s", code, p.stdout.String(), p.stderr.String())
	}
	if n := trials(t, filepath.Join(dir, "tuning.arrow")); n%4 != 0 {
		t.Errorf("%d trials: the round was not finished", n)
	}
}

// awaitLog waits until a log is there, for a minute at most.
func awaitLog(log string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(log); err == nil {
			return
		}
	}
}

// TestInterruptedEarly: before candidates are measured there is nothing to
// finish, and one SIGINT stops at once.
func TestInterruptedEarly(t *testing.T) {
	dir := t.TempDir()
	p := startProcess(t, "search", "--workload", "matmul:m=2048,n=2048,k=2048", "--scorer", "random", "--out", dir)
	awaitLog(filepath.Join(dir, "tuning.arrow"))
	p.cmd.Process.Signal(os.Interrupt)
	if code := p.wait(t); code != exitInterrupted || p.stdout.Len() != 0 {
		t.Errorf("exit code %d\n%s%s", code, p.stdout.String(), p.stderr.String())
	}
}

// TestInterruptedTwice: the second SIGINT stops at once.
func TestInterruptedTwice(t *testing.T) {
	dir := t.TempDir()
	args := []string{"search", "--workload", "matmul:m=1024,n=1024,k=1024", "--trials", "4000", "--per-round", "64", "--scorer", "random", "--out", dir}
	p := startProcess(t, args...)
	awaitLog(filepath.Join(dir, "tuning.arrow"))
	time.Sleep(time.Second)
	p.cmd.Process.Signal(os.Interrupt)
	time.Sleep(200 * time.Millisecond)
	p.cmd.Process.Signal(os.Interrupt)
	if code := p.wait(t); code != exitInterrupted {
		t.Errorf("exit code %d\n%s%s", code, p.stdout.String(), p.stderr.String())
	}
	trials(t, filepath.Join(dir, "tuning.arrow"))
}

// TestTwoSearches: the second search on one log is refused, and the second into
// one folder.
func TestTwoSearches(t *testing.T) {
	dir := t.TempDir()
	p := startProcess(t, searchArgsFor(dir, 4000)...)
	awaitTrials(t, p, filepath.Join(dir, "tuning.arrow"), 4)
	log := filepath.Join(dir, "tuning.arrow")
	code, _, stderr := wmtune(t, searchArgsFor(t.TempDir(), 4000, "--log", log)...)
	if code != exitFailed || !strings.Contains(stderr, "another") {
		t.Errorf("one log: exit code %d: %s", code, stderr)
	}
	code, _, stderr = wmtune(t, searchArgsFor(dir, 4000, "--log", filepath.Join(t.TempDir(), "other.arrow"))...)
	if code != exitFailed || !strings.Contains(stderr, "--out") {
		t.Errorf("one folder: exit code %d: %s", code, stderr)
	}
}

// TestForeignLog: a log of another task is not continued.
func TestForeignLog(t *testing.T) {
	dir := t.TempDir()
	if code, stdout, stderr := wmtune(t, searchArgsFor(dir, 4)...); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	log := filepath.Join(dir, "tuning.arrow")
	code, _, stderr := wmtune(t, "search", "--workload", "matmul:m=16,n=16,k=16", "--log", log, "--out", t.TempDir())
	if code != exitFailed || !strings.Contains(stderr, smallSpec) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestForeignFolder: the kernel of another workload is not replaced.
func TestForeignFolder(t *testing.T) {
	dir := t.TempDir()
	if code, stdout, stderr := wmtune(t, searchArgsFor(dir, 4)...); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	log := filepath.Join(t.TempDir(), "other.arrow")
	code, _, stderr := wmtune(t, "search", "--workload", "matmul:m=16,n=16,k=16", "--log", log, "--out", dir)
	if code != exitFailed || !strings.Contains(stderr, "choose another with --out") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestDamagedLog: a search goes on behind a flipped bit and a torn end.
func TestDamagedLog(t *testing.T) {
	dir := t.TempDir()
	if code, stdout, stderr := wmtune(t, searchArgsFor(dir, 12)...); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	log := filepath.Join(dir, "tuning.arrow")
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)*3/4] ^= 4
	if err := os.WriteFile(log, data[:len(data)-7], 0o666); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := wmtune(t, searchArgsFor(dir, 12)...)
	if code != 0 || !strings.Contains(stderr, "warning") || !strings.Contains(stdout, "trials: 12 ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestDiskFull: what was measured before the disk was full is kept, and the
// error says what to do.
func TestDiskFull(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=24k"); err != nil {
		t.Skipf("this user cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(disk, unix.MNT_DETACH) })
	log := filepath.Join(disk, "tuning.arrow")
	code, _, stderr := wmtune(t, searchArgsFor(t.TempDir(), 400, "--log", log)...)
	if code != exitFailed || !strings.Contains(stderr, "full") && !strings.Contains(stderr, "space") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if n := trials(t, log); n == 0 || n%4 != 0 {
		t.Errorf("%d trials are left in the log", n)
	}
}

// TestKilledWorkers: killing the workers of a search costs nothing but time.
func TestKilledWorkers(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "tuning.arrow")
	p := startProcess(t, searchArgsFor(dir, 4000)...)
	awaitTrials(t, p, log, 4)
	killed := map[int]bool{}
	for range 6 {
		for _, pid := range buildtest.Children(p.cmd.Process.Pid) {
			if !killed[pid] && syscall.Kill(pid, syscall.SIGKILL) == nil {
				killed[pid] = true
				break
			}
		}
		awaitTrials(t, p, log, trials(t, log)+4)
	}
	p.cmd.Process.Signal(os.Interrupt)
	if code := p.wait(t); code != exitInterrupted || len(killed) < 3 {
		t.Errorf("%d workers killed: exit code %d\n%s%s", len(killed), code, p.stdout.String(), p.stderr.String())
	}
	records, _, err := dataset.ReadLog(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if !r.Timed() {
			t.Errorf("trial %d: %s: %s", r.Trial, r.Status, r.Message)
		}
	}
}
