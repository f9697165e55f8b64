package workload

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const planText = `
{"name": "a/b", "spec": "matmul:m=8,n=8,k=8", "count": 3}

{"name": "copy", "spec": "matmul:m=8,n=8,k=8", "count": 1}
{"text": "input x: float32[4]\ntwice(i: 4) = x[i]*2\noutput twice\n", "unknown": 1}
`

// TestReadPlan: a plan gives its workloads once each, plain or compressed.
func TestReadPlan(t *testing.T) {
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "p.jsonl"), filepath.Join(dir, "p.zst")
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{plain: []byte(planText), packed: z.EncodeAll([]byte(planText), nil)} {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := ReadPlan(path)
		if err != nil || len(list) != 2 {
			t.Fatalf("%s: %d workloads, %v", path, len(list), err)
		}
		if list[0].Name != "b" || list[0].Text != "matmul:m=8,n=8,k=8" || list[0].FLOPs != 1024 || list[0].Count != 4 {
			t.Errorf("%+v", list[0])
		}
		if list[1].Name != "twice" || list[1].DAG.Results()[0].Shape[0] != 4 {
			t.Errorf("%+v", list[1])
		}
	}
}

// TestBrokenPlans: what is no plan is an error that names the line.
func TestBrokenPlans(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"empty":   {"\n", "no workload"},
		"spec":    {"{\"spec\": \"nothing:m=1\"}", "line 1"},
		"json":    {planText + "{", "line 6"},
		"neither": {"{\"name\": \"x\"}", "neither"},
		"text":    {"{\"text\": \"a(i: 4) =\\noutput a\\n\"}", "line 1"},
		"cut":     {string(zstdMagic) + "x", "plan"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if list, err := ReadPlan(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d workloads, %v; want %q", name, len(list), err, c.want)
		}
	}
	if _, err := ReadPlan(filepath.Join(dir, "missing")); err == nil {
		t.Error("a missing file is a plan")
	}
}

// TestListed: what is listed is read again as the same workload.
func TestListed(t *testing.T) {
	w, err := Find("paper22/r50-t3")
	if err != nil {
		t.Fatal(err)
	}
	l := List(w.Name, 2, w.DAG)
	l.Spec = w.Text
	line, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	list, err := readPlan(strings.NewReader(string(line)))
	if err != nil || len(list) != 1 || list[0].Key != w.Key || list[0].Key != l.WorkloadKey {
		t.Errorf("%s: %+v, %v", line, list, err)
	}
	if want := int64(4 * (56*56*64*2 + 9*64*64 + 64)); l.Bytes != want || l.FLOP < 2*56*56*64*64*9 {
		t.Errorf("%+v: want %d bytes", l, want)
	}
}
