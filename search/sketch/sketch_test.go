package sketch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// An oracleRow is what TVM 0.9.0 makes of one workload; tir/op/testdata/sketches.jsonl.zst
// has one for every workload of paper22 and every task of public tuning logs.
type oracleRow struct {
	Workload string
	Target   string
	Sketches []string
}

func oracle(t *testing.T, kind string) []oracleRow {
	t.Helper()
	f, err := os.Open("../../tir/op/testdata/sketches.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	var rows []oracleRow
	for lines.Scan() {
		var r oracleRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(r.Target, kind) {
			rows = append(rows, r)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// dagOf returns the DAG of a row: of a suite's workload by name, of a log's task
// by hash and shapes.
func dagOf(t *testing.T, workload string) *compute.DAG {
	t.Helper()
	if !strings.HasPrefix(workload, "[") {
		w, err := op.Lookup(workload)
		if err != nil {
			t.Fatal(err)
		}
		return w.DAG
	}
	var key []json.RawMessage
	if err := json.Unmarshal([]byte(workload), &key); err != nil {
		t.Fatal(err)
	}
	var hash string
	if err := json.Unmarshal(key[0], &hash); err != nil {
		t.Fatal(err)
	}
	shapes := make([][]int64, len(key)-1)
	for i := range shapes {
		if err := json.Unmarshal(key[i+1], &shapes[i]); err != nil {
			t.Fatal(err)
		}
	}
	d, err := op.FromHash(hash, shapes)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOracle compares all sketches of all workloads with TVM's, in order, without those that TVM has not.
func TestOracle(t *testing.T) {
	for _, c := range []struct {
		kind string
		g    *Generator
		rows int
	}{{"llvm", direct(cpu(2)), 81}, {"cuda", gpu(), 79}, {"cuda", withTensorCores(gpu()), 79}} {
		rows, total := oracle(t, c.kind), 0
		if len(rows) != c.rows {
			t.Errorf("%s: the oracle has %d rows, want %d", c.kind, len(rows), c.rows)
		}
		for _, r := range rows {
			total += len(r.Sketches)
			compareSketches(t, r, c.g)
		}
		t.Logf("%s: %d sketches of %d workloads", c.kind, total, len(rows))
	}
}

// direct leaves out Winograd's algorithm.
func direct(g *Generator) *Generator {
	g.Policy = g.Direct()
	return g
}

// withTensorCores gives a GPU tensor cores. All that the oracle has is of float32: no sketch more.
func withTensorCores(g *Generator) *Generator {
	g.Policy, g.Target.Arch = CUDATensor, "sm_80"
	return g
}

func compareSketches(t *testing.T, r oracleRow, g *Generator) {
	t.Helper()
	got, err := generate(t, g, dagOf(t, r.Workload))
	if err != nil {
		t.Errorf("%s: %v", r.Workload, err)
		return
	}
	if len(got) != len(r.Sketches) {
		t.Errorf("%s: %d sketches, want %d", r.Workload, len(got), len(r.Sketches))
		return
	}
	for i, s := range got {
		if g, w := nameless(s.String()), nameless(r.Sketches[i]); g != w {
			t.Errorf("%s: sketch %d:\n%s\nwant\n%s", r.Workload, i, s, r.Sketches[i])
			return
		}
	}
}

var word = regexp.MustCompile(`[A-Za-z_][\w.@]*`)

// keywords are the words of a printed state that are not names.
var keywords = map[string]bool{
	"Placeholder": true, "for": true, "unroll": true, "vectorize": true, "parallel": true, "None": true,
}

// nameless numbers the names of a printed state in order of appearance, so that
// texts that differ in names only become equal.
func nameless(text string) string {
	numbers := map[string]string{}
	return word.ReplaceAllStringFunc(strings.TrimSpace(text), func(name string) string {
		if keywords[name] {
			return name
		}
		if numbers[name] == "" {
			numbers[name] = fmt.Sprintf("n%d", len(numbers))
		}
		return numbers[name]
	})
}

// The counts are those of AutoScheduler's own tests (four cores).
func TestUpstreamCounts(t *testing.T) {
	for _, c := range []struct {
		spec string
		want int
	}{
		{"matmul:m=512,n=512,k=512", 3},
		{"matmul:m=8,n=8,k=512", 5},
		{"conv2d:h=56,w=56,ci=512,co=512,k=3,s=1,p=1,layout=NCHW,epilogue=bias+bn+relu", 3},
		{"maxpool2d:h=56,w=56,c=512,k=2,s=2,p=0", 1},
		{"max:m=10,n=1024", 3},
		{"softmax:m=1,n=1024", 9},
		{"conv2d_winograd:h=28,w=28,ci=128,co=128", 3},
		{"sum:m=1,n=128", 3},
	} {
		w, err := op.Parse(c.spec)
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := Generate(t.Context(), CPU, w.DAG, target.Generic(32, 4))
		if err != nil || len(got) != c.want {
			t.Errorf("%s: %d sketches, %v; want %d", c.spec, len(got), err, c.want)
		}
	}
	chain := matmul(512, 512, 512)
	i, j, k := axis("i", 512), axis("j", 512), axis("k", 512)
	d := input("D", 512, 512)
	chain = append(chain, d, sum(compute1("E", mul(load(chain[2], i, k), load(d, k, j)), i, j), k))
	if got, err := generate(t, cpu(4), state(chain...).DAG); err != nil || len(got) != 9 {
		t.Errorf("two matmuls: %d sketches, %v; want 9", len(got), err)
	}
}

// Sketches replay from their steps once the open lengths are filled, and no
// length is filled yet.
func TestSketchesAreOpen(t *testing.T) {
	w, err := op.Parse("matmul:m=8,n=8,k=512")
	if err != nil {
		t.Fatal(err)
	}
	list, err := Generate(t.Context(), CPU, w.DAG, target.Generic(32, 4))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range list {
		if s.Concrete() {
			t.Errorf("sketch %d has no open length: %s", i, schedule.FormatSteps(s.Steps))
		}
		for _, step := range s.Steps {
			if sp, ok := step.(schedule.Split); ok {
				for _, l := range sp.Lengths {
					if l != schedule.OpenLength {
						t.Errorf("sketch %d: %s is not open", i, step)
					}
				}
			}
		}
	}
}
