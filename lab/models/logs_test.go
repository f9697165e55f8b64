package models

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
)

// TestLogs: the logs beside this package are tuning logs, and a page has the SHA-256 of each.
func TestLogs(t *testing.T) {
	logs, err := filepath.Glob("*.arrow.zst")
	if err != nil || len(logs) == 0 {
		t.Fatalf("%d logs: %v", len(logs), err)
	}
	pages := ""
	names, _ := filepath.Glob("*.md")
	for _, name := range names {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages += string(page)
	}
	for _, path := range logs {
		log, err := dataset.Open(path)
		if err != nil {
			t.Error(err)
			continue
		}
		log.Close()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); !strings.Contains(pages, hex.EncodeToString(sum[:])) {
			t.Errorf("%s: no page has its SHA-256, %x", path, sum)
		}
	}
}
