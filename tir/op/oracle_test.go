package op

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/tir/compute"
)

// eachLine decodes the JSON lines of a compressed file of testdata.
func eachLine[T any](t *testing.T, name string, f func(row T)) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var row T
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		f(row)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestSketchDAGs compares the DAGs of paper22, and those of the logs' tasks, with
// what TVM prints for them.
func TestSketchDAGs(t *testing.T) {
	suite, logs := map[string]bool{}, map[string]bool{}
	eachLine(t, "sketches.jsonl.zst", func(row struct{ Workload, DAG string }) {
		var d *compute.DAG
		if strings.HasPrefix(row.Workload, "[") {
			logs[row.Workload] = true
			d = fromKey(t, row.Workload)
		} else {
			suite[row.Workload] = true
			w, err := Lookup(row.Workload)
			if err != nil {
				t.Fatal(err)
			}
			d = w.DAG
		}
		if got := d.String(); got != row.DAG {
			t.Errorf("%s:\n%s\nTVM prints\n%s", row.Workload, got, row.DAG)
		}
	})
	if len(suite) != len(paper22) || len(logs) != 116 {
		t.Errorf("compared %d workloads of paper22 and %d of logs, want %d and 116", len(suite), len(logs), len(paper22))
	}
}

// fromKey builds the DAG of a workload key: a hash and shapes.
func fromKey(t *testing.T, key string) *compute.DAG {
	t.Helper()
	var parts []json.RawMessage
	if err := json.Unmarshal([]byte(key), &parts); err != nil {
		t.Fatal(err)
	}
	var hash string
	if err := json.Unmarshal(parts[0], &hash); err != nil {
		t.Fatal(err)
	}
	shapes := make([][]int64, len(parts)-1)
	for i := range shapes {
		if err := json.Unmarshal(parts[i+1], &shapes[i]); err != nil {
			t.Fatal(err)
		}
	}
	d, err := FromHash(hash, shapes)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// logTask is a task of a public log, as TVM prints its DAG.
type logTask struct {
	Shapes   [][]int64
	FullText string `json:"full_text"`
	FLOPs    float64
}

// TestFromHash rebuilds each DAG of the public logs from shapes alone.
func TestFromHash(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range bertDAGs {
		seen[c.hash] = true
	}
	eachLine(t, "dags.jsonl.zst", func(row struct {
		Hash, Text string
		Tasks      []logTask
	}) {
		seen[row.Hash] = true
		for _, task := range row.Tasks {
			d, err := FromHash(row.Hash, task.Shapes)
			if err != nil {
				t.Errorf("%s: %v", row.Hash, err)
				continue
			}
			if got := d.Simple(); got != row.Text {
				t.Errorf("%s %v: simple text\n%s\nwant\n%s", row.Hash, task.Shapes, got, row.Text)
			}
			if got := d.String(); got != task.FullText {
				t.Errorf("%s %v: text\n%s\nwant\n%s", row.Hash, task.Shapes, got, task.FullText)
			}
			if got := d.FLOPs(); got != task.FLOPs {
				t.Errorf("%s %v: %v FLOPs, want %v", row.Hash, task.Shapes, got, task.FLOPs)
			}
		}
	})
	for _, h := range Hashes() {
		if !seen[h] {
			t.Errorf("no log has %s", h)
		}
	}
	if len(seen) != len(Hashes()) {
		t.Errorf("%d hashes of %d are known", len(Hashes()), len(seen))
	}
}
