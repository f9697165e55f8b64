package report

import (
	_ "embed" // page.html
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A Page is what a verb leaves as HTML. It is one file and needs no
// network.
type Page struct {
	Title  string
	Facts  []string // machine, date, command
	Plots  []Plot
	Tables []Table
	Bars   []Bars
	Ranges []Ranges

	Kernels []KernelBar
	Memory  *Memory // may be nil

	Parts []Page // below the rest, each under its title; they have no parts
}

// Write writes the page.
func (p Page) Write(w io.Writer) error { return pageTemplate.Execute(w, p) }

// WriteFile writes the page to a file, which it replaces at once.
func (p Page) WriteFile(path string) error {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o666), renameio.WithTempDir(filepath.Dir(path)))
	if err == nil {
		defer f.Cleanup()
		if err = p.Write(f); err == nil {
			err = f.CloseAtomicallyReplace()
		}
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) { // it names a file beside the page's
		err = e.Err
	}
	if err != nil {
		return fmt.Errorf("page %s cannot be written: %w", path, err)
	}
	return nil
}

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))
