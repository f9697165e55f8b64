package onnx

// blockSize is how many numbers a block of memory has.
const blockSize = 1 << 20

// memory gives room for values and takes all of it back at once: a run of a network
// asks for the same again and again, and fresh memory costs more than the arithmetic.
// A nil memory always allocates.
type memory struct {
	blocks [][]float32
	block  int // in use
	used   int // of that block
	total  int // of the run
}

// reset takes everything back.
func (m *memory) reset() { m.block, m.used, m.total = 0, 0, 0 }

// floats returns room for n numbers, which may hold anything.
func (m *memory) floats(n int) []float32 {
	if n < 0 || n > maxElements {
		failf("a value of more than %d numbers", maxElements)
	}
	if m == nil {
		return make([]float32, n)
	}
	m.count(n)
	for m.block < len(m.blocks) && m.used+n > len(m.blocks[m.block]) {
		m.block, m.used = m.block+1, 0
	}
	if m.block == len(m.blocks) {
		m.blocks = append(m.blocks, make([]float32, max(n, blockSize)))
	}
	out := m.blocks[m.block][m.used:][:n:n]
	m.used += n
	return out
}

// count ends a run that would take all memory there is.
func (m *memory) count(n int) {
	if m == nil {
		return
	}
	if m.total += n; m.total > 4*maxElements {
		failf("more than %d numbers in one run", 4*maxElements)
	}
}

// tensor returns a tensor of floats with room for its numbers.
func (m *memory) tensor(shape []int) Tensor {
	return Tensor{Type: Float32, Shape: shape, Floats: m.floats(elements(shape))}
}

// ints returns a tensor of integers, all 0.
func (m *memory) ints(t Type, shape []int) Tensor {
	n := elements(shape)
	if n < 0 {
		failf("a value of more than %d numbers", maxElements)
	}
	m.count(2 * n)
	return Tensor{Type: t, Shape: shape, Ints: make([]int64, n)}
}
