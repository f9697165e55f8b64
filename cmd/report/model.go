package report

import (
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph/compile"
)

// boundBy says what bounds a kernel, and which instruction's peak that is.
func boundBy(k compile.KernelProfile) string {
	if k.Bound == "arithmetic" && k.Instruction != "" {
		return k.Bound + " by " + k.Instruction
	}
	return k.Bound
}

// ProfileTable shows what each kernel of a bundle takes.
func ProfileTable(p *compile.Profile) Table {
	t := Table{Head: []string{"kernel", "calls", "us", "part", "GFLOP/s", "GB/s", "of the limit", "bound by"}}
	calls := 0
	for _, k := range p.Kernels {
		calls += k.Count
		t.Rows = append(t.Rows, []string{
			k.Name, fmt.Sprint(k.Count), Micro(k.US / 1e6), share(k.Part), OrDash(k.FLOPs > 0, fmt.Sprintf("%.1f", k.GFLOPS)),
			fmt.Sprintf("%.1f", k.GBytes), OrDash(k.Bound != "", share(k.Share)), OrDash(k.Bound != "", boundBy(k)),
		})
	}
	t.Rows = append(t.Rows,
		[]string{"all kernels", fmt.Sprint(calls), Micro(p.KernelsUS / 1e6), "", "", "", "", ""},
		[]string{"between kernels", "", Micro(p.BetweenUS / 1e6), share(p.BetweenUS / (p.KernelsUS + p.BetweenUS)),
			"", "", "", ""})
	t.Notes = []string{
		fmt.Sprintf("%d runs: fastest %s, median %s; %.4g GFLOP, %.4g GFLOP/s", p.Runs, dataset.FormatSeconds(p.MinUS/1e6),
			dataset.FormatSeconds(p.MedianUS/1e6), p.FLOPs/1e9, p.GFLOPS),
	}
	if p.Plan != "" {
		t.Notes = append(t.Notes, "plan for "+p.Plan)
	}
	if p.PeakFLOPS > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf(
			"limits of this machine, measured: %.4g GFLOP/s, %.3g GB/s from memory, %.3g GB/s from caches",
			p.PeakFLOPS, p.PeakBytes, p.PeakCache))
	}
	if p.Busy {
		t.Notes = append(t.Notes, fmt.Sprintf("other programs kept this machine busy: the median run took %.0f%% longer "+
			"than the fastest, a test kernel %.0f%%; times and limits are not those of a quiet machine",
			100*(p.MedianUS/p.MinUS-1), 100*p.Noise))
	}
	if p.Denormals {
		t.Notes = append(t.Notes, "denormal numbers were met, with which processors are many times slower: "+
			"--flush-denormals counts them as zero")
	}
	return t
}

// ProfilePage is ProfileTable as a page, with the programs of the kernels and the memory of values over time.
func ProfilePage(p *compile.Profile) Page {
	programs := p.Programs()
	page := Page{
		Title: "Profile of " + p.Bundle().Name,
		Facts: []string{
			"made from " + filepath.Base(p.Model), p.Target,
			fmt.Sprintf("%d nodes, %d kernels of %d tasks", p.Bundle().Nodes, p.Bundle().Groups, p.Bundle().Tasks),
		},
		Tables: []Table{ProfileTable(p)},
		Memory: &Memory{Spans: p.Bundle().Spans, Arena: p.Bundle().Arena, Peak: p.Bundle().Peak},
	}
	for _, k := range p.Kernels {
		text := programs[k.Name]
		if text == "" {
			text = "the bundle does not have the program of this kernel"
		}
		choice := ""
		for _, i := range p.Bundle().Kernels {
			if i.Name == k.Name {
				choice = i.Choice
			}
		}
		page.Kernels = append(page.Kernels, KernelBar{
			Name: k.Name, Time: fmt.Sprintf("%s us", Micro(k.US/1e6)), Part: 100 * k.Part,
			Says: fmt.Sprintf("%d calls; first for %s; schedule: %s", k.Count, k.Nodes, choice), Program: text,
		})
	}
	return page
}

// A KernelBar is a kernel on a page: a bar, which opens to its program.
type KernelBar struct {
	Name, Time string
	Part       float64 // percent of the time of all kernels
	Says       string
	Program    string
}

// Memory draws where values lie in the arena, and when: steps from left to right, bytes upwards.
type Memory struct {
	Spans []*compile.Span
	Arena int64
	Peak  int64
}

// Title says what the picture shows.
func (m *Memory) Title() string {
	return fmt.Sprintf("Memory of values: %s in all, %s needed at one time", Size(m.Arena), Size(m.Peak))
}

// SVG draws a rectangle for each value.
func (m *Memory) SVG() template.HTML {
	const width, height, left, bottom, top = 1100, 420, 80, 30, 10
	steps := 1
	for _, s := range m.Spans {
		steps = max(steps, s.To+1)
	}
	p := NewPicture(width, height, "")
	inner, high := float64(width-left-10), float64(height-bottom-top)
	x := func(step int) float64 { return left + inner*float64(step)/float64(steps) }
	y := func(bytes int64) float64 { return top + high*(1-float64(bytes)/float64(max(m.Arena, 1))) }
	for i, s := range m.Spans {
		up := y(s.Offset + s.Bytes)
		fmt.Fprintf(p,
			`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity=".75" stroke="#fff" stroke-width=".4">`+
				`<title>%s: %s at %d, steps %d to %d</title></rect>`,
			x(s.From), up, x(s.To+1)-x(s.From), max(y(s.Offset)-up, 0.5), Colors[i%len(Colors)],
			template.HTMLEscapeString(s.Name), Size(s.Bytes), s.Offset, s.From, s.To)
	}
	p.Line(left, left, top, top+high, ` stroke="#999"`)
	p.Line(left, left+inner, top+high, top+high, ` stroke="#999"`)
	for k := range int64(5) {
		p.Text(left-6, y(m.Arena*k/4)+4, ` class="y"`, Size(m.Arena*k/4))
	}
	p.Text(left, height-8, "", "step 0")
	p.Text(left+inner, height-8, ` class="y"`, fmt.Sprintf("step %d", steps-1))
	return p.End()
}

// Size prints a number of bytes.
func Size(n int64) string {
	switch {
	case n >= 10e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	case n >= 10e3:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}

// TaskTable shows the tasks of a model.
func TaskTable(tasks []compile.TaskInfo) Table {
	t := Table{Head: []string{"task", "class", "weight", "MFLOP", "bytes", "of the FLOPs", "nodes of the first group"}}
	total, groups := 0.0, 0
	for _, k := range tasks {
		total += k.FLOPs * float64(k.Weight)
		groups += k.Weight
	}
	for _, k := range tasks {
		t.Rows = append(t.Rows, []string{
			k.Name, k.Class, fmt.Sprint(k.Weight), OrDash(k.FLOPs > 0, fmt.Sprintf("%.4g", k.FLOPs/1e6)), Size(k.Bytes),
			OrDash(k.FLOPs > 0, fmt.Sprintf("%.1f%%", 100*k.FLOPs*float64(k.Weight)/max(total, 1))), k.Groups[0],
		})
	}
	t.Notes = []string{fmt.Sprintf("%d groups of %d tasks, %.4g GFLOP", groups, len(tasks), total/1e9)}
	if slices.ContainsFunc(tasks, func(k compile.TaskInfo) bool { return k.Plans != nil }) {
		t.Head = append(t.Head, "serves")
		for i, k := range tasks {
			t.Rows[i] = append(t.Rows[i], strings.Join(k.Plans, "; "))
		}
	}
	return t
}

// WorkloadTable shows the workloads of a model.
func WorkloadTable(list []workload.Listing) Table {
	t := Table{Head: []string{"task", "MFLOP", "weight", "workload file"}}
	for _, w := range list {
		t.Rows = append(t.Rows, []string{
			w.Name, fmt.Sprintf("%.4g", w.FLOP/1e6), fmt.Sprint(w.Count), OrDash(w.File != "", w.File),
		})
	}
	return t
}

// PlanTable shows where the values of a model lie in its arena.
func PlanTable(p compile.MemoryPlan) Table {
	t := Table{Head: []string{"value", "bytes", "offset", "first step", "last step"}}
	spans := slices.Clone(p.Spans)
	slices.SortStableFunc(spans, func(a, b *compile.Span) int { return a.From - b.From })
	for _, s := range spans {
		t.Rows = append(t.Rows, []string{
			s.Name, fmt.Sprint(s.Bytes), fmt.Sprint(s.Offset), fmt.Sprint(s.From), fmt.Sprint(s.To),
		})
	}
	ratio := float64(p.Arena) / float64(max(p.Peak, 1))
	t.Notes = []string{fmt.Sprintf("arena of %d bytes, at most %d of them needed at one time (ratio %.3f)", p.Arena,
		p.Peak,
		ratio)}
	for _, k := range p.Plans {
		t.Notes = append(t.Notes, fmt.Sprintf("plan for %s: arena of %d bytes", k.Serves, k.Arena))
	}
	return t
}
