package main

import (
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/model"
)

// TestVersion: the command and the Python package say the version that headers say.
func TestVersion(t *testing.T) {
	if code, stdout, _ := wmtune(t, "version"); code != exitOK || !strings.HasPrefix(stdout, "wmtune "+model.Version) {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	text, err := os.ReadFile("../../python/src/wmtune/__init__.py")
	if err != nil || !strings.Contains(string(text), "\n__version__ = \""+model.Version+"\"\n") {
		t.Errorf("%v: the Python package has another version than %s", err, model.Version)
	}
}
