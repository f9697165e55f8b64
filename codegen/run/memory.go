package run

import (
	"fmt"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/winograd"
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

// A Need is how many bytes checking and timing candidates of a DAG takes, at most, in the tuner and its run
// worker. Sums of more than 2^62 bytes are 2^62.
type Need struct {
	Vault     uint64 // inputs, and what is expected of outputs, of which there are two sets
	Reference uint64 // the tensors of the reference program, in float64, and what it computes on the way
	Placed    uint64 // the tensors of a candidate, at either guard, packed weights, and what it computes on the way

	Largest      string // tensor
	LargestBytes uint64 // of its elements, once
}

const mostBytes = 1 << 62

// A role is what a tensor is to a kernel.
type role int

const (
	inputTensor    role = iota
	constantTensor      // an input that may be packed
	outputTensor
	betweenTensor // that a kernel computes on the way
)

// add counts a tensor.
func (n *Need) add(name string, elems uint64, t tir.DType, is role) {
	const guards = 2*worker.GuardBytes + 2*pageBytes
	more := func(to *uint64, bytes uint64) { *to = min(*to+min(bytes, mostBytes), mostBytes) }
	bytes := elems * uint64(t.Bytes())
	if bytes > n.LargestBytes {
		n.Largest, n.LargestBytes = name, bytes
	}
	more(&n.Reference, elems*uint64(widened(t).Bytes())+pageBytes)
	if is == betweenTensor {
		more(&n.Placed, bytes+pageBytes)
		return
	}
	more(&n.Reference, guards)
	more(&n.Vault, vaulted(elems, t, is != outputTensor))
	more(&n.Placed, 2*(bytes+guards))
	if is == constantTensor {
		more(&n.Placed, 2*(lower.MaxGrowth(t)*bytes+guards))
	}
}

// Memory estimates what a DAG needs. It looks at shapes and types alone.
func Memory(d *compute.DAG) Need {
	var n Need
	roles := map[*tir.Buffer]role{}
	for _, op := range d.Ops {
		for _, b := range op.Results {
			roles[b] = betweenTensor
		}
	}
	for _, b := range d.Inputs() {
		roles[b] = inputTensor
	}
	for _, b := range d.Constants() {
		roles[b] = constantTensor
	}
	for _, b := range d.Results() {
		roles[b] = outputTensor
	}
	for _, op := range d.Ops {
		for _, b := range op.Results {
			n.add(b.Name, elemsOf(b.Shape), b.Type, roles[b])
		}
		if c, err := schedule.ConvolutionOf(op); err == nil {
			n.Placed = min(n.Placed+inTiles(c.Estimate()), mostBytes)
		}
	}
	return n
}

// inTiles returns how many bytes a candidate needs that computes a convolution in tiles: transformed weights and tiles.
// The reference has none of them.
func inTiles(e winograd.Estimate) uint64 {
	most := uint64(0)
	for _, tile := range e.Within(winograd.Doubt) {
		if tile != winograd.Untiled {
			weights, tiles := e.Elems(tile)
			most = max(most, 4*(uint64(tiles)+2*lower.MaxGrowth(tir.F32)*uint64(weights)))
		}
	}
	return min(most, mostBytes)
}

// bytes returns how much memory the arguments of a kernel take in a worker.
func (s *signature) bytes() uint64 {
	var n Need
	for i, t := range s.Tensors {
		is := constantTensor
		if i >= len(s.inputs()) {
			is = outputTensor
		}
		n.add(t.Name, elemsOf(t.Shape), t.Type, is)
	}
	return n.Bytes()
}

// packedBytes returns how much memory the packed operands of a candidate take, at most.
func (s *signature) packedBytes() uint64 {
	n := uint64(0)
	for _, i := range s.Constants {
		n += lower.MaxGrowth(s.Tensors[i].Type) * min(elemsOf(s.Tensors[i].Shape)*uint64(s.Tensors[i].Type.Bytes()), mostKept)
	}
	return n
}

// elemsOf returns how many elements a tensor has, at most 2^56.
func elemsOf(shape []int64) uint64 {
	const most = 1 << 56
	n := uint64(1)
	for _, e := range shape {
		if n > most/uint64(max(e, 1)) {
			return most
		}
		n *= uint64(e)
	}
	return n
}

// Bytes returns all of it. The reference has ended when candidates run, but the
// worker's limit leaves room for both.
func (n Need) Bytes() uint64 { return min(n.Vault+n.Reference+n.Placed, mostBytes) }

// peak returns what is in use at once.
func (n Need) peak() uint64 { return n.Vault + max(n.Reference, n.Placed) }

// Fits is an error if a DAG needs more memory than a limit, in bytes; 0 stands for three quarters of what
// is free here, control groups included. Nothing is allocated.
func Fits(d *compute.DAG, limit uint64) (Need, error) {
	n := Memory(d)
	what := "is the limit"
	if limit == 0 {
		what = "may be used, three quarters of what is free"
	}
	limit, err := usable(limit)
	if err != nil {
		return n, err
	}
	if n.peak() <= limit {
		return n, nil
	}
	return n, fmt.Errorf("run: the workload needs %s of memory, and %s %s: its largest tensor, %s, has %d bytes, "+
		"and checks keep several copies: make it smaller, or allow more with --memory",
		sizeText(n.peak()), sizeText(limit), what, n.Largest, n.LargestBytes)
}

// usable returns a limit in bytes, of which 0 stands for three quarters of what is free here.
func usable(limit uint64) (uint64, error) {
	if limit != 0 {
		return limit, nil
	}
	free, err := codegen.FreeMemory()
	return free / 4 * 3, err
}

// room returns how many bytes a need leaves of a limit, as Fits has it.
func (n Need) room(limit uint64) (uint64, error) {
	limit, err := usable(limit)
	return limit - min(n.peak(), limit), err
}

// sizeText prints a number of bytes.
func sizeText(bytes uint64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}
