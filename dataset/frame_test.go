package dataset

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"testing"
)

// testFrame returns the bytes of a frame with n bytes of each part.
func testFrame(number uint32, n int) []byte {
	rng := rand.New(rand.NewPCG(3, uint64(number)))
	part := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	return sealFrame(SchemaVersion, number, part(n), part(n&^7))
}

// reseal computes the checksum of a frame whose bytes were changed.
func reseal(b []byte, metaSize int) []byte {
	crc := b[prefixSize+metaSize-sealSize+12:][:4]
	copy(crc, make([]byte, 4))
	sum := crc32.Checksum(b, castagnoli)
	for i := range crc {
		crc[i] = byte(sum >> (8 * i))
	}
	return b
}

func TestFrameRoundTrip(t *testing.T) {
	for n := range 40 {
		b := testFrame(uint32(n), n)
		if len(b)%8 != 0 {
			t.Fatalf("%d: frame of %d bytes", n, len(b))
		}
		fr, err := readFrame(bytes.NewReader(b), 0, int64(len(b)))
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		if fr.number != uint32(n) || fr.version != SchemaVersion || fr.end() != int64(len(b)) || len(fr.body) != n&^7 {
			t.Fatalf("%d: got %+v", n, fr)
		}
		if !bytes.Equal(append(append([]byte(nil), fr.meta...), fr.body...), b[prefixSize:]) {
			t.Fatalf("%d: the bytes differ", n)
		}
	}
}

// Every single flipped bit of a frame is noticed, and so is every cut.
func TestFrameSeal(t *testing.T) {
	b := testFrame(5, 50)
	for i := range 8 * len(b) {
		c := append([]byte(nil), b...)
		c[i/8] ^= 1 << (i % 8)
		if _, err := readFrame(bytes.NewReader(c), 0, int64(len(c))); err != errNoFrame {
			t.Fatalf("bit %d flipped: %v", i, err)
		}
	}
	for n := range b {
		if _, err := readFrame(bytes.NewReader(b[:n]), 0, int64(n)); err != errNoFrame {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

// A file that is shorter than its size said is no error of reading.
func TestFrameOfShrunkFile(t *testing.T) {
	b := testFrame(5, 50)
	for n := range b {
		if _, err := readFrame(bytes.NewReader(b[:n]), 0, int64(len(b))); err != errNoFrame {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

func TestFindFrame(t *testing.T) {
	first, second := testFrame(0, 30), testFrame(1, 17)
	junk := bytes.Repeat(continuation, 1<<15) // more than one window
	b := append(append(append(first, junk...), second...), first[:20]...)
	r, size := bytes.NewReader(b), int64(len(b))
	for _, c := range []struct{ from, at int64 }{
		{0, 0},
		{8, int64(len(first) + len(junk))},
		{int64(len(first)), int64(len(first) + len(junk))},
	} {
		fr, err := findFrame(r, c.from, size)
		if err != nil || fr.at != c.at {
			t.Errorf("from %d: at %d, %v, want %d", c.from, fr.at, err, c.at)
		}
	}
	if _, err := findFrame(r, int64(len(first)+len(junk)+8), size); err != errNoFrame {
		t.Errorf("behind the last: %v", err)
	}
}

// Prefixes that no frame follows are cheap: what they say of their length is not read, but the seal at its end.
func TestFindFramePrefixes(t *testing.T) {
	junk := bytes.Repeat(append(bytes.Clone(continuation), 0, 0, 0x10, 0), 1<<10) // each says 1 MiB
	b := append(junk, make([]byte, 1<<20+len(junk))...)
	n := allocated(func() {
		if _, err := findFrame(bytes.NewReader(b), 0, int64(len(b))); err != errNoFrame {
			t.Error(err)
		}
	})
	if n > 1<<20 {
		t.Errorf("%d bytes were read", n)
	}
}

// Lengths and offsets that make no sense, under a seal that fits, are errors:
// Arrow would allocate by them, or index out of its buffers. Found by
// FuzzDecode.
func TestSealedNonsense(t *testing.T) {
	t.Run("plain", func(t *testing.T) { sealNonsense(t, writeLog(t, 2)) })
	t.Run("compressed", func(t *testing.T) { sealNonsense(t, writeCompressed(t, 2)) })
}

func sealNonsense(t *testing.T, path string) {
	whole, ends := mustReadFile(t, path), frameEnds(t, path)
	fr, err := readFrame(bytes.NewReader(whole), ends[0], int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDecoder(SchemaVersion)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	nonsense := func(meta, body []byte) {
		if _, err := d.round(frame{version: SchemaVersion, meta: meta, body: body}); err != nil {
			refused++
			if d, err = newDecoder(SchemaVersion); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := 0; i+8 <= len(fr.meta)-sealSize; i += 8 {
		for _, v := range []uint64{1 << 45, 1 << 31, 1<<64 - 1} {
			bad := append([]byte(nil), fr.meta...)
			binary.LittleEndian.PutUint64(bad[i:], v)
			nonsense(bad, fr.body)
		}
	}
	for i := 0; i+4 <= len(fr.body); i += 4 {
		for _, v := range []uint32{1 << 20, 1<<32 - 1} {
			bad := append([]byte(nil), fr.body...)
			binary.LittleEndian.PutUint32(bad[i:], v)
			nonsense(fr.meta, bad)
		}
	}
	if refused < 100 {
		t.Errorf("%d refused", refused)
	}
}

// FuzzReadLog reads whatever bytes: no panic, and every record that comes out
// was put in.
func FuzzReadLog(f *testing.F) {
	whole := mustReadFile(f, writeLog(f, 1, 2))
	f.Add(whole, uint16(0), uint16(0))
	f.Add(mustReadFile(f, writeCompressed(f, 1, 2)), uint16(0), uint16(0))
	f.Add(whole[:len(whole)-9], uint16(40), uint16(7))
	f.Add([]byte("{}"), uint16(0), uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, at, n uint16) {
		// Cut bytes out, so that the fuzzer need not find out about offsets.
		from := min(int(at), len(b))
		b = append(append([]byte(nil), b[:from]...), b[min(from+int(n), len(b)):]...)
		list, _, err := readBytes(b)
		if err != nil {
			return
		}
		for _, r := range list {
			want := sampleRecord(r.Trial)
			want.Trajectory = r.Trajectory // the fuzzer's cache may be older than its definition
			if !reflect.DeepEqual(r, want) {
				t.Fatalf("a record that nobody wrote: %+v", r)
			}
		}
	})
}

// FuzzDecode gives Arrow bytes whose seal fits: what a defect or a stranger may
// have written. There may be an error, but no panic.
func FuzzDecode(f *testing.F) {
	for _, path := range []string{writeLog(f, 1, 2), writeCompressed(f, 1, 2)} {
		whole, ends := mustReadFile(f, path), frameEnds(f, path)
		for i := range len(ends) - 1 {
			fr, err := readFrame(bytes.NewReader(whole), ends[i], int64(len(whole)))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(fr.meta, fr.body)
		}
	}
	f.Fuzz(func(t *testing.T, meta, body []byte) {
		d, err := newDecoder(SchemaVersion)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = d.round(frame{version: SchemaVersion, meta: meta, body: body})
	})
}
