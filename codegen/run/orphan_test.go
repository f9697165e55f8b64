package run_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
)

// tuner is a process that runs a program which never ends, from objects in dir. It
// prints the number of its worker once that is in the program.
func tuner(dir, symbol string) int {
	r, err := run.New(run.Config{Command: command(), Timeout: time.Minute})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			panic(err)
		}
		return data
	}
	built := func(name string) measure.BuildResult {
		return measure.BuildResult{Status: measure.OK, Object: read(name), Symbol: symbol}
	}
	if err := r.SetTask(context.Background(), run.Reference{DAG: scaledSum(), Program: built("reference.o"), Runtime: read("runtime.o")}); err != nil {
		fmt.Println(err)
		return 1
	}
	pid, calling := r.WorkerPID(), r.Calling()
	go func() {
		for !calling() {
			time.Sleep(time.Millisecond)
		}
		fmt.Println(pid)
	}()
	r.Run(context.Background(), make([]measure.Input, 1), []measure.BuildResult{built("loop.o")})
	return 0
}

// TestTunerKilled: when the tuner is killed, its worker goes with it, even from
// inside of a program that never ends.
func TestTunerKilled(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	reference, loop := b.object("reference.ll"), b.object("faults/loop.ll")
	for name, data := range map[string][]byte{"reference.o": reference.Object, "runtime.o": b.runtime, "loop.o": loop.Object} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], "tuner", dir, loop.Symbol)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the tuner says %q", line)
	}
	if !runs(pid) {
		t.Fatal("the worker is gone before its time")
	}
	cmd.Process.Kill()
	cmd.Wait()
	for range 1000 {
		if !runs(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("worker %d still runs", pid)
}

// runs reports whether a process exists and is no zombie.
func runs(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}
