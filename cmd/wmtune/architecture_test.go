package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestArchitecture: the folders and files that ARCHITECTURE.md names exist, and the tables that its rows
// name stand in the files that it says.
func TestArchitecture(t *testing.T) {
	data, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := 0
	for _, m := range regexp.MustCompile("`([a-z0-9]+(?:/[A-Za-z0-9_.]+)+)`").FindAllStringSubmatch(string(data), -1) {
		if strings.Contains(m[1], "NAME") {
			continue
		}
		paths++
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	rows := regexp.MustCompile("`([A-Za-z]+)` in `([a-z0-9/_.]+)`").FindAllStringSubmatch(string(data), -1)
	for _, m := range rows {
		if !strings.Contains(m[2], "/") {
			continue // beside the file named before it
		}
		text, err := os.ReadFile(filepath.Join("../..", m[2]))
		if err != nil || !regexp.MustCompile(`\b`+m[1]+`\b`).Match(text) {
			t.Errorf("%s is not in %s: %v", m[1], m[2], err)
		}
	}
	if paths < 40 || len(rows) < 10 {
		t.Errorf("only %d paths and %d rows were looked at", paths, len(rows))
	}
}
