package model

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestTimeouts: a call may take as long as in wmtune run, and a load longer where there is more to read.
func TestTimeouts(t *testing.T) {
	if defaultTimeout < 10*time.Minute {
		t.Errorf("a call of a large model has %v", defaultTimeout)
	}
	path := filepath.Join(t.TempDir(), "weights")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100*slowBytes); err != nil {
		t.Fatal(err)
	}
	for weights, want := range map[string]time.Duration{"": time.Minute, path: time.Minute + 100*time.Second} {
		if got := (LoadConfig{Weights: weights, Timeout: time.Minute}).loadTimeout(); got != want {
			t.Errorf("weights %q: %v, want %v", weights, got, want)
		}
	}
}
