package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
)

// An importedFile is what became of one file.
type importedFile struct {
	File      string         `json:"file"`
	Log       string         `json:"log"`
	Lines     int            `json:"lines"`
	Records   int            `json:"records"`
	Status    map[string]int `json:"status"`
	Unknown   map[string]int `json:"unknown"`   // lines by the hash of a workload that is not known
	Malformed int            `json:"malformed"` // lines
	Error     string         `json:"error"`     // why the file could not be read to its end; "" if it was

	counts dataset.StatusCounts
	said   int // bad lines that were printed
	unsaid int // and that were not
}

func (f *importedFile) add(s measure.Status) {
	f.Records++
	f.counts[s]++
	f.Status[s.String()]++
}

func (f *importedFile) unknown() int {
	n := 0
	for _, c := range f.Unknown {
		n += c
	}
	return n
}

// An importSummary is the result of an import, for --json. Names may be added,
// never changed.
type importSummary struct {
	Files          []*importedFile `json:"files"`
	Lines          int             `json:"lines"`
	Records        int             `json:"records"`
	Status         map[string]int  `json:"status"`
	Unknown        map[string]int  `json:"unknown"`
	Malformed      int             `json:"malformed"`
	Seconds        float64         `json:"seconds"`
	LinesPerSecond float64         `json:"lines_per_second"`

	counts dataset.StatusCounts
}

func (im *importing) summary() *importSummary {
	s := &importSummary{Files: im.files, Status: map[string]int{}, Unknown: map[string]int{}, Seconds: time.Since(im.started).Seconds()}
	for _, f := range im.files {
		s.Lines += f.Lines
		s.Records += f.Records
		s.Malformed += f.Malformed
		for hash, n := range f.Unknown {
			s.Unknown[hash] += n
		}
		for status, n := range f.counts {
			s.counts[status] += n
		}
	}
	for _, c := range s.counts.List() {
		s.Status[c.Status.String()] = c.Count
	}
	s.LinesPerSecond = float64(s.Lines) / s.Seconds
	return s
}

func (im *importing) print(w io.Writer) error {
	s := im.summary()
	if im.importCommand.json {
		return json.NewEncoder(w).Encode(s)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := []string{"file", "lines", "records"}
	var statuses []measure.Status
	for _, c := range s.counts.List() {
		statuses = append(statuses, c.Status)
		head = append(head, c.Status.String())
	}
	fmt.Fprintln(t, strings.Join(append(head, "unknown", "malformed", "log"), "\t"))
	row := func(name string, lines, records int, counts dataset.StatusCounts, unknown, malformed int, log string) {
		cells := []string{name, strconv.Itoa(lines), strconv.Itoa(records)}
		for _, st := range statuses {
			cells = append(cells, strconv.Itoa(counts[st]))
		}
		fmt.Fprintln(t, strings.Join(append(cells, strconv.Itoa(unknown), strconv.Itoa(malformed), log), "\t"))
	}
	unknown := 0
	for _, f := range s.Files {
		row(filepath.Base(f.File), f.Lines, f.Records, f.counts, f.unknown(), f.Malformed, f.Log)
		unknown += f.unknown()
	}
	if len(s.Files) > 1 {
		row("all", s.Lines, s.Records, s.counts, unknown, s.Malformed, "")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, hash := range slices.Sorted(maps.Keys(s.Unknown)) {
		fmt.Fprintf(w, "unknown workload %s: %s left out; only its author can say what it computes\n", hash, count(s.Unknown[hash], "line"))
	}
	_, err := fmt.Fprintf(w, "%.1f s, %.0f lines a second\n", s.Seconds, s.LinesPerSecond)
	return err
}

// verdict says whether the import failed after all: a file that could not be read
// to its end, or that holds no record.
func (im *importing) verdict() error {
	var errs []error
	for _, f := range im.files {
		switch {
		case f.Error != "":
			errs = append(errs, errors.New(f.Error))
		case f.Records == 0:
			errs = append(errs, fmt.Errorf("%s: none of its %s is a record", f.File, count(f.Lines, "line")))
		}
	}
	return errors.Join(errs...)
}
