package feature

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A tvmState is a record of a public tuning log and the rows that TVM 0.9.0
// computes for it, in no particular order.
type tvmState struct {
	key, steps string
	rows       [][]float64
}

// tvmStates reads lab/testdata/tvm-features-KIND.txt.zst, which is in a clone but in no module download. For each
// record it has a line with its workload key, one with its steps, one for each row with the columns that are not 0, and
// an empty line.
func tvmStates(t testing.TB, kind string, each func(tvmState)) {
	t.Helper()
	f, err := os.Open("../../lab/testdata/tvm-features-" + kind + ".txt.zst")
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skip("SKIPPED: nobody checks that features are TVM's: the oracle is in a clone of the repository")
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
	for sc.Scan() {
		s := tvmState{key: sc.Text()}
		sc.Scan()
		s.steps = sc.Text()
		for sc.Scan() && sc.Text() != "" {
			row := make([]float64, Columns)
			for _, entry := range strings.Fields(sc.Text()) {
				column, value, _ := strings.Cut(entry, ":")
				k, err := strconv.Atoi(column)
				if err == nil {
					row[k], err = strconv.ParseFloat(value, 64)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			s.rows = append(s.rows, row)
		}
		each(s)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
}

// dagOf rebuilds the DAG of a workload key.
func dagOf(t testing.TB, key string) *compute.DAG {
	t.Helper()
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(key), &list); err != nil {
		t.Fatal(err)
	}
	var hash string
	if err := json.Unmarshal(list[0], &hash); err != nil {
		t.Fatal(err)
	}
	shapes := make([][]int64, len(list)-1)
	for i := range shapes {
		if err := json.Unmarshal(list[i+1], &shapes[i]); err != nil {
			t.Fatal(err)
		}
	}
	d, err := op.FromHash(hash, shapes)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rowsOf returns our rows for a record.
func rowsOf(t testing.TB, d *compute.DAG, text string) [][]float64 {
	t.Helper()
	steps, err := schedule.ParseSteps([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, steps)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Outline(s)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := Rows(p, 64)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for r := range slices.Chunk(flat, Columns) {
		row := make([]float64, Columns)
		for k, v := range r {
			row[k] = float64(v)
		}
		rows = append(rows, row)
	}
	return rows
}

// differs is the measure of equality: 1e-4 of the larger value.
func differs(a, b float64) bool { return math.Abs(a-b) > 1e-4*max(math.Abs(a), math.Abs(b)) }

func differing(a, b []float64) []int {
	var list []int
	for k := range a {
		if differs(a[k], b[k]) {
			list = append(list, k)
		}
	}
	return list
}

// orderTies puts the buffers of a row that have as many lines and bytes as
// others into a fixed order. TVM's is that of a hash table of addresses, which is
// mostly ours, but not always.
func orderTies(row []float64) {
	const first, bytes, lines = 57, 3, 5
	var groups [][]float64
	for g := range slices.Chunk(slices.Clone(row[first:first+maxBufs*bufWidth]), bufWidth) {
		groups = append(groups, g)
	}
	slices.SortStableFunc(groups, func(a, b []float64) int {
		if differs(a[lines], b[lines]) || differs(a[bytes], b[bytes]) {
			return 0 // in order already
		}
		for k := range a {
			if differs(a[k], b[k]) {
				return descending(a[k], b[k])
			}
		}
		return 0
	})
	for k, g := range groups {
		copy(row[first+k*bufWidth:], g)
	}
}

// match pairs our rows with TVM's, which are in no order, and returns for each
// of TVM's the columns that differ, and the index of ours.
func match(ours, theirs [][]float64) (columns [][]int, at []int) {
	used := map[int]bool{}
	for _, w := range theirs {
		orderTies(w)
		best, index := []int(nil), -1
		for i, o := range ours {
			if used[i] {
				continue
			}
			orderTies(o)
			if d := differing(o, w); index < 0 || len(d) < len(best) {
				best, index = d, i
			}
		}
		used[index] = true
		columns, at = append(columns, best), append(at, index)
	}
	return columns, at
}

// An exception is records whose rows may differ in some columns; docs/design/features.md
// has the reasons.
type exception struct {
	name    string
	states  int // as many, no more and no fewer
	holds   func(s tvmState) bool
	columns []string
}

// winograd holds the DAGs of Winograd's convolution.
var winograd = []string{
	"b8b52b9be9df6102466a22a014c44c1f", "b818b53148cd450f86569dfc3e04cb8a",
	"3a69f9fbc63760d99e36b4c17b3bfc57", "e4cdf917b876dbdd64488c3818d9c141",
}

var exceptions = map[string][]exception{
	"llvm": nil,
	"cuda": {
		{
			"Winograd's tiles", 25,
			func(s tvmState) bool {
				return slices.ContainsFunc(winograd, func(hash string) bool { return strings.Contains(s.key, hash) })
			},
			[]string{"int_addsub", "int_mul", "int_divmod"},
		},
		{"the text of indices", 3, func(tvmState) bool { return true },
			[]string{"int_addsub", "int_mul", "int_cmp", "bool_op"}},
		{"addresses of loops", 5, func(tvmState) bool { return true }, []string{"B0.reuse_dis_bytes", "B1.reuse_dis_bytes"}},
	},
}

// crossThread is the number of records with a reduction over threads, which has
// rows of its own in TVM.
var crossThread = map[string]int{"llvm": 0, "cuda": 4}

// The rows of all records of public logs are those that TVM computes, but for
// the exceptions.
func TestRowsEqualTVM(t *testing.T) {
	for _, kind := range []string{"llvm", "cuda"} {
		t.Run(kind, func(t *testing.T) {
			n, crossing := 0, 0
			found := map[string]int{}
			tvmStates(t, kind, func(s tvmState) {
				n++
				ours := rowsOf(t, dagOf(t, s.key), s.steps)
				if len(ours) == len(s.rows) {
					found[compare(t, kind, s, ours)]++
				} else if crossing++; crossing > crossThread[kind] {
					t.Errorf("%s %s: %d rows, want %d", s.key, s.steps, len(ours), len(s.rows))
				}
			})
			if n < 800 || crossing != crossThread[kind] {
				t.Errorf("%d states, %d of them reduce over threads, want %d", n, crossing, crossThread[kind])
			}
			for _, e := range exceptions[kind] {
				if found[e.name] != e.states {
					t.Errorf("%s: %d states differ, want %d", e.name, found[e.name], e.states)
				}
			}
			t.Logf("%d states, %d equal", n, found[""])
		})
	}
}

// compare returns the name of the exception that a state is, or "" if its rows
// are equal.
func compare(t *testing.T, kind string, s tvmState, ours [][]float64) string {
	t.Helper()
	names := Names()
	columns, at := match(ours, s.rows)
	var differ []string
	for _, list := range columns {
		for _, k := range list {
			differ = append(differ, names[k])
		}
	}
	if len(differ) == 0 {
		return ""
	}
	for _, e := range exceptions[kind] {
		if e.holds(s) && !slices.ContainsFunc(differ, func(c string) bool { return !slices.Contains(e.columns, c) }) {
			return e.name
		}
	}
	for i, list := range columns {
		for _, k := range list {
			t.Errorf("%s %s: row %d: %s is %v, want %v", s.key, s.steps, at[i], names[k], ours[at[i]][k], s.rows[i][k])
		}
	}
	return "error"
}

func TestNames(t *testing.T) {
	names := Names()
	if len(names) != Columns {
		t.Fatalf("%d names", len(names))
	}
	for k, want := range map[int]string{
		0: "float_mad", 26: "vec_type.kPosMixed", 49: "is_gpu", 75: "B1.acc_type.kRead", 163: "auto_unroll_max_step",
	} {
		if names[k] != want {
			t.Errorf("column %d is %s, want %s", k, names[k], want)
		}
	}
}
