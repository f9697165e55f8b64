package driver

import (
	"fmt"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/wmtune/wmtune/codegen/native"
)

// A Clock is how fast the multiprocessors of a GPU run at a moment.
type Clock struct {
	MHz  int
	Held string // what holds it below its most: "the power limit"; "" if nothing is known to
}

// A Meter reads the clock of a GPU. It asks NVML, a library that comes with the driver.
type Meter struct {
	ml     mlFunctions
	device uintptr
}

// mlFunctions are addresses of NVML's, without the nvml before their names.
type mlFunctions struct {
	Init, ErrorString, DeviceByBus, DeviceClock, DeviceHeld uintptr
}

// mlSoname is NVML's library.
const mlSoname = "libnvidia-ml.so.1"

// smClock is the clock of the multiprocessors (nvml.h, nvmlClockType_t).
const smClock = 1

// heldNames are those of the function that says what holds the clock, the newer one first.
// Without it the clock can be read all the same.
var heldNames = []string{"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}

// holds says what the bits of what it returns mean (nvml.h,
// nvmlClocksThrottleReason*). That the GPU is idle, bit 0, holds nothing up.
var holds = []struct {
	bit  uint64
	text string
}{
	{1 << 1, "the clock that was set"}, {1 << 2, "the power limit"}, {1 << 3, "a slowdown of the hardware"},
	{1 << 4, "other GPUs of its group"}, {1 << 5, "heat"}, {1 << 6, "heat, by the hardware"},
	{1 << 7, "the power supply"}, {1 << 8, "the display's clock"},
}

// Meter returns the meter of GPU number i.
func (d *Driver) Meter(i int) (*Meter, error) {
	device, err := d.handle(i)
	if err != nil {
		return nil, err
	}
	bus, err := d.bus(device)
	if err != nil {
		return nil, err
	}
	library, err := openML(d.path)
	if err != nil {
		return nil, fmt.Errorf("driver: the clock cannot be read: %w", err)
	}
	m := &Meter{}
	if err := library.Bind(native.Symbols{
		"nvmlInit_v2": &m.ml.Init, "nvmlErrorString": &m.ml.ErrorString,
		"nvmlDeviceGetHandleByPciBusId_v2": &m.ml.DeviceByBus, "nvmlDeviceGetClockInfo": &m.ml.DeviceClock,
	}); err != nil {
		return nil, fmt.Errorf("driver: the clock cannot be read: %w", err)
	}
	for _, name := range heldNames {
		if m.ml.DeviceHeld, err = library.Lookup(name); err == nil {
			break
		}
	}
	if err := m.call("nvmlInit_v2", m.ml.Init); err != nil {
		return nil, err
	}
	if err := m.call("nvmlDeviceGetHandleByPciBusId_v2", m.ml.DeviceByBus, uintptr(unsafe.Pointer(&bus[0])),
		uintptr(unsafe.Pointer(&m.device))); err != nil {
		return nil, err
	}
	return m, nil
}

// openML loads the NVML that lies beside the driver's library, or the system's.
func openML(driver string) (*native.Library, error) {
	if strings.ContainsRune(driver, filepath.Separator) {
		return native.Open("", filepath.Join(filepath.Dir(driver), mlSoname), mlSoname)
	}
	return native.Open(mlSoname)
}

// Clock reads the clock. A GPU that has nothing to do may be at another one than while it
// works: read it right after.
func (m *Meter) Clock() (Clock, error) {
	var mhz uint32
	if err := m.call("nvmlDeviceGetClockInfo", m.ml.DeviceClock, m.device, smClock,
		uintptr(unsafe.Pointer(&mhz))); err != nil {
		return Clock{}, err
	}
	var bits uint64
	if m.ml.DeviceHeld != 0 {
		// Some GPUs do not tell.
		_ = m.call(heldNames[0], m.ml.DeviceHeld, m.device, uintptr(unsafe.Pointer(&bits)))
	}
	var held []string
	for _, h := range holds {
		if bits&h.bit != 0 {
			held = append(held, h.text)
		}
	}
	return Clock{int(mhz), strings.Join(held, ", ")}, nil
}

// call calls a function of NVML.
//
//go:uintptrescapes
func (m *Meter) call(name string, fn uintptr, args ...uintptr) error {
	r, _, _ := purego.SyscallN(fn, args...)
	code := int32(r)
	if code == 0 {
		return nil
	}
	text, _, _ := purego.SyscallN(m.ml.ErrorString, uintptr(code))
	words := native.String(text)
	if words == "" {
		words = fmt.Sprintf("code %d", code)
	}
	return fmt.Errorf("driver: %s: %s", name, words)
}
