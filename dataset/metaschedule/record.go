package metaschedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset/ansor"
	"github.com/wmtune/wmtune/tir/target"
)

// The names of the files of a database, which stand in one folder.
const (
	workloadFile = "database_workload.json"
	recordFile   = "database_tuning_record.json"
)

// A Record is a line of the file of records.
type Record struct {
	Workload int // number of the line in the file of workloads
	Trace    *Trace
	Costs    []float64     // seconds; nil if it could not be measured
	Target   target.Target // on which it was measured
	Text     string        // the target as TVM writes it
}

// maxCost is at least what TVM writes down in place of a time, as it does where a candidate fails (1e10).
const maxCost = 1e9

// ParseRecord reads a line of a file of records.
func ParseRecord(line []byte) (*Record, error) {
	r := &Record{}
	var fields []json.RawMessage
	if err := exactly(line, &r.Workload, &fields); err != nil {
		return nil, fmt.Errorf("no tuning record: %w", err)
	}
	if len(fields) < 3 {
		return nil, errors.New("no tuning record: it has no trace, times and target")
	}
	var err error
	if r.Trace, err = ParseTrace(fields[0]); err != nil {
		return nil, err
	}
	if json.Unmarshal(fields[1], &r.Costs) != nil {
		return nil, fmt.Errorf("its times are %s", clip(fields[1]))
	}
	if slices.ContainsFunc(r.Costs, func(c float64) bool { return c >= maxCost }) {
		r.Costs = nil
	}
	if r.Text, r.Target, err = ParseTarget(fields[2]); err != nil {
		return nil, fmt.Errorf("its target: %w", err)
	}
	return r, nil
}

// ParseTarget reads a target as TVM writes it: an object of its attributes, or, as before that was so, a text of them.
// The first result is the text.
func ParseTarget(text json.RawMessage) (string, target.Target, error) {
	var words string
	if json.Unmarshal(text, &words) != nil || words == "" {
		var object struct {
			Kind  string          `json:"kind"`
			CPU   string          `json:"mcpu"`
			Cores json.RawMessage `json:"num-cores"`
			Arch  string          `json:"arch"`
			Attr  []string        `json:"mattr"`
			Tag   string          `json:"tag"`
		}
		if json.Unmarshal(text, &object) != nil {
			return "", target.Target{}, fmt.Errorf("%s is no target of TVM", clip(text))
		}
		words = object.Kind
		add := func(key, value string) {
			if value != "" {
				words += fmt.Sprintf(" -%s=%s", key, value)
			}
		}
		add("arch", object.Arch)
		add("mcpu", object.CPU)
		add("mattr", strings.Join(object.Attr, ","))
		add("num-cores", string(object.Cores))
	}
	t, err := ansor.ParseTarget(words)
	return words, t, err
}
