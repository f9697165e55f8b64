package bench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// SetupHint says how the peers come to a machine.
const SetupHint = "make bench-setup"

// A Table is what both the terminal and the page show.
type Table struct {
	Head  []string
	Rows  [][]string
	Notes []string // lines below it
}

// Print writes a table to a terminal.
func (t Table) Print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	tw.Flush()
	if len(t.Notes) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(t.Notes, "\n"))
	}
}

// KernelTable shows rows and their means.
func KernelTable(rows []Row) Table {
	t := Table{Head: []string{"workload", "best peer", "peer us", "ours us", "ratio", "its spread", "noise: peer, ours"}}
	for i := range rows {
		r := &rows[i]
		name := r.Workload
		if r.Heavy() {
			name += " *"
		}
		line := []string{name, "-", "-", "-", "-", "-", "-"}
		noise := []string{"-", "-"}
		if peer := r.BestPeer(); peer != nil {
			line[1], line[2], noise[0] = peer.Name, Micro(peer.Best()), percent(peer.Spread())
		}
		if ours := r.Ours(); ours.OK() {
			line[3], noise[1] = Micro(ours.Best()), percent(ours.Spread())
		}
		if q, ok := r.Ratio(); ok {
			line[4], line[5] = fmt.Sprintf("%.2f", q.Value), fmt.Sprintf("%.2f to %.2f", q.Low, q.High)
		}
		line[6] = strings.Join(noise, ", ")
		t.Rows = append(t.Rows, line)
	}
	heavy, all := Means(rows)
	t.Notes = append([]string{
		"ratio: best peer / ours, above 1 ours is faster; its spread is the 95 % interval of the rounds' median",
		fmt.Sprintf("geometric mean, heavy rows (*: best peer %.0f us or more): %s", HeavySeconds*1e6, heavy),
		fmt.Sprintf("geometric mean, all rows: %s", all),
	}, failures(rows)...)
	return t
}

// String prints a mean and how many rows it is of.
func (m Mean) String() string {
	if m.Rows == 0 {
		return "-"
	}
	if m.Rows < m.Of {
		return fmt.Sprintf("%.2f (%d of %d rows)", m.Value, m.Rows, m.Of)
	}
	return fmt.Sprintf("%.2f (%d rows)", m.Value, m.Rows)
}

// failures says why contenders have no times, once for those that are missing.
func failures(rows []Row) []string {
	var list []string
	missing := map[string]bool{}
	for i := range rows {
		if rows[i].Failure != "" {
			list = append(list, fmt.Sprintf("%s: no kernel of ours: %s", rows[i].Workload, rows[i].Failure))
		}
		for _, t := range rows[i].Times {
			switch {
			case t.Error == "" || t.Missing && missing[t.Name]:
			case t.Missing:
				missing[t.Name] = true
				list = append(list, fmt.Sprintf("%s; '%s' installs the peers", t.Error, SetupHint))
			default:
				list = append(list, fmt.Sprintf("%s: %s", rows[i].Workload, t.Error))
			}
		}
	}
	return list
}

// Micro prints seconds as microseconds with three digits or more.
func Micro(seconds float64) string {
	us := seconds * 1e6
	switch {
	case us == 0:
		return "-"
	case us < 10:
		return fmt.Sprintf("%.2f", us)
	case us < 100:
		return fmt.Sprintf("%.1f", us)
	}
	return fmt.Sprintf("%.0f", us)
}

func percent(x float64) string { return fmt.Sprintf("+%.0f%%", 100*x) }
