package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A call asks the test's worker to do something.
type call struct{ Do string }

type reply struct{ Text string }

// TestMain makes the test binary a worker, or a command that is none.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "worker" {
		os.Exit(bogus(os.Args[2]))
	}
	if len(os.Args) == 2 && os.Args[1] == "parent" {
		os.Exit(parent())
	}
	os.Exit(m.Run())
}

// bogus is a worker, or what is not quite one.
func bogus(how string) int {
	switch how {
	case "silent":
		time.Sleep(time.Minute)
	case "prints":
		fmt.Println("Welcome to the program that embeds the tuner")
		time.Sleep(time.Minute)
	case "fails":
		fmt.Fprintln(os.Stderr, "cannot open settings")
		return 3
	case "older":
		fmt.Println("wmtune worker 0 test")
		time.Sleep(time.Minute)
	case "embeds":
		// A main function that opens a machine without calling WorkerMain first.
		if _, err := Start(context.Background(), config("embeds")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	var out io.Writer = os.Stdout
	if how == "garbled" {
		out = struct{ io.Writer }{os.Stdout} // stays where it is
	}
	err := Serve(Service{Kind: "test", Memory: 3 << 30}, os.Stdin, out, func(c *call, blobs [][]byte) (any, [][]byte) {
		return reply{serveCall(c.Do)}, blobs
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serveCall(do string) string {
	switch do {
	case "garbage":
		os.Stdout.WriteString(strings.Repeat("\xff", 16))
		time.Sleep(time.Minute)
	case "exit":
		fmt.Fprintln(os.Stderr, "last words")
		os.Exit(7)
	case "hang":
		time.Sleep(time.Minute)
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "print":
		fmt.Println("this is no answer")
	case "child":
		cmd := exec.Command("sleep", "60")
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		return fmt.Sprint(cmd.Process.Pid)
	case "straggler":
		// It leaves the group and holds the answers' file, as code that forks may.
		cmd := exec.Command("sleep", "5")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.ExtraFiles = []*os.File{os.NewFile(10, "answers")}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		os.Exit(5)
	case "file":
		text, err := io.ReadAll(os.NewFile(3, "inherited"))
		return fmt.Sprint(string(text), err)
	case "limits":
		var as, core unix.Rlimit
		unix.Getrlimit(unix.RLIMIT_AS, &as)
		unix.Getrlimit(unix.RLIMIT_CORE, &core)
		return fmt.Sprintln(as.Cur>>20, core.Cur, Kind(), syscall.Getpgrp() == os.Getpid())
	}
	return do
}

func config(how string) Config {
	return Config{Kind: "test", Command: []string{os.Args[0], "worker", how}}
}

func start(t *testing.T, cfg Config) *Process {
	t.Helper()
	p, err := Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func (p *Process) call(lim Limit, do string, blobs ...[]byte) (string, [][]byte, error) {
	var r reply
	out, err := p.Ask(context.Background(), lim, call{do}, &r, blobs...)
	return r.Text, out, err
}

var minute = Limit{Total: time.Minute}

// TestAsk: requests are answered in turn, with their blobs; what the worker prints does
// not come between.
func TestAsk(t *testing.T) {
	p := start(t, config(""))
	large := bytes.Repeat([]byte("abc"), 3<<20)
	for _, do := range []string{"one", "print", "three"} {
		text, out, err := p.call(minute, do, large, nil)
		if err != nil || text != do || len(out) != 2 || !bytes.Equal(out[0], large) || len(out[1]) != 0 {
			t.Errorf("%s: %q, %d blobs, %v", do, text, len(out), err)
		}
	}
}

// TestStartOptions: a worker inherits files, stands back, is limited, and knows what it is.
func TestStartOptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("shared"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cfg := config("")
	cfg.Files, cfg.Nice = []*os.File{f}, 3
	p := start(t, cfg)
	if text, _, err := p.call(minute, "file"); err != nil || text != "shared<nil>" {
		t.Errorf("the file: %q, %v", text, err)
	}
	if text, _, err := p.call(minute, "limits"); err != nil || text != "3072 0 test true\n" {
		t.Errorf("limits: %q, %v", text, err)
	}
	if nice, err := syscall.Getpriority(syscall.PRIO_PROCESS, p.PID()); err != nil || 20-nice < 3 {
		t.Errorf("niceness %d, %v", 20-nice, err)
	}
}

// TestNotAWorker: a command that is no worker is a sentence that says what to do, at once
// where it says something, and within the time for a greeting where it does not.
func TestNotAWorker(t *testing.T) {
	for _, c := range []struct {
		command []string
		want    []string
	}{
		{[]string{"/nonexistent"}, []string{"starting the test worker", "/nonexistent"}},
		{nil, []string{"no command"}},
		{[]string{"/bin/cat"}, []string{"/bin/cat is not wmtune's test worker", `it printed "wmtune program 1 test`, "WorkerMain"}},
		{[]string{"/bin/true"}, []string{"is not wmtune's test worker: it ended: exit status 0", "WorkerMain"}},
		{[]string{"/bin/echo", "wmtu"}, []string{`it printed "wmtu\n"`, "WorkerMain"}},
		{[]string{"/usr/bin/yes"}, []string{`it printed "y\ny\n`, "WorkerMain"}},
		{config("silent").Command, []string{"is not wmtune's test worker: the greeting did not finish in 500ms", "WorkerMain", "WorkerCommand"}},
		{config("prints").Command, []string{`it printed "Welcome to the program`, "machine.WorkerMain() first in its main function"}},
		{config("fails").Command, []string{"it ended: cannot open settings (exit status 3)", "WorkerMain"}},
		{config("embeds").Command, []string{"it ended: this process is the test worker of wmtune and must", "WorkerMain"}},
		{config("older").Command, []string{"its version is 0, but this program's is 1"}},
	} {
		cfg := Config{Kind: "test", Command: c.command, Hello: time.Minute}
		if slices.Contains(c.command, "silent") {
			cfg.Hello = 500 * time.Millisecond
		}
		p, err := Start(context.Background(), cfg)
		if err == nil {
			p.Kill()
			t.Errorf("%v is taken for a worker", c.command)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v: %q does not say %q", c.command, err, want)
			}
		}
	}
	cfg := config("")
	cfg.Kind = "other"
	if _, err := Start(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), "it is the test worker") {
		t.Errorf("another kind: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, config("silent")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
}

// TestStartInWorker: a worker starts no workers.
func TestStartInWorker(t *testing.T) {
	t.Setenv(variable, "test")
	if p, err := Start(context.Background(), config("")); err == nil || !strings.Contains(err.Error(), "WorkerMain") {
		t.Errorf("%v, %v", p, err)
	}
}

// TestDeaths: what ends a request is told apart, and the process is gone then.
func TestDeaths(t *testing.T) {
	late := &DeadlineError{time.Hour}
	for _, c := range []struct {
		how, do string
		lim     Limit
		want    string
		killed  bool
	}{
		{"", "exit", minute, "last words (exit status 7)", false},
		{"", "killed", minute, "SIGKILL", true},
		{"", "straggler", minute, "exit status 5", false},
		{"", "hang", Limit{Total: 100 * time.Millisecond}, "did not finish in 100ms", false},
		{"", "hang", Limit{Total: time.Minute, Watch: func() error { return late }}, "did not finish in 1h0m0s", false},
		{"garbled", "garbage", minute, "garbled message", false},
	} {
		p := start(t, config(c.how))
		_, _, err := p.call(c.lim, c.do)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.do, err)
		}
		var dead *DeathError
		if errors.As(err, &dead) && dead.Killed() != c.killed {
			t.Errorf("%s: killed by somebody else: %v", c.do, dead.Killed())
		}
		if left := children(t); len(left) > 0 {
			t.Errorf("%s: processes left: %v", c.do, left)
		}
		if _, _, err := p.call(minute, "again"); err == nil {
			t.Errorf("%s: a worker that is gone answers", c.do)
		}
	}
	p := start(t, config(""))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Ask(ctx, minute, call{"hang"}, &reply{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestGroup: what a worker started ends with it.
func TestGroup(t *testing.T) {
	p := start(t, config(""))
	text, _, err := p.call(minute, "child")
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	gone(t, text)
}

// parent is a program that is killed while its worker is at work. It prints the worker's
// number.
func parent() int {
	p, err := Start(context.Background(), config(""))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	go func() {
		time.Sleep(300 * time.Millisecond) // else the end of its input ends the worker
		fmt.Println(p.PID())
	}()
	p.call(minute, "hang")
	return 0
}

// TestParentKilled: a worker does not outlive the program, even if that is killed.
func TestParentKilled(t *testing.T) {
	cmd := exec.Command(os.Args[0], "parent")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Kill()
	cmd.Wait()
	gone(t, strings.TrimSpace(line))
}

// gone fails the test unless a process ends soon.
func gone(t *testing.T, pid string) {
	t.Helper()
	for range 1000 {
		text, err := os.ReadFile("/proc/" + pid + "/stat")
		if _, rest, _ := strings.Cut(string(text), ") "); err != nil || strings.HasPrefix(rest, "Z") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %q still runs", pid)
}

// children returns the processes that this one started and that are still there, zombies
// included.
func children(t *testing.T) (list []string) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tasks {
		text, _ := os.ReadFile(name)
		list = append(list, strings.Fields(string(text))...)
	}
	return list
}

// TestRetry: a request whose worker died is tried once more, and one whose worker was
// killed by somebody else up to five times.
func TestRetry(t *testing.T) {
	death := func(s syscall.WaitStatus) error { return &DeathError{Status: s} }
	for _, c := range []struct {
		name string
		errs []error
		want int
	}{
		{"right at once", []error{nil}, 1},
		{"too slow", []error{&DeadlineError{}}, 1},
		{"ended once", []error{death(7 << 8), nil}, 2},
		{"ended twice", []error{death(7 << 8), death(7 << 8), nil}, 2},
		{"killed", []error{death(9), death(9), death(9), nil}, 4},
		{"killed each time", []error{death(9), death(9), death(9), death(9), death(9), nil}, 5},
		{"garbage", []error{&DeathError{Status: 9, Garbled: io.EOF}, &DeathError{Status: 9, Garbled: io.EOF}, nil}, 2},
	} {
		tries := 0
		err := Retry(func(try int) error {
			if try != tries {
				t.Errorf("%s: try %d is called %d", c.name, tries, try)
			}
			tries++
			return c.errs[try]
		})
		if tries != c.want || err != c.errs[tries-1] {
			t.Errorf("%s: %d tries, %v", c.name, tries, err)
		}
	}
}

func TestFrame(t *testing.T) {
	blobs := [][]byte{[]byte("one"), nil, []byte("three")}
	head, err := encodeFrame(7, reply{"hello"}, blobs)
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := writeFrame(&w, head, blobs); err != nil {
		t.Fatal(err)
	}
	text := bytes.Clone(w.Bytes())
	var got reply
	out, err := readFrame(&w, 7, &got, workerBounds)
	if err != nil || got.Text != "hello" || len(out) != 3 || string(out[2]) != "three" {
		t.Errorf("got %+v, %q, %v", got, out, err)
	}
	if _, err := readFrame(&w, 8, &got, workerBounds); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if _, err := readFrame(bytes.NewReader(text), 8, &got, workerBounds); err == nil {
		t.Error("the answer to another request is taken")
	}
	for n := 1; n < len(text); n++ {
		if _, err := readFrame(bytes.NewReader(text[:n]), 7, &got, workerBounds); err == nil || err == io.EOF {
			t.Errorf("%d bytes of %d: %v", n, len(text), err)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 { // garbage does not panic, nor ask for all memory
		bad := bytes.Clone(text)
		bad[r.IntN(len(bad))] = byte(r.Uint32())
		readFrame(bytes.NewReader(bad), 7, &got, workerBounds)
	}
	if _, err := encodeFrame(1, reply{strings.Repeat("x", maxHeader)}, nil); err == nil || !strings.Contains(err.Error(), "the limits are") {
		t.Errorf("a header beyond the limit: %v", err)
	}
	if _, err := encodeFrame(1, reply{}, make([][]byte, maxBlobs+1)); err == nil {
		t.Error("blobs beyond the limit are sent")
	}
}
