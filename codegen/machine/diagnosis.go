package machine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/driver"
)

// A Diagnosis is what matters for tuning on this machine.
type Diagnosis struct {
	Version     string          `json:"version"` // of the program: the caller's
	System      string          `json:"system"`
	CPU         string          `json:"cpu"`                  // that code is generated for
	CPUNamed    string          `json:"cpu_named,omitempty"`  // by the machine, if its features contradict it
	CPUBeyond   []string        `json:"cpu_beyond,omitempty"` // features that no processor of that name has
	Target      string          `json:"target"`
	Features    []string        `json:"features"`
	Cores       int             `json:"cores"`
	VectorBytes int             `json:"vector_bytes"`
	Caches      []string        `json:"caches"`
	LLVM        string          `json:"llvm"` // library and version; "" if missing
	LLVMError   string          `json:"llvm_error,omitempty"`
	XGBoost     string          `json:"xgboost"` // path; "" if missing
	GPUs        []driver.Device `json:"gpus"`
	GPUError    string          `json:"gpu_error,omitempty"` // why there is none
	NVRTC       string          `json:"nvrtc"`               // library and version; "" if missing
	NVRTCError  string          `json:"nvrtc_error,omitempty"`
	Measured    *Measured       `json:"measured,omitempty"` // nil if nothing was measured
}

// Measured is what Peaks found, in giga.
type Measured struct {
	CoreGFLOPS     float64 `json:"core_gflops"`
	AllGFLOPS      float64 `json:"all_gflops"`
	CopyGBs        float64 `json:"copy_gb_per_s"`
	TriadGBs       float64 `json:"triad_gb_per_s"`
	ExchangeGBs    float64 `json:"exchange_gb_per_s"` // from core to core
	NoiseMedian    float64 `json:"noise_median"`      // how much longer than the fastest the median call takes
	NoiseP95       float64 `json:"noise_p95"`
	NoiseSamples   int     `json:"noise_samples"`
	MeasuredOnCore int     `json:"threads"`
}

// Diagnose looks at this machine. If measure is not nil, it is called before the machine is measured, which takes some
// seconds. LoaderPath names folders that the system's loader searches first, as LD_LIBRARY_PATH does.
func Diagnose(ctx context.Context, o Options, loaderPath string, measure func()) (*Diagnosis, error) {
	d := &Diagnosis{System: runtime.GOOS + "/" + runtime.GOARCH, XGBoost: findLibrary("libxgboost.so*", loaderPath)}
	switch name := o.Libraries.XGBoost; {
	case name == "":
	case !strings.Contains(name, "/"): // the loader looks for it
		d.XGBoost = findLibrary(name, loaderPath)
	case isFile(name):
		d.XGBoost = name
	default:
		d.XGBoost = ""
	}
	for _, c := range codegen.Caches(os.DirFS("/")) {
		if c.Type != "Instruction" {
			d.Caches = append(d.Caches, fmt.Sprintf("L%d %s", c.Level, codegen.FormatBytes(c.Bytes)))
		}
	}
	if err := d.graphics(ctx, o); err != nil {
		return nil, err
	}
	m, err := OpenCPU(ctx, o)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		d.LLVMError = err.Error()
		return d, d.withoutCompiler()
	}
	defer m.Close()
	d.describe(m)
	if measure != nil {
		measure()
		err = d.measure(ctx, m)
	}
	return d, err
}

func isFile(path string) bool {
	status, err := os.Stat(path)
	return err == nil && status.Mode().IsRegular()
}

// withoutCompiler describes the machine as far as the system does.
func (d *Diagnosis) withoutCompiler() error {
	t, err := codegen.Host(nil)
	if err != nil {
		return err
	}
	d.CPU, d.Target, d.Features = t.CPU, t.String(), t.Features
	d.Cores, d.VectorBytes = t.Hardware.Cores, t.Hardware.VectorBytes
	return nil
}

func (d *Diagnosis) describe(m *CPU) {
	info, t := m.Info(), m.Target()
	d.CPU, d.Target, d.Features = t.CPU, t.String(), t.Features
	d.Cores, d.VectorBytes = t.Hardware.Cores, t.Hardware.VectorBytes
	if _, d.CPUBeyond = codegen.Processor(info.CPU, info.Features); d.CPUBeyond != nil {
		d.CPUNamed = info.CPU
	}
	d.LLVM = fmt.Sprintf("%s (LLVM %d)", info.Library, info.Major)
}

// graphics looks for GPUs and for what compiles for them.
func (d *Diagnosis) graphics(ctx context.Context, o Options) error {
	list, err := PresentGPUs(o.Libraries)
	if err != nil {
		d.GPUError = err.Error()
	}
	d.GPUs = append([]driver.Device{}, list...)
	compiler, err := OpenNVRTC(ctx, o, "", 0)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		d.NVRTCError = err.Error()
		return nil
	}
	info := compiler.Info()
	d.NVRTC = fmt.Sprintf("%s (CUDA %d.%d)", info.Library, info.Major, info.Minor)
	return nil
}

// measure measures peak arithmetic, bandwidth and noise.
func (d *Diagnosis) measure(ctx context.Context, m *CPU) error {
	f, err := m.Peaks(ctx, m.host.Hardware.VectorBytes)
	if err != nil {
		return err
	}
	d.Measured = &Measured{
		CoreGFLOPS: f.CoreFLOPS / 1e9, AllGFLOPS: f.AllFLOPS / 1e9, CopyGBs: f.Copy / 1e9, TriadGBs: f.Triad / 1e9,
		ExchangeGBs: f.Exchange / 1e9,
		NoiseMedian: f.Noise.Median, NoiseP95: f.Noise.P95, NoiseSamples: f.Noise.Samples, MeasuredOnCore: f.Threads,
	}
	return nil
}

// findLibrary looks for a shared library where the system's loader does.
func findLibrary(pattern, loaderPath string) string {
	dirs := append(filepath.SplitList(loaderPath),
		"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
	for _, dir := range dirs {
		if found, err := filepath.Glob(filepath.Join(dir, pattern)); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}
