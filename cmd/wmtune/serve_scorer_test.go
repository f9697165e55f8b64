package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/scorerservice"
	"github.com/wmtune/wmtune/tune/scorerservice/servicetest"
)

// python returns WMTUNE_PYTHON, or skips the test; where CI is set, it fails.
func python(t *testing.T, what string) string {
	t.Helper()
	path := os.Getenv("WMTUNE_PYTHON")
	switch {
	case path != "":
	case os.Getenv("CI") != "":
		t.Fatal("WMTUNE_PYTHON must name a Python that has numpy (make test makes one)")
	default:
		t.Skip("SKIPPED: nobody checks " + what + ": set WMTUNE_PYTHON to a Python that has numpy")
	}
	return path
}

// serveScorer is the command that serves a scorer.
func serveScorer(t *testing.T, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(append([]string{self, "serve-scorer"}, args...), " ")
}

// TestServeScorer: the command is a scorer, by the client in Go.
func TestServeScorer(t *testing.T) {
	for _, name := range []string{"random", "world"} {
		cmd := exec.Command("/bin/sh", "-c", serveScorer(t, "--scorer", name))
		in, out := pipes(t, cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		servicetest.Conformance(servicetest.NewClient(t, in, out))
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func pipes(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, io.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return in, out
}

// TestServeScorerPython: the client in Python finds that wmtune's service, and the example of a scorer, keep the
// protocol.
func TestServeScorerPython(t *testing.T) {
	python := python(t, "the client and the scorer in Python")
	for _, command := range []string{serveScorer(t), serveScorer(t, "--scorer", "random"),
		python + " ../../docs/examples/scorer.py"} {
		text, err := exec.Command(python, "../../docs/examples/scorer_client.py", command).CombinedOutput()
		if err != nil || strings.Count(string(text), "ok ") < 9 {
			t.Errorf("%s: %v\n%s", command, err, text)
		}
	}
}

// TestServeScorerEnds: bad usage, what is no message, and a signal end the service with a sentence and the code for it.
func TestServeScorerEnds(t *testing.T) {
	if code, _, stderr := wmtune(t, "serve-scorer", "--scorer", "exec:cat"); code != exitUsage ||
		!strings.Contains(stderr, "unknown scorer") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	run := func(input []byte, end os.Signal) (int, string) {
		self, _, _ := strings.Cut(serveScorer(t), " ")
		cmd := exec.Command(self, "serve-scorer", "--scorer", "random")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		in, out := pipes(t, cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(input); err != nil {
			t.Fatal(err)
		}
		if _, err := worker.ReadFrame(out, worker.Bounds{Header: 1 << 20}); err != nil {
			t.Error(err)
		}
		if end != nil {
			cmd.Process.Signal(end)
		}
		cmd.Wait()
		return cmd.ProcessState.ExitCode(), stderr.String()
	}
	var hello bytes.Buffer
	if err := worker.WriteFrame(&hello, 1, scorerservice.Hello{Type: "hello",
		Versions: []int{scorerservice.Version}}); err != nil {
		t.Fatal(err)
	}
	if code, stderr := run(hello.Bytes(), os.Interrupt); code != exitInterrupted || strings.Count(stderr, "\n") != 1 {
		t.Errorf("SIGINT: exit code %d: %s", code, stderr)
	}
	if code, stderr := run(hello.Bytes(), syscall.SIGTERM); code != exitInterrupted {
		t.Errorf("SIGTERM: exit code %d: %s", code, stderr)
	}
	large := binary.LittleEndian.AppendUint32(nil, 1<<32-1)
	if code, stderr := run(append(large, make([]byte, 12)...), nil); code != exitFailed || !strings.Contains(stderr,
		"4294967295 bytes") {
		t.Errorf("4 GB: exit code %d: %s", code, stderr)
	}
}

// execSearch searches 8 trials with a command as the scorer.
func execSearch(t *testing.T, command string, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	return wmtune(t, append([]string{"search", "--workload", smallSpec, "--trials", "8", "--per-round", "4", "--scorer",
		"exec:" + command,
		"--out", filepath.Join(t.TempDir(), "out")}, more...)...)
}

// TestSearchExec: wmtune's own service as the scorer of a search finds what that scorer finds.
func TestSearchExec(t *testing.T) {
	code, stdout, stderr := execSearch(t, serveScorer(t, "--seed", "5", "--scorer", "random"), "--seed", "5", "--json")
	r, _ := searched(t, searchArgsFor(filepath.Join(t.TempDir(), "out"), 8, "--seed", "5")...)
	var got struct {
		Scorer string
		Status map[string]int
		Trials int
		Report scorerservice.Report `json:"scorer_command"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if got.Trials != r.Trials || got.Report.Failures != 0 || got.Report.Batches == 0 || !strings.HasPrefix(got.Scorer,
		"exec:") {
		t.Errorf("%+v", got)
	}
}

// TestSearchExecPython: the example in Python ranks the candidates of a search.
func TestSearchExecPython(t *testing.T) {
	python := python(t, "the scorer in Python")
	code, stdout, stderr := execSearch(t, python+" ../../docs/examples/scorer.py")
	if code != 0 || strings.Contains(stdout, "failed") || !strings.HasPrefix(stdout, "best: ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// dyingScorer serves a scorer that ends when it is asked for a score.
func dyingScorer() {
	scorerservice.Serve(context.Background(), os.Stdin, os.Stdout, scorerservice.Options{
		Open: func(target.Kind, func(string)) (search.Scorer, error) { return dying{}, nil },
	})
}

type dying struct{ search.Random }

func (dying) Score(context.Context, *search.Task, []*schedule.State) ([]float64, error) {
	fmt.Fprintln(os.Stderr, "my model is damaged")
	os.Exit(7)
	return nil, nil
}

// TestSearchExecFails: a scorer that dies does not end the search, whose last line says so.
func TestSearchExecFails(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := execSearch(t, self+" dyingscorer")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	last := lines[len(lines)-1]
	if code != 0 || !strings.HasPrefix(stdout, "best: ") || !strings.Contains(last, "failed 2 times, at last because ") ||
		!strings.Contains(last, "its last message: my model is damaged; world scored ") || strings.Count(stderr,
		"takes its place") != 1 {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	began := time.Now()
	code, stdout, stderr = execSearch(t, "echo 'no such model' >&2; exit 3")
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "does not start: ") || !strings.Contains(stderr,
		"no such model") {
		t.Errorf("after %v: exit code %d\n%s%s", time.Since(began), code, stdout, stderr)
	}
	if code, _, stderr := execSearch(t, " "); code != exitUsage || !strings.Contains(stderr, "exec:COMMAND") {
		t.Errorf("no command: exit code %d\n%s", code, stderr)
	}
}

// TestCompileExec: a command chooses the schedules of a model's kernels. One that dies does not end the compilation.
func TestCompileExec(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]scorerservice.Report{
		serveScorer(t, "--scorer", "world"): {},
		self + " dyingscorer":               {Failures: 2, Restarts: 1, Substitute: "world"},
	} {
		trials := "0"
		if want.Failures > 0 {
			trials = "8" // a scorer that has learned nothing is not asked for a first choice
		}
		code, stdout, stderr := wmtune(t, "compile", cnn, "--dim", "batch=64", "--out", filepath.Join(t.TempDir(), "b"),
			"--database", "none", "--scorer", "exec:"+command, "--trials", trials, "--json")
		var got struct {
			Report scorerservice.Report `json:"scorer_command"`
		}
		if err := json.Unmarshal([]byte(stdout), &got); code != 0 || err != nil {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
		r := got.Report
		if r.Failures != want.Failures || r.Restarts != want.Restarts || r.Substitute != want.Substitute || r.Batches == 0 ||
			strings.Contains(stderr, "takes its place") && want.Failures == 0 ||
			strings.Contains(stderr, "failed 2 times") != (want.Failures > 0) {
			t.Errorf("%+v, want %+v\n%s", r, want, stderr)
		}
	}
}
