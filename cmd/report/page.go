package report

import (
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
	Tables []Table
	Bars   []Bars
	Ranges []Ranges

	Kernels []KernelBar
	Memory  *Memory // may be nil
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

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<style>
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 82em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1.5em 0 }
th, td { padding: .2em .8em; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
svg { margin: .5em .5em .5em 0 } svg text { font: 11px system-ui, sans-serif; fill: #555 }
svg .t { font-weight: 600; fill: #222 } svg .y { text-anchor: end } svg .g { stroke: #e5e5e5 }
summary { cursor: pointer; display: grid; grid-template-columns: 24em 1fr 7em; gap: .6em; padding: .1em 0 }
.bar { background: #0072b2; height: 1em; align-self: center } .time { text-align: right }
pre { overflow-x: auto; background: #f6f6f6; padding: .8em; font-size: 12px }
</style></head><body>
<h1>{{.Title}}</h1>
<p>{{range .Facts}}{{.}}<br>{{end}}</p>
{{range .Tables}}<table><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table>
<p>{{range .Notes}}{{.}}<br>{{end}}</p>
{{end}}{{if .Kernels}}<h2>Kernels: click one for its program</h2>
{{range .Kernels}}<details><summary><span>{{.Name}}</span><span><span class="bar" style="display: block; width: {{printf "%.2f" .Part}}%"></span></span>
<span class="time">{{.Time}}</span></summary><p>{{.Says}}</p><pre>{{.Program}}</pre></details>
{{end}}{{end}}{{with .Memory}}<h2>{{.Title}}</h2>
{{.SVG}}
{{end}}{{range .Bars}}<h2>{{.Title}}</h2>
{{.SVG}}
{{end}}{{range .Ranges}}<h2>{{.Title}}</h2>
{{.SVG}}
{{end}}</body></html>
`))
