package scorerservice_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tune/scorerservice/servicetest"
)

// TestMain makes the test binary a scorer that misbehaves: "fake HOW FOLDER".
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "fake" {
		f := &fake{how: os.Args[2], notes: filepath.Join(os.Args[3], "notes")}
		if err := f.serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// startFake returns a fake scorer and the command that it is.
func startFake(t *testing.T, how string) (*fake, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &fake{how, filepath.Join(dir, "notes")}, fmt.Sprintf("'%s' fake '%s' '%s'", self, how, dir)
}

// A fake is a scorer that misbehaves as its name says. It notes in a file what it is asked.
type fake struct{ how, notes string }

func (f *fake) note(format string, args ...any) {
	file, err := os.OpenFile(f.notes, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	fmt.Fprintf(file, format+"\n", args...)
}

// times returns how often it noted a line.
func (f *fake) times(line string) int {
	data, _ := os.ReadFile(f.notes)
	n := 0
	for text := range strings.Lines(string(data)) {
		if text == line+"\n" {
			n++
		}
	}
	return n
}

func (f *fake) serve(in io.Reader, out io.Writer) error {
	f.note("started")
	for r := bufio.NewReader(in); ; {
		q, err := worker.ReadFrame(r, worker.Bounds{Header: 1 << 26, Blob: 1 << 26, Blobs: 4})
		if err == io.EOF {
			return nil
		}
		var m struct {
			Type                string
			Candidates, Records []any
		}
		if err == nil {
			err = json.Unmarshal(q.Header, &m)
		}
		if err != nil {
			return err
		}
		f.note("%s", m.Type)
		for _, b := range q.Blobs {
			f.note("%d floats each", len(b)/4/max(len(m.Candidates)+len(m.Records), 1))
		}
		answer, scores, err := f.answer(m.Type, len(m.Candidates), out)
		if err != nil {
			return err
		}
		if f.tooLarge(m.Type, q) {
			answer = servicetest.Message{"error": servicetest.Message{"code": "too_large", "message": "I take few bytes"}}
		}
		var blobs [][]byte
		if m.Type == "score" {
			blobs = [][]byte{{}}
			for _, s := range scores {
				blobs[0] = binary.LittleEndian.AppendUint64(blobs[0], math.Float64bits(s))
			}
		}
		if err := worker.WriteFrame(out, q.Number, answer, blobs...); err != nil {
			return err
		}
	}
}

// fewBytes is what a fake takes that takes few: the features of 3 candidates, or the steps of a few more.
const fewBytes = 3*4*ranker.Columns + 3

// tooLarge reports whether a message about candidates is larger than what the fake takes.
func (f *fake) tooLarge(kind string, q worker.Frame) bool {
	size := len(q.Header)
	for _, b := range q.Blobs {
		size = max(size, len(b))
	}
	return strings.HasPrefix(f.how, "few bytes") && (kind == "score" || kind == "update") && size > fewBytes
}

// answer answers a request about n candidates.
func (f *fake) answer(kind string, n int, out io.Writer) (answer servicetest.Message, scores []float64, err error) {
	for i := range n {
		scores = append(scores, float64(i%7))
	}
	switch kind {
	case "hello":
		return f.hello()
	case "open":
		return servicetest.Message{"task": 5, "field of the future": 1}, nil, nil
	case "update":
		if f.how == "dies of a lesson" && f.times("started") == 1 {
			os.Exit(4)
		}
		if f.how == "hangs of a lesson" {
			time.Sleep(time.Hour)
		}
		return servicetest.Message{"learned": 1}, nil, nil
	}
	if f.how == "once" && f.times("started") > 1 {
		return servicetest.Message{}, scores, nil
	}
	switch f.how {
	case "killed", "once":
		fmt.Fprintln(os.Stderr, "Traceback\nMemoryError: no memory")
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "exits":
		return nil, nil, errors.New("ValueError: I give up")
	case "hangs", "hangs with a child":
		if f.how == "hangs with a child" {
			child := exec.Command("sleep", "1000")
			child.Stdout = os.Stdout // which stays open
			if err := child.Start(); err != nil {
				return nil, nil, err
			}
			f.note("child %d", child.Process.Pid)
		}
		time.Sleep(time.Hour)
	case "slow":
		time.Sleep(300 * time.Millisecond)
	case "nan":
		for i := range scores {
			scores[i] = math.NaN()
		}
	case "nowhere":
		for i := range scores {
			scores[i] = math.Inf(-1)
		}
	case "some nan":
		scores[0], scores[len(scores)-1] = math.NaN(), math.Inf(1)
	case "too few":
		scores = scores[1:]
	case "too many":
		scores = append(scores, 1)
	case "garbage":
		fmt.Fprintln(out, "Welcome to my scorer! It is very good.")
	case "4 GB":
		out.Write(frameHead(math.MaxUint32, 0, 3))
		time.Sleep(time.Hour)
	case "4 GB of scores":
		out.Write(binary.LittleEndian.AppendUint64(frameHead(2, 1, 3), 4<<30))
		time.Sleep(time.Hour)
	case "cut off":
		out.Write(frameHead(100, 1, 3))
		return nil, nil, errors.New("cut off")
	case "no json":
		out.Write(append(frameHead(2, 0, 3), "{["...))
		time.Sleep(time.Hour)
	case "refuses":
		return servicetest.Message{"error": servicetest.Message{"code": "failed", "message": "my model is damaged"}}, nil, nil
	case "closes":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	}
	return servicetest.Message{"field of the future": 1}, scores, nil
}

func (f *fake) hello() (servicetest.Message, []float64, error) {
	m := servicetest.Message{"version": 1, "frozen": f.how == "frozen"}
	switch f.how {
	case "version":
		m["version"] = 2
	case "wants":
		m["wants"] = []string{"the moon"}
	case "features":
		m["wants"] = []string{"features"}
	case "few":
		m["limits"] = servicetest.Message{"candidates": 3}
	case "few bytes":
		m["limits"] = servicetest.Message{"message_bytes": fewBytes}
	case "few bytes of features":
		m["wants"], m["limits"] = []string{"features"}, servicetest.Message{"message_bytes": fewBytes}
	case "one task":
		m["limits"] = servicetest.Message{"tasks": 1}
	case "silent":
		time.Sleep(time.Hour)
	case "no start":
		return nil, nil, errors.New("ModuleNotFoundError: No module named 'numpy'")
	}
	return m, nil, nil
}
