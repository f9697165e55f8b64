package compile

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// A Profile says where the time of a bundle's runs goes. Times are medians over the runs, in microseconds.
type Profile struct {
	Model     string          `json:"model"`
	Target    string          `json:"target"`
	Plan      string          `json:"plan,omitempty"` // of a bundle of several: the extents that it serves
	Runs      int             `json:"runs"`
	MinUS     float64         `json:"min_us"` // of the runs
	MedianUS  float64         `json:"median_us"`
	KernelsUS float64         `json:"kernels_us"` // of all kernels
	BetweenUS float64         `json:"between_us"` // of what is beside the kernels
	Denormals bool            `json:"denormals"`  // a run computed with denormal numbers
	FLOPs     float64         `json:"flops"`      // of a run
	GFLOPS    float64         `json:"gflops"`     // of the fastest run
	PeakFLOPS float64         `json:"peak_gflops,omitempty"`
	PeakBytes float64         `json:"peak_gbytes_per_second,omitempty"` // of memory
	PeakCache float64         `json:"peak_cache_gbytes_per_second,omitempty"`
	Noise     float64         `json:"noise_median,omitempty"` // how much longer the median call of a test kernel took
	Busy      bool            `json:"busy,omitempty"`         // other programs disturbed the limits, or the runs
	Kernels   []KernelProfile `json:"kernels"`                // the one that takes most first

	bundle *Bundle
	cached bool // weights and values fit into the caches
}

// A KernelProfile is what all calls of a kernel took.
type KernelProfile struct {
	Name   string  `json:"name"`
	Count  int     `json:"count"` // calls of a run
	Nodes  string  `json:"nodes"` // of the first call
	US     float64 `json:"us"`    // of all calls of a run
	Part   float64 `json:"part"`  // of the time of all kernels
	FLOPs  float64 `json:"flops"` // of all calls of a run
	Bytes  float64 `json:"bytes"` // the same: of operands
	GFLOPS float64 `json:"gflops"`
	GBytes float64 `json:"gbytes_per_second"`
	Share  float64 `json:"share,omitempty"` // of a limit of the machine, the one that is nearest; at most 1
	Bound  string  `json:"bound,omitempty"` // which: arithmetic, memory, or caches

	// Instruction is the fastest one that multiplies in the kernel, "" if none is faster than float32's; Peak is that of
	// its products, in GFLOP/s: that of float32 as often as tir.Instruction.Rates says.
	Instruction string  `json:"instruction,omitempty"`
	Peak        float64 `json:"peak_gflops,omitempty"`
}

// Profile runs the bundle for about a second and times each call of a kernel. Facts say what the machine can do; the
// zero value is for a machine whose limits are not known.
func (b *Bundle) Profile(ctx context.Context, facts run.Facts) (*Profile, error) {
	times, err := b.loaded.Profile(ctx, model.Repeat{Warm: 2, Calls: 200, Total: time.Second})
	if err == nil {
		err = b.lengthen(ctx)
	}
	if err != nil {
		return nil, err
	}
	p := &Profile{Model: b.Result.Model, Target: b.Result.Target, Runs: len(times.Runs), bundle: b}
	slices.Sort(times.Runs)
	p.MinUS, p.MedianUS = micro(times.Runs[0]), micro(times.Runs[len(times.Runs)/2])
	slices.Sort(times.Between)
	p.BetweenUS, p.Denormals = micro(times.Between[len(times.Between)/2]), times.Denormals
	p.PeakFLOPS, p.PeakBytes = facts.AllFLOPS/1e9, max(facts.Copy, facts.Triad)/1e9
	p.PeakCache = max(facts.Cached/1e9, p.PeakBytes)
	p.Noise, p.Busy = facts.Noise.Median, facts.Noise.Busy() || p.MedianUS > busyRuns*p.MinUS
	p.cached = b.bytes() <= machine.LastLevelCache()
	kernels := map[string]*KernelProfile{}
	var order []*KernelProfile
	first, calls := b.calls()
	p.Plan = b.planText()
	for i, c := range calls {
		k := kernels[c.Kernel]
		if k == nil {
			k = &KernelProfile{Name: c.Kernel, Nodes: c.Nodes}
			kernels[c.Kernel] = k
			order = append(order, k)
		}
		k.Count++
		k.FLOPs += c.FLOPs
		k.Bytes += c.Bytes
		if i += first; i < len(times.Steps) {
			k.US += micro(times.Steps[i])
		}
		p.FLOPs += c.FLOPs
	}
	for _, k := range order {
		p.KernelsUS += k.US
	}
	programs, cpu := p.Programs(), optionOf(p.Target, "-mcpu=")
	for _, k := range order {
		k.limits(p, programs[k.Name], cpu)
		p.Kernels = append(p.Kernels, *k)
	}
	slices.SortStableFunc(p.Kernels, func(a, b KernelProfile) int { return cmp.Compare(b.US, a.US) })
	p.GFLOPS = p.FLOPs / p.MinUS / 1e3
	return p, nil
}

// busyRuns is the median time of a run / the fastest from which on other programs disturbed the runs.
const busyRuns = 1.5

// bytes returns how many bytes weights and values have.
func (b *Bundle) bytes() int64 {
	n := b.Result.Weights + b.Result.Arena
	for _, p := range slices.Concat(b.inputs, b.outputs) {
		n += p.Bytes()
	}
	return n
}

// VectorBytes returns how many bytes a vector register of the processor has that the bundle was made for; of several
// levels that of the highest, which this machine may not have.
func (b *Bundle) VectorBytes() int {
	features := strings.Split(optionOf(b.Result.Target, "-mattr="), ",")
	slices.Sort(features)
	bytes, _ := target.Target{Features: features}.Vectors()
	return bytes
}

// optionOf returns what follows an option's name in the text of a target, as target.String has it: "" without it.
func optionOf(text, name string) string {
	_, value, _ := strings.Cut(text, " "+name)
	value, _, _ = strings.Cut(value, " ")
	return value
}

// multipliesBy returns the fastest instruction in the text of a program, and how many times as many products it makes
// as float32's; "" and 1 if none is faster.
func multipliesBy(program, cpu string) (name string, rate float64) {
	rate = 1
	for _, i := range tir.Instructions() {
		if r := i.RateOn(cpu); r > rate && strings.Contains(program, " by "+i.Name+":") {
			name, rate = i.Name, r
		}
	}
	return name, rate
}

// limits relates what a kernel took to what the machine can do (Williams, Waterman, Patterson 2009). Operands come from
// caches if all data fit there, and where they came faster than memory gives them. A measured limit that is exceeded
// was measured while the machine was busy, or is not the true one: the kernel is at it. The program says which
// instruction multiplies.
func (k *KernelProfile) limits(p *Profile, program, cpu string) {
	if k.US <= 0 {
		return
	}
	k.GFLOPS, k.GBytes, k.Part = k.FLOPs/k.US/1e3, k.Bytes/k.US/1e3, k.US/p.KernelsUS
	if p.PeakFLOPS <= 0 || p.PeakBytes <= 0 {
		return
	}
	name, rate := multipliesBy(program, cpu)
	k.Instruction, k.Peak = name, rate*p.PeakFLOPS
	k.Share, k.Bound = k.GFLOPS/k.Peak, "arithmetic"
	peak, from := p.PeakBytes, "memory"
	if p.cached || k.GBytes > peak {
		peak, from = p.PeakCache, "caches"
	}
	if m := k.GBytes / peak; m > k.Share {
		k.Share, k.Bound = m, from
	}
	k.Share = min(k.Share, 1)
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// Programs returns the TensorIR of the kernels by name, as it was when the bundle was made.
func (p *Profile) Programs() map[string]string {
	return readPrograms(p.bundle.dir, p.bundle.Result.Name)
}

// Bundle returns what the bundle says of itself.
func (p *Profile) Bundle() *Result { return p.bundle.Result }
