package codegen

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/tir/target"
)

func files(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return m
}

func TestUsableCores(t *testing.T) {
	for _, c := range []struct {
		name  string
		root  fstest.MapFS
		cores int
	}{
		{"no groups", files(), 8},
		{"v2 without limit", files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", "max 100000\n"), 8},
		{"v2", files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", "250000 100000\n"), 2},
		{"v2, group around", files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/cpu.max", "300000 100000\n", "sys/fs/cgroup/a/b/cpu.max", "max 100000\n"), 3},
		{"v2, container", files("proc/self/cgroup", "0::/kubepods/x\n", "sys/fs/cgroup/cpu.max", "50000 100000\n"), 1},
		{"v1", files("proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/a\n", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n",
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"), 4},
		{"v1 without limit", files("proc/self/cgroup", "4:cpu:/a\n", "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n", "sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"), 8},
		{"more than there are", files("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/cpu.max", "6400000 100000\n"), 8},
	} {
		if got := usableCores(c.root, 8); got != c.cores {
			t.Errorf("%s: %d cores, want %d", c.name, got, c.cores)
		}
	}
}

const flags = "processor\t: 0\nflags\t\t: fpu sse4_2 popcnt avx avx2 fma f16c bmi2 unheard_of\n"

func TestHostWithoutLLVM(t *testing.T) {
	got, err := host(files("proc/cpuinfo", flags), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"avx", "avx2", "bmi2", "f16c", "fma", "popcnt", "sse4.2"}
	if !reflect.DeepEqual(got.Features, want) || got.CPU != "x86-64-v3" || got.Hardware.VectorBytes != 32 || got.Hardware.VectorRegisters != 16 {
		t.Errorf("%+v", got)
	}
	if _, err := host(files(), nil); err == nil || !strings.Contains(err.Error(), "cpuinfo") {
		t.Errorf("no cpuinfo: %v", err)
	}
	if _, err := host(files("proc/cpuinfo", "processor: 0\n"), nil); err == nil || !strings.Contains(err.Error(), "no flags") {
		t.Errorf("no flags: %v", err)
	}
}

// TestHostVectors holds that the features decide the width, not the name.
func TestHostVectors(t *testing.T) {
	for _, c := range []struct {
		features []string
		bytes    int
	}{{[]string{"avx", "avx2", "avx512f"}, 64}, {[]string{"avx", "avx2"}, 32}, {[]string{"sse4.2"}, 16}, {nil, 16}} {
		got, err := host(files(), &build.Info{CPU: "rocketlake", Features: c.features})
		if err != nil || got.Hardware.VectorBytes != c.bytes || got.CPU != "rocketlake" {
			t.Errorf("%v: %+v, %v", c.features, got, err)
		}
	}
}

func TestHostIsThisMachine(t *testing.T) {
	got, err := Host(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hardware.Cores < 1 || got.Hardware.CacheLineBytes < 16 || got.Hardware.VectorBytes < 16 || got.Kind != target.LLVM {
		t.Errorf("%+v", got)
	}
	t.Log(got, Caches(os.DirFS("/")))
}

func TestCaches(t *testing.T) {
	const dir = "sys/devices/system/cpu/cpu0/cache/"
	got := Caches(files(dir+"index0/level", "1\n", dir+"index0/type", "Data\n", dir+"index0/size", "32K\n", dir+"index0/coherency_line_size", "64\n",
		dir+"index0/shared_cpu_list", "0\n", dir+"index1/level", "3\n", dir+"index1/type", "Unified\n", dir+"index1/size", "16M\n", dir+"index1/shared_cpu_list", "0-3,8\n"))
	want := []Cache{{1, "Data", 32 << 10, 64, 1}, {3, "Unified", 16 << 20, 0, 5}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
