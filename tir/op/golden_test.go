package op

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/dags.txt")

// TestGoldenDAGs prints a small DAG of every operator and many options.
func TestGoldenDAGs(t *testing.T) {
	var b strings.Builder
	for _, spec := range append(lowerSpecs(), "conv2d:h=5,w=5,ci=2,co=2,k=3,p=1,dtype=f16,epilogue=bias+gelu", "maxpool2d:h=4,w=4,c=2,k=3,p=1,dtype=i8", "matmul:m=2,n=3,k=4,dtype=u8,epilogue=bias+relu") {
		w, err := Parse(spec)
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		b.WriteString("# " + w.Spec + "\n" + w.DAG.String() + "\n")
	}
	file := filepath.Join("testdata", "dags.txt")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: go test ./tir/op -run GoldenDAGs -update makes it", err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("DAGs differ from %s; see what -update changes in it", file)
	}
}
