package schedule

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/tir/compute"
)

// A tvmRow is a record of a public tuning log and what TVM 0.9.0 prints for the
// state after replay and bound inference.
type tvmRow struct {
	dag         *compute.DAG
	steps, text string
}

// tvmRows reads lab/testdata/tvm-states.txt.zst, which is in a clone but in no module download. For each task it has a
// line "key ...", the DAG and an empty line; then for each record the steps, the text and an empty line.
func tvmRows(t testing.TB, each func(tvmRow)) {
	t.Helper()
	f, err := os.Open("../../lab/testdata/tvm-states.txt.zst")
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skip("SKIPPED: nobody checks that states print as TVM's: the oracle is in a clone of the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	block := func() []string {
		var lines []string
		for sc.Scan() && sc.Text() != "" {
			lines = append(lines, sc.Text())
		}
		return lines
	}
	var d *compute.DAG
	for lines := block(); len(lines) > 0; lines = block() {
		if strings.HasPrefix(lines[0], "key ") {
			d = parseDAG(lines[1:])
			continue
		}
		each(tvmRow{d, lines[0], strings.Join(lines[1:], "\n") + "\n"})
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
}

// Every record replays to the text that TVM prints; now and then, every prefix
// of the steps is a state with nests.
func TestStatesEqualTVM(t *testing.T) {
	n, bad := 0, 0
	tvmRows(t, func(row tvmRow) {
		n++
		if bad > 3 {
			return
		}
		steps, err := ParseSteps([]byte(row.steps))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(FormatSteps(steps)); got != row.steps {
			t.Fatalf("steps print as\n%s\nwant\n%s", got, row.steps)
		}
		s, err := Replay(row.dag, steps)
		if err == nil {
			s, err = s.InferBound()
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, row.steps)
		}
		if got := s.String(); got != row.text {
			bad++
			t.Errorf("%s\ngot\n%swant\n%s", row.steps, got, row.text)
		}
		if n%60 == 0 {
			checkPrefixes(t, row.dag, steps)
		}
	})
	if n < 8500 {
		t.Errorf("%d rows: the data is incomplete", n)
	}
	t.Logf("%d states", n)
}

func checkPrefixes(t *testing.T, d *compute.DAG, steps []Step) {
	t.Helper()
	s := New(d)
	for i, step := range steps {
		var err error
		if s, err = s.Apply(step); err != nil {
			t.Fatal(err)
		}
		if _, err = s.Nests(); err != nil {
			t.Fatalf("after step %d of %s: %v", i, FormatSteps(steps), err)
		}
	}
	again, err := Replay(d, steps)
	if err != nil || again.Signature() != s.Signature() || again.String() != s.String() {
		t.Fatalf("replay differs from applying one by one: %v\n%s", err, FormatSteps(steps))
	}
}
