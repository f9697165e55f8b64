package database

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/file"
)

// A Check is what Verify found.
type Check struct {
	Contents
	Records int      `json:"records"` // in the tuning logs
	Damage  []string `json:"damage"`  // what no reader uses, a sentence each
}

// Verify reads everything in the database, and says what is damaged: what a killed process left unfinished, what
// changed since, and what is no file. It changes nothing: readers skip what is damaged.
func (d *Database) Verify() (Check, error) {
	c := Check{Damage: []string{}}
	if d.shared != nil {
		c.Damage = append(c.Damage, d.shared.Error())
	}
	err := d.walk(func(path, kind string, info fs.FileInfo) error {
		c.count(kind, info)
		damage := func(format string, args ...any) { c.Damage = append(c.Damage, fmt.Sprintf(format, args...)) }
		switch kind {
		case "log":
			list, warnings, err := dataset.ReadLog(path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil // another process removed it
			}
			if err != nil {
				damage("%v", err)
			}
			c.Records += len(list)
			for _, w := range warnings {
				damage("%s", w)
			}
		case leftover:
			damage("%s: a process ended while it wrote this file; nothing reads it", path)
		case aside:
			damage("%s: a damaged log that was set aside; nothing reads it", path)
		default:
			data, err := file.Read(path, maxKept)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil // another process removed it
			case err != nil:
				damage("%v; nothing reads it", err)
			case body(data) == nil:
				damage("%s: its checksum is wrong; it will be made again", path)
			}
		}
		return nil
	})
	c.Dir = d.dir
	return c, err
}

const (
	leftover = "unfinished" // the kind of a file that Put left unfinished
	aside    = "aside"      // the kind of a log that SetAside renamed
)

// isLeftover reports whether a name is one of those under which renameio writes a file of a key.
func isLeftover(name, prefix string) bool {
	ok, _ := filepath.Match("."+prefix+"*", name)
	return ok && len(name) > 1+keyLength
}
