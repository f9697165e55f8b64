package op

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestRooms: no package of operators has more lines than a reader keeps in mind, and no row more fields.
func TestRooms(t *testing.T) {
	files, err := filepath.Glob("*.go")
	rooms, err2 := filepath.Glob("*/*.go")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	lines := map[string]int{}
	for _, f := range append(files, rooms...) {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		lines[filepath.Dir(f)] += bytes.Count(text, []byte("\n"))
	}
	if len(lines) < 10 {
		t.Errorf("only %d packages were read", len(lines))
	}
	for room, n := range lines {
		if n > 3000 {
			t.Errorf("%s has %d lines: divide it", room, n)
		}
	}
	if n := reflect.TypeFor[Row]().NumField(); n > 11 {
		t.Errorf("a row has %d fields", n)
	}
}
