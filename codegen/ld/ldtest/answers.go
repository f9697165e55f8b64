// Package ldtest has modules of LLVM IR for tests of what links objects.
package ldtest

import (
	"context"
	_ "embed"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
)

// Compile compiles modules, each to an object of its own. It skips the test where there is no libLLVM.
func Compile(t testing.TB, modules ...string) (objects [][]byte) {
	t.Helper()
	b := buildtest.NeedLLVM(t, build.Config{})
	for _, ir := range modules {
		object, err := b.Compile(context.Background(), []byte(ir), build.Options{})
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

// An Answer is modules with a function "answer", which stores 42 where its argument points to 0.
type Answer struct {
	Name    string
	Modules []string
}

//go:embed answers.txt
var answers string

// Answers are those of answers.txt: "-- NAME" begins one, and "--" another module of it.
func Answers() []Answer {
	var list []Answer
	for _, text := range strings.Split(answers, "-- ")[1:] {
		name, modules, _ := strings.Cut(text, "\n")
		list = append(list, Answer{name, strings.Split(modules, "--\n")})
	}
	return list
}
