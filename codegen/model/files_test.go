package model_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
)

// folder writes a bundle's files and its weights.
func folder(t *testing.T, b *model.Bundle, weights []byte) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range b.Files("a note, with a line\nand another */ and /*/") {
		write(f.Name, f.Data)
	}
	if weights != nil {
		write(b.Program.Name+".weights", weights)
	}
	return dir
}

// command runs a program in a folder and returns what it prints.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := tryCommand(t.Context(), dir, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func tryCommand(ctx context.Context, dir, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute) // more than any of them needs, unless it hangs
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var strict = []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-O2"}

// TestExamples compiles and runs the examples of a bundle with weights beside it and of one
// with the weights inside.
func TestExamples(t *testing.T) {
	p, w := scaled("two")
	for name, embed := range map[string][]byte{"file": nil, "embedded": w} {
		t.Run(name, func(t *testing.T) {
			bundle := needBundle(t, p, model.Options{Embed: embed})
			beside := w
			if embed != nil {
				beside = nil
			}
			dir := folder(t, bundle, beside)
			t.Run("C", func(t *testing.T) { runC(t, dir) })
			t.Run("Python", func(t *testing.T) { runPython(t, dir) })
			t.Run("Go", func(t *testing.T) { runGoExample(t, dir, "two: ", "y [8 100] [") })
		})
	}
}

// runC runs the example with the object and with the library, and on inputs from a file.
func runC(t *testing.T, dir string) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	for _, with := range [][]string{{"two.o", "-lm", "-lpthread", "-std=c99"}, {"./two.so", "-Wl,-rpath,$ORIGIN", "-std=c11"}} {
		command(t, dir, cc, append(append([]string{"example.c", "-o", "example"}, strict...), with...)...)
		if out := command(t, dir, "./example"); !strings.Contains(out, "two: ") || !strings.Contains(out, "y[8][100]: ") {
			t.Errorf("with %v: %s", with, out)
		}
		x := make([]float32, 800)
		x[0], x[1], x[2] = 1, 2, -3
		if err := os.WriteFile(filepath.Join(dir, "x.bin"), asBytes(x), 0o666); err != nil {
			t.Fatal(err)
		}
		if out := command(t, dir, "./example", "x.bin"); !strings.Contains(out, "y[8][100]: 1.5 4 -7.5 0 0 0 0 0\n") {
			t.Errorf("with %v: %s", with, out)
		}
		out, err := tryCommand(t.Context(), dir, "./example", "two.o")
		if err == nil || !strings.Contains(out, "there are no 3200 bytes to read") {
			t.Errorf("with %v: %v %s", with, err, out)
		}
	}
	cpp := buildtest.NeedTool(t, "c++", "apt-get install g++")
	inside := -12 // no weights are inside
	if _, err := os.Stat(filepath.Join(dir, "two.weights")); err != nil {
		inside = 0
	}
	code := fmt.Sprintf("#include \"two.h\"\nint main() { two_context *c; return two_open_memory(&c, nullptr, 0, 1) != %d || "+
		"two_open_read(&c, nullptr, nullptr, 1) != %[1]d || two_call(nullptr, nullptr, nullptr) != two_ERR_NO_CONTEXT || "+
		"two_ABI != 1 || two_WMTUNE_VERSION[0] == 0; }\n", inside)
	if err := os.WriteFile(filepath.Join(dir, "a.cpp"), []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, dir, cpp, append([]string{"a.cpp", "-std=c++20", "two.o", "-lm", "-lpthread", "-o", "a"}, strict...)...)
	command(t, dir, "./a")
}

// TestPkgConfig: a program finds header and library of a bundle through its .pc file, also after strip.
func TestPkgConfig(t *testing.T) {
	p, w := scaled("two")
	dir := folder(t, needBundle(t, p, model.Options{}), w)
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	pkg := buildtest.NeedTool(t, "pkg-config", "apt-get install pkg-config")
	strip := buildtest.NeedTool(t, "strip", "apt-get install binutils")
	t.Setenv("PKG_CONFIG_PATH", dir)
	flags := strings.Fields(command(t, dir, pkg, "--cflags", "--libs", "two"))
	command(t, dir, strip, "two.so")
	elsewhere := t.TempDir()
	command(t, elsewhere, cc, append([]string{filepath.Join(dir, "example.c"), "-o", "example"}, flags...)...)
	if out := command(t, dir, filepath.Join(elsewhere, "example")); !strings.Contains(out, "y[8][100]: ") {
		t.Error(out)
	}
}

// python returns a Python that has numpy.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("WMTUNE_PYTHON")
	if path == "" {
		path = buildtest.NeedTool(t, "python3", "apt-get install python3-numpy")
	}
	if out, err := tryCommand(t.Context(), "", path, "-c", "import numpy"); err != nil {
		buildtest.Lack(t, "needs numpy: %s", out)
	}
	return path
}

func runPython(t *testing.T, dir string) {
	py := python(t)
	if out := command(t, dir, py, "example.py"); !strings.Contains(out, "y (8, 100) [") {
		t.Error(out)
	}
	const check = `
import numpy as np
from example import Model
w = 0.5 * np.arange(1, 801, dtype=np.float32).reshape(8, 100)
x = np.random.default_rng(1).random((100, 8), dtype=np.float32).T  # neither dense nor aligned
with Model(threads=2) as m:
    y = m(x=x)["y"]
    assert np.array_equal(y, x * w + x), (y, x * w + x)
    for bad in ({"z": x}, {}, {"x": x[1:]}):
        try:
            m(**bad)
        except ValueError as e:
            print(e)
        else:
            raise SystemExit("accepted %s" % bad)
try:
    Model("no-such-file")
except RuntimeError as e:
    print(e)
`
	out := command(t, dir, py, "-c", check)
	if !strings.Contains(out, "input x has the shape (8, 100), not (7, 100)") ||
		!strings.Contains(out, "two: cannot open the weights file") {
		t.Error(out)
	}
}

// runGoExample runs the example of a bundle in a module of its own, whose dependency is this module's. It must print
// the texts.
func runGoExample(t *testing.T, bundle string, want ...string) {
	t.Helper()
	dir := t.TempDir()
	example, err := os.ReadFile(filepath.Join(bundle, "example.go"))
	if err != nil {
		t.Fatal(err)
	}
	tool := buildtest.NeedTool(t, "go", "install Go")
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"example.go": string(example), "go.sum": string(sums),
		"go.mod": "module example\n\ngo 1.22\n\nrequire github.com/ebitengine/purego v0.9.1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("CGO_ENABLED", "0")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	if out := command(t, dir, tool, "vet", "."); out != "" {
		t.Error(out)
	}
	out := command(t, dir, tool, "run", "example.go", bundle)
	for _, text := range want {
		if !strings.Contains(out, text) {
			t.Errorf("%s: got %s", text, out)
		}
	}
}
