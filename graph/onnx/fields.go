package onnx

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/wmtune/wmtune/graph"
)

// Numbers of fields, from onnx.proto.
const (
	modelIR        = 1
	modelGraph     = 7
	modelOpset     = 8
	modelMeta      = 14
	modelFunctions = 25

	pairKey   = 1 // of metadata and external data; of an opset: its domain
	pairValue = 2 // of metadata and external data; of an opset: its version

	graphNode        = 1
	graphName        = 2
	graphInitializer = 5
	graphInput       = 11
	graphOutput      = 12
	graphInfo        = 13
	graphSparse      = 15

	nodeInput     = 1
	nodeOutput    = 2
	nodeName      = 3
	nodeOp        = 4
	nodeAttribute = 5
	nodeDomain    = 7
	nodeOverload  = 8

	attrName    = 1
	attrF       = 2
	attrI       = 3
	attrS       = 4
	attrT       = 5
	attrG       = 6
	attrFloats  = 7
	attrInts    = 8
	attrStrings = 9
	attrKind    = 20
	attrRef     = 21
	attrSparse  = 22

	sparseValues  = 1
	sparseIndices = 2
	sparseDims    = 3

	tensorDims     = 1
	tensorElement  = 2
	tensorSegment  = 3
	tensorFloats   = 4
	tensorInt32s   = 5
	tensorStrings  = 6
	tensorInt64s   = 7
	tensorName     = 8
	tensorRaw      = 9
	tensorDoubles  = 10
	tensorUint64s  = 11
	tensorExternal = 13
	tensorLocation = 14

	infoName = 1
	infoType = 2

	typeTensor   = 1
	typeSequence = 4
	typeMap      = 5
	typeOpaque   = 7
	typeSparse   = 8
	typeOptional = 9

	typeElement = 1 // of typeTensor
	typeShape   = 2
	shapeDim    = 1
	dimValue    = 1
	dimParam    = 2

	functionName      = 1
	functionInput     = 4
	functionOutput    = 5
	functionNode      = 7
	functionOpset     = 9
	functionDomain    = 10
	functionAttribute = 11 // those that have a value that stands for one that is left out
	functionOverload  = 13
)

// The messages, and which fields of them are read.
var (
	modelFields = message{modelIR: number, modelGraph: text, modelOpset: text, modelMeta: text, modelFunctions: text}
	pairFields  = message{pairKey: text, pairValue: text}
	opsetFields = message{pairKey: text, pairValue: number}
	graphFields = message{graphNode: text, graphName: text, graphInitializer: text, graphInput: text,
		graphOutput: text, graphInfo: text, graphSparse: text}
	nodeFields = message{nodeInput: text, nodeOutput: text, nodeName: text, nodeOp: text, nodeAttribute: text,
		nodeDomain: text, nodeOverload: text}
	attrFields = message{attrName: text, attrF: single, attrI: number, attrS: text, attrT: text, attrG: text,
		attrFloats: singles, attrInts: numbers, attrStrings: text, attrKind: number, attrRef: text,
		attrSparse: text}
	tensorFields = message{tensorDims: numbers, tensorElement: number, tensorSegment: text, tensorFloats: singles,
		tensorInt32s: numbers, tensorStrings: text, tensorInt64s: numbers, tensorName: text, tensorRaw: text,
		tensorDoubles: doubles, tensorUint64s: numbers, tensorExternal: text, tensorLocation: number}
	sparseFields = message{sparseValues: text, sparseIndices: text, sparseDims: numbers}
	infoFields   = message{infoName: text, infoType: text}
	typeFields   = message{typeTensor: text, typeSequence: text, typeMap: text, typeOpaque: text, typeSparse: text,
		typeOptional: text}
	tensorTypeFields = message{typeElement: number, typeShape: text}
	shapeFields      = message{shapeDim: text}
	dimFields        = message{dimValue: number, dimParam: text}
	attrNameFields   = message{attrName: text}
	outputFields     = message{nodeOutput: text} // of a node
	functionFields   = message{functionName: text, functionInput: text, functionOutput: text, functionNode: text,
		functionOpset: text, functionDomain: text, functionAttribute: text, functionOverload: text}
)

// Kinds of attributes (AttributeProto.AttributeType).
const (
	kindFloat   = 1
	kindInt     = 2
	kindString  = 3
	kindTensor  = 4
	kindGraph   = 5
	kindFloats  = 6
	kindInts    = 7
	kindStrings = 8
	kindSparse  = 11
)

// attrKinds says in which field an attribute of a kind has its value, and what graphs call the kind.
var attrKinds = [...]struct {
	field protowire.Number
	kind  graph.AttrKind
	value message // the table of the field alone
}{
	kindFloat:   {attrF, graph.AttrFloat, message{attrF: single}},
	kindInt:     {attrI, graph.AttrInt, message{attrI: number}},
	kindString:  {attrS, graph.AttrString, message{attrS: text}},
	kindTensor:  {attrT, graph.AttrTensor, message{attrT: text}},
	kindGraph:   {attrG, graph.AttrGraph, message{attrG: text}},
	kindFloats:  {attrFloats, graph.AttrFloats, message{attrFloats: singles}},
	kindInts:    {attrInts, graph.AttrInts, message{attrInts: numbers}},
	kindStrings: {attrStrings, graph.AttrStrings, message{attrStrings: text}},
	kindSparse:  {attrSparse, graph.AttrTensor, message{attrSparse: text}},
}

// otherKinds names the kinds that no operator of ours has.
var otherKinds = map[uint64]string{9: "list of tensors", 10: "list of graphs", 12: "list of sparse tensors", 13: "type",
	14: "list of types"}
