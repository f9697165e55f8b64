package nvrtc

import (
	"fmt"
	"strings"
)

// Options say what to compile for.
type Options struct {
	Arch string // "sm_80"
	PTX  bool   // to return the PTX text, too
}

// Output is what a source becomes.
type Output struct {
	Cubin   []byte  // ELF; the driver loads it
	PTX     []byte  // if asked for
	Log     string  // warnings
	Kernels []Usage // by name
}

// A sourceError is what the compiler says against a source.
type sourceError struct{ log string }

func (e *sourceError) Error() string { return e.log }

// compile compiles a source. An error about it is a *sourceError.
func (l *library) compile(src string, opt Options) (Output, error) {
	if strings.IndexByte(src, 0) >= 0 {
		return Output{}, &sourceError{"the source has a zero byte"}
	}
	var prog uintptr
	if code := l.CreateProgram(&prog, src, "kernel.cu", 0, 0, 0); code != 0 {
		return Output{}, fmt.Errorf("nvrtc: creating a program: %s", l.message(code))
	}
	defer l.DestroyProgram(&prog)
	options := opt.arguments()
	code := l.CompileProgram(prog, int32(len(options)), &options[0])
	log := ""
	if text, err := l.read(prog, l.GetProgramLogSize, l.GetProgramLog); err == nil {
		log = strings.TrimRight(string(text), "\x00\n")
	}
	if code != 0 {
		if log == "" {
			log = l.message(code)
		}
		return Output{}, &sourceError{"for " + opt.Arch + ": " + log}
	}
	var out Output
	var err error
	if out.Cubin, err = l.read(prog, l.GetCUBINSize, l.GetCUBIN); err != nil {
		return Output{}, err
	}
	if opt.PTX {
		if out.PTX, err = l.read(prog, l.GetPTXSize, l.GetPTX); err != nil {
			return Output{}, err
		}
		out.PTX = []byte(strings.TrimRight(string(out.PTX), "\x00"))
	}
	out.Kernels, out.Log, err = readLog(log)
	return out, err
}

// arguments returns the options as C strings.
func (opt Options) arguments() []*byte {
	list := []string{"--gpu-architecture=" + opt.Arch, "--std=c++17", "--ptxas-options=-v"}
	out := make([]*byte, len(list))
	for i, s := range list {
		text := append([]byte(s), 0)
		out[i] = &text[0]
	}
	return out
}

// read returns one of the outputs of a program.
func (l *library) read(
	prog uintptr, size func(uintptr, *uintptr) int32, get func(uintptr, *byte) int32,
) ([]byte, error) {
	var n uintptr
	if code := size(prog, &n); code != 0 {
		return nil, fmt.Errorf("nvrtc: reading what was compiled: %s", l.message(code))
	}
	if n == 0 {
		return nil, nil
	}
	out := make([]byte, n)
	if code := get(prog, &out[0]); code != 0 {
		return nil, fmt.Errorf("nvrtc: reading what was compiled: %s", l.message(code))
	}
	return out, nil
}
