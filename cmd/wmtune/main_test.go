package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/graph/rivals/rivalstest"
)

// TestMain lets the test binary be wmtune itself: with the name of a verb, or
// "worker", as its first argument it is the command, and the workers that it
// starts are the test binary again.
func TestMain(m *testing.M) {
	if rivalstest.Main() {
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "dyingscorer" {
		dyingScorer()
		os.Exit(0)
	}
	if len(os.Args) > 1 {
		names := map[string]bool{"worker": true, "__complete": true}
		for _, v := range verbs() {
			names[v.name] = true
		}
		if names[os.Args[1]] {
			os.Exit(dispatch(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
		}
	}
	os.Exit(m.Run())
}

// A process is a run of the command.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// startProcess starts the command in a process of its own.
func startProcess(t *testing.T, args ...string) *process {
	t.Helper()
	buildtest.NeedLLVM(t, build.Config{})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(self, args...)}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	return p
}

// wait returns the exit code; -1 if a signal ended the process.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	done := make(chan struct{})
	go func() {
		p.cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		p.cmd.Process.Kill()
		<-done
		t.Fatalf("%v does not end\nstderr: %s", p.cmd.Args[1:], p.stderr.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// wmtune runs the command to its end and returns the exit code and what it
// printed.
func wmtune(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := startProcess(t, args...)
	code = p.wait(t)
	return code, p.stdout.String(), p.stderr.String()
}
