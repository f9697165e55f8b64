package native

import (
	"os"
	"strings"
	"testing"
)

// TestPermitTiles: a process gets tile registers only where the processor has them.
func TestPermitTiles(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	if has := strings.Contains(string(text), "amx_tile"); PermitTiles() && !has {
		t.Error("permitted on a processor without tiles")
	}
}
