package main

import (
	"archive/zip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxModule is how many bytes the module may have that `go install` downloads.
const maxModule = 20_000_000

// TestModuleSize zips the committed files as a module proxy does. Folders with a go.mod of their own are other modules.
func TestModuleSize(t *testing.T) {
	root := filepath.Join("..", "..")
	ours := []string{"-C", root, "ls-files", "-z", "--", "."}
	modules, err := exec.Command("git", "-C", root, "ls-files", "*/go.mod").Output()
	for _, m := range strings.Fields(string(modules)) {
		ours = append(ours, ":!"+filepath.Dir(m))
	}
	list, none := exec.Command("git", ours...).Output()
	err = errors.Join(err, none)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("SKIPPED: nobody checks the size of the module: this is no clone, or there is no git")
	}
	size := counter{}
	z := zip.NewWriter(&size)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		before := size.n
		f, create := z.Create("github.com/wmtune/wmtune@v0.1.0/" + name)
		if create != nil {
			t.Fatal(create)
		}
		if _, write := f.Write(data); err != nil || write != nil {
			t.Fatal(err, write)
		}
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
		if n := size.n - before; n > 200_000 {
			t.Logf("%9d %s", n, name)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%9d bytes in all, at most %d", size.n, maxModule)
	if size.n > maxModule {
		t.Errorf("the module has %d bytes, at most %d: what only tests of a clone read belongs to lab", size.n, maxModule)
	}
}

// A counter counts what is written to it.
type counter struct{ n int }

func (c *counter) Write(b []byte) (int, error) {
	c.n += len(b)
	return len(b), nil
}
