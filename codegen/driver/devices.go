package driver

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"
)

// A Device is a GPU that is present.
type Device struct {
	Name            string `json:"name"` // as the driver calls it
	Arch            string `json:"arch"` // "sm_86"
	Multiprocessors int    `json:"multiprocessors"`
	MemoryBytes     int64  `json:"memory_bytes"`
	L2Bytes         int64  `json:"l2_bytes"`  // of the cache that all multiprocessors share
	ClockMHz        int    `json:"clock_mhz"` // that multiprocessors have at most
	Bus             string `json:"bus"`       // its place on the bus, "0000:3b:00.0", whatever its number is here
}

// Attributes of a device (cuda.h, CUdevice_attribute).
const (
	clockRate           = 13 // kHz
	multiprocessorCount = 16
	l2CacheSize         = 38
	capabilityMajor     = 75
	capabilityMinor     = 76
)

// Devices lists the GPUs of the driver at path (see Load), in the driver's order. The error is
// ErrNone if there is no driver or no GPU; others say which call of the driver failed.
func Devices(path string) ([]Device, error) {
	d, err := Load(path)
	if err != nil {
		return nil, err
	}
	return d.Devices()
}

// Devices lists the GPUs, of which there is at least one.
func (d *Driver) Devices() ([]Device, error) {
	var n int32
	if err := d.call("cuDeviceGetCount", d.cu.DeviceGetCount, uintptr(unsafe.Pointer(&n))); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: the driver finds none", ErrNone)
	}
	list := make([]Device, n)
	for i := range list {
		var err error
		if list[i], err = d.device(i); err != nil {
			return nil, fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	return list, nil
}

// Version returns the version of CUDA that the driver is of: 12020 is 12.2.
func (d *Driver) Version() (int, error) {
	var v int32
	err := d.call("cuDriverGetVersion", d.cu.DriverGetVersion, uintptr(unsafe.Pointer(&v)))
	return int(v), err
}

// device asks what GPU number i is.
func (d *Driver) device(i int) (Device, error) {
	handle, err := d.handle(i)
	if err != nil {
		return Device{}, err
	}
	name := make([]byte, 256)
	var memory uint64
	err = d.call("cuDeviceGetName", d.cu.DeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)),
		uintptr(handle))
	if err == nil {
		err = d.call("cuDeviceTotalMem", d.cu.DeviceTotalMem, uintptr(unsafe.Pointer(&memory)), uintptr(handle))
	}
	values := map[int32]int32{}
	for _, a := range []int32{clockRate, multiprocessorCount, l2CacheSize, capabilityMajor, capabilityMinor} {
		var v int32
		if err == nil {
			err = d.call("cuDeviceGetAttribute", d.cu.DeviceGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a),
				uintptr(handle))
		}
		values[a] = v
	}
	if err != nil {
		return Device{}, err
	}
	bus, err := d.bus(handle)
	if err != nil {
		return Device{}, err
	}
	return Device{
		Name: text(name), Bus: strings.ToLower(text(bus)),
		Arch:            fmt.Sprintf("sm_%d%d", values[capabilityMajor], values[capabilityMinor]),
		Multiprocessors: int(values[multiprocessorCount]), MemoryBytes: int64(memory),
		L2Bytes: int64(values[l2CacheSize]), ClockMHz: int(values[clockRate]) / 1000,
	}, nil
}

// text returns what stands before a zero.
func text(data []byte) string { return string(data[:max(bytes.IndexByte(data, 0), 0)]) }

// bus returns the place of a GPU on the bus, which ends in a zero.
func (d *Driver) bus(handle int32) ([]byte, error) {
	bus := make([]byte, 32)
	return bus, d.call("cuDeviceGetPCIBusId", d.cu.DeviceGetPCIBusId, uintptr(unsafe.Pointer(&bus[0])),
		uintptr(len(bus)), uintptr(handle))
}

// handle returns the driver's handle of GPU number i.
func (d *Driver) handle(i int) (int32, error) {
	var h int32
	err := d.call("cuDeviceGet", d.cu.DeviceGet, uintptr(unsafe.Pointer(&h)), uintptr(i))
	return h, err
}
