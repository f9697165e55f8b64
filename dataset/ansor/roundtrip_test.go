package ansor

import (
	"maps"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
)

// imported returns the records of lines after they lay in a log.
func imported(t testing.TB, lines []*Line) []dataset.Record {
	t.Helper()
	im := NewImporter()
	var list []dataset.Record
	for i, l := range lines {
		r, err := im.Record(l, i)
		if err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		list = append(list, r)
	}
	path := filepath.Join(t.TempDir(), "test.arrow")
	w, err := dataset.OpenWriter(path, dataset.WriterOptions{Compress: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(list); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	read, warnings, err := dataset.ReadLog(path)
	if err != nil || len(warnings) > 0 || len(read) != len(list) {
		t.Fatalf("%d records, warnings %v, %v", len(read), warnings, err)
	}
	return read
}

// TestRoundTrip: what is imported and exported is the same, byte for byte, for
// some lines of every DAG of four public logs.
func TestRoundTrip(t *testing.T) {
	texts := sample(t)
	var lines []*Line
	hashes := map[string]bool{}
	for _, text := range texts {
		l := mustParse(t, text)
		lines = append(lines, l)
		hashes[l.Key[2:34]] = true
	}
	if len(hashes) != len(op.Hashes()) || len(hashes) != 32 {
		t.Errorf("the sample has %d of %d DAGs", len(hashes), len(op.Hashes()))
	}
	count := map[measure.Status]int{}
	for i, r := range imported(t, lines) {
		count[r.Status]++
		if r.Trial != i {
			t.Errorf("line %d has the trial %d", i, r.Trial)
		}
		if got := string(LineOf(&r).Append(nil)); got != texts[i] {
			t.Errorf("line %d became\n%s\nfrom\n%s", i, got, texts[i])
		}
	}
	want := map[measure.Status]int{measure.OK: 121, measure.BuildError: 4, measure.Crash: 8, measure.BuildTimeout: 8}
	if !maps.Equal(count, want) {
		t.Errorf("statuses %v, want %v", count, want)
	}
}

// TestWorkloadText: the text that a record has of its workload is enough to build
// the DAG again, and the steps lead to the same state on it.
func TestWorkloadText(t *testing.T) {
	seen := map[string]bool{}
	var lines []*Line
	for _, text := range sample(t) {
		lines = append(lines, mustParse(t, text))
	}
	for i, r := range imported(t, lines) {
		l := lines[i]
		d, err := buildKey(l.Key)
		if err != nil {
			t.Fatal(err)
		}
		again, err := compute.Parse(r.Workload)
		if err != nil {
			t.Fatalf("%s: %v\n%s", l.Key, err, r.Workload)
		}
		if again.Text() != d.Text() || again.String() != d.String() || again.WorkloadKey() != d.WorkloadKey() || d.WorkloadKey() != r.WorkloadKey {
			t.Errorf("%s: another DAG:\n%s\nis not\n%s", l.Key, again, d)
		}
		var states []string
		for _, d := range []*compute.DAG{d, again} {
			s, err := schedule.Replay(d, r.Steps)
			if err == nil {
				s, err = s.InferBound()
			}
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, s.String())
		}
		if states[0] != states[1] {
			t.Errorf("%s: another state:\n%s\nis not\n%s", l.Key, states[1], states[0])
		}
		seen[again.Hash()] = true
	}
	if len(seen) != 32 {
		t.Errorf("%d DAGs were looked at", len(seen))
	}
}

// TestOlderVersions: lines of earlier versions have fewer fields, and keep them.
func TestOlderVersions(t *testing.T) {
	const tail = `], [[], [["CI", 1]]]], "r": [[0.5, 0.25], 0, 1.5, 1600000000], "v": "`
	const flat = `["[\"98b91a04dc6fb58e2f2a4ac3e509d14f\", 1, 8, 8, 4, 1, 1, 4, 16, 1, 1, 1, 16, 1, 8, 8, 16]", "llvm -mcpu=core-avx2"`
	for _, c := range []struct {
		head, version, want string
		cores               int
	}{
		{flat, "v0.2", "", 1},
		{flat + `, [6, 64, 64, 0, 0, 0, 0, 0]`, "v0.3", "", 6},
		{flat + `, [6, 64, 64, 0, 0, 0, 0, 0], "llvm"`, "v0.4", flat + `, [6, 64, 64, 0, 0, 0, 0, 0], "llvm", 0`, 6},
		{flat + `, [6, 64, 64, 0, 0, 0, 0, 0], "", 2`, "v0.5", "", 6},
		{flat + `, [6, 64, 64, 0, 0, 0, 0, 0], "", 1, ["a", "b"]`, "v0.6", "", 6},
	} {
		text := `{"i": [` + c.head + tail + c.version + `"}`
		l := mustParse(t, text)
		r := imported(t, []*Line{l})[0]
		if c.want == "" {
			c.want = c.head
		}
		want := `{"i": [` + c.want + tail + c.version + `"}`
		if got := string(LineOf(&r).Append(nil)); got != want {
			t.Errorf("%s became\n%s", text, got)
		}
		if r.Target.Hardware.Cores != c.cores || !r.Target.Has("avx2") || r.Target.Hardware.VectorBytes != 32 {
			t.Errorf("%s: target %+v", text, r.Target)
		}
		if want := `["98b91a04dc6fb58e2f2a4ac3e509d14f", [1, 8, 8, 4], [1, 1, 4, 16], [1, 1, 1, 16], [1, 8, 8, 16]]`; r.WorkloadKey != want {
			t.Errorf("%s: key %s", text, r.WorkloadKey)
		}
	}
}

// TestOwnRecords: what wmtune measured becomes lines that read as it did.
func TestOwnRecords(t *testing.T) {
	l := mustParse(t, sample(t)[0])
	own := imported(t, []*Line{l})[0]
	own.Source = dataset.Source{}
	own.BuildSeconds, own.RunSeconds, own.Costs = 0.5, 0.25, []float64{0.1234567890123, 3e-7}
	for s := measure.OK; s <= measure.Unmeasured; s++ {
		r := own
		r.Status = s
		if s != measure.OK {
			r.Costs = nil
		}
		got := mustParse(t, string(LineOf(&r).Append(nil)))
		want := &Line{
			Key: l.Key, Target: "llvm -keys=cpu -mcpu=icelake-server", Hardware: l.Hardware, Layout: 2, Inputs: []string{}, Fields: 6,
			Steps: l.Steps, Costs: []float64{failedCost}, ErrorNo: errorOf(s), AllCost: 0.75, Unix: l.Unix, Version: "v0.6",
		}
		if s == measure.OK {
			want.Costs = own.Costs
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", s, got, want)
		}
		back := imported(t, []*Line{got})[0]
		if exact := errorNumbers[got.ErrorNo].status == s; exact != (back.Status == s) || (back.Status == measure.OK) != (s == measure.OK) {
			t.Errorf("%s came back as %s", s, back.Status)
		}
	}
}
