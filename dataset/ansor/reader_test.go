package ansor

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/dataset"
)

func compress(t testing.TB, ext, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch ext {
	case "":
		return []byte(text)
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".zst":
		var err error
		if w, err = zstd.NewWriter(&b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReader: comments and empty lines are left out and counted; the last line
// needs no end; compression is seen by the content.
func TestReader(t *testing.T) {
	const log = "# a comment\n{\"first\"}\n\n {\"a comment, too\"}\r\n{\"second\"}\r\n{\"third\"}"
	for _, ext := range []string{"", ".gz", ".zst"} {
		lines, bad, end := readAll(t, compress(t, ext, log))
		if want := map[int]string{1: `{"first"}`, 4: `{"second"}`, 5: `{"third"}`}; !maps.Equal(lines, want) || len(bad) > 0 || end != nil {
			t.Errorf("%q: got %v, %v, %v", ext, lines, bad, end)
		}
	}
	if lines, bad, end := readAll(t, nil); len(lines)+len(bad) > 0 || end != nil {
		t.Errorf("an empty file: %v, %v, %v", lines, bad, end)
	}
}

// TestByteOrderMarks: the mark of UTF-8 is skipped, and UTF-16 is named.
func TestByteOrderMarks(t *testing.T) {
	for _, ext := range []string{"", ".gz", ".zst"} {
		lines, bad, end := readAll(t, compress(t, ext, "\ufeff{\"first\"}\n{\"second\"}"))
		if want := map[int]string{0: `{"first"}`, 1: `{"second"}`}; !maps.Equal(lines, want) || len(bad) > 0 || end != nil {
			t.Errorf("%q: got %v, %v, %v", ext, lines, bad, end)
		}
		for _, text := range []string{"\xff\xfe{\x00", "\xfe\xff\x00{"} {
			if _, err := NewReader("x", bytes.NewReader(compress(t, ext, text))); err == nil ||
				!strings.Contains(err.Error(), "log x: it is text in UTF-16: save it as UTF-8") {
				t.Errorf("%q, UTF-16: %v", ext, err)
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), dir+": read: is a directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := NewReader("x.gz", strings.NewReader("\x1f\x8b\x01 nonsense")); err == nil ||
		!strings.Contains(err.Error(), "log x.gz: its gzip header is damaged or cut off: gzip: invalid header") {
		t.Errorf("a broken gzip header: %v", err)
	}
}

// TestCutOff: a compressed log that is cut off gives the whole lines before the
// cut, and an error that says so; never a part of a line.
func TestCutOff(t *testing.T) {
	texts := sample(t)
	for _, ext := range []string{".gz", ".zst"} {
		whole := compress(t, ext, strings.Join(texts, "\n")+"\n")
		for n := 32; n < len(whole); n += len(whole) / 50 {
			lines, bad, end := readAll(t, whole[:n])
			if end == nil || !strings.Contains(end.Error(), "test.json: damaged or cut off after line") || len(bad) > 0 {
				t.Fatalf("%s cut at %d of %d: %v, bad lines %v", ext, n, len(whole), end, bad)
			}
			for i, text := range lines {
				if text != texts[i] {
					t.Fatalf("%s cut at %d: line %d is %q", ext, n, i, text)
				}
			}
		}
	}
}

// TestCutOffLater: of a log of several blocks, what was whole is read.
func TestCutOffLater(t *testing.T) {
	text := strings.Repeat(strings.Join(sample(t), "\n")+"\n", 20)
	whole := compress(t, ".gz", text)
	lines, _, end := readAll(t, whole[:len(whole)-10])
	if want := strings.Count(text, "\n"); end == nil || len(lines) < want/2 || len(lines) > want {
		t.Errorf("%d of %d lines, %v", len(lines), want, end)
	}
}

// TestDamaged: a flipped bit of a compressed log is an error that ends it (zstd
// has a checksum), or was of no meaning.
func TestDamaged(t *testing.T) {
	texts := sample(t)
	whole := compress(t, ".zst", strings.Join(texts, "\n"))
	noticed := 0
	for i := 0; i < len(whole); i += 61 {
		b := slices.Clone(whole)
		b[i] ^= 1 << (i % 8)
		lines, bad, end := readAll(t, b)
		if end != nil {
			noticed++
			continue
		}
		if i >= 4 && (len(lines) != len(texts) || len(bad) > 0) { // before, it is no zstd any more
			t.Errorf("byte %d: %d lines, %d bad ones and no error", i, len(lines), len(bad))
		}
	}
	if noticed < len(whole)/61*9/10 {
		t.Errorf("%d of %d flipped bits were noticed", noticed, len(whole)/61)
	}
}

// TestLongLine: a line of 10 MB is no record; the lines after it are read, and it
// is never kept in memory.
func TestLongLine(t *testing.T) {
	long := `{"i": [["` + strings.Repeat("x", 10<<20) + `"`
	for _, ext := range []string{"", ".zst"} {
		lines, bad, end := readAll(t, compress(t, ext, "{1}\n"+long+"\n{2}\n"))
		if want := map[int]string{0: "{1}", 2: "{2}"}; !maps.Equal(lines, want) || end != nil {
			t.Errorf("%q: got %v, %v", ext, lines, end)
		}
		if len(bad) != 1 || bad[0].Error() != "test.json:2: it is longer than 4194304 bytes, which no record is" {
			t.Errorf("%q: got %v", ext, bad)
		}
	}
}

// importAll returns what became of a log: records and errors by line.
func importAll(t testing.TB, log string) (records map[int]dataset.Record, bad map[int]string) {
	t.Helper()
	r, err := NewReader("test.json", strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	records, bad = map[int]dataset.Record{}, map[int]string{}
	for rec, err := range NewImporter().Records(r) {
		var line *LineError
		switch {
		case err == nil:
			records[rec.Trial] = rec
		case errors.As(err, &line):
			bad[line.Number] = line.Err.Error()
		default:
			t.Fatal(err)
		}
	}
	return records, bad
}

// TestRecordsInOrder: records come in the order of their lines, whatever is
// between them, and an iteration that is left early ends.
func TestRecordsInOrder(t *testing.T) {
	var log strings.Builder
	texts := sample(t)
	for i := range importBatch + importBatch/2 {
		switch {
		case i%7 == 3:
			log.WriteString("# comment\n")
		case i%11 == 5:
			log.WriteString("nonsense\n")
		default:
			log.WriteString(texts[i%len(texts)] + "\n")
		}
	}
	r, err := NewReader("test.json", strings.NewReader(log.String()))
	if err != nil {
		t.Fatal(err)
	}
	last, n := -1, 0
	for rec, err := range NewImporter().Records(r) {
		number := rec.Trial
		if err != nil {
			number = err.(*LineError).Number
		}
		if number <= last || (err == nil) != (number%11 != 5) {
			t.Fatalf("line %d after line %d: %v", number, last, err)
		}
		last = number
		n++
	}
	if want := importBatch + importBatch/2 - strings.Count(log.String(), "#"); n != want {
		t.Errorf("%d lines, want %d", n, want)
	}
	r, err = NewReader("test.json", strings.NewReader(log.String()))
	if err != nil {
		t.Fatal(err)
	}
	for range NewImporter().Records(r) {
		break
	}
}
