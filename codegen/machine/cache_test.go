package machine

import (
	"testing"
	"testing/fstest"
)

// TestLastLevel: the largest cache counts, but a very large one is shared with others.
func TestLastLevel(t *testing.T) {
	for size, want := range map[string]int64{"": 0, "32768K": 32 << 20, "480M": 128 << 20} {
		root := fstest.MapFS{}
		if size != "" {
			const dir = "sys/devices/system/cpu/cpu0/cache/"
			root[dir+"index0/level"] = &fstest.MapFile{Data: []byte("1\n")}
			root[dir+"index0/size"] = &fstest.MapFile{Data: []byte("48K\n")}
			root[dir+"index1/level"] = &fstest.MapFile{Data: []byte("3\n")}
			root[dir+"index1/size"] = &fstest.MapFile{Data: []byte(size + "\n")}
		}
		if got := lastLevel(root); got != want {
			t.Errorf("a cache of %q: %d, want %d", size, got, want)
		}
	}
}
