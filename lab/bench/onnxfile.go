package bench

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// A message is one of protobuf under construction. Field numbers are those of onnx.proto.
type message []byte

func (m message) num(id protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, id, protowire.VarintType), uint64(v))
}

func (m message) float(id protowire.Number, v float64) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, id, protowire.Fixed32Type), math.Float32bits(float32(v)))
}

func (m message) bytes(id protowire.Number, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, id, protowire.BytesType), v)
}

func (m message) text(id protowire.Number, v ...string) message {
	for _, s := range v {
		m = m.bytes(id, []byte(s))
	}
	return m
}

// onnxFile encodes a graph of nodes of one version of ONNX's operator set. Outputs have names only: whoever reads the
// file infers their types.
func onnxFile(g *graph.Graph, version int) []byte {
	var body message
	domains := []string{""}
	for _, n := range g.Nodes {
		body = body.bytes(1, nodeMessage(n))
		for _, v := range n.Inputs {
			if v != nil && v.Const != nil {
				body = body.bytes(5, tensorMessage(v))
			}
		}
		if n.Domain != "" {
			domains = append(domains, n.Domain)
		}
	}
	body = body.text(2, g.Name)
	for _, v := range g.Inputs {
		var shape message
		for _, d := range v.Shape {
			shape = shape.bytes(1, message(nil).num(1, d))
		}
		tensor := message(nil).num(1, op.ElementNumber(v.Type)).bytes(2, shape)
		body = body.bytes(11, message(nil).text(1, v.Name).bytes(2, message(nil).bytes(1, tensor)))
	}
	for _, v := range g.Outputs {
		body = body.bytes(12, message(nil).text(1, v.Name))
	}
	m := message(nil).num(1, 10).bytes(7, body)
	for _, d := range domains {
		v := int64(version)
		if d != "" {
			v = domainVersions[d]
		}
		m = m.bytes(8, message(nil).text(1, d).num(2, max(v, 1)))
	}
	return m
}

// domainVersions are the versions of operator sets that are not ONNX's; others have 1.
var domainVersions = map[string]int64{"ai.onnx.ml": 5}

func nodeMessage(n *graph.Node) message {
	var m message
	for _, v := range n.Inputs {
		if v == nil {
			m = m.text(1, "")
		} else {
			m = m.text(1, v.Name)
		}
	}
	for _, v := range n.Outputs {
		m = m.text(2, v.Name)
	}
	m = m.text(3, n.Name).text(4, n.Op)
	for _, a := range n.Attrs {
		x := message(nil).text(1, a.Name)
		switch a.Kind {
		case graph.AttrInt:
			x = x.num(3, a.Int).num(20, 2)
		case graph.AttrFloat:
			x = x.float(2, a.Float).num(20, 1)
		case graph.AttrString:
			x = x.text(4, a.String).num(20, 3)
		case graph.AttrInts:
			for _, i := range a.Ints {
				x = x.num(8, i)
			}
			x = x.num(20, 7)
		case graph.AttrFloats:
			for _, f := range a.Floats {
				x = x.float(7, f)
			}
			x = x.num(20, 6)
		case graph.AttrStrings:
			x = x.text(9, a.Strings...).num(20, 8)
		}
		m = m.bytes(5, x)
	}
	return m.text(7, n.Domain)
}

func tensorMessage(v *graph.Value) message {
	var m message
	for _, d := range v.Shape {
		m = m.num(1, d)
	}
	return m.num(2, op.ElementNumber(v.Type)).text(8, v.Name).bytes(9, v.Const.Data)
}
