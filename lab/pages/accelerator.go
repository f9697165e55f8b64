package pages

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/vdla"
)

// A Layer is one of a network on the simulated accelerator.
type Layer struct {
	Name  string
	FLOPs float64
	Runs  [2]vdla.Stats // in one thread, and with virtual threads
}

var runNames = [2]string{"one thread", "virtual threads"}

// AcceleratorPage shows how much of its peak the accelerator reaches.
func AcceleratorPage(list []Layer, facts []string) Page {
	t := report.Table{
		Head: []string{"layer", "cycles, one thread", "cycles", "ratio", "utilization, one thread, %", "utilization, %"},
		Notes: []string{"utilization: the share of cycles in which the 256 multipliers work; 100 % is 102.4 GOP/s",
			"TVM's paper (Chen et al., OSDI 2018, figure 10) says that hiding latency raises peak utilization from 70 to 88 %"},
	}
	var peak [2]float64
	for _, l := range list {
		row := []string{l.Name, fmt.Sprint(l.Runs[0].Cycles), fmt.Sprint(l.Runs[1].Cycles),
			fmt.Sprintf("%.2f", float64(l.Runs[0].Cycles)/float64(l.Runs[1].Cycles))}
		for i, r := range l.Runs {
			row = append(row, fmt.Sprintf("%.1f", 100*r.Utilization()))
			peak[i] = max(peak[i], 100*r.Utilization())
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, []string{"peak", "", "", "", fmt.Sprintf("%.1f", peak[0]), fmt.Sprintf("%.1f", peak[1])})
	return Page{Title: "ResNet-18 on the simulated accelerator", Facts: facts, Tables: []report.Table{t},
		Pictures: []Picture{{SVG: roofline(list)}}}
}

// The size of a roofline, in pixels, and what it shows: operations for each byte from 4 to 512, on a logarithmic axis.
const (
	roofW, roofH       = 760, 400
	roofLeft, roofTop  = 60.0, 30.0
	roofInW, roofInH   = 660.0, 320.0
	leastOps, mostOps  = 4.0, 512.0
	peakGOPs, bytesGBs = 2 * 256 * vdla.Clock / 1e9, 8 * vdla.Clock / 1e9
)

// roofline draws the speed of both programs of each layer under what memory and multipliers allow.
func roofline(list []Layer) string {
	x := func(ops float64) float64 {
		return roofLeft + roofInW*math.Log2(ops/leastOps)/math.Log2(mostOps/leastOps)
	}
	y := func(gops float64) float64 { return roofTop + roofInH*(1-gops/(1.1*peakGOPs)) }
	p := report.NewPicture(roofW, roofH, ` xmlns="http://www.w3.org/2000/svg"`)
	fmt.Fprintf(p, `%s<rect width="%d" height="%d" fill="#fff"/>`, report.FileStyle, roofW, roofH)
	p.Text(roofLeft, 16, ` class="t"`, "GOP/s, against operations for each byte that is moved")
	const roof = ` stroke="#999"`
	for ops := leastOps; ops < mostOps; ops *= 1.1 { // the slope is a curve, since one axis is logarithmic
		next := min(ops*1.1, mostOps)
		p.Line(x(ops), x(next), y(min(peakGOPs, bytesGBs*ops)), y(min(peakGOPs, bytesGBs*next)), roof)
	}
	for ops := leastOps; ops <= mostOps; ops *= 2 {
		p.Text(x(ops)-6, roofTop+roofInH+18, "", fmt.Sprintf("%g", ops))
	}
	for gops := 0.0; gops <= peakGOPs; gops += 20 {
		p.Text(roofLeft-30, y(gops)+4, "", fmt.Sprintf("%g", gops))
	}
	for i, name := range runNames {
		p.Text(roofLeft+140*float64(i), roofTop+roofInH+40, fmt.Sprintf(` style="fill:%s;font-weight:600"`,
			report.Colors[i]), name)
	}
	for _, l := range list {
		for i, r := range l.Runs {
			ops, gops := l.FLOPs/float64(r.Moved), l.FLOPs/r.Seconds()/1e9
			fmt.Fprintf(p, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`, x(ops), y(gops), report.Colors[i])
			p.Text(x(ops)+6, y(gops)+4, "", l.Name)
		}
	}
	return string(p.End())
}
