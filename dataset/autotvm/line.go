// Package autotvm reads the tuning logs of TVM's AutoTVM: JSON lines of version 0.2, plain or
// compressed with gzip or zstd.
//
//	{"input": ["llvm -mcpu=skylake-avx512", "conv2d_NCHWc.x86", [["TENSOR", [1, 3, 224, 224], "float32"], ...], {}],
//	 "config": {"index": 193, "code_hash": null, "entity": [["tile_ic", "sp", [1, 3]], ["unroll_kw", "ot", false], ...]},
//	 "result": [[9.59e-05], 0, 1.757, 1539972731.35], "version": 0.2, "tvm_version": "0.7.dev0"}
//
// A line names a template: a function of TVM that schedules an operator by the numbers of the line. Templates that
// have a counterpart here are programs that make a compute DAG and steps of the numbers (templates.go). What has none
// is a *metaschedule.UnmappedError.
//
// The package must not know how records are measured.
package autotvm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/dataset/metaschedule"
)

// A Line is a line of a log.
type Line struct {
	Target   string
	Template string
	Args     []json.RawMessage
	Splits   map[string][]int64         // knobs of kind "sp": lengths of the pieces, outermost first; -1: what remains
	Options  map[string]json.RawMessage // knobs of other kinds
	Costs    []float64                  // seconds
	ErrorNo  int64                      // 0: it was measured
	Unix     int64                      // when
	Version  string
}

// ParseLine reads a line.
func ParseLine(text []byte) (*Line, error) {
	var file struct {
		Input  []json.RawMessage `json:"input"`
		Config struct {
			Entity [][]json.RawMessage `json:"entity"`
		} `json:"config"`
		Result  []json.RawMessage `json:"result"`
		Version json.Number       `json:"version"`
	}
	if json.Unmarshal(text, &file) != nil {
		return nil, errors.New("no line of AutoTVM: it is cut off, or its fields hold something else")
	}
	if len(file.Input) < 3 || len(file.Result) != 4 {
		return nil, errors.New("no line of AutoTVM: its input or its result has another number of fields")
	}
	if file.Version != "0.2" {
		return nil, fmt.Errorf("version %q of AutoTVM's logs; 0.2 is read", file.Version)
	}
	l := &Line{Version: "0.2", Splits: map[string][]int64{}, Options: map[string]json.RawMessage{}}
	var unix float64
	for _, f := range []struct {
		from json.RawMessage
		into any
	}{
		{file.Input[0], &l.Target}, {file.Input[1], &l.Template}, {file.Input[2], &l.Args},
		{file.Result[0], &l.Costs}, {file.Result[1], &l.ErrorNo}, {file.Result[3], &unix},
	} {
		if json.Unmarshal(f.from, f.into) != nil {
			return nil, fmt.Errorf("no line of AutoTVM: a part of its input or result is %s", clip(f.from))
		}
	}
	l.Unix = int64(unix)
	for _, e := range file.Config.Entity {
		var name, kind string
		if len(e) != 3 || json.Unmarshal(e[0], &name) != nil || json.Unmarshal(e[1], &kind) != nil {
			return nil, errors.New("a knob that is no name, kind and value")
		}
		if kind != "sp" {
			l.Options[name] = e[2]
			continue
		}
		var lengths []int64
		if json.Unmarshal(e[2], &lengths) != nil {
			return nil, fmt.Errorf("knob %s is no list of lengths: %s", name, clip(e[2]))
		}
		l.Splits[name] = lengths
	}
	return l, nil
}

// IsLine reports whether a line is one of AutoTVM, by its fields.
func IsLine(text []byte) bool {
	return bytes.Contains(text, []byte(`"input"`)) && bytes.Contains(text, []byte(`"config"`))
}

// clip shortens a text for a message.
func clip(text []byte) string { return string(text[:min(len(text), 60)]) }

func unmapped(format string, args ...any) error {
	return &metaschedule.UnmappedError{What: fmt.Sprintf(format, args...)}
}

// tensor reads an argument that is a tensor of floats of 32 bits.
func (l *Line) tensor(at, dims int) ([]int64, error) {
	var fields []json.RawMessage
	var kind, dtype string
	var shape []int64
	if at >= len(l.Args) {
		return nil, fmt.Errorf("it has %d arguments", len(l.Args))
	}
	if json.Unmarshal(l.Args[at], &fields) != nil || len(fields) < 3 || json.Unmarshal(fields[0], &kind) != nil ||
		kind != "TENSOR" || json.Unmarshal(fields[1], &shape) != nil || json.Unmarshal(fields[2], &dtype) != nil {
		return nil, fmt.Errorf("argument %d is no tensor: %s", at, clip(l.Args[at]))
	}
	if dtype != "float32" {
		return nil, unmapped("%s of elements of type %s", l.Template, dtype)
	}
	if len(shape) != dims || slices.Min(shape) < 1 || slices.Max(shape) > 1<<31 {
		return nil, unmapped("%s of a tensor of %d dimensions", l.Template, len(shape))
	}
	return shape, nil
}

// numbers reads an argument that is a list of numbers, of one of the lengths.
func (l *Line) numbers(at int, lengths ...int) ([]int64, error) {
	if at >= len(l.Args) {
		return nil, fmt.Errorf("it has %d arguments", len(l.Args))
	}
	var list []int64
	if json.Unmarshal(l.Args[at], &list) != nil || !slices.Contains(lengths, len(list)) || slices.Min(list) < 0 ||
		slices.Max(list) > 1<<20 {
		return nil, fmt.Errorf("argument %d is no list of numbers: %s", at, clip(l.Args[at]))
	}
	return list, nil
}

// maxLength bounds the length of a piece of a loop.
const maxLength = 1 << 20

// split returns the lengths of a knob for an axis. TVM takes all but the first, which is what remains whatever the
// knob says.
func (l *Line) split(name string, pieces int, extent int64) ([]int64, error) {
	lengths := slices.Clone(l.Splits[name])
	if len(lengths) != pieces {
		return nil, fmt.Errorf("knob %s has %d lengths, and %d are to be", name, len(lengths), pieces)
	}
	rest := int64(1)
	for _, n := range lengths[1:] {
		if n < 1 || n > maxLength || rest > maxLength {
			return nil, fmt.Errorf("knob %s has the lengths %d", name, lengths)
		}
		rest *= n
	}
	lengths[0] = (extent + rest - 1) / rest
	return lengths, nil
}

// A tile is a knob that splits an axis.
type tile struct {
	name   string
	pieces int
	extent int64 // of the axis
}

// splits returns the lengths of several knobs, by their names.
func (l *Line) splits(list ...tile) (lengths map[string][]int64, err error) {
	lengths = map[string][]int64{}
	for _, t := range list {
		if lengths[t.name], err = l.split(t.name, t.pieces, t.extent); err != nil {
			return nil, err
		}
	}
	return lengths, nil
}

// option returns a knob that is a number or a truth.
func (l *Line) option(name string) (int64, error) {
	switch text := string(l.Options[name]); text {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	var n int64
	if err := json.Unmarshal(l.Options[name], &n); err != nil {
		return 0, fmt.Errorf("it has no knob %s that is a number", name)
	}
	return n, nil
}
