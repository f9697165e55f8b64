package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/machine"
)

// Diagnosis shows what doctor found.
func Diagnosis(w io.Writer, d *machine.Diagnosis) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	row("wmtune", "%s on %s", d.Version, d.System)
	row("processor", "%s, vectors of %d bits", d.CPU, 8*d.VectorBytes)
	if d.CPUNamed != "" {
		row("named", "%s; no such processor has %s, so code is generated for %s", d.CPUNamed,
			strings.Join(d.CPUBeyond, ", "), d.CPU)
	}
	row("features", "%s", strings.Join(strings.Fields(strings.ReplaceAll(after(d.Target, "-mattr="), ",", " ")), " "))
	row("cores", "%d that this process may use", d.Cores)
	row("caches", "%s", cmp.Or(strings.Join(d.Caches, ", "), "unknown"))
	if m := d.Measured; m != nil {
		row("peak", "%.0f GFLOP/s float32 on one core, %.0f on %d", m.CoreGFLOPS, m.AllGFLOPS, m.MeasuredOnCore)
		row("bandwidth", "%.1f GB/s copy, %.1f GB/s triad", m.CopyGBs, m.TriadGBs)
		if m.ExchangeGBs > 0 {
			row("core to core", "%.1f GB/s", m.ExchangeGBs)
		}
		row("timing noise", "median call +%.1f %%, 95th percentile +%.1f %% over the fastest of %d", 100*m.NoiseMedian,
			100*m.NoiseP95, m.NoiseSamples)
	}
	row("libLLVM", "%s", cmp.Or(d.LLVM, "missing: "+d.LLVMError))
	row("libxgboost", "%s", cmp.Or(d.XGBoost,
		"missing; --scorer gbt, training and collecting need it (Debian: apt-get install libxgboost0)"))
	for _, g := range d.GPUs {
		row("GPU", "%s (%s), %d multiprocessors at up to %d MHz, %s, L2 %s", g.Name, g.Arch, g.Multiprocessors,
			g.ClockMHz, codegen.FormatBytes(g.MemoryBytes), codegen.FormatBytes(g.L2Bytes))
	}
	if len(d.GPUs) == 0 {
		row("GPU", "%s; --target \"cuda -arch=ARCH\" tunes for one that is elsewhere", d.GPUError)
	}
	row("NVRTC", "%s", cmp.Or(d.NVRTC, "missing; only --target cuda needs it, to compile: "+d.NVRTCError))
	t.Flush()
}

// after returns the word that follows a mark in text.
func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	word, _, _ := strings.Cut(rest, " ")
	return word
}
