package nn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
)

// Parameters are the matrices that networks learn, by name, with what the optimiser
// keeps of each. Several networks may share them: graphs of several sizes, one
// training.
type Parameters struct {
	list  []*Parameter
	names map[string]*Parameter
	rng   *rand.Rand
	steps int // of the optimiser
}

// A Parameter is a matrix that is learned.
type Parameter struct {
	Name       string
	Rows, Cols int
	Value      []float32 // row by row

	m1, m2 []float32 // of Adam
}

// NewParameters returns an empty set. Weights are drawn from the seed, in the order
// in which layers are added.
func NewParameters(seed uint64) *Parameters {
	return &Parameters{names: map[string]*Parameter{}, rng: rand.New(rand.NewPCG(seed, 11))}
}

// List returns all parameters in the order in which they were added.
func (p *Parameters) List() []*Parameter { return p.list }

// Find returns the parameter of a name, or nil.
func (p *Parameters) Find(name string) *Parameter { return p.names[name] }

// Steps returns how many steps the optimiser made.
func (p *Parameters) Steps() int { return p.steps }

// get returns the parameter of a name; a new one is drawn evenly from -scale to
// scale.
func (p *Parameters) get(name string, rows, cols int, scale float64) (*Parameter, error) {
	if m := p.names[name]; m != nil {
		if m.Rows != rows || m.Cols != cols {
			return nil, fmt.Errorf("parameter %s is %d x %d in one network and %d x %d in another", name, m.Rows, m.Cols, rows, cols)
		}
		return m, nil
	}
	m := &Parameter{Name: name, Rows: rows, Cols: cols, Value: make([]float32, rows*cols)}
	for i := range m.Value {
		m.Value[i] = float32(scale * (2*p.rng.Float64() - 1))
	}
	m.m1, m.m2 = make([]float32, rows*cols), make([]float32, rows*cols)
	p.list, p.names[name] = append(p.list, m), m
	return m, nil
}

// snapshotMagic begins a snapshot; its last digit is the version of the form.
const snapshotMagic = "wmtune parameters 1\n"

// Snapshot returns the parameters and the state of the optimiser as bytes, the same
// bytes for the same state: a training that is restored from them ends as one that
// was never interrupted.
func (p *Parameters) Snapshot() []byte {
	var b bytes.Buffer
	b.WriteString(snapshotMagic)
	number := func(n int) { b.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	number(p.steps)
	number(len(p.list))
	for _, m := range p.list {
		number(len(m.Name))
		b.WriteString(m.Name)
		number(m.Rows)
		number(m.Cols)
		for _, v := range [][]float32{m.Value, m.m1, m.m2} {
			_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes everything
		}
	}
	b.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b.Bytes())))
	return b.Bytes()
}

// Restore sets parameters and the state of the optimiser to those of a snapshot,
// which must have the same names and shapes in the same order: build the network
// first. Nothing is changed if it returns an error.
func (p *Parameters) Restore(snapshot []byte) error {
	n := len(snapshot) - 4
	if n < len(snapshotMagic) || string(snapshot[:len(snapshotMagic)]) != snapshotMagic {
		return fmt.Errorf("graph: this is no snapshot of parameters of this version (%d bytes)", len(snapshot))
	}
	if crc32.ChecksumIEEE(snapshot[:n]) != binary.LittleEndian.Uint32(snapshot[n:]) {
		return fmt.Errorf("graph: the snapshot of parameters is damaged: its checksum is wrong (%d bytes)", len(snapshot))
	}
	r := bytes.NewReader(snapshot[len(snapshotMagic):n])
	number := func() int {
		var v uint64
		if binary.Read(r, binary.LittleEndian, &v) != nil {
			return -1
		}
		return int(v)
	}
	steps := number()
	if count := number(); steps < 0 || count != len(p.list) {
		return fmt.Errorf("graph: the snapshot has %d parameters, the network has %d", count, len(p.list))
	}
	read := make([][3][]float32, len(p.list))
	for i, m := range p.list {
		name := make([]byte, min(max(number(), 0), r.Len()))
		_, _ = r.Read(name)
		if rows, cols := number(), number(); string(name) != m.Name || rows != m.Rows || cols != m.Cols {
			return fmt.Errorf("graph: parameter %d of the snapshot is %s, %d x %d; that of the network is %s, %d x %d",
				i, name, rows, cols, m.Name, m.Rows, m.Cols)
		}
		for k := range read[i] {
			read[i][k] = make([]float32, len(m.Value))
			if err := binary.Read(r, binary.LittleEndian, read[i][k]); err != nil {
				return fmt.Errorf("graph: the snapshot ends within parameter %s", m.Name)
			}
		}
	}
	p.steps = steps
	for i, m := range p.list { // in place: networks hold these slices
		copy(m.Value, read[i][0])
		copy(m.m1, read[i][1])
		copy(m.m2, read[i][2])
	}
	return nil
}
