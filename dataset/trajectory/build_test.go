package trajectory_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

func build(t *testing.T, opts trajectory.Options) trajectory.Meta {
	t.Helper()
	m, err := trajectory.Build(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSameBytes: neither the number of workers, nor of processors, nor of shards,
// nor the order of the logs shows.
func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	logs := sampleLogs(t, dir, 40)
	want := filepath.Join(dir, "one")
	m := build(t, options(logs, want))
	if m.Trajectories != 400 || m.Tasks != 10 || m.States < 100 || m.Actions < 50 || len(m.Inputs) != 2 || m.Inputs[0].Records != 200 {
		t.Errorf("%+v", m)
	}
	two := options([]string{logs[1], logs[0]}, filepath.Join(dir, "two"))
	two.Workers = 2
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	build(t, two)
	sameFiles(t, "two workers", two.Dir, want)
	var shards []string
	for i := range 3 {
		o := options(logs, filepath.Join(dir, fmt.Sprint("shard", i)))
		o.Shard, o.Shards = i, 3
		if m := build(t, o); m.Tasks == 0 || m.Tasks > 6 {
			t.Errorf("shard %d has %d tasks", i, m.Tasks)
		}
		shards = append(shards, o.Dir)
	}
	merged := filepath.Join(dir, "merged")
	if _, err := trajectory.Merge([]string{shards[2], shards[0], shards[1]}, merged); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "shards", merged, want)
	if _, err := trajectory.Merge([]string{shards[2], shards[0], shards[1]}, merged); err != nil {
		t.Error("merging again:", err)
	}
	refuses(t, "a missing shard", merge(shards[0], shards[2])(filepath.Join(dir, "x")), "shard 1 is missing")
	refuses(t, "a shard twice", merge(shards[0], shards[1], shards[1])(filepath.Join(dir, "x")), "where shard 2 is missing")
	refuses(t, "the last shard missing", merge(shards[0], shards[1])(filepath.Join(dir, "x")), "2 of 3 shards are named")
	refuses(t, "a shard of something else", merge(shards[0], want)(filepath.Join(dir, "x")), "it is no shard of what")
	refuses(t, "another dataset in the folder", merge(shards...)(shards[0]), "it holds another dataset")
}

func merge(shards ...string) func(dir string) error {
	return func(dir string) error {
		_, err := trajectory.Merge(shards, dir)
		return err
	}
}

func refuses(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want something with %q", what, err, want)
	}
}

// TestContent replays every trajectory of a dataset by itself.
func TestContent(t *testing.T) {
	dir := t.TempDir()
	logs := sampleLogs(t, dir, 30)
	build(t, options(logs, filepath.Join(dir, "data")))
	s, err := trajectory.Open(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	records := map[string][]dataset.Record{}
	for i, in := range s.Meta().Inputs {
		path := filepath.Join(dir, in.Name)
		list, _, err := dataset.ReadLog(path)
		if err != nil {
			t.Fatal(err)
		}
		records[in.SHA256] = list
		if i > 0 && in.SHA256 <= s.Meta().Inputs[i-1].SHA256 {
			t.Error("inputs are not in order")
		}
	}
	actions, err := s.Actions()
	if err != nil {
		t.Fatal(err)
	}
	tasks := s.Tasks()
	row := 0
	for st, err := range s.States() {
		if err != nil {
			t.Fatal(err)
		}
		if compact.Identify([]byte(st.Text)) != st.ID {
			t.Fatalf("state %d does not have its ID", row)
		}
		row++
	}
	n := 0
	for tr, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		checkTrajectory(t, s, &tr, &tasks[tr.Task], &records[tr.Log][tr.Record], actions)
		n++
	}
	if n != 300 {
		t.Errorf("%d trajectories", n)
	}
}

func checkTrajectory(t *testing.T, s *trajectory.Set, tr *trajectory.Trajectory, task *trajectory.Entry, rec *dataset.Record,
	actions []trajectory.Action) {
	t.Helper()
	steps, err := tr.Steps()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(schedule.FormatSteps(steps)), string(schedule.FormatSteps(rec.Steps)); got != want || tr.StepText != want {
		t.Fatalf("steps %s, want %s", got, want)
	}
	if task.WorkloadKey != rec.WorkloadKey || task.Target.String() != rec.Target.String() || tr.Hash != rec.Trajectory ||
		tr.Status != rec.Status || tr.Message != rec.Message || !slices.Equal(tr.Costs, rec.Costs) || tr.Trial != rec.Trial ||
		tr.Unix != rec.Unix || tr.Scorer != rec.Scorer {
		t.Fatalf("%+v is not %+v", tr, rec)
	}
	d, err := dagOf(rec.Workload)
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.States) != len(steps)+1 || len(tr.Actions) != len(steps) || !tr.Whole() {
		t.Fatalf("%d states, %d actions for %d steps", len(tr.States), len(tr.Actions), len(steps))
	}
	for k := range len(steps) + 1 {
		state, err := schedule.Replay(d, steps[:k])
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Plain(state)
		if err != nil {
			t.Fatal(err)
		}
		st, err := s.State(int(tr.States[k]))
		if err != nil {
			t.Fatal(err)
		}
		if st.Text != compact.Text(f) {
			t.Fatalf("state %d is\n%swant\n%s", k, st.Text, compact.Text(f))
		}
		if int(tr.States[k]) < task.FirstState || int(tr.States[k]) >= task.FirstState+task.States {
			t.Fatalf("state %d is not among those of its task", tr.States[k])
		}
		if k < len(steps) {
			a := actions[tr.Actions[k]]
			v := make([]float32, coder.Size)
			if text := coder.Encode(v, state, steps[k]); a.Text != text || !slices.Equal(a.Vector, v) || a.Kind != steps[k].Kind() {
				t.Fatalf("action %d is %+v, want %s %v", k, a, text, v)
			}
		}
	}
	if tr.Timed() != rec.Timed() || tr.Cost != rec.Cost() {
		t.Fatalf("cost %v, want %v", tr.Cost, rec.Cost())
	}
	if tr.Timed() && (math.Abs(tr.Label-task.Best/tr.Cost) > 1e-12 || tr.Level >= task.Levels) {
		t.Fatalf("label %v level %d, want %v", tr.Label, tr.Level, task.Best/tr.Cost)
	}
	if !tr.Timed() && (tr.Label != 0 || tr.Relevance != 0) {
		t.Fatalf("a failure has labels: %+v", tr)
	}
}

// TestStops: a record whose steps cannot be replayed keeps what can be.
func TestStops(t *testing.T) {
	dir := t.TempDir()
	records := sampleRecords(specs[0], cpu, 3, 1)
	records[1].Steps = []schedule.Step{records[1].Steps[0], schedule.ComputeInline{At: 77}, records[1].Steps[1]}
	records[2].Steps = slices.Clone(records[1].Steps)
	records[0].Costs = []float64{math.NaN()}
	path := filepath.Join(dir, "log.arrow")
	writeLog(t, path, records)
	opts := options([]string{path, path}, filepath.Join(dir, "data"))
	var warnings []string
	opts.Warn = func(text string) { warnings = append(warnings, text) }
	build(t, opts)
	all := strings.Join(warnings, "\n")
	if !strings.Contains(all, "read once") || !strings.Contains(all, "broken records, whose times are not used: 1 (0); record 0: its cost is NaN seconds") {
		t.Errorf("warnings: %s", all)
	}
	s, err := trajectory.Open(opts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for tr, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		steps, err := tr.Steps()
		if err != nil || len(steps) != 3 {
			t.Fatal(steps, err)
		}
		switch {
		case tr.Record == 0 && (tr.Timed() || tr.Status != measure.Unmeasured || !tr.Whole()):
			t.Errorf("a NaN became a cost: %+v", tr)
		case tr.Record > 0 && (len(tr.Actions) != 1 || len(tr.States) != 2 || !strings.Contains(tr.Stopped, "no stage 77")):
			t.Errorf("record %d: %d actions, stopped by %q", tr.Record, len(tr.Actions), tr.Stopped)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d trajectories", n)
	}
}

// TestShare draws the same records each time, about as many as asked for.
func TestShare(t *testing.T) {
	dir := t.TempDir()
	logs := sampleLogs(t, dir, 60)
	opts := options(logs, filepath.Join(dir, "a"))
	opts.Share = 0.25
	a := build(t, opts)
	if a.Trajectories < 110 || a.Trajectories > 190 {
		t.Errorf("%d of 600 records", a.Trajectories)
	}
	opts.Dir = filepath.Join(dir, "b")
	build(t, opts)
	sameFiles(t, "the same seed", opts.Dir, filepath.Join(dir, "a"))
	opts.Dir, opts.Seed = filepath.Join(dir, "c"), 2
	if build(t, opts); bytesOf(t, opts.Dir)["trajectories.arrow"] == bytesOf(t, filepath.Join(dir, "a"))["trajectories.arrow"] {
		t.Error("another seed draws the same records")
	}
}

// TestDefaults: 0 workers are one per processor, and a share that draws nothing, or more than all, is an error.
func TestDefaults(t *testing.T) {
	dir := t.TempDir()
	logs := sampleLogs(t, dir, 4)
	want := options(logs, filepath.Join(dir, "want"))
	build(t, want)
	got := options(logs, filepath.Join(dir, "got"))
	got.Workers = 0
	done := make(chan error)
	go func() {
		_, err := trajectory.Build(t.Context(), got)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("0 workers do nothing")
	}
	sameFiles(t, "0 workers", got.Dir, want.Dir)
	for _, share := range []float64{0, -0.5, 1.5, math.NaN()} {
		o := options(logs, filepath.Join(dir, "none"))
		o.Share = share
		_, err := trajectory.Build(t.Context(), o)
		refuses(t, fmt.Sprint("share ", share), err, "must be above 0 and at most 1")
		if _, err := os.Stat(o.Dir); err == nil {
			t.Errorf("share %v: the folder was made", share)
		}
	}
}

// TestTimings: times of two kinds are labelled as those of two tasks.
func TestTimings(t *testing.T) {
	dir := t.TempDir()
	repeated := sampleRecords(specs[0], cpu, 8, 1)
	deployed := slices.Clone(repeated)
	for i := range deployed {
		deployed[i].Timing = measure.Deployed
		deployed[i].Costs = []float64{9 * repeated[i].Cost()}
	}
	log := filepath.Join(dir, "log.arrow")
	writeLog(t, log, append(repeated, deployed...))
	o := options([]string{log}, filepath.Join(dir, "set"))
	build(t, o)
	set, err := trajectory.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	tasks := set.Tasks()
	if len(tasks) != 2 || tasks[0].Timed != 8 || tasks[1].Timed != 8 || tasks[1].Best < 8*tasks[0].Best ||
		tasks[0].Timing != measure.Repeated || tasks[1].Timing != measure.Deployed || tasks[0].ID() == tasks[1].ID() {
		t.Errorf("%+v", tasks)
	}

	// With another workload, of which all times are repeated, in one run and in shards.
	other := filepath.Join(dir, "other.arrow")
	writeLog(t, other, sampleRecords(specs[1], cpu, 8, 1))
	o = options([]string{log, other}, filepath.Join(dir, "both"))
	build(t, o)
	var shards []string
	for i := range 2 {
		part := options(o.Logs, filepath.Join(dir, fmt.Sprint("shard", i)))
		part.Shard, part.Shards = i, 2
		build(t, part)
		shards = append(shards, part.Dir)
	}
	if err := merge(shards...)(filepath.Join(dir, "merged")); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "merged", filepath.Join(dir, "merged"), o.Dir)
	both, err := trajectory.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	var timings []string
	for _, task := range both.Tasks() {
		timings = append(timings, task.Workload+" "+task.Timing.String())
	}
	slices.Sort(timings)
	want := []string{specs[0] + " deployed", specs[0] + " repeated", specs[1] + " repeated"}
	if !slices.Equal(timings, want) {
		t.Errorf("%q, want %q", timings, want)
	}
}

// TestWithdrawn: no time of a program that failed later is in a dataset, whether the failure was drawn or not.
func TestWithdrawn(t *testing.T) {
	dir := t.TempDir()
	list := sampleRecords(specs[0], cpu, 9, 1)
	for _, r := range sampleRecords(specs[0], cpu, 9, 1) {
		r.Status, r.Costs = measure.WrongAnswer, nil
		list = append(list, r)
	}
	good := sampleRecords(specs[1], cpu, 9, 1)
	path := filepath.Join(dir, "log.arrow")
	writeLog(t, path, append(list, good...))
	for share, least := range map[float64]int{1: 18, 0.5: 4} {
		opts := options([]string{path}, filepath.Join(dir, fmt.Sprint(share)))
		opts.Share = share
		build(t, opts)
		s, err := trajectory.Open(opts.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all := 0
		for _, task := range s.Tasks() {
			if all += task.Records; (task.Timed > 0) != (task.Workload == specs[1]) {
				t.Errorf("share %v: %s has %d times", share, task.Workload, task.Timed)
			}
		}
		if all < least || share == 1 && all != least || share < 1 && s.Tasks()[0].Records == len(list)/2 {
			t.Errorf("share %v: %d records", share, all)
		}
	}
}

// TestWithdrawnElsewhere: in another log, too, whichever of the two comes first; and not by a failure
// that was before. Logs are sorted by their bytes: a few seconds make both orders.
func TestWithdrawnElsewhere(t *testing.T) {
	dir := t.TempDir()
	good := sampleRecords(specs[0], cpu, 5, 1)
	for i := range good {
		good[i].Unix = 1000
	}
	a := filepath.Join(dir, "a.arrow")
	writeLog(t, a, good)
	for _, unix := range []int64{500, 501, 502, 503, 2000, 2001, 2002, 2003} {
		wrong := sampleRecords(specs[0], cpu, 5, 1)
		for i := range wrong {
			wrong[i].Status, wrong[i].Costs, wrong[i].Unix = measure.WrongAnswer, nil, unix
		}
		b := filepath.Join(dir, fmt.Sprintf("%d.arrow", unix))
		writeLog(t, b, wrong)
		opts := options([]string{a, b}, filepath.Join(dir, fmt.Sprint(unix)))
		build(t, opts)
		s, err := trajectory.Open(opts.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if timed := s.Tasks()[0].Timed; (timed > 0) != (unix < 1000) {
			t.Errorf("failures at %d: %d of the times at 1000 are left", unix, timed)
		}
	}
}

// TestAgain: a whole dataset is left as it is, another one is refused, and a folder
// that a process writes to is not written to.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	logs := sampleLogs(t, dir, 10)
	opts := options(logs, filepath.Join(dir, "data"))
	build(t, opts)
	before, err := os.Stat(filepath.Join(opts.Dir, "states.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	build(t, opts)
	if after, err := os.Stat(filepath.Join(opts.Dir, "states.arrow")); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Error("a whole dataset was written again", err)
	}
	opts.Seed = 2
	_, err = trajectory.Build(t.Context(), opts)
	if !errors.Is(err, trajectory.ErrOther) {
		t.Errorf("another dataset: %v", err)
	}
	inner := options(logs, filepath.Join(dir, "busy"))
	inner.DAG = func(text string) (*compute.DAG, error) {
		other := options(logs, inner.Dir)
		if _, err := trajectory.Build(t.Context(), other); err == nil || !strings.Contains(err.Error(), "another process writes to it") {
			t.Errorf("two writers: %v", err)
		}
		return dagOf(text)
	}
	build(t, inner)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := trajectory.Build(ctx, options(logs, filepath.Join(dir, "stopped"))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// killedEnv makes a test process build a dataset until a further part is done, and wait in the middle of the next one
// for its end.
const killedEnv = "WMTUNE_TEST_BUILD"

// TestKilled kills a build in the middle, over and over, and goes on: the result is
// that of one that ran through.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(killedEnv); dir != "" {
		data := filepath.Join(dir, "data")
		slow, before := options([]string{filepath.Join(dir, "log0.arrow"), filepath.Join(dir, "log1.arrow")}, data), parts(data)
		slow.Progress = func(int, int) {
			if len(parts(data)) > len(before) {
				time.Sleep(time.Hour)
			}
		}
		build(t, slow)
		return
	}
	dir := t.TempDir()
	logs := sampleLogs(t, dir, 40)
	want := options(logs, filepath.Join(dir, "want"))
	build(t, want)
	data := filepath.Join(dir, "data")
	kept := 0
	for range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), killedEnv+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for len(parts(data)) <= kept { // until a further part is done
			time.Sleep(time.Millisecond)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if kept = len(parts(data)); kept == len(specs) {
			t.Fatal("the build was done before it was killed")
		}
	}
	if _, err := trajectory.Open(data); err == nil || !strings.Contains(err.Error(), "it holds no whole dataset") {
		t.Errorf("half a dataset: %v", err)
	}
	done := parts(data)
	times := map[string]time.Time{}
	for _, p := range done {
		info, err := os.Stat(filepath.Join(p, "states.arrow"))
		if err != nil {
			t.Fatal(err)
		}
		times[p] = info.ModTime()
	}
	last := options(logs, data)
	last.DAG = func(text string) (*compute.DAG, error) {
		kept++
		return dagOf(text)
	}
	build(t, last)
	if kept != len(specs) {
		t.Errorf("%d workloads were made, want %d and %d kept", kept-len(done), len(specs)-len(done), len(done))
	}
	sameFiles(t, "after kills", data, want.Dir)
}

// parts lists the finished parts of a build under way.
func parts(dir string) []string {
	list, err := filepath.Glob(filepath.Join(dir, ".parts", "*"))
	if err != nil {
		panic(err)
	}
	return slices.DeleteFunc(list, func(p string) bool { return strings.HasSuffix(p, ".new") })
}

// TestLabels: tie bands begin at their first member.
func TestTieBands(t *testing.T) {
	dir := t.TempDir()
	records := sampleRecords(specs[0], cpu, 6, 1)
	for i, cost := range []float64{1.00, 1.019, 1.03, 1.05, 2, 1.021} {
		records[i].Costs = []float64{cost}
	}
	records = append(records, sampleRecords(specs[0], cpu, 10, 2)[9]) // a failure
	path := filepath.Join(dir, "log.arrow")
	writeLog(t, path, records)
	build(t, options([]string{path}, filepath.Join(dir, "data")))
	s, err := trajectory.Open(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var levels, relevance []int
	for tr, err := range s.Trajectories(0) {
		if err != nil {
			t.Fatal(err)
		}
		levels, relevance = append(levels, tr.Level), append(relevance, tr.Relevance)
	}
	// Bands: 1-1.019, 1.021-1.03, 1.05, 2.
	if !slices.Equal(levels, []int{0, 0, 1, 2, 3, 1, 0}) || !slices.Equal(relevance, []int{31, 31, 23, 15, 7, 23, 0}) {
		t.Errorf("levels %v, relevance %v", levels, relevance)
	}
	if task := s.Tasks()[0]; task.Levels != 4 || task.Best != 1 || task.Timed != 6 || task.Records != 7 {
		t.Errorf("%+v", task)
	}
}
