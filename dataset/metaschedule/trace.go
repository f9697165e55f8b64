package metaschedule

import (
	"encoding/json"
	"fmt"
)

// A Trace is how TVM made a schedule: instructions, and what was decided in some of them.
type Trace struct {
	Instructions []Instruction
	Decisions    map[int]json.RawMessage // by the instruction's number
}

// An Instruction is an operation on blocks and loops, which it names by variables: "b0" a block,
// "l2" a loop, "v6" a number. Inputs and Attrs may be any values.
type Instruction struct {
	Kind    string
	Inputs  []json.RawMessage
	Attrs   []json.RawMessage
	Outputs []string
}

// ParseTrace reads a trace as tvm's Trace.as_json gives it: a list of instructions and a
// list of decisions.
func ParseTrace(text []byte) (*Trace, error) {
	var parts [2][]json.RawMessage
	if err := exactly(text, &parts[0], &parts[1]); err != nil {
		return nil, fmt.Errorf("no trace: %w", err)
	}
	t := &Trace{Instructions: make([]Instruction, len(parts[0])), Decisions: map[int]json.RawMessage{}}
	for i, text := range parts[0] {
		in := &t.Instructions[i]
		if err := exactly(text, &in.Kind, &in.Inputs, &in.Attrs, &in.Outputs); err != nil {
			return nil, fmt.Errorf("instruction %d: %w", i, err)
		}
	}
	for _, text := range parts[1] {
		var at int
		var what json.RawMessage
		if err := exactly(text, &at, &what); err != nil {
			return nil, fmt.Errorf("a decision: %w", err)
		}
		if at < 0 || at >= len(t.Instructions) {
			return nil, fmt.Errorf("a decision in instruction %d of %d", at, len(t.Instructions))
		}
		t.Decisions[at] = what
	}
	return t, nil
}

// exactly reads a list with as many elements as there are variables.
func exactly(text []byte, into ...any) error {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return fmt.Errorf("it is cut off, or no list: %s", clip(text))
	}
	if len(list) != len(into) {
		return fmt.Errorf("%d elements where %d are to be", len(list), len(into))
	}
	for i, v := range into {
		if json.Unmarshal(list[i], v) != nil {
			return fmt.Errorf("its element %d is %s", i, clip(list[i]))
		}
	}
	return nil
}

// clip shortens a text for a message.
func clip(text []byte) string { return string(text[:min(len(text), 60)]) }

// MarshalJSON writes a trace as tvm's Trace.as_json does.
func (t *Trace) MarshalJSON() ([]byte, error) {
	instructions := make([][4]any, len(t.Instructions))
	for i, in := range t.Instructions {
		instructions[i] = [4]any{in.Kind, append([]json.RawMessage{}, in.Inputs...), append([]json.RawMessage{}, in.Attrs...),
			append([]string{}, in.Outputs...)}
	}
	decisions := [][2]any{}
	for i := range t.Instructions {
		if d, ok := t.Decisions[i]; ok {
			decisions = append(decisions, [2]any{i, d})
		}
	}
	return json.Marshal([2]any{instructions, decisions})
}
