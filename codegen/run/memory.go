package run

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"golang.org/x/sys/unix"
)

// inputSets is the number of different inputs that a candidate is called with.
const inputSets = 2

// A vault is memory, shared by the runner and its workers through a file, that
// outlives a worker: the sets of inputs and the results expected of each.
type vault struct {
	mem    []byte
	inputs [inputSets][][]byte
	wants  [inputSets][][]byte
}

// vaultBytes returns the size of the file for a task.
func vaultBytes(s *signature) int64 {
	n := uint64(0)
	for i, t := range s.Tensors {
		n += vaulted(elemsOf(t.Shape), t.Type, i < len(s.inputs()))
	}
	return int64(max(n, 1))
}

// vaulted is what the vault has of a tensor.
func vaulted(elems uint64, t tir.DType, input bool) uint64 {
	if !input {
		t = widened(t)
	}
	return inputSets * alignUp(elems*uint64(t.Bytes()), alignBytes)
}

// A vaultAccess says whether a vault may be written.
type vaultAccess int

const (
	vaultRead  vaultAccess = unix.PROT_READ
	vaultWrite vaultAccess = unix.PROT_READ | unix.PROT_WRITE
)

// openVault maps the vault of a task.
func openVault(fd int, s *signature, access vaultAccess) (*vault, error) {
	mem, err := unix.Mmap(fd, 0, int(vaultBytes(s)), int(access), unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("run: memory for inputs and reference: %w", err)
	}
	v := &vault{mem: mem}
	at := uint64(0)
	take := func(n int64) []byte {
		part := mem[at : at+uint64(n)]
		at += alignUp(uint64(n), alignBytes)
		return part
	}
	for set := range inputSets {
		for _, t := range s.inputs() {
			v.inputs[set] = append(v.inputs[set], take(t.bytes()))
		}
		for _, t := range s.outputs() {
			v.wants[set] = append(v.wants[set], take(t.elems()*int64(widened(t.Type).Bytes())))
		}
	}
	return v, nil
}

func (v *vault) close() { unix.Munmap(v.mem) }

// widened is the type that the reference computes a type in.
func widened(t tir.DType) tir.DType {
	if t.IsFloat() {
		return tir.F64
	}
	return t
}
