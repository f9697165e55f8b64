package native

import (
	"os"
	"strings"
	"testing"
)

// TestPermitTiles: a process gets tile registers only where the processor has them.
func TestPermitTiles(t *testing.T) {
	text, _ := os.ReadFile("/proc/cpuinfo") // a system without that file has no permission to give
	if has := strings.Contains(string(text), "amx_tile"); PermitTiles() && !has {
		t.Error("permitted on a processor without tiles")
	}
}
