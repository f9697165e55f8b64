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
