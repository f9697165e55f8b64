package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A pb is a message of protobuf that a test writes.
type pb []byte

func (m pb) num(id protowire.Number, v int64) pb {
	return protowire.AppendVarint(protowire.AppendTag(m, id, protowire.VarintType), uint64(v))
}

func (m pb) msg(id protowire.Number, b []byte) pb {
	return protowire.AppendBytes(protowire.AppendTag(m, id, protowire.BytesType), b)
}

func (m pb) str(id protowire.Number, s ...string) pb {
	for _, s := range s {
		m = m.msg(id, []byte(s))
	}
	return m
}

func (m pb) f32(id protowire.Number, v float32) pb {
	return protowire.AppendFixed32(protowire.AppendTag(m, id, protowire.Fixed32Type), math.Float32bits(v))
}

func (m pb) join(parts ...pb) pb {
	for _, p := range parts {
		m = append(m, p...)
	}
	return m
}

// modelOf returns a model of an operator set; parts are further fields.
func modelOf(opset int64, graph pb, parts ...pb) pb {
	return pb(nil).num(modelIR, 8).msg(modelGraph, graph).msg(modelOpset, pb(nil).num(pairValue, opset)).join(parts...)
}

// graphOf returns a graph of parts that in, out, initial and nodeOf return.
func graphOf(name string, parts ...pb) pb { return pb(nil).str(graphName, name).join(parts...) }

// typeOf returns a type; dims are numbers or names.
func typeOf(element int64, dims ...any) pb {
	var shape pb
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			shape = shape.msg(shapeDim, pb(nil).num(dimValue, int64(d)))
		case string:
			shape = shape.msg(shapeDim, pb(nil).str(dimParam, d))
		}
	}
	return pb(nil).msg(typeTensor, pb(nil).num(typeElement, element).msg(typeShape, shape))
}

func infoOf(name string, typ pb) pb { return pb(nil).str(infoName, name).msg(infoType, typ) }

// in, out and inner declare values of float32.
func in(name string, dims ...any) pb {
	return pb(nil).msg(graphInput, infoOf(name, typeOf(1, dims...)))
}
func out(name string, dims ...any) pb {
	return pb(nil).msg(graphOutput, infoOf(name, typeOf(1, dims...)))
}
func inner(name string, dims ...any) pb {
	return pb(nil).msg(graphInfo, infoOf(name, typeOf(1, dims...)))
}

func nodeBody(op string, inputs, outputs []string, attrs ...pb) pb {
	n := pb(nil).str(nodeInput, inputs...).str(nodeOutput, outputs...).str(nodeOp, op)
	for _, a := range attrs {
		n = n.msg(nodeAttribute, a)
	}
	return n
}

func nodeOf(op string, inputs, outputs []string, attrs ...pb) pb {
	return pb(nil).msg(graphNode, nodeBody(op, inputs, outputs, attrs...))
}

func names(s ...string) []string { return s }

func attrOf(name string, kind int64) pb { return pb(nil).str(attrName, name).num(attrKind, kind) }

// headOf returns a tensor without data.
func headOf(name string, element int64, dims ...int64) pb {
	t := pb(nil)
	for _, d := range dims {
		t = t.num(tensorDims, d)
	}
	return t.num(tensorElement, element).str(tensorName, name)
}

func initial(tensor pb) pb { return pb(nil).msg(graphInitializer, tensor) }

// floats returns an initializer of float32, as raw bytes.
func floats(name string, v ...float32) pb {
	var raw []byte
	for _, f := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
	}
	return initial(headOf(name, 1, int64(len(v))).msg(tensorRaw, raw))
}

// functionOf returns a function of opset 18.
func functionOf(domain, name string, inputs, outputs []string, nodes ...pb) pb {
	f := pb(nil).str(functionName, name).str(functionDomain, domain).str(functionInput, inputs...)
	f = f.str(functionOutput, outputs...).msg(functionOpset, pb(nil).num(pairValue, 18))
	for _, n := range nodes {
		f = f.msg(functionNode, n)
	}
	return f
}

// callOf returns a node of a function's domain, to stand in a graph.
func callOf(domain, op string, inputs, outputs []string, attrs ...pb) pb {
	return pb(nil).msg(graphNode, callBody(domain, op, inputs, outputs, attrs...))
}

func callBody(domain, op string, inputs, outputs []string, attrs ...pb) pb {
	return nodeBody(op, inputs, outputs, attrs...).str(nodeDomain, domain)
}
