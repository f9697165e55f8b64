package rivals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/worker"
)

// TestMain lets the test binary be the process of a peer.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "peer" {
		fakePeer(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakePeer answers as peers.py does. Some workloads make it misbehave.
func fakePeer(kind string) {
	if kind == "broken" {
		fmt.Fprintln(os.Stderr, "Traceback\nImportError: libx.so")
		os.Exit(1)
	}
	workload := ""
	err := worker.Serve(worker.Service{Kind: PeerKind}, os.Stdin, struct{ io.Writer }{os.Stdout}, func(r *PeerRequest, _ [][]byte) (any, [][]byte) {
		if r.Do == "prepare" {
			workload = r.Workload
		}
		switch {
		case r.Do == "version" && kind == "missing":
			return PeerAnswer{Missing: "ModuleNotFoundError: No module named 'x'"}, nil
		case r.Do == "version":
			return PeerAnswer{Version: "fake 1"}, nil
		case workload == "unknown":
			return PeerAnswer{Error: "ValueError: no such operator"}, nil
		case r.Do == "prepare", workload == "empty":
			return PeerAnswer{}, nil
		case workload == "crash":
			fmt.Fprintln(os.Stderr, "a warning\nSegmentation fault")
			os.Exit(3)
		case workload == "hang":
			time.Sleep(time.Hour)
		case workload == "rubbish":
			fmt.Println("rubbish in place of a frame")
		}
		return PeerAnswer{Samples: slices.Repeat([]float64{r.MinSample}, r.Samples)}, nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newFakePeer(t *testing.T, kind string) *Peer {
	p := NewPeer("fake", []string{os.Args[0], "peer", kind}, Limits{Round: 5 * time.Second})
	t.Cleanup(p.Close)
	return p
}

var testSampling = Sampling{Samples: 3, MinSample: 10 * time.Millisecond, MaxTotal: 100 * time.Millisecond}

// TestPeer asks a peer for rounds of two workloads.
func TestPeer(t *testing.T) {
	p := newFakePeer(t, "good")
	for _, spec := range []string{"a", "b"} {
		version, err := p.Prepare(context.Background(), spec)
		if err != nil || version != "fake 1" {
			t.Fatalf("%q, %v", version, err)
		}
		samples, err := p.Round(context.Background(), testSampling)
		if err != nil || len(samples) != 3 || samples[0] != 0.01 {
			t.Errorf("samples %v, %v", samples, err)
		}
	}
}

// TestPeerPause: a paused process does not run, and goes on when resumed.
func TestPeerPause(t *testing.T) {
	p := newFakePeer(t, "good")
	if _, err := p.Prepare(context.Background(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	pid := p.proc.PID()
	waitState(t, pid, "T")
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Round(context.Background(), testSampling); err != nil {
		t.Error(err)
	}
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	p.Close()
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
		t.Error("a paused process is still there after Close")
	}
}

// waitState waits until a process is in a state, by the letter of proc(5).
func waitState(t *testing.T, pid int, want string) {
	t.Helper()
	state := ""
	for range 2000 {
		text, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if state, _, _ = strings.Cut(rest, " "); state == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the process is in state %q, want %q", state, want)
}

// TestPeerFaults: whatever a peer does, an error says so, and it can take part in
// the next workload.
func TestPeerFaults(t *testing.T) {
	for spec, want := range map[string]string{
		"unknown": "fake: prepare: ValueError: no such operator",
		"crash":   "fake: round: its process ended (exit status 3): Segmentation fault",
		"hang":    "fake: round: did not finish in 5.1s",
		"rubbish": "fake: round: worker: garbled message",
		"empty":   "fake: no samples",
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			p := newFakePeer(t, "good")
			times, err := TakeTurns(context.Background(), []Contender{p}, spec, Plan{Rounds: 2, Sampling: testSampling}, silent)
			if err != nil || times[0].OK() || times[0].Missing || !strings.Contains(times[0].Error, want) {
				t.Errorf("%v, %+v, want %s", err, times[0], want)
			}
			times, err = TakeTurns(context.Background(), []Contender{p}, "fine", Plan{Rounds: 2, Sampling: testSampling}, silent)
			if err != nil || !times[0].OK() {
				t.Errorf("after it: %v, %+v", err, times[0])
			}
		})
	}
}

// TestPeerMissing: a peer that cannot start is missing, and says why.
func TestPeerMissing(t *testing.T) {
	for kind, want := range map[string]string{"missing": "No module named 'x'", "broken": "ImportError: libx.so"} {
		p := newFakePeer(t, kind)
		for range 2 {
			_, err := p.Prepare(context.Background(), "a")
			var missing *MissingError
			if !errors.As(err, &missing) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
	p := NewPeer("ort", []string{"/nonexistent/python"}, Limits{})
	times, err := TakeTurns(context.Background(), []Contender{p}, "a", testPlan(1), silent)
	if err != nil || !times[0].Missing || !strings.Contains(times[0].Error, "ort is not installed") {
		t.Errorf("%v, %+v", err, times[0])
	}
}

// TestPeerCancelled: the end of the context ends a request and the process.
func TestPeerCancelled(t *testing.T) {
	p := newFakePeer(t, "good")
	if _, err := p.Prepare(context.Background(), "hang"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Round(ctx, Sampling{Samples: 1, MaxTotal: time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if p.proc != nil {
		t.Error("the process is still there")
	}
}
