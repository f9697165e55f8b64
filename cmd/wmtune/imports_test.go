package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/wmtune/wmtune/"

// layers says which top-level folders a folder may import, besides itself.
// Imports point one way: cmd, then tune, then models, search and codegen, which do not
// know each other, then the evaluator's parts, then dataset, then tir. The laboratory, a module of its own, may import
// all, and nothing imports it.
var layers = map[string][]string{
	"cmd": {"graph", "tune", "models", "search", "codegen", "ranker", "transition", "encoder", "nn", "dataset",
		"tir"},
	"docs": {"graph", "tune", "models", "search", "codegen", "dataset", "tir"},
	"lab": {"cmd", "graph", "tune", "models", "search", "codegen", "ranker", "transition", "encoder", "nn", "dataset",
		"tir"},
	"graph":      {"tune", "models", "search", "codegen", "nn", "dataset", "tir"},
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
var leaves = map[string]bool{"codegen/native": true, "dataset/file": true}

// finer says which packages of tir a package may not import: programs do not know
// schedules, schedules do not know lowering, what a program means (tir/interp) does not
// depend on how it came about, and what is searched and recorded does not know code.
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

	"graph":      {"tir/schedule", "tir/lower", "tir/op", "tune", "codegen", "search", "models", "dataset", "graph/op"},
	"graph/onnx": {"tir/schedule", "tir/lower", "tir/op", "tune", "codegen", "search", "models", "dataset", "graph/op"},
	"graph/op":   {"tir/schedule", "tir/lower", "tune", "codegen", "search", "models", "dataset", "graph/onnx"},
	"graph/pass": {"tir/schedule", "tir/lower", "tir/op", "tune", "codegen", "search", "models", "dataset", "graph/onnx"},

	"search":           {"tir/lower"},
	"search/space":     {"tir/lower"},
	"dataset":          {"tir/lower"},
	"dataset/measure":  {"tir/lower"},
	"dataset/workload": {"tir/lower"},
}

// TestImports holds the direction of imports. It parses the files itself: a
// test that asks the go command is replayed from the cache and proves nothing.
func TestImports(t *testing.T) {
	eachFile(t, parser.ImportsOnly, func(name string, f *ast.File) {
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Error(err)
			}
			if why := forbidden(path.Dir(name), to, strings.HasSuffix(name, "_test.go")); why != "" {
				t.Errorf("%s imports %s: %s", name, to, why)
			}
		}
	})
}

// eachFile parses the Go files of the repository. Names are paths in it, with slashes.
func eachFile(t *testing.T, mode parser.Mode, do func(name string, f *ast.File)) {
	t.Helper()
	seen := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
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
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, mode)
		if err != nil {
			return err
		}
		do(filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator))), f)
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
	if from != dest && !slices.Contains(allowed, dest) {
		return from + " must not know " + dest
	}
	if test {
		return ""
	}
	if strings.HasPrefix(pkg, "graph/op/") {
		pkg = "graph/op" // its rooms know no more than it
	}
	for _, p := range finer[pkg] {
		if p == to || strings.HasPrefix(to, p+"/") && !strings.Contains(p, "/") {
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
		{"cmd/wmtune", module + "lab", true, true},
		{"lab", module + "cmd/report", false, false},
		{"graph/op", module + "tir/schedule", false, true},
		{"graph/op", module + "codegen/run", false, true},
		{"graph/op", module + "tir/compute", false, false},
	} {
		if got := forbidden(c.pkg, c.to, c.test) != ""; got != c.want {
			t.Errorf("forbidden(%s, %s, test=%v) = %v, want %v", c.pkg, c.to, c.test, got, c.want)
		}
	}
}

// ofProgram are the names that only a program may use, by the package that has them: a library is told what to do by
// its caller, and returns what went wrong. "" are the names that need no import.
var ofProgram = map[string]*regexp.Regexp{
	"flag":                   regexp.MustCompile(""),
	"github.com/spf13/pflag": regexp.MustCompile(""),
	"github.com/spf13/cobra": regexp.MustCompile(""),
	"os":                     regexp.MustCompile("^(Getenv|LookupEnv|Environ|ExpandEnv|Exit|Stdout|Stderr)$"),
	"syscall":                regexp.MustCompile("^(Getenv|Environ|Exit|Stdout|Stderr)$"),
	"log":                    regexp.MustCompile("^(Fatal|Panic|Print|Default)"),
	"fmt":                    regexp.MustCompile("^(Print|Printf|Println)$"),
	"":                       regexp.MustCompile("^(print|println)$"),
}

// programExceptions are the places below cmd that are parts of a program nevertheless, and why.
var programExceptions = map[string]string{
	"codegen/worker/worker.go os.Getenv":        "a program that starts itself as its worker must see so before all else",
	"codegen/machine/turn.go os.Getenv":         "all programs of a user meet at one file, whatever their options are",
	"codegen/machine/worker.go os.Exit":         "WorkerMain is the main function of a worker process, which ends there",
	"codegen/machine/worker.go os.Stdout":       "a worker process answers on its standard output",
	"codegen/machine/worker.go os.Stderr":       "the last words of a worker process",
	"lab/models/plan/convolutions.go os.Stdout": "a program of its own, which no build has",
	"lab/models/planes/main.go os.Exit":         "a program of its own",
	"lab/models/planes/main.go os.Stderr":       "a program of its own",
}

// TestProgramOnly: below cmd and the command of the laboratory nothing imports flag, reads the environment, prints or
// exits. Tests may, and packages for tests, whose names end in "test".
func TestProgramOnly(t *testing.T) {
	used := map[string]bool{}
	eachFile(t, parser.SkipObjectResolution, func(name string, f *ast.File) {
		top, _, _ := strings.Cut(name, "/")
		if top == "cmd" || top == "docs" || top == "examples" || path.Dir(name) == "lab" ||
			strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Dir(name), "test") {
			return
		}
		for _, use := range programUses(f) {
			place := name + " " + use
			used[place] = true
			if programExceptions[place] == "" {
				t.Errorf("%s: a library leaves that to the program: take an option, return an error", place)
			}
		}
	})
	for place := range programExceptions {
		if !used[place] {
			t.Errorf("%s: the exception is not needed any more", place)
		}
	}
}

// programUses returns what a file uses of ofProgram, such as os.Exit.
func programUses(f *ast.File) []string {
	var uses []string
	names := map[string]string{} // of imported packages in the file
	for _, spec := range f.Imports {
		to, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return []string{spec.Path.Value}
		}
		name := path.Base(to)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = to
		if r := ofProgram[to]; r != nil && (r.MatchString("") || name == ".") {
			uses = append(uses, to)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			if to, ok := names[x.Name]; ok && ofProgram[to] != nil && ofProgram[to].MatchString(n.Sel.Name) {
				uses = append(uses, to+"."+n.Sel.Name)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && ofProgram[""].MatchString(id.Name) {
				uses = append(uses, id.Name)
			}
		}
		return true
	})
	slices.Sort(uses)
	return slices.Compact(uses)
}

// TestProgramUses plants what TestProgramOnly must find.
func TestProgramUses(t *testing.T) {
	const head = "package p\n"
	for source, want := range map[string]string{
		`import "flag"`:                                                          "flag",
		`import _ "github.com/spf13/pflag"`:                                      "github.com/spf13/pflag",
		`import c "github.com/spf13/cobra"; var root c.Command`:                  "github.com/spf13/cobra github.com/spf13/cobra.Command",
		`import "os"; var home = os.Getenv("HOME")`:                              "os.Getenv",
		`import system "os"; func f() { system.Exit(1) }`:                        "os.Exit",
		`import "os"; func f() { read := os.LookupEnv; read("A") }`:              "os.LookupEnv",
		`import . "os"; func f() { Exit(1) }`:                                    "os",
		`import ("fmt"; "os"); func f() { fmt.Fprintln(os.Stderr) }`:             "os.Stderr",
		`import "fmt"; func f() { fmt.Println() }`:                               "fmt.Println",
		`import "log"; func f() { log.Fatalf("") }`:                              "log.Fatalf",
		`func f() { println() }`:                                                 "println",
		`import ("fmt"; "os"); var _, _ = os.Open(fmt.Sprint(os.Args))`:          "",
		`type t struct{ os struct{ Exit func() } }; func f(x t) { x.os.Exit() }`: "",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", head+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(programUses(f), " "); got != want {
			t.Errorf("%s: found %q, want %q", source, got, want)
		}
	}
}
