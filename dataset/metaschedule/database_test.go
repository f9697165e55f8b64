package metaschedule

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/dataset/ansor"
)

// A database is one of testdata or lab/testdata: made by apache-tvm 0.27.0.post1, 16 candidates of a subgraph of the
// suite paper22, which is its name.
type database struct {
	name, dir string
	workloads []*Workload
	records   []*Record
}

// lines returns the lines of a packed file.
func lines(t testing.TB, path string) [][]byte {
	t.Helper()
	in, err := ansor.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var list [][]byte
	for {
		text, _, err := in.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, bytes.Clone(text))
	}
}

func databases(t testing.TB) []database {
	t.Helper()
	files, err := filepath.Glob("testdata/*/" + workloadFile + ".zst")
	more, err2 := filepath.Glob("../../lab/testdata/metaschedule/*/" + workloadFile + ".zst")
	if err != nil || err2 != nil || len(files) == 0 {
		t.Fatal("no databases in testdata: ", err, err2)
	}
	if len(more) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("no databases in lab/testdata")
		}
		t.Log("SKIPPED: nobody reads the largest database: it is in a clone of the repository")
	}
	files = append(files, more...)
	var list []database
	for _, f := range files {
		d := database{name: filepath.Base(filepath.Dir(f)), dir: filepath.Dir(f)}
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
