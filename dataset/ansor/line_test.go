package ansor

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// shortLine is a line of format v0.6: a matrix product and relu, its relu parallel.
const shortLine = `{"i": [["[\"f3351bf9aef587a2fb1bf57b0fc78601\", [4, 8], [8, 16], [4, 16]]", "llvm -keys=cpu -mcpu=core-avx2", ` +
	`[8, 64, 64, 0, 0, 0, 0, 0], "", 2, []], [[], [["SP", 2, 0, 4, [2], 1], ["AN", 3, 0, 3]]]], "r": [[0.25, 3.5e-05], 0, 1.5, 1606961782], "v": "v0.6"}`

func TestParseLine(t *testing.T) {
	want := &Line{
		Key:    `["f3351bf9aef587a2fb1bf57b0fc78601", [4, 8], [8, 16], [4, 16]]`,
		Target: "llvm -keys=cpu -mcpu=core-avx2", Hardware: []int64{8, 64, 64, 0, 0, 0, 0, 0}, Layout: 2, Inputs: []string{}, Fields: 6,
		Steps: []schedule.Step{
			schedule.Split{At: 2, Extent: 4, Lengths: []int64{2}, InnerToOuter: true},
			schedule.Annotate{At: 3, Ann: schedule.Parallel},
		},
		Costs: []float64{0.25, 3.5e-05}, AllCost: 1.5, Unix: 1606961782, Version: "v0.6",
	}
	if got := mustParse(t, shortLine); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if got := string(want.Append(nil)); got != shortLine {
		t.Errorf("it is written as\n%s", got)
	}
}

// TestMalformedLine: what is no record of AutoScheduler's is refused with a
// sentence that says what is wrong.
func TestMalformedLine(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`{"i"`, `"i"`, "it is no JSON object with the names i, r and v"},
		{`{"i"`, `{"input"`, `unknown field "input"`},
		{`, "v": "v0.6"}`, `}`, `its version ("v") is missing`},
		{`"v0.6"`, `"v0.7"`, `its version is "v0.7"; known are v0.2, v0.3, v0.4, v0.5, v0.6`},
		{`"v0.6"`, `6`, "it is no JSON object"},
		{`"v0.6"}`, `"v0.6"} {}`, "something follows the record"},
		{`"v": "v0.6"}`, `"v`, "it ends in the middle of a record"},
		{`"i": [[`, `"i": [[], [`, `its input ("i") has 3 parts instead of 2`},
		{`"llvm -keys=cpu -mcpu=core-avx2"`, `7`, `its task: field 1 (target) is 7`},
		{`"llvm -keys=cpu -mcpu=core-avx2"`, `null`, `its task: field 1 (target) is null`},
		{`[8, 64, 64, 0, 0, 0, 0, 0]`, `[8, 64]`, "its task: it has 2 hardware parameters instead of 8"},
		{`[8, 64, 64, 0, 0, 0, 0, 0]`, `[8.5, 64, 64, 0, 0, 0, 0, 0]`, "its task: field 2 (hardware) is [8.5"},
		{`"", 2, []`, `"", 3, []`, "its task: its layout option is 3; known are 0 to 2"},
		{`"", 2, []`, `"", 2, [], 7`, "its task: it has 7 fields; known are 2 to 6"},
		{`[[], [["SP"`, `[[1], [["SP"`, "its state: its stages are [1], where AutoScheduler writes none"},
		{`[[], [["SP"`, `[[["SP"`, "its state: it is no list of stages and steps"},
		{`"SP"`, `"SPLIT"`, `its state: schedule: step 0: unknown kind "SPLIT"`},
		{`["AN", 3, 0, 3]`, `["AN", 3, 0]`, "its state: schedule: step 1: (AN) field 3 (annotation) is missing"},
		{`["AN", 3, 0, 3]`, `["AN", 3, 0, 3]` + strings.Repeat(`, ["CI", 1]`, maxSteps), "its state: it has 4098 steps, and no record has more than 4096"},
		{`"r": [`, `"r": [0, `, "its result: it has 5 fields instead of 4"},
		{`[0.25, 3.5e-05]`, `0.25`, "its result: field 0 (costs) is 0.25"},
		{`[0.25, 3.5e-05]`, `[null]`, "its result: field 0 (costs) is [null]"},
		{`[0.25, 3.5e-05]`, `["0.25"]`, `its result: field 0 (costs) is ["0.25"]`},
		{`[0.25, 3.5e-05]`, `[1e999]`, "its result: field 0 (costs) is [1e999]"},
		{`[0.25, 3.5e-05]`, `[nano]`, "it is no JSON object"},
		{`], 0, 1.5`, `], 9, 1.5`, "its result: its error number is 9; known are 0 to 8"},
		{`], 0, 1.5`, `], -1, 1.5`, "its result: its error number is -1"},
		{`1606961782`, `16069.5`, "its result: field 3 (time) is 16069.5"},
	} {
		text := change(t, shortLine, c.from, c.to)
		l, err := ParseLine([]byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in place of %s: got %v, %v, want %q", clip([]byte(c.to)), c.from, l, err, c.want)
		}
	}
}

// TestNoTimes: results that claim to be good and have no times are not measured.
// What C++ and Python write for nan and infinity, which is no JSON, is read. It
// is not written again, since AutoScheduler would not load it: such a record is
// written as a failure.
func TestNoTimes(t *testing.T) {
	for _, c := range []struct{ costs, message, written string }{
		{`[nan]`, "a cost of NaN seconds", `[[1e+10], 8,`},
		{`[0.5, -nan]`, "a cost of NaN seconds", `[[0.5, 1e+10], 8,`},
		{`[NaN, 1]`, "a cost of NaN seconds", `[[1e+10, 1], 8,`},
		{`[inf]`, "a cost of +Inf seconds", `[[1e+10], 8,`},
		{`[-Infinity]`, "a cost of -Inf seconds", `[[1e+10], 8,`},
		{`[1e+10]`, "a cost of 1e+10 seconds", `[[1e+10], 0,`},
		{`[0.5, 0]`, "a cost of 0 seconds", `[[0.5, 0], 0,`},
		{`[-0.5]`, "a cost of -0.5 seconds", `[[-0.5], 0,`},
		{`[1e-13]`, "a cost of 1e-13 seconds", `[[1e-13], 0,`},
		{`[]`, "no error, and no cost", `[[], 0,`},
	} {
		l := mustParse(t, change(t, shortLine, `[0.25, 3.5e-05]`, c.costs))
		r := imported(t, []*Line{l})[0]
		if r.Status != measure.Unmeasured || len(r.Costs) > 0 || !strings.Contains(r.Message, c.message) {
			t.Errorf("%s: %s, costs %v, message %q", c.costs, r.Status, r.Costs, r.Message)
		}
		if len(r.Source.Costs) != len(l.Costs) {
			t.Errorf("%s: the log's costs are %v", c.costs, r.Source.Costs)
		}
		for i, v := range r.Source.Costs {
			if v != l.Costs[i] && !(math.IsNaN(v) && math.IsNaN(l.Costs[i])) {
				t.Errorf("%s: the log's costs are %v", c.costs, r.Source.Costs)
			}
		}
		text := string(LineOf(&r).Append(nil))
		if !strings.Contains(text, `"r": `+c.written) {
			t.Errorf("%s is written as %s", c.costs, text)
		}
		mustParse(t, text)
	}
}

// TestQuoteWords: names of numbers inside texts are left alone.
func TestQuoteWords(t *testing.T) {
	got, ok := quoteWords([]byte(`{"nan \" nan": [nan,-inf, true, -1e5, inform]}`))
	if want := `{"nan \" nan": ["nan","-inf", true, -1e5, inform]}`; !ok || string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, ok := quoteWords([]byte(`{"nan": [true]}`)); ok {
		t.Error("a text was taken for a number")
	}
}
