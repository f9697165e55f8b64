package dataset

import (
	"bufio"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/tir/schedule"
)

// Encoding and decoding a step of any kind gives the same step.
func TestStepRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for kind := range allKinds {
		for range 300 {
			s := randomStep(rng, kind)
			got, err := decodeStep(encodeStep(s))
			if err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			if !reflect.DeepEqual(got, s) {
				t.Fatalf("got %v, want %v", got, s)
			}
		}
	}
}

// Every kind of step has a row in the table of shapes, and fits it.
func TestStepShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	if len(stepShapes) != len(allKinds) {
		t.Fatalf("%d shapes for %d kinds", len(stepShapes), len(allKinds))
	}
	for kind, name := range allKinds {
		c := encodeStep(randomStep(rng, kind))
		if c.kind != name {
			t.Errorf("kind %s encodes as %s", name, c.kind)
		}
	}
}

// Steps of public logs survive the log as they are. They are in a clone but in no module download.
func TestPublicSteps(t *testing.T) {
	f, err := os.Open("../lab/testdata/steps.jsonl.zst")
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skip("SKIPPED: nobody reads steps of public logs: they are in a clone of the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var want []Record
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		steps, err := schedule.ParseSteps(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		r := sampleRecord(len(want))
		r.Steps, r.Trajectory = steps, TrajectoryHash(r.WorkloadKey, r.Workload, steps)
		want = append(want, r)
	}
	if err := lines.Err(); err != nil || len(want) < 1000 {
		t.Fatalf("%d step lists, %v", len(want), err)
	}
	path := writeLog(t)
	w, err := OpenWriter(path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(want); err != nil {
		t.Fatal(err)
	}
	w.Close()
	got := mustRead(t, path)
	for i := range want {
		if a, b := schedule.FormatSteps(got[i].Steps), schedule.FormatSteps(want[i].Steps); string(a) != string(b) {
			t.Fatalf("steps %d: got %s, want %s", i, a, b)
		}
	}
}

// A cell that no step has is refused.
func TestDecodeStepRefuses(t *testing.T) {
	for _, c := range []struct {
		cell stepCell
		want string
	}{
		{stepCell{"XX", nil, ""}, `unknown step kind "XX"`},
		{stepCell{schedule.AN, []int64{1, 2}, ""}, "step AN with 2 integers"},
		{stepCell{schedule.AN, []int64{1, 2, 3, 4}, ""}, "step AN with 4 integers"},
		{stepCell{schedule.AN, []int64{1, 2, 300}, ""}, "step AN with annotation 300"},
		{stepCell{schedule.FU, nil, ""}, "step FU with 0 integers"},
		{stepCell{schedule.SP, []int64{1, 2, 3}, ""}, "step SP with 3 integers"},
		{stepCell{schedule.CI, []int64{1}, "local"}, `step CI with text "local"`},
		{stepCell{schedule.FFSP, []int64{1, 2, 3, 2}, ""}, "step FFSP with flag 2"},
	} {
		_, err := decodeStep(c.cell)
		if err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.cell, err, c.want)
		}
	}
}
