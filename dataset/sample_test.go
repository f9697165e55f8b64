package dataset

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// golden compares text with a file in testdata, or rewrites the file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s:\n--- got\n%s--- want\n%s", name, text, want)
	}
}

// testTask is the task of sampleRecord.
func testTask() *Task {
	tgt := target.Generic(32, 2)
	tgt.Features = []string{"avx2", "fma"}
	return &Task{WorkloadKey: `["0123456789abcdef", [64, 64], [64, 64], [64, 64]]`, Workload: "matmul:m=64,n=64,k=64", Target: tgt, Layout: target.Rewrite}
}

// sampleRecord returns a record that depends on i only.
func sampleRecord(i int) Record {
	rng := rand.New(rand.NewPCG(7, uint64(i)))
	task := testTask()
	r := Record{
		WorkloadKey: task.WorkloadKey, Workload: task.Workload, Target: task.Target, Layout: task.Layout,
		BuildSeconds: rng.Float64(), RunSeconds: rng.Float64(), Unix: 1_700_000_000 + int64(i),
		Scorer: "random", Score: rng.NormFloat64(), Seed: math.MaxUint64 - uint64(i), Trial: i,
		Status: measure.OK,
	}
	for range rng.IntN(6) {
		r.Steps = append(r.Steps, randomStep(rng, rng.IntN(len(stepKinds))))
	}
	r.Trajectory = TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps)
	if i%2 == 0 {
		r.Packed = "y[4,64,16]"
	}
	if i%3 == 1 {
		r.Source = Source{
			Format: "autoscheduler", Version: "v0.6", Key: `["0123456789abcdef", 64, 64]`, Target: "llvm -keys=cpu", Host: "llvm",
			Layout: 2, Fields: 6, ErrorNo: int64(i % 9), Hardware: []int64{8, 64, 64, 0, 0, 0, 0, int64(i)}, Inputs: []string{"x", "", "ы"}, Costs: []float64{1e10, 0.5},
		}
	}
	if i%4 == 3 {
		r.Status, r.Message, r.Score = measure.BuildError, "no such register:\n  zmm77 – \"x\" <&>", math.Inf(-1)
		return r
	}
	for range 1 + rng.IntN(4) {
		r.Costs = append(r.Costs, float64(1+rng.IntN(1e6))*1e-9)
	}
	return r
}

// sampleRound returns records from to from+n-1.
func sampleRound(from, n int) []Record {
	var list []Record
	for i := range n {
		list = append(list, sampleRecord(from+i))
	}
	return list
}

var stepKinds = []schedule.Kind{
	schedule.AN, schedule.FU, schedule.PR, schedule.RE, schedule.SP, schedule.FSP, schedule.FFSP,
	schedule.SA, schedule.CA, schedule.CI, schedule.CR, schedule.CHR, schedule.CHW, schedule.RF,
}

// allKinds are all of them. The logs of testdata were written before there were WG and PH.
var allKinds = append(slices.Clone(stepKinds), schedule.WG, schedule.PH)

// randomStep returns a step of the given number in allKinds with random
// fields.
func randomStep(rng *rand.Rand, kind int) schedule.Step {
	n := func() int { return rng.IntN(12) - 1 }
	list := func() []int {
		var l []int
		for range rng.IntN(5) {
			l = append(l, n())
		}
		return l
	}
	switch allKinds[kind] {
	case schedule.AN:
		return schedule.Annotate{At: n(), Iter: n(), Ann: schedule.Annotation(rng.IntN(12))}
	case schedule.FU:
		return schedule.Fuse{At: n(), Iters: list()}
	case schedule.PR:
		return schedule.Pragma{At: n(), Iter: n(), Text: fmt.Sprintf("auto_unroll_max_step$%d", n())}
	case schedule.RE:
		return schedule.Reorder{At: n(), Order: list()}
	case schedule.SP:
		var lengths []int64
		for _, v := range list() {
			lengths = append(lengths, int64(v)<<33)
		}
		return schedule.Split{At: n(), Iter: n(), Extent: rng.Int64N(1 << 40), Lengths: lengths, InnerToOuter: rng.IntN(2) == 0}
	case schedule.FSP:
		return schedule.FollowSplit{At: n(), Iter: n(), Src: n(), Parts: n()}
	case schedule.FFSP:
		return schedule.FollowFusedSplit{At: n(), Iter: n(), Srcs: list(), Level: n(), Factor: rng.IntN(2) == 0}
	case schedule.SA:
		return schedule.StorageAlign{At: n(), Iter: n(), Factor: int64(n()), Offset: int64(n())}
	case schedule.CA:
		return schedule.ComputeAt{At: n(), Target: n(), TargetIter: n()}
	case schedule.CI:
		return schedule.ComputeInline{At: n()}
	case schedule.CR:
		return schedule.ComputeRoot{At: n()}
	case schedule.CHR:
		return schedule.CacheRead{At: n(), Scope: "shared", Readers: list()}
	case schedule.CHW:
		return schedule.CacheWrite{At: n(), Scope: "local"}
	case schedule.RF:
		return schedule.Rfactor{At: n(), Iter: n(), FactorIter: n()}
	case schedule.WG:
		return schedule.Winograd{At: n(), Tile: int64(n())}
	case schedule.PH:
		return schedule.Phases{At: n()}
	}
	panic("BUG: no random step of this kind")
}

// writeLog writes a log of rounds of the given sizes and returns its path.
func writeLog(t testing.TB, sizes ...int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.arrow")
	appendRounds(t, path, 0, sizes...)
	return path
}

// writeCompressed is writeLog with compressed rounds.
func writeCompressed(t testing.TB, sizes ...int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.arrow")
	appendTo(t, path, WriterOptions{Task: testTask(), Compress: true}, 0, sizes...)
	return path
}

// appendRounds continues a log with records from number from on.
func appendRounds(t testing.TB, path string, from int, sizes ...int) {
	t.Helper()
	appendTo(t, path, WriterOptions{Task: testTask()}, from, sizes...)
}

func appendTo(t testing.TB, path string, opts WriterOptions, from int, sizes ...int) {
	t.Helper()
	w, err := OpenWriter(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range sizes {
		if err := w.Append(sampleRound(from, n)); err != nil {
			t.Fatal(err)
		}
		from += n
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// mustRead returns the records of a log that has nothing to warn of.
func mustRead(t testing.TB, path string) []Record {
	t.Helper()
	list, warnings, err := ReadLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Fatalf("warnings: %v", warnings)
	}
	return list
}

// readBytes is ReadLog of bytes in memory.
func readBytes(b []byte) ([]Record, []Warning, error) {
	size := func() (int64, error) { return int64(len(b)), nil }
	r, err := newReader("test.arrow", bytes.NewReader(b), size)
	if err != nil {
		return nil, nil, err
	}
	list, err := new(Budget).Records(r)
	return list, r.Warnings(), err
}

func wantRecords(t testing.TB, got, want []Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("record %d:\n got %+v\nwant %+v", i, got[i], want[i])
		}
	}
}

// frameEnds returns where the frames of a log end, the schema's first.
func frameEnds(t testing.TB, path string) []int64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := regularSize(f)
	if err != nil {
		t.Fatal(err)
	}
	var ends []int64
	for at := int64(0); at < size; at = ends[len(ends)-1] {
		fr, err := readFrame(f, at, size)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, fr.end())
	}
	return ends
}

func mustReadFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustWriteFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}
