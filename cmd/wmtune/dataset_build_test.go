package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/survey"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/transition"
	"github.com/wmtune/wmtune/tune"
)

// datasetLog writes a log of some records of a matmul.
func datasetLog(t *testing.T, dir string) string {
	t.Helper()
	w, err := workload.Find("matmul:m=64,n=64,k=64")
	if err != nil {
		t.Fatal(err)
	}
	var records []dataset.Record
	for i := range 12 {
		rec := dataset.Record{
			WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 2), Status: measure.OK,
			Costs: []float64{1e-5 * float64(i+1), 1e-5 * float64(i+2)},
			Steps: []schedule.Step{
				schedule.Split{At: 2, Extent: 64, Lengths: []int64{1 << (i % 6)}, InnerToOuter: true},
				schedule.Annotate{At: 2, Ann: schedule.Parallel},
			},
		}
		if i == 0 { // and not in a later record of a program, which would be withdrawn
			rec.Status, rec.Message, rec.Costs = measure.RunTimeout, "after 3 s", nil
		}
		records = append(records, rec)
	}
	path := filepath.Join(dir, "tuning.arrow")
	out, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Append(records); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDatasetBuild goes from a log to a dataset, in one and in two shards, and asks
// what is in them.
func TestDatasetBuild(t *testing.T) {
	dir := t.TempDir()
	log, data := datasetLog(t, dir), filepath.Join(dir, "data")
	code, stdout, stderr := wmtune(t, "dataset", "build", log, "--out", data)
	if code != exitOK || !strings.Contains(stdout, "12 trajectories of 1 tasks") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	set, err := trajectory.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if m := set.Meta(); m.Vector != transition.Size || m.Coder != transition.VectorName || m.Tool != tune.Version() {
		t.Errorf("%+v", m)
	}
	actions, err := set.Actions()
	if err != nil || len(actions) == 0 || actions[0].Text != "SP s2 reduction output i0/3 spatial 2^6 -> 2^6 1" {
		t.Errorf("%v %v", actions, err)
	}
	shards := []string{filepath.Join(dir, "0"), filepath.Join(dir, "1")}
	for i, shard := range shards {
		if code, _, stderr := wmtune(t, "dataset", "build", log, "--out", shard, "--shard", filepath.Base(shard)+"/2"); code != exitOK {
			t.Fatalf("shard %d: exit code %d\n%s", i, code, stderr)
		}
	}
	merged := filepath.Join(dir, "merged")
	code, stdout, stderr = wmtune(t, "dataset", "merge", shards[1], shards[0], "--out", merged, "--json")
	var out struct{ Trajectories, States int }
	if err := json.Unmarshal([]byte(stdout), &out); code != exitOK || err != nil || out.Trajectories != 12 || out.States == 0 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	a, err := os.ReadFile(filepath.Join(data, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(merged, "SHA256SUMS")); err != nil || string(a) != string(b) {
		t.Errorf("merged shards are not one run: %v\n%s\n%s", err, a, b)
	}
}

// TestDatasetInfo of a log and of a dataset.
func TestDatasetInfo(t *testing.T) {
	dir := t.TempDir()
	log, data, page := datasetLog(t, dir), filepath.Join(dir, "data"), filepath.Join(dir, "page.html")
	if code, _, stderr := wmtune(t, "dataset", "build", log, "--out", data); code != exitOK {
		t.Fatal(stderr)
	}
	var ofLog, ofSet survey.Info
	for path, info := range map[string]*survey.Info{log: &ofLog, data: &ofSet} {
		code, stdout, stderr := wmtune(t, "dataset", "info", path, "--json", "--html", page)
		if err := json.Unmarshal([]byte(stdout), info); code != exitOK || err != nil {
			t.Fatalf("%s: exit code %d, %v\n%s%s", path, code, err, stdout, stderr)
		}
		if info.Records != 12 || info.Timed != 11 || info.Tasks != 1 || info.Failures[0].Name != "run timeout: after # s" || info.Noise == nil {
			t.Errorf("%s: %+v", path, info)
		}
	}
	set := ofSet.Set
	if ofLog.Set != nil || set == nil || set.States == 0 || set.Moves != 24 || set.Identities != 2 || len(set.Leaks) > 0 {
		t.Errorf("%+v", set)
	}
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "<rect") || !strings.Contains(string(html), "matmul:m=64,n=64,k=64") {
		t.Errorf("the page: %v\n%s", err, html)
	}
	if found := regexp.MustCompile(`(?i)https?:|src=|@import|url\(|<script|<link`).FindString(string(html)); found != "" {
		t.Errorf("the page loads something: %s", found)
	}
	code, stdout, _ := wmtune(t, "dataset", "info", data)
	for _, want := range []string{"12", "run timeout: after # s", "no leaks", "matmul:m=64,n=64,k=64", "2 distinct"} {
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, no %q in\n%s", code, want, stdout)
		}
	}
}

// TestDatasetUsage: what is wrong with a command line, and how the command ends.
func TestDatasetUsage(t *testing.T) {
	dir := t.TempDir()
	log := datasetLog(t, dir)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"build", exitUsage, "name at least one tuning log"},
		{"build " + log, exitUsage, "--out is missing"},
		{"build " + log + " --out x --shard 3/3", exitUsage, "want a part such as 0/3"},
		{"build " + log + " --out x --share 0", exitUsage, "must be above 0"},
		{"build " + log + " --out x --jobs -1", exitUsage, "must not be negative"},
		{"build " + filepath.Join(dir, "none") + " --out " + dir, exitFailed, "no such file"},
		{"merge", exitUsage, "name the shards to merge"},
		{"merge x", exitUsage, "--out is missing"},
		{"merge " + dir + " --out x", exitFailed, "it holds no whole dataset"},
		{"info", exitUsage, "name a dataset or a tuning log"},
		{"info " + dir + " " + log, exitUsage, "name it alone"},
		{"info " + dir, exitFailed, "it holds no whole dataset"},
	} {
		code, _, stderr := wmtune(t, append([]string{"dataset"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d\n%s", c.args, code, c.code, stderr)
		}
	}
}
