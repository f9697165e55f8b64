package compile

import (
	"os"
	"path/filepath"
	"strings"
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

// TestPortsOf: shapes of a description that no tensor has are errors.
func TestPortsOf(t *testing.T) {
	for _, x := range []struct {
		shape []int64
		ok    bool
	}{
		{nil, true}, {[]int64{0, 7}, true}, {[]int64{1 << 20, 1 << 19}, true},
		{[]int64{2, -1}, false}, {[]int64{1 << 32, 1 << 32}, false}, {[]int64{0, 1 << 62, 4}, false},
		{[]int64{1 << 62, 4}, false},
	} {
		_, err := portsOf([]PortInfo{{Name: "x", Type: "float32", Shape: x.shape}})
		if (err == nil) != x.ok || err != nil && !strings.Contains(err.Error(), "x has the shape") {
			t.Errorf("%v: %v", x.shape, err)
		}
	}
}
