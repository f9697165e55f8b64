package dataset

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/wmtune/wmtune/dataset/internal/arrowio"
	"github.com/wmtune/wmtune/tir/target"
)

func TestWriteRead(t *testing.T) {
	for _, path := range []string{writeLog(t, 1, 5, 0, 64), writeCompressed(t, 1, 5, 0, 64)} {
		wantRecords(t, mustRead(t, path), sampleRound(0, 70))
	}
}

// Compressing pays for rounds of some size, and plain rounds may follow.
func TestCompressed(t *testing.T) {
	plain, small := writeLog(t, 1000), writeCompressed(t, 1000)
	if p, s := len(mustReadFile(t, plain)), len(mustReadFile(t, small)); s > p/3 {
		t.Errorf("%d bytes became %d", p, s)
	}
	appendRounds(t, small, 1000, 3, 4)
	wantRecords(t, mustRead(t, small), sampleRound(0, 1007))
}

// A log is an Arrow stream: any reader of those reads it, seals and all.
func TestPlainArrowReads(t *testing.T) {
	plainArrowReads(t, writeLog(t, 2, 3))
	plainArrowReads(t, writeCompressed(t, 2, 3))
}

func plainArrowReads(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var sizes []int64
	for r.Next() {
		sizes = append(sizes, r.Record().NumRows())
	}
	if r.Err() != nil || !reflect.DeepEqual(sizes, []int64{2, 3}) {
		t.Errorf("batches of %v rows, %v", sizes, r.Err())
	}
}

// A log that was written by an earlier version of the schema is read for ever,
// and is not continued.
func TestReadVersion1(t *testing.T) {
	const path = "testdata/version1.arrow"
	want := sampleRound(0, 8)
	for i := range want {
		want[i].Layout, want[i].Packed, want[i].Source = target.Keep, "", Source{}
	}
	wantRecords(t, mustRead(t, path), want)
	copied := filepath.Join(t.TempDir(), "copy.arrow")
	whole := mustReadFile(t, path)
	mustWriteFile(t, copied, whole)
	const old = "its schema is version 1, and this wmtune continues versions 3 and 4"
	if _, err := OpenWriter(copied, WriterOptions{}); err == nil || !strings.Contains(err.Error(), old) {
		t.Errorf("continued: %v", err)
	}
	if !bytes.Equal(mustReadFile(t, copied), whole) {
		t.Error("the file was changed")
	}
	copy(whole, make([]byte, 16)) // the schema is damaged
	mustWriteFile(t, copied, whole)
	got, warnings, err := ReadLog(copied)
	if err != nil || len(warnings) != 1 {
		t.Fatalf("%v, warnings %v", err, warnings)
	}
	wantRecords(t, got, want)
}

func TestReadVersion2(t *testing.T) {
	want := sampleRound(0, 8)
	for i := range want {
		want[i].Source = Source{}
	}
	wantRecords(t, mustRead(t, "testdata/version2.arrow"), want)
}

// Version 3 has a log with plain rounds and one with compressed ones.
func TestReadVersion3(t *testing.T) {
	for name, compress := range map[string]bool{"testdata/version3.arrow": false, "testdata/version3zstd.arrow": true} {
		if *update {
			path := filepath.Join(t.TempDir(), "test.arrow")
			appendTo(t, path, WriterOptions{Task: testTask(), Compress: compress}, 0, 2, 6)
			mustWriteFile(t, name, mustReadFile(t, path))
		}
		wantRecords(t, mustRead(t, name), sampleRound(0, 8))
	}
}

// A log cut at any byte gives all whole rounds, and a writer that continues it
// leaves a log without a trace of the cut.
func TestTornAtEveryByte(t *testing.T) {
	path := writeLog(t, 2, 3)
	whole, ends := mustReadFile(t, path), frameEnds(t, path)
	step := int64(1)
	if testing.Short() {
		step = 37
	}
	for n := ends[1] + 1; n < ends[2]; n += step {
		got, warnings, err := readBytes(whole[:n])
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if len(warnings) != 1 || warnings[0].From != ends[1] || warnings[0].To != n {
			t.Fatalf("cut at %d: warnings %v", n, warnings)
		}
		wantRecords(t, got, sampleRound(0, 2))
		if n%64 != 1 && !testing.Short() {
			continue // continuing waits for the disk
		}
		mustWriteFile(t, path, whole[:n])
		appendRounds(t, path, 2, 3)
		if !bytes.Equal(mustReadFile(t, path), whole) {
			t.Fatalf("cut at %d and continued: the bytes differ", n)
		}
	}
}

// A crash of the machine may leave zeros where the last round was to be.
func TestZeroTail(t *testing.T) {
	path := writeLog(t, 2)
	whole := mustReadFile(t, path)
	mustWriteFile(t, path, append(whole, make([]byte, 4096)...))
	got, warnings, err := ReadLog(path)
	if err != nil || len(warnings) != 1 {
		t.Fatalf("%v, warnings %v", err, warnings)
	}
	wantRecords(t, got, sampleRound(0, 2))
	appendRounds(t, path, 2, 1)
	wantRecords(t, mustRead(t, path), sampleRound(0, 3))
}

// A log cut inside its schema is empty, and can be continued.
func TestTornSchema(t *testing.T) {
	path := writeLog(t, 1)
	whole, ends := mustReadFile(t, path), frameEnds(t, path)
	for n := int64(0); n < ends[0]; n += 131 {
		mustWriteFile(t, path, whole[:n])
		wantRecords(t, mustRead(t, path), nil)
		appendRounds(t, path, 0, 1)
		if !bytes.Equal(mustReadFile(t, path), whole) {
			t.Fatalf("cut at %d and continued: the bytes differ", n)
		}
	}
}

// A flipped bit anywhere drops the round that it lies in, with a warning that
// names it, and no other; in the schema it drops none.
func TestFlippedBit(t *testing.T) {
	t.Run("plain", func(t *testing.T) { flipBits(t, writeLog(t, 2, 1, 2), 1) })
	t.Run("compressed", func(t *testing.T) { flipBits(t, writeCompressed(t, 2, 1, 2), 61) })
}

// flipBits flips a bit of every step-th byte of a log of such rounds, one at a time.
func flipBits(t *testing.T, path string, step int) {
	whole, ends := mustReadFile(t, path), frameEnds(t, path)
	all := sampleRound(0, 5)
	want := [][]Record{all, all[2:], append(sampleRound(0, 2), all[3:]...), all[:3]}
	if testing.Short() {
		step = max(step, 41)
	}
	for i := 0; i < len(whole); i += step {
		round := 0
		for int64(i) >= ends[round] {
			round++
		}
		b := append([]byte(nil), whole...)
		b[i] ^= 1 << (i % 8)
		got, warnings, err := readBytes(b)
		if err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
		if len(warnings) != 1 || warnings[0].From > int64(i) || warnings[0].To <= int64(i) {
			t.Fatalf("byte %d: %d records and warnings %v", i, len(got), warnings)
		}
		name := "round " + strconv.Itoa(round)
		if round == 0 {
			name = "the schema"
		}
		if !strings.Contains(warnings[0].String(), name) {
			t.Fatalf("byte %d: warning %v does not name %s", i, warnings[0], name)
		}
		wantRecords(t, got, want[round])
	}
}

// A round that is missing is noticed although all seals fit.
func TestMissingRound(t *testing.T) {
	path := writeLog(t, 1, 1, 1)
	whole, ends := mustReadFile(t, path), frameEnds(t, path)
	mustWriteFile(t, path, append(append([]byte(nil), whole[:ends[1]]...), whole[ends[2]:]...))
	got, warnings, err := ReadLog(path)
	if err != nil || len(got) != 2 || len(warnings) != 1 || !strings.Contains(warnings[0].String(), "round 3 follows round 1") {
		t.Errorf("%d records, %v, warnings %v", len(got), err, warnings)
	}
}

// newerLog returns the bytes of a log of the next schema version.
func newerLog(t *testing.T) []byte {
	meta := arrow.NewMetadata([]string{versionKey}, []string{strconv.Itoa(SchemaVersion + 1)})
	more := append(columns[:len(columns):len(columns)], field("more", arrow.PrimitiveTypes.Int64))
	b := logWithSchema(t, arrow.NewSchema(more, &meta))
	b[bytes.Index(b, sealMagic)+7] = SchemaVersion + 1
	return reseal(b, len(b)-prefixSize)
}

// logWithSchema returns the bytes of a log that has a schema and no rounds.
func logWithSchema(t *testing.T, s *arrow.Schema) []byte {
	meta, err := arrowio.SchemaMessage(s)
	if err != nil {
		t.Fatal(err)
	}
	return sealFrame(SchemaVersion, 0, meta, nil)
}

// Files that are no logs of this version are refused, by readers and writers,
// with a sentence, and are left as they are.
func TestForeignFiles(t *testing.T) {
	version := func(v string) *arrow.Metadata {
		m := arrow.NewMetadata([]string{versionKey}, []string{v})
		return &m
	}
	other := append([]arrow.Field(nil), columns...)
	other[7].Type = arrow.PrimitiveTypes.Float64
	var plain bytes.Buffer
	w := ipc.NewWriter(&plain, ipc.WithSchema(arrow.NewSchema(columns, version("4"))))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := mustReadFile(t, writeLog(t, 1))
	damagedNewer := append(append([]byte(nil), make([]byte, 64)...), whole[len(mustHeader(t)):]...)
	seal := bytes.LastIndex(damagedNewer, sealMagic)
	damagedNewer[seal+7] = SchemaVersion + 1
	reseal(damagedNewer[64:], seal+sealSize-64-prefixSize)

	const noColumns = "it does not begin with the columns of a tuning log"
	for _, c := range []struct {
		name string
		text []byte
		want string
	}{
		{"newer", newerLog(t), "a newer wmtune wrote it: its schema is version 5 and this wmtune reads up to 4"},
		{"newer and damaged", damagedNewer, "its schema is damaged, and a newer wmtune wrote it"},
		{"other columns", logWithSchema(t, arrow.NewSchema(other, version("4"))), noColumns + " of schema version 4"},
		{"fewer columns", logWithSchema(t, arrow.NewSchema(columns[:3], version("4"))), noColumns},
		{"sealless stream", plain.Bytes(), "is an Arrow stream but not a tuning log, or its schema"},
		{"schema damaged, no rounds", append([]byte("x"), logWithSchema(t, Schema())[1:]...), "is not a tuning log"},
		{"arrow file", []byte("ARROW1\x00\x00...."), "is an Arrow file, not a tuning log"},
		{"autoscheduler", []byte(` {"i": [["[\"f33`), "import it with 'wmtune dataset import'"},
		{"autoscheduler, compressed", compressed(t, ` {"i": [["[\"f33`), "is compressed, not a tuning log; if AutoScheduler wrote it, import it"},
		{"text", []byte("hello\n"), "is not a tuning log: it has no Arrow header"},
		{"round first", whole[len(mustHeader(t)):], noColumns},
	} {
		path := filepath.Join(t.TempDir(), "test.arrow")
		mustWriteFile(t, path, c.text)
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: reader: %v, want %s", c.name, err, c.want)
		}
		if _, err := OpenWriter(path, WriterOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: writer: %v, want %s", c.name, err, c.want)
		}
		if !bytes.Equal(mustReadFile(t, path), c.text) {
			t.Errorf("%s: the file was changed", c.name)
		}
	}
}

// What a defect may have written: the seal fits, the values do not. The error
// names the round and where it lies.
func TestBadValues(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"build error", "mild terror", `unknown status "mild terror"`},
		{"rewrite", "rewrote", `layout "rewrote": must be keep or rewrite`},
	} {
		path := writeLog(t, 4)
		b, ends := mustReadFile(t, path), frameEnds(t, path)
		round := b[ends[0]:]
		at := bytes.Index(round, []byte(c.from))
		for ; at >= 0; at = bytes.Index(round, []byte(c.from)) {
			copy(round[at:], c.to)
		}
		reseal(round, bytes.Index(round, sealMagic)+sealSize-prefixSize)
		mustWriteFile(t, path, b)
		_, _, err := ReadLog(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "round 1 (bytes ") {
			t.Errorf("%v, want %s", err, c.want)
		}
		if _, err := OpenWriter(path, WriterOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("writer: %v, want %s", err, c.want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for path, want := range map[string]string{dir: "it is a folder, not a regular file", os.DevNull: "it is a device, not a regular file"} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// Stopping an iteration and going on gives every record once.
func TestRecordsGoOn(t *testing.T) {
	r, err := Open(writeLog(t, 2, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for range r.Rounds() {
		n++
		break
	}
	for _, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1+3 {
		t.Errorf("%d rounds and records, want 4", n)
	}
}

// Follow sees the rounds that a writer appends, from an empty file on, and a
// torn round once it is whole.
func TestFollow(t *testing.T) {
	whole := mustReadFile(t, writeLog(t, 1, 2, 3))
	path := filepath.Join(t.TempDir(), "test.arrow")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for len(whole) > 0 {
			n := min(1000, len(whole))
			if _, err := f.Write(whole[:n]); err != nil {
				t.Error(err)
				stop()
				return
			}
			whole = whole[n:]
			time.Sleep(time.Millisecond)
		}
	}()
	var got []Record
	for rec, err := range flatten(r.Follow(ctx, 100*time.Microsecond)) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, rec); len(got) == 6 {
			stop()
		}
	}
	wantRecords(t, got, sampleRound(0, 6))
	if len(r.Warnings()) > 0 {
		t.Errorf("warnings: %v", r.Warnings())
	}
}
