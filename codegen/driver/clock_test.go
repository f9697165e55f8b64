package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/driver/drivertest"
)

// meter returns the meter of the GPU that a driver sees.
func meter(t *testing.T, lib string) (*Meter, error) {
	t.Helper()
	d, err := Load(lib)
	if err != nil {
		t.Fatal(err)
	}
	return d.Meter(0)
}

// TestClock: the clock, and what holds it, in words. A GPU that does not say what has a
// clock; without NVML there is none.
func TestClock(t *testing.T) {
	lib := drivertest.Driver(t)
	for fake, want := range map[string]Clock{
		"1230 0":   {1230, ""},
		"1410 1":   {1410, ""}, // idle
		"900 4":    {900, "the power limit"},
		"300 104":  {300, "a slowdown of the hardware, heat, heat, by the hardware"},
		"1980 -1":  {1980, ""},
		"1980 387": {1980, "the clock that was set, the power supply, the display's clock"},
	} {
		t.Setenv("FAKE_CLOCK", fake)
		m, err := meter(t, lib)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := m.Clock(); err != nil || c != want {
			t.Errorf("%s: %+v, %v", fake, c, err)
		}
	}
	t.Setenv("FAKE_CLOCK", "0 0")
	m, err := meter(t, lib)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Clock(); err == nil || err.Error() != "driver: nvmlDeviceGetClockInfo: Not Supported" {
		t.Errorf("got %v", err)
	}
	t.Setenv("FAKE_GPU", "count=16")
	d, err := Load(lib)
	if err != nil {
		t.Fatal(err)
	}
	const want = "driver: nvmlDeviceGetHandleByPciBusId_v2: Not Found"
	if m, err := d.Meter(15); m != nil || err == nil || err.Error() != want {
		t.Errorf("a GPU that NVML does not know: %v, %v", m, err)
	}
	lib = drivertest.Driver(t) // another: a library that was loaded once needs no file
	if err := os.Remove(filepath.Join(filepath.Dir(lib), mlSoname)); err != nil {
		t.Fatal(err)
	}
	if _, err := meter(t, lib); err == nil || !strings.Contains(err.Error(), "the clock cannot be read: ") {
		t.Errorf("without NVML: %v", err)
	}
}
