package codegen

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/native"
	"github.com/wmtune/wmtune/tir/target"
)

// Host returns this machine as a target. Info is what a build worker says of
// it; without libLLVM, when info is nil, the features come from /proc/cpuinfo
// and the processor is called by the level of its instruction set.
//
// The width of vectors follows the features and never the processor's name, and where features
// contradict the name, so does the processor (see Processor). Tile registers count if Linux lets the process have them.
func Host(info *build.Info) (target.Target, error) {
	return host(os.DirFS("/"), info)
}

func host(root fs.FS, info *build.Info) (target.Target, error) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" || runtime.GOOS != "linux" {
		return target.Target{}, fmt.Errorf("codegen: this is %s on %s: kernels run on Linux on x86-64 and aarch64 only",
			runtime.GOOS, runtime.GOARCH)
	}
	t := target.Target{Kind: target.LLVM}
	if info != nil {
		t.Features = slices.Clone(info.Features)
		t.CPU, _ = Processor(info.CPU, t.Features)
	}
	switch {
	case runtime.GOARCH == "arm64":
		t.CPU, t.Features = cmp.Or(t.CPU, "generic"), withArm(t.Features)
	case info == nil:
		list, err := cpuinfoFeatures(root)
		if err != nil {
			return target.Target{}, err
		}
		t.CPU, t.Features = level(list), list
	}
	if t.Has("amx-tile") && !native.PermitTiles() {
		t.Features = slices.DeleteFunc(t.Features, func(f string) bool { return strings.HasPrefix(f, "amx-") })
	}
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return target.Target{}, fmt.Errorf("codegen: asking for the processors of the process: %w", err)
	}
	t.Hardware = Hardware(t, usableCores(root, set.Count()))
	for _, c := range Caches(root) {
		if c.Level == 1 && c.LineBytes > 0 {
			t.Hardware.CacheLineBytes = c.LineBytes
		}
	}
	return t, nil
}

// Hardware returns what follows from the features of a processor with so many cores.
func Hardware(t target.Target, cores int) target.Hardware {
	h := target.Hardware{Cores: cores, CacheLineBytes: 64}
	h.VectorBytes, h.VectorRegisters = t.Vectors()
	return h
}

// withArm adds what Linux says of an aarch64 processor to the features that LLVM found in /proc/cpuinfo: an emulator
// shows the file of another machine. The result is sorted.
func withArm(features []string) []string {
	has := cpu.ARM64
	for name, there := range map[string]bool{
		"neon": has.HasASIMD, "dotprod": has.HasASIMDDP, "fullfp16": has.HasFPHP && has.HasASIMDHP, "i8mm": has.HasI8MM,
		"lse": has.HasATOMICS, "rdm": has.HasASIMDRDM,
	} {
		if there && !slices.Contains(features, name) {
			features = append(features, name)
		}
	}
	slices.Sort(features)
	return features
}

// cpuinfoNames maps flags of /proc/cpuinfo to LLVM's names of features, for
// those that decide what code is generated.
var cpuinfoNames = map[string]string{
	"sse3": "sse3", "ssse3": "ssse3", "sse4_1": "sse4.1", "sse4_2": "sse4.2", "popcnt": "popcnt",
	"avx": "avx", "avx2": "avx2", "fma": "fma", "f16c": "f16c", "bmi1": "bmi", "bmi2": "bmi2", "movbe": "movbe",
	"abm":     "lzcnt",
	"avx512f": "avx512f", "avx512vl": "avx512vl", "avx512bw": "avx512bw", "avx512dq": "avx512dq", "avx512cd": "avx512cd",
	"avx512_vnni": "avx512vnni", "avx512_bf16": "avx512bf16",
}

func cpuinfoFeatures(root fs.FS) ([]string, error) {
	text, err := fs.ReadFile(root, "proc/cpuinfo")
	if err != nil {
		return nil, fmt.Errorf("codegen: %w", err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) != "flags" {
			continue
		}
		var list []string
		for _, flag := range strings.Fields(value) {
			if name := cpuinfoNames[flag]; name != "" {
				list = append(list, name)
			}
		}
		slices.Sort(list)
		return list, nil
	}
	return nil, fmt.Errorf("codegen: /proc/cpuinfo names no flags of the processor")
}

// level returns the name of the x86-64 level that the features reach.
func level(features []string) string {
	has := func(names ...string) bool {
		for _, n := range names {
			if !slices.Contains(features, n) {
				return false
			}
		}
		return true
	}
	switch {
	case has("avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd", "avx2", "fma"):
		return "x86-64-v4"
	case has("avx2", "fma", "bmi2", "f16c"):
		return "x86-64-v3"
	case has("sse4.2", "popcnt"):
		return "x86-64-v2"
	}
	return "x86-64"
}
