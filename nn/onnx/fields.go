package onnx

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of the messages of onnx.proto (github.com/onnx/onnx, IR 8), as far
// as we write or check them.
const (
	modelIR       protowire.Number = 1
	modelProducer protowire.Number = 2
	modelGraph    protowire.Number = 7
	modelOpset    protowire.Number = 8
	modelMeta     protowire.Number = 14
	modelFuncs    protowire.Number = 25

	pairKey   protowire.Number = 1 // of metadata; of an opset: its domain
	pairValue protowire.Number = 2 // of metadata; of an opset: its version

	graphNode        protowire.Number = 1
	graphName        protowire.Number = 2
	graphInitializer protowire.Number = 5
	graphInput       protowire.Number = 11
	graphOutput      protowire.Number = 12
	graphValueInfo   protowire.Number = 13
	graphSparse      protowire.Number = 15

	nodeInput     protowire.Number = 1
	nodeOutput    protowire.Number = 2
	nodeName      protowire.Number = 3
	nodeOp        protowire.Number = 4
	nodeAttribute protowire.Number = 5
	nodeDomain    protowire.Number = 7

	attrName   protowire.Number = 1
	attrF      protowire.Number = 2
	attrI      protowire.Number = 3
	attrS      protowire.Number = 4
	attrT      protowire.Number = 5
	attrG      protowire.Number = 6
	attrFloats protowire.Number = 7
	attrInts   protowire.Number = 8
	attrDoc    protowire.Number = 13
	attrType   protowire.Number = 20

	tensorDims     protowire.Number = 1
	tensorType     protowire.Number = 2
	tensorSegment  protowire.Number = 3
	tensorFloats   protowire.Number = 4
	tensorInt32s   protowire.Number = 5
	tensorInt64s   protowire.Number = 7
	tensorName     protowire.Number = 8
	tensorRaw      protowire.Number = 9
	tensorDoubles  protowire.Number = 10
	tensorExternal protowire.Number = 13

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
	kindFloat  = 1
	kindInt    = 2
	kindString = 3
	kindTensor = 4
	kindFloats = 6
	kindInts   = 7
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
