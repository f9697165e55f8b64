package table_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
)

// TestClassic: random models of one operator of ai.onnx.ml give what ONNX Runtime gives: by the reference, by
// inference, and by the programs. CLASSIC_CASES names a folder of more of them.
func TestClassic(t *testing.T) {
	dir := os.Getenv("CLASSIC_CASES")
	if dir == "" {
		python := os.Getenv("WMTUNE_PYTHON")
		if python == "" || exec.Command(python, "-c", "import onnxruntime, onnx, numpy").Run() != nil {
			if os.Getenv("CI") != "" {
				t.Fatal("WMTUNE_PYTHON must name a Python that has onnx and onnxruntime (make test makes one)")
			}
			t.Skip("SKIPPED: nobody compares ai.onnx.ml with ONNX Runtime: set WMTUNE_PYTHON to a Python that has it")
		}
		dir = t.TempDir()
		if out, err := exec.Command(python, "testdata/classic_cases.py", dir, "12").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	cases, err := graphtest.Cases(dir)
	if err != nil || len(cases) < 100 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		if err := c.Load(); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		for _, check := range checks[:3] {
			if err := guard(func() error { return check.do(t, c) }); err != nil {
				t.Errorf("%s: %s: %v", c.Name, check.name, err)
			}
		}
	}
}
