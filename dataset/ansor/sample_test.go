package ansor

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// samplePath is a file of lines of four public logs: some of each of their 32
// DAGs and of each error number that they have.
const samplePath = "testdata/sample.json.zst"

// sample returns the lines of the sample.
func sample(t testing.TB) []string {
	t.Helper()
	f, err := os.Open(samplePath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(all)), "\n")
}

// mustParse returns the line of a text.
func mustParse(t testing.TB, text string) *Line {
	t.Helper()
	l, err := ParseLine([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return l
}

// change replaces a text in a line, where it must be.
func change(t testing.TB, line, from, to string) string {
	t.Helper()
	if !strings.Contains(line, from) {
		t.Fatalf("there is no %s in %s", from, line)
	}
	return strings.Replace(line, from, to, 1)
}

// readAll reads a log to its end: the texts of its lines by their number, and
// what was wrong.
func readAll(t testing.TB, log []byte) (lines map[int]string, bad []error, end error) {
	t.Helper()
	lines = map[int]string{}
	r, err := NewReader("test.json", bytes.NewReader(log))
	if err != nil {
		return lines, nil, err
	}
	defer r.Close()
	for {
		text, number, err := r.Next()
		switch err.(type) {
		case nil:
			lines[number] = string(text)
			continue
		case *LineError:
			bad = append(bad, err)
			continue
		}
		if err == io.EOF {
			err = nil
		}
		return lines, bad, err
	}
}
