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

// TestProcessor: the name is believed unless features are on that it does not have.
func TestProcessor(t *testing.T) {
	avx512 := []string{"avx", "avx2", "avx512f", "avx512vnni", "avx512vbmi2"}
	with := func(more ...string) []string { return append(avx512[:len(avx512):len(avx512)], more...) }
	for _, c := range []struct {
		name     string
		features []string
		want     string
		beyond   string
	}{
		{"rocketlake", avx512, "rocketlake", ""},
		{"rocketlake", with("avx512bf16", "avx512fp16", "amx-tile", "amx-int8"), "sapphirerapids", "avx512bf16 avx512fp16 amx-tile"},
		{"rocketlake", with("avx512bf16", "avx512fp16"), "sapphirerapids", "avx512bf16 avx512fp16"},
		{"skylake-avx512", with("avx512bf16", "avx512fp16", "amx-tile", "amx-fp16"), "graniterapids", "avx512vnni avx512vbmi2 avx512bf16 avx512fp16 amx-tile amx-fp16"},
		{"haswell", []string{"avx", "avx2", "avx512f", "avx512vnni", "avx512bf16"}, "cooperlake", "avx512f avx512vnni avx512bf16"},
		{"haswell", []string{"avx", "avx2", "avx512f"}, "skylake-avx512", "avx512f"},
		{"westmere", []string{"sse4.2", "avx512f"}, "nehalem", "avx512f"},
		{"znver3", with("avx512bf16"), "znver4", "avx512f avx512vnni avx512vbmi2 avx512bf16"},
		{"znver5", with("avx512bf16", "avx512vp2intersect"), "znver5", ""},
		{"sapphirerapids", avx512, "sapphirerapids", ""}, // some are hidden
		{"rocketlake", []string{"avx", "avx2"}, "rocketlake", ""},
		{"alderlake", with("avx512bf16", "avx512fp16"), "alderlake", ""},
		{"skylake", []string{"avx", "avx2", "fma"}, "skylake", ""},
		{"x86-64", avx512, "x86-64", ""}, {"sierraforest", avx512, "sierraforest", ""}, // of which nothing is known
	} {
		got, beyond := Processor(c.name, c.features)
		if got != c.want || strings.Join(beyond, " ") != c.beyond {
			t.Errorf("%s with %v: %s, beyond it %v", c.name, c.features, got, beyond)
		}
		if h, err := host(files(), &build.Info{CPU: c.name, Features: c.features}); err != nil || h.CPU != c.want {
			t.Errorf("%s with %v: the target has %s, %v", c.name, c.features, h.CPU, err)
		}
	}
	seen := map[string]bool{}
	for _, m := range models {
		for _, name := range m.names {
			if got, beyond := Processor(name, m.has); got != name || beyond != nil || seen[name] {
				t.Errorf("%s: %s, %v", name, got, beyond)
			}
			seen[name] = true
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
