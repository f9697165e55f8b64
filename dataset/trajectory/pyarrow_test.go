package trajectory_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/wmtune/wmtune/dataset/trajectory"
)

// pythonVariable names the environment variable with the Python interpreter that
// has pyarrow; make test makes one.
const pythonVariable = "WMTUNE_PYTHON"

// A seenSet is what testdata/readset.py says of a dataset.
type seenSet struct {
	Rows                          map[string]int
	States, Actions, Trajectories string // SHA-256
	Inputs, Families              int
	Readers                       []string
}

// TestPyarrow: another implementation of Arrow sees the dataset that we do.
func TestPyarrow(t *testing.T) {
	python := os.Getenv(pythonVariable)
	switch {
	case python != "":
	case os.Getenv("CI") != "":
		t.Fatalf("%s is not set: it must name a Python that has pyarrow (make test makes one)", pythonVariable)
	default:
		t.Skipf("SKIPPED: nobody checks that pyarrow reads our datasets: set %s to a Python that has it (pip install pyarrow)", pythonVariable)
	}
	dir := t.TempDir()
	opts := options(sampleLogs(t, dir, 30), filepath.Join(dir, "data"))
	build(t, opts)
	cmd := exec.Command(python, "testdata/readset.py", opts.Dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", python, err)
	}
	var got seenSet
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v, read by %v", got.Rows, got.Readers)
	want := seeSet(t, opts.Dir)
	want.Readers = got.Readers
	if !reflect.DeepEqual(got, want) {
		t.Errorf("pyarrow sees\n%+v\nand we see\n%+v", got, want)
	}
}

// seeSet says of a dataset what readset.py does.
func seeSet(t *testing.T, dir string) seenSet {
	t.Helper()
	s, err := trajectory.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := s.Meta()
	seen := seenSet{
		Rows:   map[string]int{"states": m.States, "actions": m.Actions, "trajectories": m.Trajectories, "tasks": m.Tasks, "meta": 1},
		Inputs: int(m.Inputs[0].Records),
	}
	families := map[string]bool{}
	for _, task := range s.Tasks() {
		families[task.Family] = true
	}
	seen.Families = len(families)
	sum := sha256.New()
	var texts []string
	for st, err := range s.States() {
		if err != nil {
			t.Fatal(err)
		}
		addText(sum, string(st.ID[:]))
		texts = append(texts, st.Text)
	}
	for _, text := range texts {
		addText(sum, text)
	}
	seen.States = hex.EncodeToString(sum.Sum(nil))
	actions, err := s.Actions()
	if err != nil {
		t.Fatal(err)
	}
	sum = sha256.New()
	for _, a := range actions {
		addText(sum, string(a.Kind))
	}
	for _, a := range actions {
		addText(sum, a.Text)
	}
	for _, a := range actions {
		add(sum, a.Vector)
	}
	seen.Actions = hex.EncodeToString(sum.Sum(nil))
	sum = sha256.New()
	tasks := s.Tasks()
	for tr, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{tr.StepText, tr.Status.String(), string(tasks[tr.Task].Split.Task), tr.Log} {
			addText(sum, text)
		}
		labels := []float64{-1, -1, -1, -1}
		if tr.Timed() {
			labels = []float64{tr.Cost, tr.Label, float64(tr.Level), float64(tr.Relevance)}
		}
		for _, list := range []any{tr.States, tr.Actions, tr.Costs, labels} {
			add(sum, list)
		}
	}
	seen.Trajectories = hex.EncodeToString(sum.Sum(nil))
	return seen
}

func addText(h hash.Hash, s string) {
	add(h, int64(len(s)))
	h.Write([]byte(s))
}

func add(h hash.Hash, v any) {
	if err := binary.Write(h, binary.LittleEndian, v); err != nil {
		panic(err)
	}
}
