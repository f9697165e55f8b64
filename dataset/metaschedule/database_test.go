package metaschedule

import (
	"bufio"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// A database is one of testdata: made by apache-tvm 0.27.0.post1, 16 candidates of a subgraph of the suite paper22,
// which is its name.
type database struct {
	name      string
	workloads []*Workload
	records   []*Record
}

// lines returns the lines of a packed file.
func lines(t testing.TB, path string) [][]byte {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := zstd.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<24)
	var list [][]byte
	for s.Scan() {
		list = append(list, append([]byte(nil), s.Bytes()...))
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return list
}

func databases(t testing.TB) []database {
	t.Helper()
	files, err := filepath.Glob("testdata/*/" + workloadFile + ".zst")
	if err != nil || len(files) == 0 {
		t.Fatal("no databases in testdata: ", err)
	}
	var list []database
	for _, f := range files {
		d := database{name: filepath.Base(filepath.Dir(f))}
		for _, line := range lines(t, f) {
			w, err := ParseWorkload(line)
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			d.workloads = append(d.workloads, w)
		}
		for _, line := range lines(t, filepath.Join(filepath.Dir(f), recordFile+".zst")) {
			r, err := ParseRecord(line)
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			d.records = append(d.records, r)
		}
		list = append(list, d)
	}
	return list
}
