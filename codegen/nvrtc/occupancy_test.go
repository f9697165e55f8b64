package nvrtc

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/target"
)

// TestOccupancy: each of the limits is the one that decides in some row.
func TestOccupancy(t *testing.T) {
	for _, c := range []struct {
		name      string
		arch      string
		registers int
		shared    int
		threads   int
		want      float64
	}{
		{"threads", "sm_75", 32, 0, 256, 1},
		{"blocks", "sm_75", 16, 0, 32, 0.5},
		{"registers", "sm_75", 128, 0, 256, 0.5},
		{"registers in units", "sm_86", 33, 0, 128, 1},            // 40 of them: 12 blocks
		{"warps in fours", "sm_75", 80, 0, 160, 4 * 160 / 1024.0}, // 25 warps have registers
		{"shared memory", "sm_86", 32, 48 << 10, 256, 2.0 / 6},
		{"reserved memory", "sm_80", 32, 20 << 10, 256, 7.0 / 8},           // 8 blocks of 20 KiB would fit
		{"shared memory in units", "sm_75", 32, 6500, 64, 9 * 64 / 1024.0}, // 6656 each: 10 blocks of 6500 would fit
		{"part of a warp", "sm_75", 32, 0, 33, 1},
		{"all", "sm_90", 32, 0, 1024, 1},
		{"reserved memory of a new one", "sm_120", 32, 9 << 10, 128, 10 * 128 / 1536.0}, // 11 blocks of 9 KiB would fit
	} {
		l, err := LimitsOf(c.arch)
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Occupancy(Usage{Kernel: "k", Registers: c.registers, SharedBytes: c.shared}, c.threads)
		if err != nil || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// TestMostRegisters: a block of so many threads can be launched with them, and with no
// step more.
func TestMostRegisters(t *testing.T) {
	l, err := LimitsOf("sm_75")
	if err != nil {
		t.Fatal(err)
	}
	for threads := 1; threads <= maxBlockThreads; threads++ {
		n := l.MostRegisters(threads)
		if _, err := l.Occupancy(Usage{Registers: n}, threads); err != nil {
			t.Errorf("%d threads: %v", threads, err)
		}
		if _, err := l.Occupancy(Usage{Registers: n + RegisterStep}, threads); err == nil {
			t.Errorf("%d threads: %d registers can be launched, and %d, too", threads, n, n+RegisterStep)
		}
	}
}

// TestImpossible: what cannot be launched is an error that says why.
func TestImpossible(t *testing.T) {
	l, err := LimitsOf("sm_75")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		u       Usage
		threads int
		want    string
	}{
		{Usage{}, 1025, "1025 threads"},
		{Usage{}, 0, "0 threads"},
		{Usage{SharedBytes: 49 << 10}, 32, "shared memory"},
		{Usage{Registers: 256}, 32, "256 registers"},
		{Usage{Registers: 128}, 1024, "1024 threads of 128 registers"},
	} {
		if _, err := l.Occupancy(c.u, c.threads); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v by %d: got %v", c.u, c.threads, err)
		}
	}
	for _, m := range target.Models() {
		if _, err := LimitsOf(m.Arch); err != nil {
			t.Error(err)
		}
	}
	if _, err := LimitsOf("sm_20"); err == nil || !strings.Contains(err.Error(), "known are sm_70") {
		t.Errorf("got %v", err)
	}
}
