package codegen

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestFreeMemory: what is available, and no more than either version of control groups leaves.
func TestFreeMemory(t *testing.T) {
	const available = "MemTotal: 9000 kB\nMemAvailable:    8000 kB\n"
	with := func(pairs ...string) fstest.MapFS { return files(append(pairs, "proc/meminfo", available)...) }
	for _, c := range []struct {
		name string
		root fstest.MapFS
		want uint64
	}{
		{"no groups", with(), 8000 << 10},
		{"v2", with("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/memory.max", "5000000\n", "sys/fs/cgroup/a/memory.current", "2000000\n"), 3000000},
		{"v2 without limit", with("proc/self/cgroup", "0::/a\n", "sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/a/memory.current", "2000000\n"), 8000 << 10},
		{"v2, files", with("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "5000000\n", "sys/fs/cgroup/memory.current", "2000000\n",
			"sys/fs/cgroup/memory.stat", "anon 1\nactive_file 7\ninactive_file 500000\n"), 3500000},
		{"v1", with("proc/self/cgroup", "5:cpu:/m\n4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000000\n",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1000000\n"), 4000000},
		{"v1 without limit", with("proc/self/cgroup", "4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1000000\n"), 8000 << 10},
		{"beyond the limit", with("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "5000000\n", "sys/fs/cgroup/memory.current", "6000000\n"), 0},
	} {
		if got, err := freeMemory(c.root); err != nil || got != c.want {
			t.Errorf("%s: %d %v, want %d", c.name, got, err, c.want)
		}
	}
	if _, err := freeMemory(files()); err == nil || !strings.Contains(err.Error(), "meminfo") {
		t.Errorf("no meminfo: %v", err)
	}
}
