package model

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/wmtune/wmtune/codegen/build"
)

// maxName bounds the length of a program's name: C promises little beyond.
const maxName = 40

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// ValidName is an error if name cannot be the name of a program. It begins the names of
// functions and macros in C, and is the name of files.
func ValidName(name string) error {
	switch {
	case !identifier.MatchString(name):
		return fmt.Errorf("%q cannot name a library: use letters, digits and _, a letter first", name)
	case len(name) > maxName:
		return fmt.Errorf("%q cannot name a library: it has %d characters, and %d are allowed", name, len(name), maxName)
	case build.CWord(name):
		return fmt.Errorf("%q cannot name a library: it is a word of C", name)
	case strings.HasPrefix(name, "wmtune"):
		return fmt.Errorf("%q cannot name a library: names that begin with wmtune are the code generator's", name)
	}
	return nil
}
