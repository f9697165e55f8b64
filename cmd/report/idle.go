package report

import (
	"fmt"
	"path/filepath"

	"github.com/wmtune/wmtune/graph/compile"
)

// IdleTable shows the share of their time in which threads have nothing to do, kernel by kernel.
func IdleTable(p *compile.IdlePlan) Table {
	t := Table{Head: []string{"kernel", "calls", "part"}}
	all := []string{"the model", "", ""}
	if !p.Compiled {
		t.Head, all = append(t.Head, "chunks"), append(all, "")
	}
	for i, n := range p.Threads {
		t.Head = append(t.Head, fmt.Sprintf("%d threads", n))
		all = append(all, share(p.Idle[i]))
	}
	for _, k := range p.Kernels {
		row := []string{k.Name, fmt.Sprint(k.Count), share(k.Part)}
		if !p.Compiled {
			row = append(row, fmt.Sprint(k.Chunks[0]))
		}
		for i := range p.Threads {
			cell := share(k.Idle[i])
			if p.Compiled {
				cell += fmt.Sprintf(" of %d", k.Chunks[i])
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, all)
	t.Notes = []string{"shares of the threads' time in which they have no part of a loop; part: of the time on one " +
		"thread; by an estimate: nothing was run"}
	if p.Compiled {
		t.Notes = append(t.Notes, "of N: iterations of the loop that threads divide, in a bundle for that many threads")
	}
	return t
}

// IdlePage is IdleTable as a page. The bars are what each kernel adds to the idle share of the model at the largest
// number of threads.
func IdlePage(p *compile.IdlePlan) Page {
	last := len(p.Threads) - 1
	page := Page{
		Title:  "Idle threads of " + filepath.Base(p.Model),
		Facts:  []string{p.Target, "planned by how kernels divide their work; nothing was run"},
		Tables: []Table{IdleTable(p)},
	}
	for _, k := range p.Kernels {
		page.Kernels = append(page.Kernels, KernelBar{
			Name: k.Name, Time: fmt.Sprintf("%.1f%%", 100*k.Lost[last]), Part: 100 * k.Lost[last],
			Says: fmt.Sprintf("%d calls, %d chunks; at %d threads %s idle, which is %.1f%% of the time of all threads",
				k.Count, k.Chunks[last], p.Threads[last], share(k.Idle[last]), 100*k.Lost[last]),
			Program: p.Program(k.Name),
		})
	}
	return page
}
