package autotvm

import (
	"encoding/json"
	"fmt"
	"slices"
)

// arguments are the arguments and knobs of a line as its template reads them. The first error stays: what cannot be
// read is ones, so that templates check it once.
type arguments struct {
	*Line
	err error
}

func (a *arguments) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

func ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }

// tensor reads an argument that is a tensor of floats of 32 bits.
func (a *arguments) tensor(at, dims int) []int64 {
	var fields []json.RawMessage
	var kind, dtype string
	var shape []int64
	switch {
	case at >= len(a.Args):
		a.fail(fmt.Errorf("it has %d arguments", len(a.Args)))
	case json.Unmarshal(a.Args[at], &fields) != nil || len(fields) < 3 || json.Unmarshal(fields[0], &kind) != nil ||
		kind != "TENSOR" || json.Unmarshal(fields[1], &shape) != nil || json.Unmarshal(fields[2], &dtype) != nil:
		a.fail(fmt.Errorf("argument %d is no tensor: %s", at, clip(a.Args[at])))
	case dtype != "float32":
		a.fail(unmapped("%s of elements of type %s", a.Template, dtype))
	case len(shape) != dims || slices.Min(shape) < 1 || slices.Max(shape) > 1<<31:
		a.fail(unmapped("%s of a tensor of %d dimensions", a.Template, len(shape)))
	default:
		return shape
	}
	return ones(dims)
}

// numbers reads an argument that is a list of numbers, of one of the lengths.
func (a *arguments) numbers(at int, lengths ...int) []int64 {
	var list []int64
	switch {
	case at >= len(a.Args):
		a.fail(fmt.Errorf("it has %d arguments", len(a.Args)))
	case json.Unmarshal(a.Args[at], &list) != nil || !slices.Contains(lengths, len(list)) || slices.Min(list) < 0 ||
		slices.Max(list) > 1<<20:
		a.fail(fmt.Errorf("argument %d is no list of numbers: %s", at, clip(a.Args[at])))
	default:
		return list
	}
	return ones(lengths[0])
}

// maxLength bounds the length of a piece of a loop.
const maxLength = 1 << 20

// split returns the lengths of a knob for an axis. TVM takes all but the first, which is what remains whatever the
// knob says.
func (a *arguments) split(name string, pieces int, extent int64) []int64 {
	lengths := slices.Clone(a.Splits[name])
	if len(lengths) != pieces {
		a.fail(fmt.Errorf("knob %s has %d lengths, and %d are to be", name, len(lengths), pieces))
		return ones(pieces)
	}
	rest := int64(1)
	for _, n := range lengths[1:] {
		if n < 1 || n > maxLength || rest > maxLength {
			a.fail(fmt.Errorf("knob %s has the lengths %d", name, lengths))
			return ones(pieces)
		}
		rest *= n
	}
	lengths[0] = (extent + rest - 1) / rest
	return lengths
}

// option returns a knob that is a number or a truth.
func (a *arguments) option(name string) (n int64) {
	switch text := string(a.Options[name]); text {
	case "true":
		return 1
	case "false":
		return 0
	}
	if err := json.Unmarshal(a.Options[name], &n); err != nil {
		a.fail(fmt.Errorf("it has no knob %s that is a number", name))
	}
	return n
}

// batchMatmul reads the arguments of products of matrices, the second ones transposed.
func (a *arguments) batchMatmul() (p, q []int64) {
	p, q = a.tensor(0, 3), a.tensor(1, 3)
	for _, more := range a.Args[min(2, len(a.Args)):] {
		if text := string(more); text != "null" && text != `"float32"` && text != "false" && text != "true" {
			a.fail(unmapped("%s with further arguments", a.Template))
		}
	}
	if p[2] != q[2] || p[0] != q[0] && p[0] != 1 && q[0] != 1 {
		a.fail(fmt.Errorf("the shapes %d and %d do not fit each other", p, q))
	}
	return p, q
}

// product writes the DAG of products of matrices.
func (a *arguments) product(p, q []int64) *program {
	of := func(t []int64) string {
		if t[0] == 1 {
			return "0"
		}
		return "b"
	}
	return a.parse("input p: float32[%d, %d, %d]\ninput q: float32[%d, %d, %d]\n"+
		"matmul(b: %d, i: %d, j: %d) = sum(k: %d) p[%s, i, k]*q[%s, j, k]\noutput matmul\n",
		p[0], p[1], p[2], q[0], q[1], q[2], max(p[0], q[0]), p[1], q[1], p[2], of(p), of(q))
}
