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
