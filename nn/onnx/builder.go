// Package onnx writes networks as ONNX files and reads their weights again.
//
// Writing: a Builder collects weights and nodes and encodes them (opset 17, IR 8). Any program that reads ONNX runs
// the file. The bytes are written with protowire, field by field: the code that protoc would generate from onnx.proto
// is longer than this writer, and under its own name it panics at start beside the copy inside onnx-go, since both
// register onnx.* .
//
// Reading: Load checks the bytes and has onnx-go decode the weights. The packages that train networks run them, over
// nn/kernel.
//
// The package must not know what a network computes: names of weights and of inputs
// are the caller's.
package onnx

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// What a file of ours says it is.
const (
	irVersion    = 8
	opsetVersion = 17
	producer     = "wmtune"
)

// A Type is that of the elements of a value; the numbers are those of ONNX.
type Type int

// The types that Builder writes.
const (
	Float32 Type = 1
	Int64   Type = 7
)

func (t Type) String() string {
	switch t {
	case Float32:
		return "float32"
	case Int64:
		return "int64"
	}
	return "type " + strconv.Itoa(int(t))
}

// An Attr is an attribute of a node.
type Attr struct {
	name string
	kind int
	f    float32
	i    int64
	ints []int64
}

// Int returns an attribute that is a number.
func Int(name string, v int64) Attr { return Attr{name: name, kind: kindInt, i: v} }

// Float returns an attribute that is a float.
func Float(name string, v float32) Attr { return Attr{name: name, kind: kindFloat, f: v} }

// Ints returns an attribute that is a list of numbers.
func Ints(name string, v ...int64) Attr { return Attr{name: name, kind: kindInts, ints: v} }

// A Builder collects a network and encodes it. Nodes are written in the order of the
// calls, which is topological, since a node takes names that earlier calls returned.
// The first mistake is kept and returned by Bytes.
type Builder struct {
	name                           string
	inputs, weights, nodes, finals []message
	known                          map[string]bool // names of values
	used                           map[string]bool // as an output of the network
	calls                          int
	err                            error
}

// New returns an empty network.
func New(graphName string) *Builder {
	return &Builder{name: graphName, known: map[string]bool{}, used: map[string]bool{}}
}

func (b *Builder) failf(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("onnx: %s: %s", b.name, fmt.Sprintf(format, args...))
	}
}

// define takes a name for a value.
func (b *Builder) define(name string) {
	if name == "" {
		b.failf("a value without a name")
	} else if b.known[name] {
		b.failf("two values are named %q", name)
	}
	b.known[name] = true
}

// Input adds an input of the network. A dimension is a number, or a name such as
// "batch" where it is known at run time only.
func (b *Builder) Input(name string, t Type, dims ...string) string {
	b.define(name)
	b.inputs = append(b.inputs, info(name, t, dims))
	return name
}

// Output says that a value is an output of the network: one that
// an earlier call returned. Named gives it a name of its own.
func (b *Builder) Output(name string, t Type, dims ...string) {
	if !b.known[name] {
		b.failf("output %q is no value", name)
	} else if b.used[name] {
		b.failf("output %q is there twice", name)
	}
	b.used[name] = true
	b.finals = append(b.finals, info(name, t, dims))
}

// info encodes a ValueInfoProto.
func info(name string, t Type, dims []string) message {
	var shape, tensor, typ, v message
	for _, d := range dims {
		var dim message
		if n, err := strconv.ParseInt(d, 10, 64); err == nil {
			dim.integer(dimValue, n)
		} else {
			dim.text(dimParam, d)
		}
		shape.bytes(shapeDim, dim)
	}
	tensor.integer(tensorElem, int64(t))
	tensor.bytes(tensorShape, shape)
	typ.bytes(typeTensor, tensor)
	v.text(infoName, name)
	v.bytes(infoType, typ)
	return v
}

// Weight adds a constant tensor of floats; no shape means one number. Data is read
// at once.
func (b *Builder) Weight(name string, shape []int, data []float32) string {
	raw := make([]byte, 0, 4*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return b.weight(name, Float32, shape, len(data), raw)
}

// Ints adds a constant tensor of integers; no shape means one number.
func (b *Builder) Ints(name string, shape []int, data []int64) string {
	raw := make([]byte, 0, 8*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return b.weight(name, Int64, shape, len(data), raw)
}

func (b *Builder) weight(name string, t Type, shape []int, n int, raw []byte) string {
	b.define(name)
	elements := 1
	for _, d := range shape {
		elements *= max(d, 0)
	}
	if n == 0 || elements != n {
		b.failf("weight %q of shape %v has %d values", name, shape, n)
	}
	var m message
	for _, d := range shape {
		m.integer(tensorDims, int64(d))
	}
	m.integer(tensorType, int64(t))
	m.text(tensorName, name)
	m.bytes(tensorRaw, raw)
	b.weights = append(b.weights, m)
	return name
}

// Node adds an operation of one output, and returns a name for that. An input that
// is left out is "".
func (b *Builder) Node(op string, inputs []string, attrs ...Attr) string {
	return b.NodeN(op, inputs, 1, attrs...)[0]
}

// NodeN adds an operation of several outputs.
func (b *Builder) NodeN(op string, inputs []string, outputs int, attrs ...Attr) []string {
	names := make([]string, outputs)
	for i := range names {
		names[i] = op + "_" + strconv.Itoa(b.calls)
		if i > 0 {
			names[i] += "_" + strconv.Itoa(i)
		}
	}
	b.calls++
	b.node(op, inputs, names, attrs)
	return names
}

// Named is Node with a name for the output.
func (b *Builder) Named(name, op string, inputs []string, attrs ...Attr) string {
	b.node(op, inputs, []string{name}, attrs)
	return name
}

func (b *Builder) node(op string, inputs, outputs []string, attrs []Attr) {
	var m message
	for _, in := range inputs {
		if in != "" && !b.known[in] {
			b.failf("%s reads %q, which is no value", op, in)
		}
		m.text(nodeInput, in)
	}
	for _, out := range outputs {
		b.define(out)
		m.text(nodeOutput, out)
	}
	m.text(nodeName, "node_"+strconv.Itoa(len(b.nodes)))
	m.text(nodeOp, op)
	for _, a := range attrs {
		m.bytes(nodeAttribute, a.encode())
	}
	b.nodes = append(b.nodes, m)
}

func (a Attr) encode() message {
	var m message
	m.text(attrName, a.name)
	switch a.kind {
	case kindFloat:
		m.float(attrF, a.f)
	case kindInt:
		m.integer(attrI, a.i)
	case kindInts:
		for _, i := range a.ints {
			m.integer(attrInts, i)
		}
	}
	m.integer(attrType, int64(a.kind))
	return m
}

// checksum is the key of the last pair of metadata: the SHA-256 of all bytes before
// that pair. ONNX has none, and a changed byte of a weight is a weight.
const checksum = "wmtune.sha256"

// Bytes encodes the network. The same calls give the same bytes; metadata is sorted
// by key, with a checksum after it.
func (b *Builder) Bytes(meta map[string]string) ([]byte, error) {
	if len(b.finals) == 0 {
		b.failf("the network has no output")
	}
	if b.err != nil {
		return nil, b.err
	}
	var graph, opset, m message
	for _, n := range b.nodes {
		graph.bytes(graphNode, n)
	}
	graph.text(graphName, b.name)
	for _, w := range b.weights {
		graph.bytes(graphInitializer, w)
	}
	for _, in := range b.inputs {
		graph.bytes(graphInput, in)
	}
	for _, out := range b.finals {
		graph.bytes(graphOutput, out)
	}
	opset.text(pairKey, "")
	opset.integer(pairValue, opsetVersion)
	m.integer(modelIR, irVersion)
	m.text(modelProducer, producer)
	m.bytes(modelGraph, graph)
	m.bytes(modelOpset, opset)
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		var pair message
		pair.text(pairKey, k)
		pair.text(pairValue, meta[k])
		m.bytes(modelMeta, pair)
	}
	m.bytes(modelMeta, checksumPair(m))
	return m, nil
}

// checksumPair encodes the pair of metadata that follows so many bytes.
func checksumPair(b []byte) message {
	sum := sha256.Sum256(b)
	var pair message
	pair.text(pairKey, checksum)
	pair.text(pairValue, hex.EncodeToString(sum[:]))
	return pair
}

// Field numbers of the messages of onnx.proto (github.com/onnx/onnx, IR 8), as far
// as we write them.
const (
	modelIR       protowire.Number = 1
	modelProducer protowire.Number = 2
	modelGraph    protowire.Number = 7
	modelOpset    protowire.Number = 8
	modelMeta     protowire.Number = 14

	pairKey   protowire.Number = 1 // of metadata; of an opset: its domain
	pairValue protowire.Number = 2 // of metadata; of an opset: its version

	graphNode        protowire.Number = 1
	graphName        protowire.Number = 2
	graphInitializer protowire.Number = 5
	graphInput       protowire.Number = 11
	graphOutput      protowire.Number = 12

	nodeInput     protowire.Number = 1
	nodeOutput    protowire.Number = 2
	nodeName      protowire.Number = 3
	nodeOp        protowire.Number = 4
	nodeAttribute protowire.Number = 5

	attrName protowire.Number = 1
	attrF    protowire.Number = 2
	attrI    protowire.Number = 3
	attrInts protowire.Number = 8
	attrType protowire.Number = 20

	tensorDims protowire.Number = 1
	tensorType protowire.Number = 2
	tensorName protowire.Number = 8
	tensorRaw  protowire.Number = 9

	infoName protowire.Number = 1
	infoType protowire.Number = 2

	typeTensor  protowire.Number = 1
	tensorElem  protowire.Number = 1
	tensorShape protowire.Number = 2
	shapeDim    protowire.Number = 1
	dimValue    protowire.Number = 1
	dimParam    protowire.Number = 2
)

// Kinds of attributes (AttributeProto.AttributeType).
const (
	kindFloat = 1
	kindInt   = 2
	kindInts  = 7
)

// A message is one under construction. Fields are appended in the order of calls.
type message []byte

func (m *message) integer(n protowire.Number, v int64) {
	*m = protowire.AppendTag(*m, n, protowire.VarintType)
	*m = protowire.AppendVarint(*m, uint64(v))
}

func (m *message) float(n protowire.Number, v float32) {
	*m = protowire.AppendTag(*m, n, protowire.Fixed32Type)
	*m = protowire.AppendFixed32(*m, math.Float32bits(v))
}

func (m *message) text(n protowire.Number, v string) {
	*m = protowire.AppendTag(*m, n, protowire.BytesType)
	*m = protowire.AppendString(*m, v)
}

func (m *message) bytes(n protowire.Number, v []byte) {
	*m = protowire.AppendTag(*m, n, protowire.BytesType)
	*m = protowire.AppendBytes(*m, v)
}
