package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// allocated returns the bytes that a function allocates in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const little = 64 << 20

// Lengths in a log allocate nothing before they are known to be sound.
func TestLogLimits(t *testing.T) {
	t.Run("round", func(t *testing.T) {
		path := writeLog(t, 2)
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		end, size := frameEnds(t, path)[1], int64(1<<30+4<<20)
		head := append(bytes.Clone(continuation), 0, 0, 0, 0)
		binary.LittleEndian.PutUint32(head[4:], sealSize)
		head = append(append(head, sealMagic...), SchemaVersion, 2, 0, 0, 0, 0, 0, 0, 0)
		head = binary.LittleEndian.AppendUint64(head, uint64(size)-1<<20)
		_, err = f.WriteAt(head, end)
		if err := errors.Join(err, f.Truncate(size)); err != nil { // takes no space
			t.Fatal(err)
		}
		n := allocated(func() {
			list, warnings, err := ReadLog(path)
			if err != nil || len(list) != 2 || len(warnings) != 1 {
				t.Errorf("%d records, %v, %v", len(list), warnings, err)
			}
		})
		if n > little {
			t.Errorf("%d bytes were allocated", n)
		}
	})
	t.Run("packed", func(t *testing.T) {
		var b bytes.Buffer
		z, err := zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			t.Fatal(err)
		}
		_, err = z.Write(mustHeader(t))
		_, e := io.CopyN(z, zeros{}, maxUnpacked)
		if err := errors.Join(err, e, z.Close()); err != nil {
			t.Fatal(err)
		}
		n := allocated(func() {
			_, _, err := ReadLog(written(t, b.Bytes()))
			if err == nil || !strings.Contains(err.Error(), "it expands to more than 1073741824 bytes") {
				t.Error(err)
			}
		})
		if n > little {
			t.Errorf("%d bytes were allocated for a file of %d", n, b.Len())
		}
	})
	t.Run("window", func(t *testing.T) {
		whole := mustReadFile(t, writeCompressed(t, 100))
		head := len(mustHeader(t))
		fr, err := readFrame(bytes.NewReader(whole), int64(head), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(fr.body, packedMagic)
		if at < 0 {
			t.Fatal("no frame of zstd in a compressed round")
		}
		copy(fr.body[at+4:], []byte{0x00, 25 << 3}) // a window of 32 GiB follows
		frame := sealFrame(fr.version, 1, fr.meta[:len(fr.meta)-sealSize], fr.body)
		path := written(t, append(bytes.Clone(whole[:head]), frame...))
		n := allocated(func() {
			_, _, err := ReadLog(path)
			if err == nil || !strings.Contains(err.Error(), "it expands to 34359738368 bytes, and may to 268435456") {
				t.Error(err)
			}
		})
		if n > little {
			t.Errorf("%d bytes were allocated", n)
		}
	})
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// A named pipe is no log: opening it must not wait for the other end.
func TestLogIsNoPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.arrow")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadLog(path); err == nil || !strings.Contains(err.Error(), "it is a pipe, not a regular file") {
		t.Error(err)
	}
	if _, err := OpenWriter(path, WriterOptions{}); err == nil || !strings.Contains(err.Error(), "it is a pipe, not a regular file") {
		t.Error(err)
	}
}

// A seed may have the bytes of a header of zstd that asks for 1 GiB: a log that is not compressed holds no header.
func TestSeedLikeZstd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.arrow")
	w, err := OpenWriter(path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := samples(3)
	for i := range want {
		want[i].Seed = 0xa000fd2fb528
	}
	if err := errors.Join(w.Append(want), w.Close()); err != nil {
		t.Fatal(err)
	}
	got, warnings, err := ReadLog(path)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	wantRecords(t, got, want)
}
