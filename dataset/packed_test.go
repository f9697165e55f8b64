package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func samples(n int) []Record {
	var list []Record
	for i := range n {
		list = append(list, sampleRecord(i))
	}
	return list
}

// packed returns the path of a packed log.
func packed(t *testing.T, records []Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := Pack(&b, records); err != nil {
		t.Fatal(err)
	}
	return written(t, b.Bytes())
}

// compressed returns text compressed with zstd.
func compressed(t *testing.T, text string) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll([]byte(text), nil)
}

func written(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.arrow.zst")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A packed log reads as the records that were packed; the same records make the
// same bytes.
func TestPack(t *testing.T) {
	for _, n := range []int{0, 1, packedRound + 3} {
		want := samples(n)
		got, warnings, err := ReadLog(packed(t, want))
		if err != nil || len(warnings) > 0 || len(got) != n {
			t.Fatalf("%d of %d records, %v, %v", len(got), n, warnings, err)
		}
		wantRecords(t, got, want)
	}
	var a, b bytes.Buffer
	if Pack(&a, samples(50)) != nil || Pack(&b, samples(50)) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same records make other bytes")
	}
}

// A log that no wmtune could read is not packed.
func TestPackTooLarge(t *testing.T) {
	list := samples(packedRound + 3)
	var b bytes.Buffer
	if err := pack(&b, list, 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := pack(&b, list, 20000); err == nil || !strings.Contains(err.Error(), "take more than 20000 bytes") {
		t.Error(err)
	}
}

// A log that 'zstd' compressed reads, too; one that holds something else is told
// what it is.
func TestPackedByOthers(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "version3.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := ReadLog(filepath.Join("testdata", "version3.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := ReadLog(written(t, compressed(t, string(data)))); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d records, want %d: %v", len(got), len(want), err)
	}
	_, _, err = ReadLog(written(t, compressed(t, `{"i": [["[]"]]}`)))
	if err == nil || !strings.Contains(err.Error(), "wmtune dataset import") {
		t.Errorf("JSON: %v", err)
	}
}

// A packed log is not continued.
func TestPackedIsNotWritten(t *testing.T) {
	path := packed(t, samples(3))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := OpenWriter(path, WriterOptions{}); err == nil || !strings.Contains(err.Error(), "zstd -d") {
		t.Errorf("opened for writing: %v, %v", w, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("it was changed: %v", err)
	}
}

// A packed log that is cut off or has a flipped bit is an error, or reads as it was;
// it never panics.
func TestDamagedPackedLog(t *testing.T) {
	want := samples(20)
	whole, err := os.ReadFile(packed(t, want))
	if err != nil {
		t.Fatal(err)
	}
	errs := 0
	for at := 0; at < len(whole); at += 16 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at / 16 % 8)
		got, _, err := ReadLog(written(t, flipped))
		if err != nil {
			errs++
		} else if len(got) != len(want) || got[0].Trajectory != want[0].Trajectory {
			t.Errorf("a flipped bit in byte %d gives %d other records", at, len(got))
		}
	}
	if errs < len(whole)/16/2 {
		t.Errorf("only %d of %d flips were noticed", errs, len(whole)/16)
	}
	for _, n := range []int{len(whole) / 2, len(whole) - 1} {
		if _, _, err := ReadLog(written(t, whole[:n])); err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	f, err := os.Open(written(t, whole))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := func() (int64, error) { return regularSize(f) }
	if _, err := unpack("log", f, size, 1000); err == nil || !strings.Contains(err.Error(), "more than 1000 bytes") {
		t.Errorf("a small limit: %v", err)
	}
}
