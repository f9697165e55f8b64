package op

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A formal is what Row.In says of an input.
type formal struct {
	name     string
	kind     byte // of kinds
	optional bool
	repeated bool // there may be any number of them
}

// kinds has the letters of Row.In, with the types that they stand for.
var kinds = map[byte]struct {
	name string
	has  func(t tir.DType) bool
}{
	'A': {"any type", func(tir.DType) bool { return true }},
	'N': {"a number", func(t tir.DType) bool { return t != tir.Bool }},
	'F': {"a float", tir.DType.IsFloat},
	'I': {"an integer", tir.DType.IsInt},
	'L': {"int64", func(t tir.DType) bool { return t == tir.I64 }},
	'S': {"a float of at most 32 bits", func(t tir.DType) bool { return t.IsFloat() && t != tir.F64 }},
	'B': {"bool", isBool},
}

// formals returns the inputs that the row's operator has in a version.
func (r *Row) formals(version int) []formal {
	var list []formal
	for i, part := range strings.Split(r.In, " | ") {
		words := strings.Fields(part)
		if i > 0 {
			if since, err := strconv.Atoi(words[0]); err != nil || since > version {
				break
			}
			list, words = nil, words[1:]
		}
		for _, word := range words {
			name, kind, ok := strings.Cut(word, ":")
			if !ok { // "none"
				continue
			}
			if kinds[kind[0]].has == nil {
				panic("BUG: inputs of " + r.Op + ": " + r.In)
			}
			list = append(list, formal{name: name, kind: kind[0], optional: strings.Contains(kind, "?"),
				repeated: strings.HasSuffix(kind, "*")})
		}
	}
	return list
}

// Types returns type and shape of each output of n: what Infer says, if n has the inputs that In says.
func (r *Row) Types(n *graph.Node) ([]Type, error) {
	if err := r.CheckInputs(n); err != nil {
		return nil, err
	}
	return r.Infer(n)
}

// CheckInputs returns an error if a node has not the inputs that its operator has, or of other types.
func (r *Row) CheckInputs(n *graph.Node) error {
	if r.In == "" {
		return nil
	}
	formals := r.formals(n.Version)
	named := map[string]int{} // first input of a name
	for i := range max(len(n.Inputs), len(formals)) {
		v, f := n.Input(i), formal{}
		switch last := len(formals) - 1; {
		case i <= last:
			f = formals[i]
		case last >= 0 && formals[last].repeated:
			f = formals[last]
		case v != nil:
			return fmt.Errorf("it has an input %d, %s: %s takes %d", i, v, n.Op, len(formals))
		default:
			continue
		}
		switch {
		case v == nil && !f.optional:
			return fmt.Errorf("input %d is missing", i)
		case v == nil:
			continue
		case !kinds[f.kind].has(v.Type):
			return fmt.Errorf("the type of input %d is %s: it must be %s", i, v.Type, kinds[f.kind].name)
		}
		if first, ok := named[f.name]; ok && f.name != "-" && n.Inputs[first].Type != v.Type {
			return fmt.Errorf("the type of input %d is %s: it must be %s, that of input %d", i, v.Type,
				n.Inputs[first].Type, first)
		} else if !ok {
			named[f.name] = i
		}
	}
	return nil
}
