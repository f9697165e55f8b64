package vdla

import "github.com/wmtune/wmtune/tir/target"

// A Memory is one on the chip. Addresses are bytes.
type Memory uint8

// The memories. Names are those of the scopes of buffers.
const (
	Inp   Memory = iota // vectors of 16 bytes: rows of the first operand
	Wgt                 // blocks of 16 by 16 int8: of the second operand, a row after the other
	Acc                 // vectors of 16 int32: sums
	Micro               // micro-operations
)

// What one cycle works on.
const (
	Lanes = 16 // columns of a product, and steps of its sum

	granule    = Lanes             // bytes: what a load writes at least, and what orders are told apart by
	wgtBytes   = Lanes * Lanes     // of a block
	accBytes   = 4 * Lanes         // of a vector
	microBytes = 4                 // of a micro-operation: three numbers of 11, 11 and 10 bits
	cycleMACs  = 1 * Lanes * Lanes // products in a cycle
)

var memories = [...]struct {
	name  string
	bytes int64
	unit  int64 // bytes of what instructions count in
}{
	Inp:   {"inp", target.InpBytes, granule},
	Wgt:   {"wgt", target.WgtBytes, wgtBytes},
	Acc:   {"acc", target.AccBytes, accBytes},
	Micro: {"micro", target.MicroBytes, microBytes},
}

func (m Memory) String() string { return memories[m].name }

// Bytes returns the size of the memory.
func (m Memory) Bytes() int64 { return memories[m].bytes }

// A Unit has a queue of instructions, which it carries out one after the other.
type Unit uint8

// The units.
const (
	Loader Unit = iota
	Executor
	Storer
)

var unitNames = [...]string{Loader: "ld", Executor: "ex", Storer: "st"}

func (u Unit) String() string { return unitNames[u] }

// joined reports whether a queue of tokens leads from one unit to another. The executor has one from and to each other.
func joined(from, to Unit) bool { return from != to && (from == Executor || to == Executor) }

// Clock is in Hz.
const Clock = 200e6

// A Timing says how long transfers take. Products and vector operations take a cycle for each row.
type Timing struct {
	Latency       int64 // cycles from an instruction to its first byte
	BytesPerCycle int64 // of all transfers together
}

// PYNQ is the board of TVM's paper. Its memory is 16 bits wide and moves 1,066 Mbit/s on each wire (PYNQ-Z1 Reference
// Manual), 2.13 GB/s, of which the controller gets about 75 % (Zynq-7000 Technical Reference Manual, 22.3.2): 8 bytes
// in a cycle of 200 MHz. The latency is an assumption, 320 ns.
var PYNQ = Timing{Latency: 64, BytesPerCycle: 8}
