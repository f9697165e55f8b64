// Package nn builds and trains networks in gorgonia from operations of our own:
// gorgonia has the graph, the derivatives by rule and the machine that runs it, our
// operations compute whole layers on rows of float32 (nn/kernel), where
// gorgonia's own would make many passes.
//
// Rows are ragged: the rows of several programs, one after the other, each with
// as many as it has (Segments). A graph has a fixed number of rows; what is not used
// belongs to no segment.
//
// The package must not know what rows and scores mean.
package nn

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/chewxy/hm"
	_ "go4.org/unsafe/assume-no-moving-gc" // gorgonia needs this version
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/wmtune/wmtune/nn/kernel"
)

// A Network is a graph under construction, and then trained. The first mistake is
// kept and returned by Finish.
type Network struct {
	graph   *G.ExprGraph
	shared  *Parameters
	params  []*param
	machine G.VM
	output  G.Value
	err     error
}

// A param is the place of a parameter in a network.
type param struct {
	*Parameter
	node *G.Node
	grad G.Value
}

// A Value is rows inside a network.
type Value struct {
	node       *G.Node
	rows, cols int
	fixed      bool // nothing is learned before it
}

// New returns an empty network. Weights are drawn from the seed.
func New(seed uint64) *Network { return With(NewParameters(seed)) }

// With returns an empty network that learns the parameters p: those that p has are
// shared with the networks that p has them from, others are added to p. Name the
// layers (Named) of networks that share.
func With(p *Parameters) *Network { return &Network{graph: G.NewGraph(), shared: p} }

// Parameters returns what the network learns.
func (n *Network) Parameters() *Parameters { return n.shared }

// A Layer is a place for a layer with parameters in a network. Those of a linear
// layer x are x.weight and x.bias.
type Layer struct {
	net  *Network
	name string
}

// Named names a layer that is to be added. Without names layers are numbered.
func (n *Network) Named(name string) Layer { return Layer{n, name} }

// unnamed numbers a layer.
func (n *Network) unnamed() Layer { return n.Named(fmt.Sprintf("layer%d", len(n.params))) }

// Input adds an input, and returns it and its rows, to be filled before each run.
func (n *Network) Input(rows, cols int) (Value, []float32) {
	data := make([]float32, rows*cols)
	return Value{node: n.leaf(rows, cols, data), rows: rows, cols: cols, fixed: true}, data
}

func (n *Network) leaf(rows, cols int, data []float32) *G.Node {
	t := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(data))
	name := fmt.Sprintf("leaf%d", len(n.graph.AllNodes()))
	return G.NewMatrix(n.graph, G.Float32, G.WithShape(rows, cols), G.WithName(name), G.WithValue(t))
}

// param adds a parameter of the layer, drawn evenly from -scale to scale if it is
// new.
func (l Layer) param(part string, rows, cols int, scale float64) *G.Node {
	m, err := l.net.shared.get(l.name+"."+part, rows, cols, scale)
	if err != nil {
		l.net.err = cmp.Or(l.net.err, err)
		return nil
	}
	p := &param{Parameter: m, node: l.net.leaf(rows, cols, m.Value)}
	l.net.params = append(l.net.params, p)
	return p.node
}

// add adds an operation.
func (n *Network) add(o *op, fixed bool) Value {
	v := Value{rows: o.rows, cols: o.cols, fixed: fixed}
	if n.err == nil {
		v.node, n.err = o.apply()
	}
	return v
}

// Finish ends the construction: output is what Run returns, and loss is what is
// minimised.
func (n *Network) Finish(output, loss Value) error {
	if n.err != nil {
		return fmt.Errorf("nn: %w", n.err)
	}
	var nodes G.Nodes
	for _, p := range n.params {
		nodes = append(nodes, p.node)
	}
	grads, err := G.Grad(loss.node, nodes...)
	if err != nil {
		return fmt.Errorf("nn: derivatives: %w", err)
	}
	for i, p := range n.params {
		G.Read(grads[i], &p.grad)
	}
	G.Read(output.node, &n.output)
	n.machine = G.NewTapeMachine(n.graph)
	return nil
}

// Run computes the output of the inputs as they are. It is valid until the next
// run.
func (n *Network) Run() ([]float32, error) {
	n.machine.Reset()
	if err := n.machine.RunAll(); err != nil {
		return nil, fmt.Errorf("nn: %w", err)
	}
	return n.output.Data().([]float32), nil
}

// Close gives back what the machine holds. A nil network and one that was not finished hold nothing.
func (n *Network) Close() error {
	if n == nil || n.machine == nil {
		return nil
	}
	// It has a finalizer, and is in a cycle with n, whose fields its program reads values
	// into: the collector would never free either.
	runtime.SetFinalizer(n.machine, nil)
	return n.machine.Close()
}

// Adam is how weights are learned (Kingma and Ba 2015), with weight decay apart
// from the derivatives (Loshchilov and Hutter 2019).
type Adam struct {
	Rate  float64
	Decay float64
	Clip  float64 // of the length of all derivatives together; 0 means none
}

// Step changes the weights by the derivatives of the last run.
func (n *Network) Step(a Adam) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	n.shared.steps++
	scale := 1.0
	if a.Clip > 0 {
		squares := 0.0
		for _, p := range n.params {
			for _, g := range p.grad.Data().([]float32) {
				squares += float64(g) * float64(g)
			}
		}
		if length := math.Sqrt(squares); length > a.Clip {
			scale = a.Clip / length
		}
	}
	fix1, fix2 := 1-math.Pow(beta1, float64(n.shared.steps)), 1-math.Pow(beta2, float64(n.shared.steps))
	rate, keep := float32(a.Rate/fix1), float32(1-a.Rate*a.Decay)
	root := float32(1 / math.Sqrt(fix2))
	for _, p := range n.params {
		for i, g := range p.grad.Data().([]float32) {
			g *= float32(scale)
			p.m1[i] = beta1*p.m1[i] + (1-beta1)*g
			p.m2[i] = beta2*p.m2[i] + (1-beta2)*g*g
			p.Value[i] = keep*p.Value[i] - rate*p.m1[i]/(float32(math.Sqrt(float64(p.m2[i])))*root+epsilon)
		}
	}
}

// An op is an operation on rows: one value from several, all float32.
type op struct {
	name   string
	id     uint64 // no two operations are the same, whatever their inputs
	inputs []*G.Node
	rows   int // of the output; 0 if it is a scalar
	cols   int
	// forward computes the output, all of which it must write.
	forward func(in [][]float32, out []float32)
	// backward returns, for each input, the operation that computes its derivative
	// from that of the output; nil where there is none.
	backward func(output, grad *G.Node) []*op

	out *tensor.Dense // the output, which every run writes again
}

var ops atomic.Uint64

// apply adds an operation to the graph of its inputs.
func (o *op) apply() (*G.Node, error) {
	o.id = ops.Add(1)
	return G.ApplyOp(o, o.inputs...)
}

// Arity returns the number of inputs.
func (o *op) Arity() int { return len(o.inputs) }

// Type returns the types of the inputs and of the output, all of them concrete:
// gorgonia unifies type variables wrongly where there are several.
func (o *op) Type() hm.Type {
	var list []hm.Type
	for _, n := range o.inputs {
		list = append(list, n.Type())
	}
	if o.rows == 0 {
		return hm.NewFnType(append(list, G.Float32)...)
	}
	return hm.NewFnType(append(list, G.TensorType{Dims: 2, Of: G.Float32})...)
}

// InferShape returns the shape of the output.
func (o *op) InferShape(...G.DimSizer) (tensor.Shape, error) {
	if o.rows == 0 {
		return tensor.ScalarShape(), nil
	}
	return tensor.Shape{o.rows, o.cols}, nil
}

// Do computes the output. It is in memory of the operation, which has one place in
// one graph: the machine would find memory of the same shape too rarely.
func (o *op) Do(inputs ...G.Value) (G.Value, error) {
	in := make([][]float32, len(inputs))
	for i, v := range inputs {
		in[i] = v.Data().([]float32)
	}
	if o.rows == 0 {
		var out [1]float32
		o.forward(in, out[:])
		return G.NewF32(out[0]), nil
	}
	if o.out == nil {
		o.out = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(o.rows, o.cols))
	}
	o.forward(in, o.out.Data().([]float32))
	return o.out, nil
}

// DiffWRT says by which inputs the operation can be derived.
func (o *op) DiffWRT(inputs int) []bool {
	list := make([]bool, inputs)
	if o.backward == nil {
		return list
	}
	for i, g := range o.backward(nil, nil) {
		list[i] = g != nil
	}
	return list
}

// SymDiff adds the operations of the derivatives to the graph.
func (o *op) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	var list G.Nodes
	for _, g := range o.backward(output, grad) {
		if g == nil {
			list = append(list, nil)
			continue
		}
		n, err := g.apply()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// ReturnsPtr says that the output is a pointer to new memory.
func (o *op) ReturnsPtr() bool { return true }

// CallsExtern says that nothing outside Go is called.
func (o *op) CallsExtern() bool { return false }

// OverwritesInput says that no input is overwritten.
func (o *op) OverwritesInput() int { return -1 }

// WriteHash writes what identifies the operation.
func (o *op) WriteHash(h hash.Hash) { fmt.Fprintf(h, "%s %d", o.name, o.id) }

// Hashcode returns a hash of what identifies the operation.
func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

func (o *op) String() string { return fmt.Sprintf("%s#%d", o.name, o.id) }

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
			return nil, fmt.Errorf("parameter %s is %d x %d in one network and %d x %d in another", name, m.Rows, m.Cols, rows,
				cols)
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
		return fmt.Errorf("nn: this is no snapshot of parameters of this version (%d bytes)", len(snapshot))
	}
	if crc32.ChecksumIEEE(snapshot[:n]) != binary.LittleEndian.Uint32(snapshot[n:]) {
		return fmt.Errorf("nn: the snapshot of parameters is damaged: its checksum is wrong (%d bytes)", len(snapshot))
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
		return fmt.Errorf("nn: the snapshot has %d parameters, the network has %d", count, len(p.list))
	}
	read := make([][3][]float32, len(p.list))
	for i, m := range p.list {
		name := make([]byte, min(max(number(), 0), r.Len()))
		_, _ = r.Read(name)
		if rows, cols := number(), number(); string(name) != m.Name || rows != m.Rows || cols != m.Cols {
			return fmt.Errorf("nn: parameter %d of the snapshot is %s, %d x %d; that of the network is %s, %d x %d",
				i, name, rows, cols, m.Name, m.Rows, m.Cols)
		}
		for k := range read[i] {
			read[i][k] = make([]float32, len(m.Value))
			if err := binary.Read(r, binary.LittleEndian, read[i][k]); err != nil {
				return fmt.Errorf("nn: the snapshot ends within parameter %s", m.Name)
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

// pieces is in how many pieces large operations are cut, each with a goroutine: a
// constant, so that sums do not depend on the processors.
const pieces = 2

// cut calls f for each piece of n things, at once.
func cut(n int, f func(piece, first, end int)) {
	var wait sync.WaitGroup
	for p := range pieces {
		wait.Go(func() { f(p, p*n/pieces, (p+1)*n/pieces) })
	}
	wait.Wait()
}

// small is up to how many multiplications a product is not worth two goroutines.
const small = 1 << 20

// multiply sets c to a*b, or adds a*b to it; a has rows of k values.
func multiply(c, a []float32, k int, b kernel.Matrix, add bool) {
	rows := len(a) / k
	n := len(c) / rows
	if rows*k*n <= small {
		kernel.Multiply(c, kernel.M(a, k), b, add)
		return
	}
	cut(rows, func(_, first, end int) {
		kernel.Multiply(c[first*n:end*n], kernel.M(a[first*k:end*k], k), b, add)
	})
}

// transposed sets c to a'*b, where a has rows of m values and b rows of n: each
// piece of the rows by itself, and then their sum.
func transposed(c, a []float32, m int, b []float32, n int) {
	rows := len(a) / m
	if rows*m*n <= small {
		kernel.Multiply(c, kernel.M(a, m).T(), kernel.M(b, n), false)
		return
	}
	var parts [pieces][]float32
	cut(rows, func(p, first, end int) {
		if parts[p] = c; p > 0 {
			parts[p] = make([]float32, len(c))
		}
		kernel.Multiply(parts[p], kernel.M(a[first*m:end*m], m).T(), kernel.M(b[first*n:end*n], n), false)
	})
	for _, part := range parts[1:] {
		for i, v := range part {
			c[i] += v
		}
	}
}
