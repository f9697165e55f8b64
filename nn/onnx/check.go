package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The opsets whose operators mean what ours do.
const (
	oldestOpset = 13
	newestOpset = 22
)

// An Info is what a file says of an input or an output. A dimension that is known at
// run time only is -1.
type Info struct {
	Name string
	Type Type
	Dims []int
}

// A file is what checkFile found: everything but nodes and weights, which onnx-go
// decodes from slim. That is the file without what onnx-go would allocate by the
// word of the file (declared shapes) and what nobody reads.
type file struct {
	meta            map[string]string
	opset           int
	inputs, outputs []Info
	slim            []byte

	weights map[string]bool
	known   map[string]bool // values defined so far
	graph   message         // of slim
	nodes   int
}

// A field is one field of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64 // if it is no bytes
	bytes  []byte
}

// fields calls f for each field of a message.
func fields(what string, b []byte, f func(field) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fmt.Errorf("%s: damaged: %w", what, protowire.ParseError(n))
		}
		b = b[n:]
		x := field{number: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			x.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			x.value = uint64(v)
		case protowire.Fixed64Type:
			x.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			x.bytes, n = protowire.ConsumeBytes(b)
		default:
			return fmt.Errorf("%s: damaged: a field of wire type %d", what, kind)
		}
		if n < 0 {
			return fmt.Errorf("%s: damaged: %w", what, protowire.ParseError(n))
		}
		if err := f(x); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// want checks the wire type of a field.
func (x field) want(what string, kind protowire.Type) error {
	if x.kind != kind {
		return fmt.Errorf("%s: damaged: field %d has wire type %d", what, x.number, x.kind)
	}
	return nil
}

// checkFile checks a file without allocating more than it is large.
func checkFile(b []byte) (*file, error) {
	f := &file{meta: map[string]string{}, weights: map[string]bool{}, known: map[string]bool{}}
	var graph []byte
	ours := false
	err := fields("the file", b, func(x field) error {
		switch x.number {
		case modelIR, modelProducer, modelGraph, modelOpset, modelMeta, modelFuncs:
			kind := protowire.BytesType
			if x.number == modelIR {
				kind = protowire.VarintType
			}
			if err := x.want("the file", kind); err != nil {
				return err
			}
		}
		switch x.number {
		case modelProducer:
			ours = string(x.bytes) == producer
		case modelGraph:
			if graph != nil {
				return errors.New("the file: damaged: two graphs")
			}
			graph = x.bytes
		case modelOpset:
			return f.checkOpset(x.bytes)
		case modelMeta:
			return f.checkMeta(x.bytes)
		case modelFuncs:
			return errors.New("the file has functions of its own, which are not supported")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if graph == nil {
		return nil, errors.New("the file has no graph: it is no ONNX file")
	}
	if err := f.checkSum(b, ours); err != nil {
		return nil, err
	}
	if f.opset < oldestOpset || f.opset > newestOpset {
		return nil, fmt.Errorf("the file is of opset %d: export it with one from %d to %d", f.opset, oldestOpset, newestOpset)
	}
	f.graph = make(message, 0, len(graph))
	if err := f.checkGraph(graph); err != nil {
		return nil, err
	}
	m := make(message, 0, len(f.graph)+32)
	m.integer(modelIR, irVersion)
	m.bytes(modelGraph, f.graph)
	f.slim = m
	return f, nil
}

// checkSum checks the checksum that Builder writes at the end.
func (f *file) checkSum(b []byte, ours bool) error {
	_, have := f.meta[checksum]
	if !have && !ours {
		return nil // of another program
	}
	delete(f.meta, checksum)
	var last message
	last.bytes(modelMeta, checksumPair(nil))
	if n := len(b) - len(last); n > 0 {
		last = nil
		last.bytes(modelMeta, checksumPair(b[:n]))
		if bytes.Equal(last, b[n:]) {
			return nil
		}
	}
	return errors.New("the file is damaged, or of an older wmtune: its checksum is missing or wrong")
}

func (f *file) checkOpset(b []byte) error {
	domain, version := "", uint64(0)
	err := fields("opset", b, func(x field) error {
		switch {
		case x.number == pairKey && x.kind == protowire.BytesType:
			domain = string(x.bytes)
		case x.number == pairValue && x.kind == protowire.VarintType:
			version = x.value
		}
		return nil
	})
	if domain == "" || domain == "ai.onnx" {
		f.opset = int(min(version, math.MaxInt32))
	}
	return err
}

func (f *file) checkMeta(b []byte) error {
	var key, value string
	err := fields("metadata", b, func(x field) error {
		if x.number != pairKey && x.number != pairValue {
			return nil
		}
		if err := x.want("metadata", protowire.BytesType); err != nil {
			return err
		}
		if x.number == pairKey {
			key = string(x.bytes)
		} else {
			value = string(x.bytes)
		}
		return nil
	})
	f.meta[key] = value
	return err
}

// checkGraph goes over the graph twice, since nodes come before weights in the file
// and use them.
func (f *file) checkGraph(b []byte) error {
	err := fields("graph", b, func(x field) error {
		switch x.number {
		case graphNode, graphName, graphInitializer, graphInput, graphOutput:
			if err := x.want("graph", protowire.BytesType); err != nil {
				return err
			}
		case graphSparse:
			return errors.New("the file has sparse weights, which are not supported")
		}
		switch x.number {
		case graphInitializer:
			name, err := checkTensor("weight", x.bytes)
			if err != nil {
				return err
			}
			if name == "" || f.weights[name] {
				return fmt.Errorf("two weights are named %q", name)
			}
			f.weights[name], f.known[name] = true, true
			f.graph.bytes(graphInitializer, x.bytes)
		case graphInput:
			info, err := checkInfo("input", x.bytes)
			f.inputs = append(f.inputs, info)
			return err
		case graphOutput:
			info, err := checkInfo("output", x.bytes)
			f.outputs = append(f.outputs, info)
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := f.checkInputs(); err != nil {
		return err
	}
	err = fields("graph", b, func(x field) error {
		if x.number != graphNode {
			return nil
		}
		return f.checkNode(x.bytes)
	})
	if err != nil {
		return err
	}
	return f.checkOutputs()
}

// checkInputs drops inputs that are weights (IR 3 lists them) and gives the others to
// onnx-go by name only: it allocates what has a shape.
func (f *file) checkInputs() error {
	kept := f.inputs[:0]
	for _, in := range f.inputs {
		if f.weights[in.Name] {
			continue
		}
		if f.known[in.Name] {
			return fmt.Errorf("two inputs are named %q", in.Name)
		}
		f.known[in.Name] = true
		kept = append(kept, in)
		var name message
		name.text(infoName, in.Name)
		f.graph.bytes(graphInput, name)
	}
	f.inputs = kept
	return nil
}

// checkOutputs gives the outputs to onnx-go by name. One that is an input at the same
// time would become a second, empty value there.
func (f *file) checkOutputs() error {
	inputs := map[string]bool{}
	for _, in := range f.inputs {
		inputs[in.Name] = true
	}
	seen := map[string]bool{}
	for _, out := range f.outputs {
		if !f.known[out.Name] {
			return fmt.Errorf("output %q is computed by no node", out.Name)
		}
		if seen[out.Name] {
			return fmt.Errorf("two outputs are named %q", out.Name)
		}
		seen[out.Name] = true
		if !inputs[out.Name] {
			var name message
			name.text(infoName, out.Name)
			f.graph.bytes(graphOutput, name)
		}
	}
	if f.nodes == 0 || len(f.outputs) == 0 {
		return fmt.Errorf("the graph has %d nodes and %d outputs", f.nodes, len(f.outputs))
	}
	return nil
}

func checkInfo(what string, b []byte) (Info, error) {
	var info Info
	var typ []byte
	err := fields(what, b, func(x field) error {
		switch {
		case x.number == infoName && x.kind == protowire.BytesType:
			info.Name = string(x.bytes)
		case x.number == infoType && x.kind == protowire.BytesType:
			typ = x.bytes
		}
		return nil
	})
	if err != nil {
		return info, err
	}
	if info.Name == "" {
		return info, fmt.Errorf("an %s without a name", what)
	}
	what += " " + info.Name
	var shape []byte
	ranked := false
	err = fields(what, typ, func(x field) error {
		if x.number != typeTensor || x.kind != protowire.BytesType {
			return fmt.Errorf("%s is no tensor", what)
		}
		return fields(what, x.bytes, func(x field) error {
			switch {
			case x.number == tensorElem && x.kind == protowire.VarintType:
				info.Type = Type(min(x.value, 1<<16))
			case x.number == tensorShape && x.kind == protowire.BytesType:
				shape, ranked = x.bytes, true
			}
			return nil
		})
	})
	if err != nil || !ranked {
		return info, err
	}
	info.Dims = []int{}
	return info, fields(what, shape, func(x field) error {
		if x.number != shapeDim {
			return nil
		}
		d := -1
		err := fields(what, x.bytes, func(x field) error {
			if x.number == dimValue && x.kind == protowire.VarintType && x.value > 0 && x.value <= maxElements {
				d = int(x.value)
			}
			return nil
		})
		info.Dims = append(info.Dims, d)
		return err
	})
}

// checkTensor checks that a TensorProto has exactly the data that its shape wants, and
// returns its name.
func checkTensor(what string, b []byte) (string, error) {
	var name string
	var dims []int
	typ, raw := Type(0), -1
	counts := map[protowire.Number]int{}
	err := fields(what, b, func(x field) error {
		switch x.number {
		case tensorDims:
			return packed(x, func(v uint64) {
				dims = append(dims, int(min(v, maxElements+1))) // negative ones are large
			})
		case tensorType:
			typ = Type(min(x.value, 1<<16))
			return x.want(what, protowire.VarintType)
		case tensorName:
			name = string(x.bytes)
		case tensorRaw:
			if err := x.want(what, protowire.BytesType); err != nil {
				return err
			}
			if raw >= 0 {
				return fmt.Errorf("%s: damaged: its data is there twice", what)
			}
			raw = len(x.bytes)
		case tensorFloats:
			if x.kind == protowire.BytesType {
				counts[x.number] += len(x.bytes) / 4
			} else {
				counts[x.number]++
			}
		case tensorInt32s, tensorInt64s:
			return packed(x, func(uint64) { counts[x.number]++ })
		case tensorSegment, tensorExternal, tensorDoubles:
			return fmt.Errorf("%s %q is segmented, float64 or in another file, which is not supported", what, name)
		}
		return nil
	})
	if err != nil {
		return name, err
	}
	what = fmt.Sprintf("%s %q", what, name)
	var each int // bytes of an element
	var typed protowire.Number
	switch typ {
	case Float32:
		each, typed = 4, tensorFloats
	case Int32:
		each, typed = 4, tensorInt32s
	case Int64:
		each, typed = 8, tensorInt64s
	case Bool:
		if raw >= 0 {
			return name, fmt.Errorf("%s holds bool as raw bytes, which onnx-go cannot read", what)
		}
		typed = tensorInt32s
	default:
		return name, fmt.Errorf("%s is of %s, which is not supported", what, typ)
	}
	n := elements(dims)
	for other, count := range counts {
		if other != typed && count > 0 || raw >= 0 && count > 0 {
			return name, fmt.Errorf("%s: damaged: its data is there twice", what)
		}
	}
	switch {
	case n < 1:
		return name, fmt.Errorf("%s has the shape %v", what, dims)
	case raw >= 0 && raw != n*each, raw < 0 && counts[typed] != n:
		return name, fmt.Errorf("%s: damaged: the shape %v does not fit its data", what, dims)
	}
	return name, nil
}

// packed calls f for the numbers of a repeated field, one or many together.
func packed(x field, f func(uint64)) error {
	if x.kind == protowire.VarintType {
		f(x.value)
		return nil
	}
	for b := x.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return fmt.Errorf("damaged: %w", protowire.ParseError(n))
		}
		f(v)
		b = b[n:]
	}
	return nil
}

// checkNode checks a node and the names that it uses, and gives it to onnx-go.
func (f *file) checkNode(b []byte) error {
	var op string
	var inputs, outputs []string
	var attrs [][]byte
	err := fields("node", b, func(x field) error {
		switch x.number {
		case nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute, nodeDomain:
			if err := x.want("node", protowire.BytesType); err != nil {
				return err
			}
		}
		switch x.number {
		case nodeInput:
			inputs = append(inputs, string(x.bytes))
		case nodeOutput:
			outputs = append(outputs, string(x.bytes))
		case nodeOp:
			op = string(x.bytes)
		case nodeAttribute:
			attrs = append(attrs, x.bytes)
		case nodeDomain:
			if d := string(x.bytes); d != "" && d != "ai.onnx" {
				return fmt.Errorf("a node of the domain %q, which is not supported", d)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("node %d (%s)", f.nodes, op)
	var m message
	for _, in := range inputs {
		if in != "" && !f.known[in] {
			return fmt.Errorf("%s reads %q, which is not computed before", what, in)
		}
		m.text(nodeInput, in)
	}
	for i, out := range outputs {
		if f.known[out] || out == "" && i == 0 {
			return fmt.Errorf("%s: two values are named %q", what, out)
		}
		if out != "" {
			f.known[out] = true
		}
		m.text(nodeOutput, out)
	}
	if len(outputs) == 0 {
		return fmt.Errorf("%s has no output", what)
	}
	m.text(nodeName, fmt.Sprint("node ", f.nodes)) // onnx-go makes names of inputs of it
	m.text(nodeOp, op)
	for _, a := range attrs {
		if err := checkAttribute(what, a); err != nil {
			return err
		}
		m.bytes(nodeAttribute, a)
	}
	f.nodes++
	f.graph.bytes(graphNode, m)
	return nil
}

func checkAttribute(what string, b []byte) error {
	kind := uint64(0)
	tensor := false
	err := fields(what, b, func(x field) error {
		switch x.number {
		case attrType:
			kind = x.value
		case attrT:
			tensor = true
			_, err := checkTensor(what+": value", x.bytes)
			return err
		case attrName, attrF, attrI, attrS, attrFloats, attrInts, attrDoc:
		default:
			return fmt.Errorf("%s has an attribute that is a graph or a list of texts or tensors, which is not supported", what)
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch kind {
	case kindFloat, kindInt, kindString, kindFloats, kindInts:
		return nil
	case kindTensor:
		if tensor {
			return nil
		}
	}
	return fmt.Errorf("%s has an attribute of kind %d, which is not supported", what, kind)
}
