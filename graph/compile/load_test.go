package compile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDescribe: a bundle's folder may be called as a pattern would be.
func TestDescribe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a]*?", "b[")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"m.json": `{"name": "m", "files": ["m.so"]}`, "other.json": "{}", "m.so": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if r, found, err := Describe(dir); err != nil || r.Name != "m" || found != dir {
		t.Errorf("%v in %s, %v", r, found, err)
	}
}
