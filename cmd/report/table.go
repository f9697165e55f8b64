// Package report shows what a verb found: as tables on a terminal, and as a page with
// charts. A page is one file and needs no network. The package must not compute what it
// shows.
package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

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
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = OneLine(cell)
		}
		fmt.Fprintln(tw, strings.Join(cells, "\t"))
	}
	tw.Flush()
	if len(t.Notes) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(t.Notes, "\n"))
	}
}

// oneLine escapes what would divide a line or a row.
var oneLine = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// OneLine returns a text, such as the name of a tensor, in one line.
func OneLine(text string) string { return oneLine.Replace(text) }

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

// OrDash returns a text, or a dash for a figure that there is not.
func OrDash(known bool, text string) string {
	if known {
		return text
	}
	return "-"
}

func share(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }
