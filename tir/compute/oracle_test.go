package compute

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// An oracleRow is what TVM says of a DAG of public tuning logs, for several
// sets of shapes.
type oracleRow struct {
	Hash, Text string
	Tasks      []struct {
		Shapes   [][]int64
		FullText string `json:"full_text"`
		FLOPs    float64
	}
}

func readOracle(t *testing.T) map[string]oracleRow {
	t.Helper()
	packed, err := os.ReadFile("../op/testdata/dags.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := r.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]oracleRow{}
	dec := json.NewDecoder(bytes.NewReader(data))
	for dec.More() {
		var row oracleRow
		if err := dec.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows[row.Hash] = row
	}
	return rows
}

// oracleDAGs are DAGs of public logs, in our text.
func oracleDAGs(t testing.TB) []*DAG {
	t.Helper()
	data, err := os.ReadFile("testdata/oracle.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []*DAG
	for i, text := range strings.Split(string(data), "---\n") {
		d, err := Parse(text)
		if err != nil {
			t.Fatalf("text %d: %v", i, err)
		}
		list = append(list, d)
	}
	return list
}

// TestOracle compares texts, hashes, keys and FLOPs with TVM's.
func TestOracle(t *testing.T) {
	rows := readOracle(t)
	dags := oracleDAGs(t)
	if len(dags) < 9 {
		t.Fatalf("%d DAGs", len(dags))
	}
	for _, d := range dags {
		row, ok := rows[d.Hash()]
		if !ok {
			t.Errorf("no DAG of the oracle has the hash of\n%s", d.Simple())
			continue
		}
		if got := d.Simple(); got != row.Text {
			t.Errorf("simple text\n%swant\n%s", got, row.Text)
		}
		found := false
		for _, task := range row.Tasks {
			key := append([]any{row.Hash}, anys(task.Shapes)...)
			if !sameJSON(t, d.WorkloadKey(), key) {
				continue
			}
			found = true
			if got := d.String(); got != task.FullText {
				t.Errorf("text\n%swant\n%s", got, task.FullText)
			}
			if got := d.FLOPs(); got != task.FLOPs {
				t.Errorf("%v FLOPs, want %v, for\n%s", got, task.FLOPs, d)
			}
		}
		if !found {
			t.Errorf("no task of the oracle has key %s", d.WorkloadKey())
		}
	}
}

func anys(shapes [][]int64) []any {
	list := make([]any, len(shapes))
	for i, s := range shapes {
		list[i] = s
	}
	return list
}

func sameJSON(t *testing.T, key string, want []any) bool {
	t.Helper()
	list, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	return key == strings.ReplaceAll(string(list), ",", ", ")
}
