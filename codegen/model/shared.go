package model

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/wmtune/wmtune/codegen/worker"
	"golang.org/x/sys/unix"
)

// sharedMemory is what a program and its bundle worker see of each other: a file without
// a name. It begins with a status page; then comes the time of each step, and then the
// memory of each tensor that has no file of its own.
type sharedMemory struct {
	file    *os.File
	data    []byte
	tensors []block
}

// A block is where a tensor lies in a file: Start is a multiple of the size of a page, and
// the tensor begins Skip bytes after it.
type block struct {
	Path        string // "" stands for the shared memory
	Start, Skip int64
	Bytes       int64
	Write       bool
}

// size returns the bytes from Start to the end of the tensor.
func (b block) size() int64 { return b.Skip + b.Bytes }

// A status says what the worker is at. The program reads it while the worker may be dead.
type status struct {
	since atomic.Int64 // monotonic nanoseconds when what is running began; 0: nothing runs
}

const pageBytes = 4096

func pages(n int64) int64 { return (n + pageBytes - 1) / pageBytes * pageBytes }

// place gives each tensor memory. Those without a file lie at the ends of their pages, where
// a guard follows, and start at a multiple of 64 bytes.
func place(list []block, steps int) int64 {
	at := pageBytes + pages(8*int64(steps))
	for i := range list {
		b := &list[i]
		if b.Path != "" {
			b.Start, b.Skip = b.Skip/pageBytes*pageBytes, b.Skip%pageBytes
			continue
		}
		whole := (b.Bytes + tensorAlign - 1) / tensorAlign * tensorAlign
		b.Start, b.Skip = at, pages(whole)-whole
		at += pages(whole)
	}
	return at
}

// newShared makes the memory.
func newShared(list []block, steps int) (*sharedMemory, error) {
	size := place(list, steps)
	fd, err := unix.MemfdCreate("wmtune-bundle", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("model: memory to share: %w", err)
	}
	s := &sharedMemory{file: os.NewFile(uintptr(fd), "bundle"), tensors: list}
	if err := unix.Ftruncate(fd, size); err != nil {
		s.close()
		return nil, fmt.Errorf("model: memory of %d bytes to share: %w", size, err)
	}
	if s.data, err = unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		s.close()
		return nil, fmt.Errorf("model: memory of %d bytes to share: %w", size, err)
	}
	return s, nil
}

func (s *sharedMemory) close() {
	if s.data != nil {
		unix.Munmap(s.data)
	}
	s.file.Close()
	s.data = nil
}

func statusOf(data []byte) *status { return (*status)(unsafe.Pointer(unsafe.SliceData(data))) }

// times returns the nanoseconds of each step, which the bundle writes.
func times(data []byte, steps int) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(data[pageBytes:]))), steps)
}

// tensor returns the memory of a tensor, nil if it has a file.
func (s *sharedMemory) tensor(i int) []byte {
	b := s.tensors[i]
	if b.Path != "" {
		return nil
	}
	return s.data[b.Start+b.Skip:][:b.Bytes:b.Bytes]
}

// mapGuarded maps a tensor between areas that fault when they are touched, and returns its
// address. Nothing unmaps it: the worker ends with it.
func mapGuarded(b block, fd int) (uintptr, error) {
	size := pages(b.size())
	reserved := uintptr(size + 2*worker.GuardBytes)
	base, err := unix.MmapPtr(-1, 0, nil, reserved, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return 0, fmt.Errorf("mapping %d bytes: %w", b.Bytes, err)
	}
	at := unsafe.Add(base, worker.GuardBytes)
	if size == 0 {
		return uintptr(at), nil
	}
	access, kind := unix.PROT_READ, unix.MAP_SHARED
	if b.Write {
		access |= unix.PROT_WRITE
	}
	if _, err := unix.MmapPtr(fd, b.Start, at, uintptr(size), access, kind|unix.MAP_FIXED); err != nil {
		return 0, fmt.Errorf("mapping %d bytes: %w", b.Bytes, err)
	}
	return uintptr(at) + uintptr(b.Skip), nil
}
