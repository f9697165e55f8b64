package graphtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
)

// Folder returns a folder of all node cases: the one that WMTUNE_NODE_CASES names, or one that the onnx package of
// WMTUNE_PYTHON writes for the test, from a package of graph or of graph/op. Without both the test is skipped, or fails
// where CI is set.
func Folder(t testing.TB) string {
	t.Helper()
	return written(t, "WMTUNE_NODE_CASES", "onnx", "node_cases.py")
}

// Microsoft is Folder of ONNX Runtime's own operators, of random instances: those that WMTUNE_MICROSOFT_CASES names, or
// so many of each operator, that ONNX Runtime computes.
func Microsoft(t testing.TB, count int) string {
	t.Helper()
	return written(t, "WMTUNE_MICROSOFT_CASES", "onnxruntime", "microsoft_cases.py", strconv.Itoa(count))
}

// Optimized is Folder of small models as ONNX Runtime's optimizer saves them, at each of its levels.
func Optimized(t testing.TB) string {
	t.Helper()
	return written(t, "WMTUNE_OPTIMIZED_CASES", "onnxruntime", "optimized_cases.py")
}

func written(t testing.TB, variable, module, name string, args ...string) string {
	t.Helper()
	if dir := os.Getenv(variable); dir != "" {
		return dir
	}
	python := os.Getenv("WMTUNE_PYTHON")
	if python == "" || exec.Command(python, "-c", "import onnx, "+module).Run() != nil {
		buildtest.Lack(t,
			"SKIPPED: nobody checks the cases of %s: set WMTUNE_PYTHON to a Python that has %s (pip install %s)", name, module,
			module)
	}
	dir := t.TempDir()
	script := filepath.Join("..", "graphtest", "testdata", name)
	if _, err := os.Stat(script); err != nil {
		script = filepath.Join("..", script)
	}
	args = append([]string{script, dir}, args...)
	if out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// Deviations are cases in which wmtune gives something else than the case's file, and why. They count as wrong, and do
// not fail a test; one that is right does.
var Deviations = map[string]string{
	"test_maxunpool_export_with_output_shape": "its indices count in the smallest image, not in that of output_shape, " +
		"as those of MaxPool, ONNX Runtime and PyTorch do",
	"test_dft_inverse":         "an element that is 0 is 1.9e-7 in the file, by rounding, with a tolerance of 1e-7",
	"test_dft_inverse_opset19": "an element that is 0 is 1.9e-7 in the file, by rounding, with a tolerance of 1e-7",
}
