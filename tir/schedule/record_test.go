package schedule

import (
	"reflect"
	"strings"
	"testing"
)

// allSteps has one step of each kind, in the order of their record tags.
var allSteps = []Step{
	Annotate{At: 1, Iter: 2, Ann: Parallel},
	Fuse{At: 1, Iters: []int{0, 1, 2}},
	Fuse{At: 1, Iters: []int{}},
	Pragma{At: 1, Iter: 0, Text: "auto_unroll_max_step$64"},
	Reorder{At: 1, Order: []int{2, 0, 1}},
	Split{At: 1, Iter: 3, Extent: 512, Lengths: []int64{2, 0, 4}, InnerToOuter: true},
	FollowSplit{At: 2, Iter: 3, Src: 5, Parts: 2},
	FollowFusedSplit{At: 2, Iter: 3, Srcs: []int{5, 4}, Level: 1, Factor: true},
	StorageAlign{At: 2, Iter: 1, Factor: 32, Offset: 8},
	ComputeAt{At: 2, Target: 3, TargetIter: 4},
	ComputeInline{At: 2},
	ComputeRoot{At: 2},
	CacheRead{At: 2, Scope: "shared", Readers: []int{3, 5}},
	CacheWrite{At: 2, Scope: "local"},
	Rfactor{At: 2, Iter: 3, FactorIter: 2},
	Winograd{At: 2, Tile: 4},
	Phases{At: 3},
}

const allStepsText = `[["AN", 1, 2, 3], ["FU", 1, [0, 1, 2]], ["FU", 1, []], ["PR", 1, 0, "auto_unroll_max_step$64"], ["RE", 1, [2, 0, 1]], ` +
	`["SP", 1, 3, 512, [2, 0, 4], 1], ["FSP", 2, 3, 5, 2], ["FFSP", 2, 3, [5, 4], 1, 1], ["SA", 2, 1, 32, 8], ["CA", 2, 3, 4], ["CI", 2], ["CR", 2], ` +
	`["CHR", 2, "shared", [3, 5]], ["CHW", 2, "local"], ["RF", 2, 3, 2], ["WG", 2, 4], ["PH", 3]]`

func TestRecordForm(t *testing.T) {
	if got := string(FormatSteps(allSteps)); got != allStepsText {
		t.Errorf("got  %s\nwant %s", got, allStepsText)
	}
	got, err := ParseSteps([]byte(allStepsText))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, allSteps) {
		t.Errorf("got  %v\nwant %v", got, allSteps)
	}
	for _, s := range allSteps {
		if !strings.HasPrefix(s.String(), `["`+string(s.Kind())+`", `) {
			t.Errorf("%s has another tag than %s", s, s.Kind())
		}
	}
	if got := string(FormatSteps(nil)); got != "[]" {
		t.Errorf("no steps: got %s", got)
	}
}

func TestParseStepsRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{``, "schedule: steps are not a JSON list: unexpected end of JSON input"},
		{`{}`, "schedule: steps are not a JSON list: json: cannot unmarshal object into Go value of type []json.RawMessage"},
		{`[1]`, "schedule: step 0: it is not a JSON list: json: cannot unmarshal number into Go value of type []json.RawMessage"},
		{`[["CI", 1], []]`, "schedule: step 1: field 0 (kind) is missing"},
		{`[[7]]`, "schedule: step 0: field 0 (kind) is 7"},
		{`[["XX", 1]]`, `schedule: step 0: unknown kind "XX"`},
		{`[["CI"]]`, "schedule: step 0: (CI) field 1 (stage) is missing"},
		{`[["CI", "a"]]`, `schedule: step 0: (CI) field 1 (stage) is "a"`},
		{`[["CI", 1.5]]`, "schedule: step 0: (CI) field 1 (stage) is 1.5"},
		{`[["CI", 1, 2]]`, "schedule: step 0: (CI) it has 1 fields too many"},
		{`[["AN", 1, 2, 12]]`, "schedule: step 0: (AN) unknown annotation 12"},
		{`[["AN", 1, 2, -1]]`, "schedule: step 0: (AN) unknown annotation -1"},
		{`[["CI", null]]`, "schedule: step 0: (CI) field 1 (stage) is null"},
		{`[["FU", 1, null]]`, "schedule: step 0: (FU) field 2 (iterators) is null"},
		{`[["SP", 1, 2, null, [4], 1]]`, "schedule: step 0: (SP) field 3 (extent) is null"},
		{`[["SP", 1, 2, 8, [4, null], 1]]`, "schedule: step 0: (SP) field 4 (lengths) is [4, null]"},
		{`[["PR", 1, 2, null]]`, "schedule: step 0: (PR) field 3 (pragma) is null"},
		{`[["SP", 1, 2, 8, 4, 1]]`, "schedule: step 0: (SP) field 4 (lengths) is 4"},
		{`[["SP", 1, 2, 8, [4], 2]]`, "schedule: step 0: (SP) field 5 (inner to outer) is 2, neither 0 nor 1"},
		{`[["SP", 1, 2, 8, [4]]]`, "schedule: step 0: (SP) field 5 (inner to outer) is missing"},
		{`[["PR", 1, 2, 3]]`, "schedule: step 0: (PR) field 3 (pragma) is 3"},
	} {
		if _, err := ParseSteps([]byte(tt.text)); err == nil || err.Error() != tt.want {
			t.Errorf("%s\ngot  %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Whatever text is read as steps prints as steps that read the same; and
// replaying any steps gives an error or a state whose nests exist.
func FuzzSteps(f *testing.F) {
	f.Add(uint8(0), []byte(allStepsText))
	for _, text := range []string{
		`[["SP", 2, 0, 8, [2, 4], 1], ["FSP", 3, 0, 0, 2], ["CA", 2, 3, 0], ["FU", 3, [0, 1]], ["AN", 3, 0, 3]]`,
		`[["SP", 2, 2, 16, [5], 1], ["RF", 2, 3, 2], ["CA", 2, 3, 1], ["CHW", 4, "local"]]`,
		`[["CHR", 0, "shared", [2]], ["CA", 1, 3, 2], ["FU", 1, [0, 1]], ["FFSP", 1, 0, [], 0, 1], ["RE", 3, [2, 1, 0]], ["CI", 1]]`,
	} {
		for i := range len(smallDAGs()) {
			f.Add(uint8(i), []byte(text))
		}
	}
	dags := smallDAGs()
	f.Fuzz(func(t *testing.T, dag uint8, text []byte) {
		steps, err := ParseSteps(text)
		if err != nil {
			return
		}
		again, err := ParseSteps(FormatSteps(steps))
		if err != nil || !reflect.DeepEqual(steps, again) {
			t.Fatalf("%s: %v", FormatSteps(steps), err)
		}
		s, err := Replay(dags[int(dag)%len(dags)], steps)
		if err != nil {
			_ = err.Error()
			return
		}
		_ = s.String()
		s.Signature()
		if _, err := s.Nests(); err == nil && !s.Concrete() {
			t.Fatal("a sketch has nests")
		}
	})
}
