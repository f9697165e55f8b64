package onnx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/graph"
)

// TestFiles decodes the files that WMTUNE_ONNX_FILES names, a pattern.
func TestFiles(t *testing.T) {
	pattern := os.Getenv("WMTUNE_ONNX_FILES")
	if pattern == "" {
		t.Skip("WMTUNE_ONNX_FILES does not name files")
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no files are %s", pattern)
	}
	for _, f := range files {
		g, err := Read(t.Context(), f, Options{})
		if err == nil {
			err = graph.Check(g)
		}
		if err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d files", len(files))
}
