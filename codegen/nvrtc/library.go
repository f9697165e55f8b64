package nvrtc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/native"
)

// sonames lists the libraries that are looked for, newest first.
var sonames = []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}

// toolkit is where CUDA's own installer puts its libraries; loaders do not look
// there by themselves.
const toolkit = "/usr/local/cuda/lib64"

// A library is a loaded NVRTC. Its exported fields are functions of the C API, without
// the nvrtc before their names; pointers are uintptr.
type library struct {
	path         string
	major, minor int

	Version           func(major, minor *int32) int32
	CreateProgram     func(prog *uintptr, src, name string, headers int32, texts, names uintptr) int32
	DestroyProgram    func(prog *uintptr) int32
	CompileProgram    func(prog uintptr, n int32, options **byte) int32
	GetProgramLogSize func(prog uintptr, size *uintptr) int32
	GetProgramLog     func(prog uintptr, log *byte) int32
	GetCUBINSize      func(prog uintptr, size *uintptr) int32
	GetCUBIN          func(prog uintptr, cubin *byte) int32
	GetPTXSize        func(prog uintptr, size *uintptr) int32
	GetPTX            func(prog uintptr, ptx *byte) int32
	GetErrorString    func(code int32) uintptr
}

// errNoLibrary means that NVRTC is not installed.
var errNoLibrary = errors.New("NVRTC is not installed: install the CUDA toolkit or the PyPI package " +
	"nvidia-cuda-nvrtc, and set WMTUNE_NVRTC to the path of libnvrtc.so or of the folder that it is in")

// load opens the library at path, which may be the folder that it is in, or if
// path is empty one that is installed: the newest that compiles for an architecture and
// for a driver, see Config. The error says why each that is there does not.
func load(path, arch string, driver int) (*library, error) {
	names, err := candidates(path)
	if err != nil {
		return nil, err
	}
	var unfit []string
	for {
		handle, err := native.Open("", names...)
		switch {
		case err != nil && unfit != nil:
			return nil, fmt.Errorf("nvrtc: %s: install another NVRTC, such as the PyPI package "+
				"nvidia-cuda-nvrtc-cu12 or nvidia-cuda-nvrtc, and set WMTUNE_NVRTC to the folder that it is in",
				strings.Join(unfit, "; "))
		case err != nil && path != "":
			return nil, fmt.Errorf("nvrtc: loading %s: %w", path, err)
		case err != nil:
			return nil, fmt.Errorf("nvrtc: %w (%v)", errNoLibrary, err)
		}
		l, err := open(handle)
		if err == nil {
			err = l.compilesFor(arch, driver)
		}
		if err == nil {
			return l, nil
		}
		unfit = append(unfit, err.Error())
		names = names[slices.Index(names, handle.Path)+1:]
	}
}

func open(handle *native.Library) (*library, error) {
	l := &library{path: handle.Path}
	if err := handle.BindFields("nvrtc", l); err != nil {
		return nil, fmt.Errorf("%s is no NVRTC of CUDA 11.2 or later: %w", l.path, err)
	}
	var major, minor int32
	if code := l.Version(&major, &minor); code != 0 {
		return nil, fmt.Errorf("%s: %s", l.path, l.message(code))
	}
	l.major, l.minor = int(major), int(minor)
	return l, nil
}

// compilesFor returns an error if l compiles nothing for an architecture, which it does not know or for lack of a
// file of its own, or if a driver does not load what l makes: one loads the machine code of its own CUDA's major
// version and of older ones.
func (l *library) compilesFor(arch string, driver int) error {
	about := fmt.Sprintf("%s (CUDA %d.%d)", l.path, l.major, l.minor)
	if driver > 0 && l.major > driver/1000 {
		return fmt.Errorf("%s is newer than the GPU's driver, which is of CUDA %d.%d", about, driver/1000, driver%1000/10)
	}
	if arch == "" {
		return nil
	}
	if _, err := l.compile(`extern "C" __global__ void probe() {}`, Options{Arch: arch}); err != nil {
		return fmt.Errorf("%s does not compile %w", about, err)
	}
	return nil
}

// candidates returns the names of libraries that path may stand for.
func candidates(path string) ([]string, error) {
	if path == "" {
		names := slices.Clone(sonames)
		for _, n := range sonames {
			names = append(names, filepath.Join(toolkit, n))
		}
		return names, nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, nil // the loader may know it
	}
	found, err := filepath.Glob(filepath.Join(path, "libnvrtc.so*"))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("nvrtc: no libnvrtc.so in %s: set WMTUNE_NVRTC to the folder that has it", path)
	}
	slices.Sort(found)
	slices.Reverse(found)
	return found, nil
}

// message returns what an error code means.
func (l *library) message(code int32) string {
	if text := native.String(l.GetErrorString(code)); text != "" {
		return text
	}
	return fmt.Sprintf("error %d", code)
}
