package arrowio

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/klauspost/compress/zstd"
)

// tooLarge begins a frame of zstd that asks for a window of 1 GiB.
var tooLarge = []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 20 << 3}

var numbersSchema = arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Uint64}}, nil)

// encoded returns the message of a batch of one column.
func encoded(t *testing.T, values []uint64, opts ...ipc.Option) (meta, body []byte) {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, numbersSchema)
	b.Field(0).(*array.Uint64Builder).AppendValues(values, nil)
	var m Payload
	w := ipc.NewWriterWithPayloadWriter(&m, append(opts, ipc.WithSchema(numbersSchema))...)
	if err := w.Write(b.NewRecord()); err != nil {
		t.Fatal(err)
	}
	return m.Meta, m.Body
}

// Data that look like the header of a frame are no frame, in a batch that is compressed and in one that is not; a
// frame that asks for too much memory is found in the first place and behind others.
func TestCheckZstd(t *testing.T) {
	values := make([]uint64, 64)
	values[1] = binary.LittleEndian.Uint64(append(slices.Clone(tooLarge), 0, 0))
	for i := range values {
		values[i] += uint64(i) << 56
	}
	meta, plain := encoded(t, values)
	if !strings.Contains(string(plain), string(tooLarge)) {
		t.Fatal("the data do not look like a frame")
	}
	small, compressed := encoded(t, values, ipc.WithZstd())
	raw := append([]byte{255, 255, 255, 255, 255, 255, 255, 255}, tooLarge...)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	size := []byte{8, 0, 0, 0, 0, 0, 0, 0}
	skipped := []byte{0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3}
	whole := z.EncodeAll(make([]byte, 300), nil)
	repeated := append(slices.Clone(size), 0x28, 0xb5, 0x2f, 0xfd, 0, 0, 1<<1|1|4<<3, 0, 0, 7) // a block of 4 times 7
	for name, c := range map[string]struct {
		meta, body []byte
		refused    bool
	}{
		"plain":            {meta, plain, false},
		"compressed":       {small, compressed, false},
		"not compressed":   {nil, raw, false},
		"too large":        {nil, slices.Concat(size, tooLarge), true},
		"behind a frame":   {nil, slices.Concat(size, whole, tooLarge), true},
		"behind a skipped": {nil, slices.Concat(size, skipped, tooLarge), true},
		"behind repeated":  {nil, slices.Concat(repeated, tooLarge), true},
		"in a frame":       {nil, slices.Concat(size, z.EncodeAll(slices.Concat(tooLarge, raw), nil)), false},
		"cut off":          {nil, slices.Concat(size, whole[:len(whole)-5]), false},
	} {
		if c.meta == nil {
			c.meta = resized(t, small, len(c.body))
		}
		err := CheckZstd(c.meta, c.body)
		if c.refused != (err != nil) || err != nil && !strings.Contains(err.Error(), "it expands to 1073741824 bytes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckZstd(small, plain[:8]); err == nil || !strings.Contains(err.Error(), "in 8 bytes of 8") {
		t.Errorf("a buffer behind the end: %v", err)
	}
	overlapping := resized(t, small, 24)
	cells, err := compressedBuffers(overlapping)
	if err != nil {
		t.Fatal(err)
	}
	copy(cells, cells[16:])
	if err := CheckZstd(overlapping, compressed[:24]); err == nil || !strings.Contains(err.Error(), "in 0 bytes of 24") {
		t.Errorf("buffers that overlap: %v", err)
	}
}

// resized returns the metadata of a compressed batch of one column, whose values are all of another body.
func resized(t *testing.T, meta []byte, size int) []byte {
	t.Helper()
	meta = slices.Clone(meta)
	cells, err := compressedBuffers(meta)
	if err != nil || len(cells) != 32 {
		t.Fatal(cells, err)
	}
	binary.LittleEndian.PutUint64(cells[24:], uint64(size))
	return meta
}
