// Package driver asks NVIDIA's driver which GPUs there are. The driver's library is
// loaded without cgo.
//
// The package must not know of programs, or of what GPUs can do: it names them.
package driver

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ebitengine/purego"
)

// A Device is a GPU that is present.
type Device struct {
	Name            string // as the driver calls it
	Arch            string // "sm_86"
	Multiprocessors int
	MemoryBytes     int64
}

// ErrNone is the error of a machine without a GPU, or without its driver.
var ErrNone = errors.New("no GPU is present")

// soname is the driver's library, which comes with the kernel's module.
const soname = "libcuda.so.1"

// Attributes of a device (cuda.h, CUdevice_attribute).
const (
	multiprocessorCount = 16
	capabilityMajor     = 75
	capabilityMinor     = 76
)

// noDevice is the code of a driver that finds none (CUDA_ERROR_NO_DEVICE).
const noDevice = 100

// A library is a loaded driver. Its fields are functions of the driver API, without
// the cu before their names.
type library struct {
	Init               func(flags uint32) int32
	DeviceGetCount     func(count *int32) int32
	DeviceGet          func(device *int32, ordinal int32) int32
	DeviceGetName      func(name *byte, length, device int32) int32
	DeviceGetAttribute func(value *int32, attribute, device int32) int32
	DeviceTotalMem     func(bytes *uint64, device int32) int32
}

// Devices lists the GPUs, in the driver's order. The error is ErrNone if there is no
// driver or no GPU; others say which call of the driver failed.
func Devices() ([]Device, error) { return devices(soname) }

func devices(path string) ([]Device, error) {
	l, err := load(path)
	if err != nil {
		return nil, err
	}
	if code := l.Init(0); code == noDevice {
		return nil, fmt.Errorf("%w: the driver finds none", ErrNone)
	} else if code != 0 {
		return nil, fmt.Errorf("driver: cuInit ends with code %d", code)
	}
	var n int32
	if code := l.DeviceGetCount(&n); code != 0 {
		return nil, fmt.Errorf("driver: cuDeviceGetCount ends with code %d", code)
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: the driver finds none", ErrNone)
	}
	list := make([]Device, n)
	for i := range list {
		if list[i], err = l.device(int32(i)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func load(path string) (*library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("%w: the driver's library is not installed (%v)", ErrNone, err)
	}
	l := &library{}
	for _, s := range []struct {
		name string
		fn   any // pointer to a field
	}{
		{"cuInit", &l.Init},
		{"cuDeviceGetCount", &l.DeviceGetCount},
		{"cuDeviceGet", &l.DeviceGet},
		{"cuDeviceGetName", &l.DeviceGetName},
		{"cuDeviceGetAttribute", &l.DeviceGetAttribute},
		{"cuDeviceTotalMem_v2", &l.DeviceTotalMem},
	} {
		addr, err := purego.Dlsym(handle, s.name)
		if err != nil {
			return nil, fmt.Errorf("driver: %s is no driver: %w", path, err)
		}
		purego.RegisterFunc(s.fn, addr)
	}
	return l, nil
}

// device asks what GPU number i is.
func (l *library) device(i int32) (Device, error) {
	var device, major, minor, processors int32
	var memory uint64
	name := make([]byte, 256)
	for _, call := range []struct {
		name string
		code func() int32
	}{
		{"cuDeviceGet", func() int32 { return l.DeviceGet(&device, i) }},
		{"cuDeviceGetName", func() int32 { return l.DeviceGetName(&name[0], int32(len(name)), device) }},
		{"cuDeviceGetAttribute", func() int32 { return l.DeviceGetAttribute(&major, capabilityMajor, device) }},
		{"cuDeviceGetAttribute", func() int32 { return l.DeviceGetAttribute(&minor, capabilityMinor, device) }},
		{"cuDeviceGetAttribute", func() int32 { return l.DeviceGetAttribute(&processors, multiprocessorCount, device) }},
		{"cuDeviceTotalMem", func() int32 { return l.DeviceTotalMem(&memory, device) }},
	} {
		if code := call.code(); code != 0 {
			return Device{}, fmt.Errorf("driver: %s of GPU %d ends with code %d", call.name, i, code)
		}
	}
	end := max(bytes.IndexByte(name, 0), 0)
	return Device{string(name[:end]), fmt.Sprintf("sm_%d%d", major, minor), int(processors), int64(memory)}, nil
}
