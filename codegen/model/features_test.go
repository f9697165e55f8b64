package model

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/tir/target"
)

// processorTool compiles testdata/pool.c, whose arguments ask for what the run-time finds out
// about the processor.
func processorTool(t *testing.T) func(args ...string) string {
	t.Helper()
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	exe := filepath.Join(t.TempDir(), "pool")
	cmd := exec.Command(cc, "-std=c11", "-fsanitize=address,undefined", "-Wno-unknown-pragmas", "testdata/pool.c",
		"-o", exe, "-lpthread")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(args ...string) string {
		out, err := exec.Command(exe, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
}

// TestFeatures: the run-time finds the features of this processor that LLVM finds.
func TestFeatures(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	want := fmt.Sprintf("%x", featureBits(target.Target{Features: b.Info().Features}))
	if got := processorTool(t)("features"); got != want {
		t.Errorf("the run-time finds %s, LLVM %s: %v of %v", got, want, features, b.Info().Features)
	}
	if featureBits(target.Target{Features: []string{"sse3", "adx", "avx"}}) != 1|1<<6 {
		t.Error("bits of features")
	}
	// What icelake-server and znver4 have beyond cascadelake and haswell, and LLVM puts into plain loops.
	for _, name := range []string{
		"lzcnt", "gfni", "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq", "sse4a",
	} {
		if featureBits(target.Target{Features: []string{name}}) == 0 {
			t.Errorf("NAME_open does not look for %s", name)
		}
	}
}

// TestForkInRun: a child of a fork in the middle of a run goes on with the context, and has all of its memory.
func TestForkInRun(t *testing.T) {
	if got := processorTool(t)("fork"); got != "0" {
		t.Errorf("wait status or error code %s", got)
	}
}

// TestGroups: control groups leave as many processors as codegen.Host says that they do.
func TestGroups(t *testing.T) {
	ask := processorTool(t)
	for _, c := range []struct {
		groups string
		files  []string // pairs of a path and a text
		want   string
	}{
		{"", nil, "8"},
		{"0::/a/b\n", []string{"a/b/cpu.max", "max 100000\n"}, "8"},
		{"0::/a/b\n", []string{"a/b/cpu.max", "250000 100000\n"}, "2"},
		{"0::/a/b\n", []string{"a/cpu.max", "300000 100000\n", "a/b/cpu.max", "max 100000\n"}, "3"},
		{"0::/kubepods/x\n", []string{"cpu.max", "50000 100000\n"}, "1"},
		{"0::/a\n", []string{"a/cpu.max", "150000 100000\n"}, "1"},
		{"1:name=systemd:/a\n0::/a\n", []string{"unified/a/cpu.max", "200000 100000\n"}, "2"},
		{"5:memory:/m\n4:cpu,cpuacct:/a\n", []string{"cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n",
			"cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}, "4"},
		{"4:cpuacct,cpu:/a/b\n", []string{"cpuacct,cpu/cpu.cfs_quota_us", "390000\n",
			"cpuacct,cpu/cpu.cfs_period_us", "100000\n"}, "3"},
		{"4:cpu:/a\n", []string{"cpu/a/cpu.cfs_quota_us", "-1\n", "cpu/a/cpu.cfs_period_us", "100000\n"}, "8"},
		{"4:cpuset:/a\n", []string{"cpu/a/cpu.cfs_quota_us", "100000\n", "cpu/a/cpu.cfs_period_us", "100000\n"}, "8"},
		{"0::/\n", []string{"cpu.max", "6400000 100000\n"}, "8"},
		{"nothing\n::\n0:\n0::\n0::/a", []string{"a/cpu.max", "100000 100000\n"}, "8"}, // no line is whole
		{"0::/" + strings.Repeat("x/", 1000) + "\n0::/a\n", []string{"a/cpu.max", "100000 100000\n"}, "1"},
		{strings.Repeat("1:memory:/m\n", 1000), nil, "8"},
	} {
		dir := t.TempDir()
		list := append([]string{"groups", c.groups}, c.files...)
		for i := 0; i < len(list); i += 2 {
			path := filepath.Join(dir, list[i])
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(list[i+1]), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := ask("quota", filepath.Join(dir, "groups"), dir, "8"); got != c.want {
			t.Errorf("%.40q, %q: %s processors, want %s", c.groups, c.files, got, c.want)
		}
	}
}

// TestQuota reads files as control groups have them.
func TestQuota(t *testing.T) {
	ask := processorTool(t)
	path := filepath.Join(t.TempDir(), "cpu.max")
	for text, want := range map[string]string{
		"150000 100000\n": "150000 100000", "max 100000\n": "-1 -7", "-1\n": "-1 -7", "200000\n": "200000 -7", "": "-1 -7",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := ask("number", path); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := ask("number", path+".missing"); got != "-1 -7" {
		t.Errorf("a missing file: %s", got)
	}
}
