package inspect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A roof holds the measured peaks of this machine.
type roof struct {
	target    string
	facts     run.Facts
	lastCache codegen.Cache // the largest; zero if unknown
}

// roofOf measures this machine.
func roofOf(ctx context.Context, opt machine.Options) (*roof, error) {
	opt.Workers = 1
	m, err := machine.OpenCPU(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	r := &roof{target: m.Target().String()}
	for _, c := range codegen.Caches(os.DirFS("/")) {
		if c.Bytes > r.lastCache.Bytes {
			r.lastCache = c
		}
	}
	r.facts, err = m.Peaks(ctx, m.Target().Hardware.VectorBytes)
	return r, err
}

// rooflineText relates a record's time to what this machine can do (Williams,
// Waterman, Patterson 2009).
func rooflineText(ctx context.Context, p *Programs, r *dataset.Record) (string, error) {
	if !r.Timed() {
		return "", fmt.Errorf("it was not timed: %s", r.Outcome())
	}
	w, err := p.Workload(r)
	if err != nil {
		return "", err
	}
	if p.roof == nil {
		if p.roof, err = roofOf(ctx, p.Machine); err != nil {
			return "", err
		}
	}
	if r.Target.String() != p.roof.target {
		return "", fmt.Errorf("it was measured on %s, and this machine, whose peaks are known, is %s", r.Target,
			p.roof.target)
	}
	d := demand{flop: w.FLOPs, bytes: compulsoryBytes(w.DAG)}
	s, err := schedule.Replay(w.DAG, r.Steps)
	if err != nil {
		return "", err
	}
	note := ""
	if len(s.Prepared) > 0 {
		d.flop = s.Current.FLOPs()
		note = fmt.Sprintf("by Winograd's algorithm; the direct sum is %.4g MFLOP, %.4g GFLOP/s", w.FLOPs/1e6,
			w.FLOPs/r.Cost()/1e9)
	}
	return p.roof.text(d, note, r.Cost())
}

// A demand is what a workload needs at the least.
type demand struct{ flop, bytes float64 }

// compulsoryBytes is the traffic that no program of a DAG can avoid: each input is
// read and each output written once.
func compulsoryBytes(d *compute.DAG) float64 {
	n := 0.0
	for _, b := range d.Tensors {
		n += float64(b.Bytes())
	}
	return n
}

// Shares of a peak from which on a program is at it, or near it.
const (
	atPeak   = 0.8
	nearPeak = 0.5
)

// text says how near a program that takes so many seconds is to each roof. The note, if there is one, is about its
// work.
func (r *roof) text(d demand, note string, seconds float64) (string, error) {
	flops, bandwidth := r.facts.AllFLOPS, max(r.facts.Copy, r.facts.Triad)
	if flops <= 0 || bandwidth <= 0 {
		return "", errors.New("the machine's peaks could not be measured")
	}
	arithmetic, memory := d.flop/seconds/flops, d.bytes/seconds/bandwidth
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("time", "%s", dataset.FormatSeconds(seconds))
	row("work", "%.4g MFLOP, %.4g MB (each input read, each output written once): %.3g FLOP/byte; the ridge is at %.3g",
		d.flop/1e6, d.bytes/1e6, d.flop/d.bytes, flops/bandwidth)
	if note != "" {
		row("", "%s", note)
	}
	row("arithmetic", "%.4g GFLOP/s, %.0f %% of the %.4g measured on %d cores", d.flop/seconds/1e9, 100*arithmetic,
		flops/1e9, r.facts.Threads)
	row("memory", "%.3g GB/s, %.0f %% of the %.3g measured", d.bytes/seconds/1e9, 100*memory, bandwidth/1e9)
	bound, share := "arithmetic", arithmetic
	if memory > arithmetic {
		bound, share = "memory", memory
	}
	row("bound", "%s: %s, which allows %s; this takes %.2f times as long", bound, nearness(share),
		dataset.FormatSeconds(seconds*share), 1/share)
	if bound == "memory" && d.bytes <= float64(r.lastCache.Bytes) {
		row("", "the data fit into the L%d cache (%s), so calls in a row may go beyond the bandwidth of memory",
			r.lastCache.Level, codegen.FormatBytes(r.lastCache.Bytes))
	}
	return b.String(), nil
}

// nearness says how near to a peak a share of it is.
func nearness(share float64) string {
	switch {
	case share >= atPeak:
		return "at the peak"
	case share >= nearPeak:
		return "near the peak"
	}
	return "far from the peak"
}
