package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/tune"
)

const doctorWhat = `Doctor reports what matters for tuning on this machine: the processor and its
features, the usable cores, GPUs, and the libraries that are present or missing. It
measures peak arithmetic, memory bandwidth and timing noise in a few seconds;
--quick skips the measurements.`

const doctorExamples = `  wmtune doctor
  wmtune doctor --quick --json
`

// A diagnosis is what doctor found, as --json prints it.
type diagnosis struct {
	Version     string    `json:"version"`
	System      string    `json:"system"`
	CPU         string    `json:"cpu"`                  // that code is generated for
	CPUNamed    string    `json:"cpu_named,omitempty"`  // by the machine, if its features contradict it
	CPUBeyond   []string  `json:"cpu_beyond,omitempty"` // features that no processor of that name has
	Target      string    `json:"target"`
	Features    []string  `json:"features"`
	Cores       int       `json:"cores"`
	VectorBytes int       `json:"vector_bytes"`
	Caches      []string  `json:"caches"`
	LLVM        string    `json:"llvm"` // library and version; "" if missing
	LLVMError   string    `json:"llvm_error,omitempty"`
	XGBoost     string    `json:"xgboost"` // path; "" if missing
	Linker      string    `json:"linker"`  // path of ld; "" if missing
	GPUs        []gpu     `json:"gpus"`
	GPUError    string    `json:"gpu_error,omitempty"` // why there is none
	NVRTC       string    `json:"nvrtc"`               // library and version; "" if missing
	NVRTCError  string    `json:"nvrtc_error,omitempty"`
	Measured    *measured `json:"measured,omitempty"`
}

// A gpu is one that is present.
type gpu struct {
	Name            string `json:"name"`
	Arch            string `json:"arch"`
	Multiprocessors int    `json:"multiprocessors"`
	MemoryBytes     int64  `json:"memory_bytes"`
	L2Bytes         int64  `json:"l2_bytes"`
	ClockMHz        int    `json:"clock_mhz"` // at most
}

// measured are doctor's measurements.
type measured struct {
	CoreGFLOPS     float64 `json:"core_gflops"`
	AllGFLOPS      float64 `json:"all_gflops"`
	CopyGBs        float64 `json:"copy_gb_per_s"`
	TriadGBs       float64 `json:"triad_gb_per_s"`
	NoiseMedian    float64 `json:"noise_median"` // how much longer than the fastest the median call takes
	NoiseP95       float64 `json:"noise_p95"`
	NoiseSamples   int     `json:"noise_samples"`
	MeasuredOnCore int     `json:"threads"`
}

func declareDoctor(fs *pflag.FlagSet) action {
	quick := fs.Bool("quick", false, "only what needs no measurement")
	asJSON := fs.Bool("json", false, "one JSON object")
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		return diagnose(ctx, *quick, *asJSON, stdout, stderr)
	}
}

func diagnose(ctx context.Context, quick, asJSON bool, stdout, stderr io.Writer) error {
	d := diagnosis{Version: tune.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		XGBoost: findLibrary("libxgboost.so*")}
	d.Linker, _ = exec.LookPath("ld")
	for _, c := range codegen.Caches(os.DirFS("/")) {
		if c.Type != "Instruction" {
			d.Caches = append(d.Caches, fmt.Sprintf("L%d %s", c.Level, codegen.FormatBytes(c.Bytes)))
		}
	}
	if err := d.graphics(ctx); err != nil {
		return err
	}
	m, err := machine.OpenCPU(ctx, machineOptions(1))
	if err != nil {
		d.LLVMError = err.Error()
		if err := d.withoutCompiler(); err != nil {
			return err
		}
	} else {
		defer m.Close()
		d.describe(m)
		if !quick {
			if err := d.measure(ctx, m, stderr); err != nil {
				return err
			}
		}
	}
	if asJSON {
		return json.NewEncoder(stdout).Encode(d)
	}
	d.print(stdout)
	if d.LLVM == "" {
		return fmt.Errorf("searching needs libLLVM: %s", d.LLVMError)
	}
	return nil
}

// withoutCompiler describes the machine as far as the system does.
func (d *diagnosis) withoutCompiler() error {
	t, err := codegen.Host(nil)
	if err != nil {
		return err
	}
	d.CPU, d.Target, d.Features = t.CPU, t.String(), t.Features
	d.Cores, d.VectorBytes = t.Hardware.Cores, t.Hardware.VectorBytes
	return nil
}

func (d *diagnosis) describe(m *machine.CPU) {
	info, t := m.Info(), m.Target()
	d.CPU, d.Target, d.Features = t.CPU, t.String(), t.Features
	d.Cores, d.VectorBytes = t.Hardware.Cores, t.Hardware.VectorBytes
	if _, d.CPUBeyond = codegen.Processor(info.CPU, info.Features); d.CPUBeyond != nil {
		d.CPUNamed = info.CPU
	}
	d.LLVM = fmt.Sprintf("%s (LLVM %d)", info.Library, info.Major)
}

// graphics looks for GPUs and for what compiles for them.
func (d *diagnosis) graphics(ctx context.Context) error {
	list, err := gpusHere()
	if err != nil {
		d.GPUError = err.Error()
	}
	d.GPUs = []gpu{}
	for _, g := range list {
		d.GPUs = append(d.GPUs, gpu(g))
	}
	compiler, err := machine.OpenNVRTC(ctx, machineOptions(0))
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

func (d *diagnosis) measure(ctx context.Context, m *machine.CPU, stderr io.Writer) error {
	newProgress(stderr).say("measuring the machine for a few seconds; leave it alone meanwhile")
	var err error
	d.Measured, err = measureMachine(ctx, m)
	return err
}

// measureMachine measures peak arithmetic, bandwidth and noise.
func measureMachine(ctx context.Context, m *machine.CPU) (*measured, error) {
	f, err := m.Peaks(ctx)
	if err != nil {
		return nil, err
	}
	return &measured{
		CoreGFLOPS: f.CoreFLOPS / 1e9, AllGFLOPS: f.AllFLOPS / 1e9, CopyGBs: f.Copy / 1e9, TriadGBs: f.Triad / 1e9,
		NoiseMedian: f.Noise.Median, NoiseP95: f.Noise.P95, NoiseSamples: f.Noise.Samples, MeasuredOnCore: f.Threads,
	}, nil
}

func (d *diagnosis) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	row("wmtune", "%s on %s", d.Version, d.System)
	row("processor", "%s, vectors of %d bits", d.CPU, 8*d.VectorBytes)
	if d.CPUNamed != "" {
		row("named", "%s; no such processor has %s, so code is generated for %s", d.CPUNamed, strings.Join(d.CPUBeyond, ", "),
			d.CPU)
	}
	row("features", "%s", strings.Join(strings.Fields(strings.ReplaceAll(after(d.Target, "-mattr="), ",", " ")), " "))
	row("cores", "%d that this process may use", d.Cores)
	row("caches", "%s", orNone(strings.Join(d.Caches, ", "), "unknown"))
	if m := d.Measured; m != nil {
		row("peak", "%.0f GFLOP/s float32 on one core, %.0f on %d", m.CoreGFLOPS, m.AllGFLOPS, m.MeasuredOnCore)
		row("bandwidth", "%.1f GB/s copy, %.1f GB/s triad", m.CopyGBs, m.TriadGBs)
		row("timing noise", "median call +%.1f %%, 95th percentile +%.1f %% over the fastest of %d", 100*m.NoiseMedian,
			100*m.NoiseP95, m.NoiseSamples)
	}
	row("libLLVM", "%s", orNone(d.LLVM, "missing: "+d.LLVMError))
	row("libxgboost", "%s", orNone(d.XGBoost, "missing; only --scorer gbt needs it (Debian: apt-get install libxgboost0)"))
	row("ld", "%s", orNone(d.Linker, "missing: no kernel.so will be written (Debian: apt-get install binutils)"))
	for _, g := range d.GPUs {
		row("GPU", "%s (%s), %d multiprocessors at up to %d MHz, %s, L2 %s", g.Name, g.Arch, g.Multiprocessors, g.ClockMHz,
			codegen.FormatBytes(g.MemoryBytes), codegen.FormatBytes(g.L2Bytes))
	}
	if len(d.GPUs) == 0 {
		row("GPU", "%s; --target \"cuda -arch=ARCH\" tunes for one that is elsewhere", d.GPUError)
	}
	row("NVRTC", "%s", orNone(d.NVRTC, "missing; only --target cuda needs it, to compile: "+d.NVRTCError))
	t.Flush()
}

func orNone(text, none string) string {
	if text == "" {
		return none
	}
	return text
}

// after returns the word that follows a mark in text.
func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	word, _, _ := strings.Cut(rest, " ")
	return word
}

// findLibrary looks for a shared library where the system's loader does.
func findLibrary(pattern string) string {
	dirs := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
	dirs = append(dirs, "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
	for _, dir := range dirs {
		if found, err := filepath.Glob(filepath.Join(dir, pattern)); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}
