package ansor

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestRefusedRecords: lines that are whole, and that nobody can use.
func TestRefusedRecords(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`f3351bf9`, `00000000`, "no operator is known for the DAG with hash 00000000aef587a2"},
		{`[\"f3351bf9aef587a2fb1bf57b0fc78601\"`, `[\"my_matmul\"`, "no operator is known for the DAG with hash my_matmul"},
		{`"[\"f3351`, `"\"f3351`, "is no JSON list"},
		{`[\"f3351bf9aef587a2fb1bf57b0fc78601\"`, `[7`, "begins with no hash"},
		{`[8, 16]`, `8, 16`, "part 2 of the workload key"},
		{`[8, 16]`, `null`, "part 2 of the workload key"},
		// extents that disagree with the DAG, or with each other
		{`[8, 16]`, `[9, 16]`, "has no inputs and output of the shapes [[4 8] [9 16] [4 16]]"},
		{`[8, 16]`, `[8, 16, 1]`, "has no inputs and output of the shapes"},
		{`[8, 16], `, ``, "has no inputs and output of the shapes"},
		{`[8, 16]`, `[8, 0]`, "has no inputs and output of the shapes"},
		{`[8, 16], [4, 16]`, `[8, 4611686018427387904], [4, 4611686018427387904]`, "has no inputs and output of the shapes"},
		{`"llvm -keys=cpu -mcpu=core-avx2"`, `""`, `the target "" does not begin with a kind`},
		{`"llvm -keys=cpu -mcpu=core-avx2"`, `"-mcpu=x"`, `the target "-mcpu=x" does not begin with a kind`},
		// steps that refer to what is not there
		{`["AN", 3, 0, 3]`, `["AN", 9, 0, 3]`, "its steps do not fit its workload: schedule: step 1 (AN): "},
		{`["AN", 3, 0, 3]`, `["AN", -1, 0, 3]`, "its steps do not fit its workload: schedule: step 1 (AN): "},
		{`["AN", 3, 0, 3]`, `["AN", 3, 5, 3]`, "its steps do not fit its workload: schedule: step 1 (AN): "},
		{`["AN", 3, 0, 3]`, `["FSP", 3, 0, 8, 1]`, "its steps do not fit its workload: schedule: step 1 (FSP): "},
		{`["AN", 3, 0, 3]`, `["CA", 2, 12, 0]`, "its steps do not fit its workload: schedule: step 1 (CA): "},
		{`["AN", 3, 0, 3]`, `["CHR", 0, "shared", [7]]`, "its steps do not fit its workload: schedule: step 1 (CHR): "},
		// a split whose length a sketch leaves open
		{`["AN", 3, 0, 3]`, `["SP", 2, 0, 4, [0], 1]`, "a split of its steps has an open length (0)"},
		{`["AN", 3, 0, 3]`, `["SP", 3, 1, 16, [4, 0, 1], 1]`, "a split of its steps has an open length (0)"},
		{`["AN", 3, 0, 3]`, `["SP", 2, 2, 8, [0, 2], 1], ["AN", 3, 0, 3]`, "a split of its steps has an open length (0)"},
	} {
		records, bad := importAll(t, shortLine+"\n"+change(t, shortLine, c.from, c.to)+"\n")
		if len(records) != 1 || !strings.Contains(bad[1], c.want) {
			t.Errorf("%s in place of %s: %d records, got %v, want %q", c.to, c.from, len(records), bad, c.want)
		}
	}
}

// TestFailedSteps: a record that says itself that its steps could not be applied
// is kept.
func TestFailedSteps(t *testing.T) {
	text := change(t, shortLine, `["AN", 3, 0, 3]`, `["AN", 9, 0, 3]`)
	text = change(t, text, `[[0.25, 3.5e-05], 0, `, `[[1e+10], 1, `)
	records, bad := importAll(t, text)
	if r := records[0]; len(bad) > 0 || r.Status != measure.LowerError || r.Message != "AutoScheduler's error no. 1: the steps could not be applied" {
		t.Errorf("got %+v, %v", r, bad)
	}
}

// TestStaleExtents: the extent that a split step carries may be another than that
// of its loop, in AutoScheduler's logs, too; the DAG's counts.
func TestStaleExtents(t *testing.T) {
	records, bad := importAll(t, change(t, shortLine, `["SP", 2, 0, 4, [2], 1]`, `["SP", 2, 0, 77, [2], 1]`))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	r := records[0]
	d, err := buildKey(r.WorkloadKey)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, r.Steps)
	if err == nil {
		s, err = s.InferBound()
	}
	if err != nil || !strings.Contains(s.String(), "for i.0 (0,2)\n") {
		t.Errorf("%v\n%s", err, s)
	}
}

// TestErrorNumbers: each number becomes a status, and is kept.
func TestErrorNumbers(t *testing.T) {
	want := []measure.Status{
		measure.OK, measure.LowerError, measure.BuildError, measure.LoadError, measure.Crash, measure.WrongAnswer,
		measure.BuildTimeout, measure.RunTimeout, measure.Unmeasured,
	}
	for no, status := range want {
		text := shortLine
		if no > 0 {
			text = change(t, shortLine, `[[0.25, 3.5e-05], 0, `, `[[1e+10], `+string(rune('0'+no))+`, `)
		}
		r := imported(t, []*Line{mustParse(t, text)})[0]
		if r.Status != status || (r.Message == "") != (no == 0) || r.Timed() != (no == 0) {
			t.Errorf("error no. %d: %s, %q", no, r.Status, r.Message)
		}
		if got := string(LineOf(&r).Append(nil)); got != text {
			t.Errorf("error no. %d became\n%s", no, got)
		}
	}
}
