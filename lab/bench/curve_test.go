package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadMetaSchedule: only tuned models count, and a line that is no JSON is named.
func TestReadMetaSchedule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.json")
	text := `{"row": "r50-t3", "best_us": 5}` + "\n" + `{"row": "onnx:a.onnx", "untuned_us": 9}` + "\n" +
		`{"row": "onnx:a.onnx", "tuned_us": 7, "wall_s": 60, "trials": 40}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := ReadMetaSchedule(path)
	if err != nil || len(list) != 1 || list[0] != (MetaRow{"onnx:a.onnx", 40, 60, 7}) {
		t.Errorf("%+v, %v", list, err)
	}
	if err := os.WriteFile(path, []byte(text+"oops\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadMetaSchedule(path); err == nil || !strings.Contains(err.Error(), "line 4") {
		t.Error(err)
	}
}
