package model

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/ld"
	"github.com/wmtune/wmtune/codegen/llvm"
)

// maxName bounds the length of a program's name: C promises little beyond.
const maxName = 40

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// MaxThreads is how many threads a bundle runs on at most, as runtime/runtime.c has it.
const MaxThreads = 256

// ValidName is an error if name cannot be the name of a program. It begins the names of
// functions and macros in C, and is the name of files.
func ValidName(name string) error {
	switch {
	case !identifier.MatchString(name):
		return fmt.Errorf("%q cannot name a library: use letters, digits and _, a letter first", name)
	case len(name) > maxName:
		return fmt.Errorf("%q cannot name a library: it has %d characters, and %d are allowed", name, len(name), maxName)
	case cWords[name]:
		return fmt.Errorf("%q cannot name a library: it is a word of C", name)
	case strings.HasPrefix(name, "wmtune"):
		return fmt.Errorf("%q cannot name a library: names that begin with wmtune are the code generator's", name)
	}
	if symbol := taken(name); symbol != "" {
		return fmt.Errorf("%q cannot name a library: the C library has a function %s", name, symbol)
	}
	return nil
}

// ValidKernelName is an error if name cannot be the name of the function of an exported kernel.
func ValidKernelName(name string) error {
	switch {
	case name == "" || name != CIdentifier(name):
		return fmt.Errorf("%q cannot name a function: use letters, digits and _, a digit not first, 200 at most", name)
	case cWords[name] || name == "main":
		return fmt.Errorf("%q cannot name a function: it is a word of C or C++", name)
	case strings.Contains(llvm.RuntimeIR(), " @"+name+"(") && strings.HasPrefix(name, "wmtune_"):
		return fmt.Errorf("%q cannot name a function: the code generator has one of this name", name)
	case ld.Defines(name):
		return fmt.Errorf("%q cannot name a function: the C library has one of this name", name)
	}
	return nil
}

// taken returns a function of a bundle that the C library has, too, or "".
func taken(name string) string {
	for _, f := range slices.Concat(plansAPI, stateAPI, api) {
		if symbol := name + "_" + f; ld.Defines(symbol) {
			return symbol
		}
	}
	return ""
}

// NameOf returns a name of a program for a text, such as the name of a file: the text itself if that is possible.
func NameOf(text string) string {
	name := CIdentifier(text)
	if !identifier.MatchString(name) || cWords[name] || strings.HasPrefix(name, "wmtune") ||
		taken(name) != "" {
		name = CIdentifier("model_" + text)
	}
	if len(name) > maxName {
		hash := fnv.New32a()
		hash.Write([]byte(text))
		name = fmt.Sprintf("%s_%08x", name[:maxName-9], hash.Sum32())
	}
	return name
}
