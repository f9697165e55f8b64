// Package pages shows what the laboratory finds: as tables on a terminal, and as dated pages in Markdown with pictures.
// It must not compute what it shows.
package pages

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/cmd/report"
)

// A Page is what a study leaves.
type Page struct {
	Title    string
	Facts    []string // machine, date, command
	Tables   []report.Table
	Pictures []Picture
}

// A Picture is a drawing.
type Picture struct {
	Name string // behind that of its page; may be ""
	SVG  string
}

// Print writes the tables to a terminal.
func (p Page) Print(w io.Writer) {
	for _, t := range p.Tables {
		t.Print(w)
		fmt.Fprintln(w)
	}
}

// Write writes the page of a day into a folder, its pictures beside it. It returns the path of the page.
func (p Page) Write(dir, name string, day time.Time) (string, error) {
	stem := name + "-" + day.UTC().Format(time.DateOnly)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", p.Title)
	for _, f := range p.Facts {
		fmt.Fprintf(&b, "- %s\n", f)
	}
	for _, t := range p.Tables {
		fmt.Fprintf(&b, "\n%s", markdown(t))
	}
	for _, pic := range p.Pictures {
		file := strings.TrimSuffix(stem+"-"+pic.Name, "-") + ".svg"
		fmt.Fprintf(&b, "\n![%s](%s)\n", p.Title, file)
		if err := renameio.WriteFile(filepath.Join(dir, file), []byte(pic.SVG), 0o644); err != nil {
			return "", err
		}
	}
	path := filepath.Join(dir, stem+".md")
	return path, renameio.WriteFile(path, []byte(b.String()), 0o644)
}

// markdown returns a table as Markdown, with its notes as a list.
func markdown(t report.Table) string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.Head)
	line(slices.Repeat([]string{"---"}, len(t.Head)))
	for _, row := range t.Rows {
		line(row)
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	return b.String()
}
