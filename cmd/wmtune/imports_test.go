package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/wmtune/wmtune/"

// layers says which top-level folders a folder may import, besides itself.
// Imports point one way: cmd, then models, search and codegen, which do not
// know each other, then the evaluator's parts, then dataset, then tir.
var layers = map[string][]string{
	"cmd":        {"tune", "models", "search", "codegen", "ranker", "transition", "encoder", "nn", "dataset", "tir"},
	"docs":       {"tune", "models", "search", "codegen", "dataset", "tir"},
	"tune":       {"models", "search", "codegen", "ranker", "transition", "encoder", "nn", "dataset", "tir"},
	"models":     {"ranker", "transition", "encoder", "nn", "dataset", "tir"},
	"search":     {"dataset", "tir"},
	"codegen":    {"dataset", "tir"},
	"ranker":     {"transition", "encoder", "nn", "dataset", "tir"},
	"transition": {"encoder", "nn", "dataset", "tir"},
	"encoder":    {"nn", "dataset", "tir"},
	"nn":         {},
	"dataset":    {"tir"},
	"tir":        {},
}

// leaves are packages that import nothing of this module; every package may import them.
var leaves = map[string]bool{"codegen/native": true}

// finer says which packages inside tir a package may not import: programs do
// not know schedules, schedules do not know lowering, and what a program means
// (tir/interp) does not depend on how it came about.
var finer = map[string][]string{
	"tir":          {"tir/arith", "tir/compute", "tir/schedule", "tir/lower", "tir/interp", "tir/op", "tir/target"},
	"tir/arith":    {"tir/compute", "tir/schedule", "tir/lower", "tir/interp", "tir/op", "tir/target"},
	"tir/target":   {"tir", "tir/compute", "tir/schedule", "tir/lower", "tir/interp", "tir/op"},
	"tir/compute":  {"tir/schedule", "tir/lower", "tir/interp", "tir/op", "tir/target"},
	"tir/op":       {"tir/schedule", "tir/lower", "tir/interp", "tir/target"},
	"tir/schedule": {"tir/lower", "tir/interp", "tir/op", "tir/target"},
	"tir/interp":   {"tir/schedule", "tir/lower", "tir/op", "tir/target"},
	"tir/lower":    {"tir/interp", "tir/op"},
	"tir/compact":  {"tir/compute", "tir/schedule", "tir/lower", "tir/interp", "tir/op", "tir/target"},
}

// TestImports holds the direction of imports. It parses the files itself: a
// test that asks the go command is replayed from the cache and proves nothing.
func TestImports(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "bin") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		seen++
		pkg := path.Dir(filepath.ToSlash(strings.TrimPrefix(file, filepath.Join("..", "..")+string(filepath.Separator))))
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if why := forbidden(pkg, to, strings.HasSuffix(file, "_test.go")); why != "" {
				t.Errorf("%s imports %s: %s", file, to, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Fatalf("only %d files were looked at", seen)
	}
}

// forbidden says why a package must not import another, or "". Tests may look
// down further than their package, but not up.
func forbidden(pkg, to string, test bool) string {
	if to == "C" {
		return "no cgo"
	}
	if to == "math/rand" {
		return "math/rand/v2 has the generators whose streams are fixed"
	}
	to, ours := strings.CutPrefix(to, module)
	if !ours {
		return ""
	}
	if leaves[to] {
		return ""
	}
	if leaves[pkg] {
		return pkg + " imports nothing of this module"
	}
	from, _, _ := strings.Cut(pkg, "/")
	dest, _, _ := strings.Cut(to, "/")
	allowed, known := layers[from]
	if !known {
		return "folder " + from + " is not in the table of layers"
	}
	if from != dest {
		for _, l := range allowed {
			if l == dest {
				return ""
			}
		}
		return from + " must not know " + dest
	}
	if test {
		return ""
	}
	for _, p := range finer[pkg] {
		if p == to {
			return pkg + " must not know " + p
		}
	}
	return ""
}

// TestForbidden makes sure that the check can fail.
func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		pkg, to string
		test    bool
		want    bool
	}{
		{"search", module + "codegen/run", false, true},
		{"codegen/run", module + "search", false, true},
		{"tir/compute", module + "dataset", true, true},
		{"tir/interp", module + "tir/lower", false, true},
		{"tir/interp", module + "tir/lower", true, false},
		{"cmd/wmtune", module + "search", false, false},
		{"encoder", module + "search", false, true},
		{"tir", "C", false, true},
		{"tir", "strings", false, false},
		{"ranker/xgboost", module + "codegen/native", false, false},
		{"codegen/native", module + "tir", false, true},
		{"tune", module + "cmd/wmtune", false, true},
	} {
		if got := forbidden(c.pkg, c.to, c.test) != ""; got != c.want {
			t.Errorf("forbidden(%s, %s, test=%v) = %v, want %v", c.pkg, c.to, c.test, got, c.want)
		}
	}
}
