package driver

import (
	"fmt"

	"github.com/ebitengine/purego"
	"github.com/wmtune/wmtune/codegen/native"
)

// soname is the driver's library, which comes with the kernel's module.
const soname = "libcuda.so.1"

// A Driver is a loaded driver. It is safe for concurrent use.
type Driver struct {
	path string
	cu   functions
}

// functions are addresses of the driver API's, without the cu before their names.
type functions struct {
	Init, DriverGetVersion, GetErrorName, GetErrorString                         uintptr
	DeviceGetCount, DeviceGet, DeviceGetName, DeviceGetAttribute, DeviceTotalMem uintptr
	DeviceGetPCIBusId                                                            uintptr
	PrimaryRetain, PrimaryRelease, CtxSetCurrent, CtxSynchronize                 uintptr
	ModuleLoadData, ModuleUnload, ModuleGetFunction, LaunchKernel                uintptr
	MemGetInfo, MemAlloc, MemFree, MemcpyHtoD, MemcpyDtoH, MemsetD8              uintptr
	EventCreate, EventDestroy, EventRecord, EventSynchronize, EventElapsedTime   uintptr
	GraphCreate, GraphAddKernel, GraphInstantiate, GraphLaunch                   uintptr
	GraphExecDestroy, GraphDestroy                                               uintptr
}

// table says where each function is in the library.
func (f *functions) table() native.Symbols {
	return native.Symbols{
		"cuInit": &f.Init, "cuDriverGetVersion": &f.DriverGetVersion,
		"cuGetErrorName": &f.GetErrorName, "cuGetErrorString": &f.GetErrorString,
		"cuDeviceGetCount": &f.DeviceGetCount, "cuDeviceGet": &f.DeviceGet, "cuDeviceGetName": &f.DeviceGetName,
		"cuDeviceGetAttribute": &f.DeviceGetAttribute, "cuDeviceTotalMem_v2": &f.DeviceTotalMem,
		"cuDeviceGetPCIBusId":      &f.DeviceGetPCIBusId,
		"cuDevicePrimaryCtxRetain": &f.PrimaryRetain, "cuDevicePrimaryCtxRelease_v2": &f.PrimaryRelease,
		"cuCtxSetCurrent": &f.CtxSetCurrent, "cuCtxSynchronize": &f.CtxSynchronize,
		"cuModuleLoadData": &f.ModuleLoadData, "cuModuleUnload": &f.ModuleUnload, "cuModuleGetFunction": &f.ModuleGetFunction,
		"cuLaunchKernel":  &f.LaunchKernel,
		"cuMemGetInfo_v2": &f.MemGetInfo, "cuMemAlloc_v2": &f.MemAlloc, "cuMemFree_v2": &f.MemFree,
		"cuMemcpyHtoD_v2": &f.MemcpyHtoD, "cuMemcpyDtoH_v2": &f.MemcpyDtoH, "cuMemsetD8_v2": &f.MemsetD8,
		"cuEventCreate": &f.EventCreate, "cuEventDestroy_v2": &f.EventDestroy, "cuEventRecord": &f.EventRecord,
		"cuEventSynchronize": &f.EventSynchronize, "cuEventElapsedTime": &f.EventElapsedTime,
		"cuGraphCreate": &f.GraphCreate, "cuGraphAddKernelNode": &f.GraphAddKernel,
		"cuGraphInstantiateWithFlags": &f.GraphInstantiate, "cuGraphLaunch": &f.GraphLaunch,
		"cuGraphExecDestroy": &f.GraphExecDestroy, "cuGraphDestroy": &f.GraphDestroy,
	}
}

// Load loads the driver: the library at path, or the system's if path is empty. The
// error is ErrNone if there is none, or no GPU.
func Load(path string) (*Driver, error) {
	handle, err := native.Open(path, soname)
	if err != nil {
		return nil, fmt.Errorf("%w: the driver's library is not installed (%v)", ErrNone, err)
	}
	d := &Driver{path: handle.Path}
	if err := handle.Bind(d.cu.table()); err != nil {
		return nil, fmt.Errorf("driver: %s is no driver of CUDA 11.4 or later: %w", d.path, err)
	}
	err = d.call("cuInit", d.cu.Init, 0)
	if e, ok := err.(*Error); ok && e.Code == noDevice {
		return nil, fmt.Errorf("%w: the driver finds none", ErrNone)
	}
	return d, err
}

// call calls a function of the driver. Arguments may be pointers, to memory that stays
// where it is until the call ends.
//
//go:uintptrescapes
func (d *Driver) call(name string, fn uintptr, args ...uintptr) error {
	r, _, _ := purego.SyscallN(fn, args...)
	if code := int32(r); code != 0 {
		return d.failed(name, code)
	}
	return nil
}
