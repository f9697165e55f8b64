package ansor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir/schedule"
)

// A Line is what one line of a log says, field by field.
type Line struct {
	Key      string  // the workload key: a JSON list in a string
	Target   string  // such as "llvm -keys=cpu -mcpu=core-avx2"
	Hardware []int64 // the eight parameters of target.Hardware.Ansor; since v0.3
	Host     string  // the target of the host's code; since v0.4
	Layout   int64   // the layout rewrite option, 0 to 2; since v0.5
	Inputs   []string
	Fields   int // of the task, how many the line has: 2 to 6, in the order above

	Steps []schedule.Step

	Costs   []float64 // seconds; 1e10 stands for a failure
	ErrorNo int64
	AllCost float64 // seconds, building and running
	Unix    int64   // seconds

	Version string // "v0.2" to "v0.6"
}

// The number of fields that a task has since each version.
const (
	minFields = 2 // v0.2
	maxFields = 6 // v0.6
)

// maxSteps bounds the steps of a record: real ones have some tens, and applying
// them takes time that grows with the square of their number.
const maxSteps = 1 << 12

// versions are those that ParseLine reads. What a line holds does not depend on
// its version, but on the number of its fields.
var versions = []string{"v0.2", "v0.3", "v0.4", "v0.5", "v0.6"}

// ParseLine reads a line. Costs may be written nan and inf, which is no JSON, but
// is what C++ writes. An error says which field is wrong, and how.
func ParseLine(text []byte) (*Line, error) {
	l, err := parseLine(text)
	if err == nil {
		return l, nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		if quoted, ok := quoteWords(text); ok {
			if again, err := parseLine(quoted); err == nil {
				return again, nil
			}
		}
	}
	return nil, err
}

func parseLine(text []byte) (*Line, error) {
	var top struct {
		Input   []json.RawMessage `json:"i"`
		Result  []json.RawMessage `json:"r"`
		Version *string           `json:"v"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&top); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return nil, errors.New("it ends in the middle of a record")
		}
		if typed := (*json.UnmarshalTypeError)(nil); errors.As(err, &typed) {
			want := "a list"
			if typed.Type.Kind() != reflect.Slice {
				want = "an object or a text"
			}
			return nil, fmt.Errorf("it is no JSON object with the names i, r and v: %q is a %s, want %s",
				strings.TrimPrefix(typed.Field, "."), typed.Value, want)
		}
		return nil, fmt.Errorf("it is no JSON object with the names i, r and v: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the record")
	}
	l := &Line{}
	switch {
	case top.Version == nil:
		return nil, errors.New(`its version ("v") is missing`)
	case !slices.Contains(versions, *top.Version):
		return nil, fmt.Errorf("its version is %q; known are %s", *top.Version, strings.Join(versions, ", "))
	case len(top.Input) != 2:
		return nil, fmt.Errorf(`its input ("i") has %d parts instead of 2, the task and the state`, len(top.Input))
	}
	l.Version = *top.Version
	for _, part := range []struct {
		name  string
		text  json.RawMessage
		parse func(json.RawMessage) error
	}{{"task", top.Input[0], l.parseTask}, {"state", top.Input[1], l.parseState}} {
		if err := part.parse(part.text); err != nil {
			return nil, fmt.Errorf("its %s: %w", part.name, err)
		}
	}
	if err := l.parseResult(top.Result); err != nil {
		return nil, fmt.Errorf("its result: %w", err)
	}
	return l, nil
}

// A part is a field of a list: its name, and where it goes.
type part struct {
	name string
	to   any
}

// parseParts reads the fields of a list.
func parseParts(list []json.RawMessage, parts []part) error {
	for i, text := range list {
		if bytes.Equal(text, []byte("null")) {
			return fmt.Errorf("field %d (%s) is null", i, parts[i].name)
		}
		if err := json.Unmarshal(text, parts[i].to); err != nil {
			return fmt.Errorf("field %d (%s) is %s", i, parts[i].name, clip(text))
		}
	}
	return nil
}

// clip shortens a text for a message.
func clip(text []byte) string {
	if len(text) > 60 {
		return string(text[:60]) + "..."
	}
	return string(text)
}

func (l *Line) parseTask(text json.RawMessage) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("it is no list: %s", clip(text))
	}
	if len(list) < minFields || len(list) > maxFields {
		return fmt.Errorf("it has %d fields; known are %d to %d", len(list), minFields, maxFields)
	}
	l.Fields = len(list)
	err := parseParts(list, []part{
		{"workload key", &l.Key}, {"target", &l.Target}, {"hardware", &l.Hardware},
		{"target host", &l.Host}, {"layout option", &l.Layout}, {"inputs", &l.Inputs},
	})
	switch {
	case err != nil:
		return err
	case l.Fields > 2 && len(l.Hardware) != hardwareParams:
		return fmt.Errorf("it has %d hardware parameters instead of %d", len(l.Hardware), hardwareParams)
	case l.Layout < 0 || l.Layout > rewriteLayout:
		return fmt.Errorf("its layout option is %d; known are 0 to %d", l.Layout, rewriteLayout)
	}
	return nil
}

func (l *Line) parseState(text json.RawMessage) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil || len(list) != 2 {
		return fmt.Errorf("it is no list of stages and steps: %s", clip(text))
	}
	var stages []json.RawMessage
	if err := json.Unmarshal(list[0], &stages); err != nil || len(stages) > 0 {
		return fmt.Errorf("its stages are %s, where AutoScheduler writes none", clip(list[0]))
	}
	var err error
	if l.Steps, err = schedule.ParseSteps(list[1]); err == nil && len(l.Steps) > maxSteps {
		err = fmt.Errorf("it has %d steps, and no record has more than %d", len(l.Steps), maxSteps)
	}
	return err
}

func (l *Line) parseResult(list []json.RawMessage) error {
	if len(list) != 4 {
		return fmt.Errorf("it has %d fields instead of 4", len(list))
	}
	var costs []cost
	var all cost
	if err := parseParts(list, []part{{"costs", &costs}, {"error number", &l.ErrorNo}, {"elapsed time", &all},
		{"time", &l.Unix}}); err != nil {
		return err
	}
	if l.ErrorNo < 0 || l.ErrorNo > maxErrorNo {
		return fmt.Errorf("its error number is %d; known are 0 to %d", l.ErrorNo, maxErrorNo)
	}
	for _, c := range costs {
		l.Costs = append(l.Costs, float64(c))
	}
	l.AllCost = float64(all)
	return nil
}

// A cost is a number of seconds, or what C++ and Python write where there is none.
type cost float64

// UnmarshalJSON implements json.Unmarshaler.
func (c *cost) UnmarshalJSON(b []byte) error {
	text := bytes.Trim(b, `"`)
	switch word := isWord(text); {
	case len(text) < len(b) && !word:
		return fmt.Errorf("%s is no number", b)
	case word && bytes.HasSuffix(bytes.ToLower(text), []byte("nan")):
		*c = cost(math.NaN())
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*c = cost(v)
	return err
}

// isWord reports whether b is what C++ or Python writes for a number that JSON
// does not have: nan, -nan, inf, NaN, -Infinity.
func isWord(b []byte) bool {
	switch strings.TrimPrefix(string(b), "-") {
	case "nan", "NaN", "inf", "Infinity":
		return true
	}
	return false
}

// quoteWords puts quotes around such numbers outside of strings, and reports
// whether there are any.
func quoteWords(text []byte) ([]byte, bool) {
	var out []byte
	found, inText := false, false
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case inText && c == '\\' && i+1 < len(text):
			out = append(out, c, text[i+1])
			i += 2
			continue
		case c == '"':
			inText = !inText
		case !inText && (c == '-' || isLetter(c)):
			end := i + 1
			for end < len(text) && isLetter(text[end]) {
				end++
			}
			if word := text[i:end]; isWord(word) {
				out = append(append(append(out, '"'), word...), '"')
				found, i = true, end
				continue
			}
		}
		out = append(out, text[i])
		i++
	}
	return out, found
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// Append appends the line as AutoScheduler writes it, without a line end. Costs
// have as many digits as they need, which are AutoScheduler's six if it wrote
// them. JSON has no nan: a record with such a cost is written as a failure.
func (l *Line) Append(b []byte) []byte {
	b = appendText(append(b, `{"i": [[`...), l.Key)
	b = appendText(append(b, ", "...), l.Target)
	fields := l.Fields
	if fields == 4 { // AutoScheduler does not load a host without the option after it
		fields = 5
	}
	if fields > 2 {
		b = appendList(append(b, ", "...), l.Hardware, func(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) })
	}
	if fields > 3 {
		b = appendText(append(b, ", "...), l.Host)
		b = strconv.AppendInt(append(b, ", "...), l.Layout, 10)
	}
	if fields > 5 {
		b = appendList(append(b, ", "...), l.Inputs, appendText)
	}
	b = append(append(b, "], [[], "...), schedule.FormatSteps(l.Steps)...)
	b = append(b, `]], "r": [`...)
	errorNo := l.ErrorNo
	for _, c := range l.Costs {
		if !finite(c) && errorNo == 0 {
			errorNo = errorUnknown
		}
	}
	b = appendList(b, l.Costs, appendCost)
	b = strconv.AppendInt(append(b, ", "...), errorNo, 10)
	b = appendCost(append(b, ", "...), l.AllCost)
	b = strconv.AppendInt(append(b, ", "...), l.Unix, 10)
	return append(appendText(append(b, `], "v": `...), l.Version), '}')
}

func appendText(b []byte, s string) []byte {
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("BUG: ansor: " + err.Error())
	}
	return append(b, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

func appendList[T any](b []byte, list []T, item func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = item(b, v)
	}
	return append(b, ']')
}

func appendCost(b []byte, v float64) []byte {
	if !finite(v) {
		v = failedCost
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
