package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestNoSniffing: what a scorer, a runner or a machine can do stands in one value (search.Traits, measure.Modes), which
// a wrapper forwards whole. Nothing asserts that a value has one of the interfaces, or has methods at all.
func TestNoSniffing(t *testing.T) {
	declare := []string{"search", "codegen/machine", "tune"}
	interfaces := map[string]bool{}
	eachFile(t, parser.SkipObjectResolution, func(name string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && slices.Contains(declare, path.Dir(name)) {
				_, is := spec.Type.(*ast.InterfaceType)
				interfaces[f.Name.Name+"."+spec.Name.Name] = is
			}
			return true
		})
	})
	if !interfaces["search.Scorer"] || !interfaces["machine.Runner"] || !interfaces["tune.Machine"] {
		t.Fatalf("the interfaces are not found: %v", interfaces)
	}
	eachFile(t, parser.SkipObjectResolution, func(name string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			a, ok := n.(*ast.TypeAssertExpr)
			if !ok || strings.HasSuffix(name, "_test.go") {
				return true
			}
			asserted := ""
			switch to := a.Type.(type) {
			case *ast.SelectorExpr:
				asserted = to.X.(*ast.Ident).Name + "." + to.Sel.Name
			case *ast.Ident:
				asserted = f.Name.Name + "." + to.Name
			case *ast.InterfaceType:
				t.Errorf("%s asserts that a value has methods", name)
			}
			if interfaces[asserted] {
				t.Errorf("%s asserts that a value is a %s", name, asserted)
			}
			return true
		})
	})
}

// TestTasks: four structs are a Task. The comment of each says why it is not one of the others.
func TestTasks(t *testing.T) {
	known := []string{"dataset", "dataset/workload", "graph/compile", "search"}
	eachFile(t, parser.ParseComments|parser.SkipObjectResolution, func(name string, f *ast.File) {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE || g.Specs[0].(*ast.TypeSpec).Name.Name != "Task" {
				continue
			}
			if !slices.Contains(known, path.Dir(name)) || !strings.Contains(g.Doc.Text(), "stands apart from") {
				t.Errorf("%s: a Task too many, or one that does not say why it stands apart", name)
			}
		}
	})
}
