package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// insideOther says that the examples run in a module outside of this one.
const insideOther = "WMTUNE_EXAMPLES_OUTSIDE"

// TestOutsideModule runs the examples from a module outside of this one, without cgo.
func TestOutsideModule(t *testing.T) {
	if os.Getenv(insideOther) != "" {
		t.Skip("these are the examples outside")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const us = "github.com/wmtune/wmtune"
	mod := strings.Replace(read(filepath.Join(root, "go.mod")), "module "+us, "module example.com/outside", 1)
	write("go.mod", mod+"\nrequire "+us+" v0.0.0\n\nreplace "+us+" => "+root+"\n")
	write("go.sum", read(filepath.Join(root, "go.sum")))
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		write(name, read(name))
	}
	cmd := exec.Command("go", "test", "-count=1", "-mod=mod", "./...")
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), insideOther+"=1", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
