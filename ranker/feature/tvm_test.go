package feature

import (
	"bufio"
	"encoding/json"
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

// tvmStates reads testdata/tvm-KIND.txt.zst: for each record a line with its
// workload key, one with its steps, one for each row with the columns that are
// not 0, and an empty line.
func tvmStates(t testing.TB, kind string, each func(tvmState)) {
	t.Helper()
	f, err := os.Open("testdata/tvm-" + kind + ".txt.zst")
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

// The rows of all records of public logs are those that TVM computes.
func TestRowsEqualTVM(t *testing.T) {
	names := Names()
	n, bad := 0, 0
	tvmStates(t, "llvm", func(s tvmState) {
		n++
		ours := rowsOf(t, dagOf(t, s.key), s.steps)
		if len(ours) != len(s.rows) {
			t.Errorf("%s %s: %d rows, want %d", s.key, s.steps, len(ours), len(s.rows))
			return
		}
		columns, at := match(ours, s.rows)
		for i, list := range columns {
			for _, k := range list {
				if bad++; bad < 20 {
					t.Errorf("%s %s: row %d: %s is %v, want %v", s.key, s.steps, at[i], names[k], ours[at[i]][k], s.rows[i][k])
				}
			}
		}
	})
	if n < 800 {
		t.Errorf("%d states: the data is incomplete", n)
	}
	t.Logf("%d states, %d values differ", n, bad)
}

func TestNames(t *testing.T) {
	names := Names()
	if len(names) != Columns {
		t.Fatalf("%d names", len(names))
	}
	for k, want := range map[int]string{0: "float_mad", 26: "vec_type.kPosMixed", 49: "is_gpu", 75: "B1.acc_type.kRead", 163: "auto_unroll_max_step"} {
		if names[k] != want {
			t.Errorf("column %d is %s, want %s", k, names[k], want)
		}
	}
}
