package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wmtune/wmtune/dataset/file"
)

// Contents is what a database holds.
type Contents struct {
	Dir     string `json:"dir"`
	Bytes   int64  `json:"bytes"`
	Logs    int    `json:"logs"`    // tuning logs
	Choices int    `json:"choices"` // schedules that scorers chose
	Objects int    `json:"objects"` // compiled kernels
}

// Contents counts what the database holds.
func (d *Database) Contents() (Contents, error) {
	c := Contents{Dir: d.dir}
	err := d.walk(func(path, kind string, info fs.FileInfo) error {
		c.count(kind, info)
		return nil
	})
	return c, err
}

func (c *Contents) count(kind string, info fs.FileInfo) {
	c.Bytes += info.Size()
	switch kind {
	case "log":
		c.Logs++
	case "choice":
		c.Choices++
	case "object":
		c.Objects++
	}
}

// Clean removes what was last used before a time, and returns how many files and bytes that were.
func (d *Database) Clean(before time.Time) (files int, bytes int64, err error) {
	err = d.walk(func(path, kind string, info fs.FileInfo) error {
		if !info.ModTime().Before(before) {
			return nil
		}
		if kind == "log" {
			if lock, err := file.Open(path); err == nil { // else it is no log, or another process removed it
				defer lock.Close()
				if free, err := file.TryLock(lock); err == nil && !free {
					return nil // a search writes to it
				}
			}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		files++
		bytes += info.Size()
		return nil
	})
	return files, bytes, err
}

// walk calls do for each file of the database. Files that are not the database's are left alone.
func (d *Database) walk(do func(path, kind string, info fs.FileInfo) error) error {
	err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process removed it
		}
		if err != nil || e.IsDir() {
			return err
		}
		kind := kindOf(d.dir, path)
		if kind == "" {
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return do(path, kind, info)
	})
	if err != nil {
		return fmt.Errorf("record database: %w", err)
	}
	return nil
}

// kindOf returns the kind of a file: log, aside, what Put was told, or leftover; "" if it is none of the database's.
func kindOf(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return ""
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	switch {
	case len(parts) == 1 && isLog(rel):
		return "log"
	case len(parts) == 1 && isLog(strings.TrimSuffix(rel, asideEnding)):
		return aside
	case len(parts) == 3 && len(parts[2]) == keyLength && strings.HasPrefix(parts[2], parts[1]):
		return parts[0]
	case len(parts) == 3 && isLeftover(parts[2], parts[1]):
		return leftover
	}
	return ""
}

// isLog reports whether a name is one that Log gives.
func isLog(name string) bool {
	key, ok := strings.CutPrefix(name, logPrefix)
	key, ends := strings.CutSuffix(key, logEnding)
	return ok && ends && len(key) == keyLength/2 && strings.Trim(key, "0123456789abcdef") == ""
}

// ParseAge reads a duration, which may also be in days, such as 30d.
func ParseAge(text string) (time.Duration, error) {
	hours := text
	if number, ok := strings.CutSuffix(text, "d"); ok {
		hours = number + "h"
	}
	age, err := time.ParseDuration(hours)
	days := hours != text
	if err != nil || age < 0 || age > maxAge || days && age > maxAge/24 {
		return 0, fmt.Errorf("%q is not a duration such as 30d or 12h, of a century at most", text)
	}
	if days {
		age *= 24
	}
	return age, nil
}

// maxAge is a century.
const maxAge = 100 * 365 * 24 * time.Hour
