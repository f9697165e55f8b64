// Package onnx decodes ONNX files into graphs. It reads protobuf field by field. The size of the file bounds what is
// allocated, and contents of initializers stay where they are: in the bytes of the file, which may be mapped.
//
// Decode expands model-local functions, sorts nodes, makes names unique across subgraphs, and lets initializers of
// equal contents share them. graph.Check accepts what it returns.
//
// The package must not know operators (graph/op).
package onnx

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/wmtune/wmtune/graph"
)

// Versions of ONNX's own operator set that are read.
const (
	oldestOpset = 7
	newestOpset = 28
)

// Options say how to decode a file.
type Options struct {
	// External returns length bytes from offset on of a file that the model names, or fails. The name is the
	// model's word: it may be an absolute path, or lead out of a folder. Nil: external data is an error.
	External func(location string, offset, length int64) ([]byte, error)

	// Memory bounds the bytes of all data outside of the file, before any of it is read; 0: no limit.
	Memory uint64
}

// What things cost in memory, in bytes, with what maps need for them.
const (
	costNode     = 256
	costValue    = 272
	costAttr     = 224
	costConst    = 384
	costSlice    = 24
	costAppend   = 160 // of a slice to a list that grows, what it was before included
	costFunction = 1280
)

// A decoder decodes one file.
type decoder struct {
	opt    Options
	size   int
	memory int64 // bytes that may still be allocated
	steps  int64 // fields that may still be read
	dense  int64 // bytes of sparse tensors with their zeros

	functions map[string]*function
	constants map[*byte]*graph.Const // by the first byte of their message
	shared    map[string][]*graph.Const
	names     map[string]int // names of values, and the last suffix that was added to them
	texts     map[string]string
	ranges    map[string]bool // of other files, that tensors are in
	outside   uint64          // bytes of all ranges

	missing []string // what is not supported
	more    int
}

func newDecoder(b []byte, opt Options) *decoder {
	size := int64(len(b))
	return &decoder{opt: opt, size: len(b), memory: 3*size + 48<<20, steps: 8*size + 1<<24,
		functions: map[string]*function{}, constants: map[*byte]*graph.Const{}, shared: map[string][]*graph.Const{},
		names: map[string]int{}, texts: map[string]string{}, ranges: map[string]bool{}}
}

// Decode decodes an ONNX file. The graph refers to b, which must not be changed. Besides b, it needs at most four times
// as many bytes, plus 64 MB and 1 GB for sparse tensors.
func Decode(b []byte, opt Options) (*graph.Graph, error) {
	g, err := decode(b, opt)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return g, nil
}

func decode(b []byte, opt Options) (*graph.Graph, error) {
	g, err := newDecoder(b, opt).model(b)
	if err != nil {
		if what := instead(b); what != "" {
			return nil, fmt.Errorf("the file is no ONNX model: it is %s", what)
		}
		return nil, err
	}
	return g, nil
}

func (d *decoder) model(b []byte) (*graph.Graph, error) {
	if len(b) == 0 {
		return nil, errors.New("the file is empty")
	}
	var body []byte
	var functions [][]byte
	versions, meta := map[string]int{}, map[string]string{}
	err := d.fields(b, modelFields, func(x field) error {
		switch x.number {
		case modelGraph:
			if body != nil {
				return errors.New("damaged: two graphs")
			}
			body = x.bytes
		case modelOpset:
			return d.opset(x.bytes, versions)
		case modelMeta:
			p, err := d.pair(x.bytes)
			meta[p.key] = p.value
			return err
		case modelFunctions:
			if err := d.spend(costAppend); err != nil {
				return err
			}
			functions = append(functions, x.bytes)
		}
		return nil
	})
	switch {
	case err == errTruncated:
		return nil, fmt.Errorf("the file is cut off, or no ONNX model: it ends in the middle of a field, at byte %d", len(b))
	case err != nil:
		return nil, fmt.Errorf("the file is no ONNX model: %w", err)
	case body == nil:
		return nil, errors.New("the file is no ONNX model: it has no graph")
	case len(versions) == 0:
		return nil, errors.New("damaged: the file does not say which version of ONNX's operators it asks for")
	}
	if err := d.checkVersions(versions); err != nil {
		return nil, err
	}
	for _, f := range functions {
		if err := d.addFunction(f, versions); err != nil {
			return nil, err
		}
	}
	g, err := d.graph(body, newScope(nil), &env{versions: versions}, true)
	if err != nil {
		return nil, err
	}
	if d.missing != nil {
		return nil, d.unsupportedList()
	}
	g.Meta = meta
	return g, nil
}

// opset reads which version of a domain's operators is asked for.
func (d *decoder) opset(b []byte, versions map[string]int) error {
	domain, version := "", uint64(0)
	err := d.fields(b, opsetFields, func(x field) error {
		if x.number == pairKey {
			domain = string(x.bytes)
		} else {
			version = x.value
		}
		return nil
	})
	if err != nil {
		return err
	}
	domain = plainDomain(domain)
	if old, twice := versions[domain]; twice && uint64(old) != version {
		return fmt.Errorf("damaged: two versions of the operators of domain %q", domain)
	}
	versions[domain] = int(min(version, math.MaxInt32))
	return d.spend(costValue + len(domain))
}

func (d *decoder) checkVersions(versions map[string]int) error {
	v, ok := versions[""]
	if ok && (v < oldestOpset || v > newestOpset) {
		return fmt.Errorf("the file asks for opset %d, which is %w: export it with one from %d to %d", v,
			graph.ErrUnsupported, oldestOpset, newestOpset)
	}
	return nil
}

// plainDomain returns the domain of operators as graphs have it.
func plainDomain(name string) string {
	if name == "ai.onnx" {
		return ""
	}
	return name
}

func (d *decoder) pair(b []byte) (p pair, err error) {
	err = d.fields(b, pairFields, func(x field) error {
		if x.number == pairKey {
			p.key = string(x.bytes)
		} else {
			p.value = string(x.bytes)
		}
		return d.spend(costSlice + len(x.bytes))
	})
	return p, err
}

// text returns b as a string; equal ones share memory.
func (d *decoder) text(b []byte) (string, error) {
	if s, ok := d.texts[string(b)]; ok {
		return s, nil
	}
	s := string(b)
	d.texts[s] = s
	return s, d.spend(len(s) + costAppend)
}

// maxListed is how many things an error lists.
const maxListed = 20

// unsupported keeps what is not supported, to be reported with all the rest at the end.
func (d *decoder) unsupported(format string, args ...any) {
	if len(d.missing) == maxListed {
		d.more++
		return
	}
	d.missing = append(d.missing, fmt.Sprintf(format, args...))
}

func (d *decoder) unsupportedList() error {
	list := strings.Join(d.missing, "; ")
	if d.more > 0 {
		list += fmt.Sprintf("; and %d more", d.more)
	}
	return fmt.Errorf("%w: %s", graph.ErrUnsupported, list)
}
