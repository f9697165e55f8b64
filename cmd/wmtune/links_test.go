package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	inLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inText  = regexp.MustCompile(`\bdocs/[A-Za-z0-9_/.-]+\.(?:md|svg|py)(?:#[a-z0-9_-]+)?`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinks: the links of all pages lead to files and headings that exist, and so do the names of pages in the source
// files: comments, help texts and errors.
func TestLinks(t *testing.T) {
	checked := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(e.Name(), ".") && path != root
		if e.IsDir() && (hidden || e.Name() == "wmtune-out" || e.Name() == "bin" || e.Name() == "dist") {
			return filepath.SkipDir
		}
		kind := filepath.Ext(path)
		if e.IsDir() || kind != ".md" && kind != ".go" && kind != ".py" && e.Name() != "Makefile" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		targets := map[string]string{} // what is named, and the file that it means
		for _, name := range inText.FindAllString(string(data), -1) {
			targets[name] = filepath.Join(root, name)
		}
		if kind == ".md" {
			for _, m := range inLink.FindAllStringSubmatch(string(data), -1) {
				if !strings.Contains(m[1], "://") {
					delete(targets, m[1])
					targets[m[1]] = filepath.Join(filepath.Dir(path), m[1])
					if m[1][0] == '#' {
						targets[m[1]] = path + m[1]
					}
				}
			}
		}
		for name, target := range targets {
			checked++
			if err := checkLink(target); err != nil {
				t.Errorf("%s names %s: %v", path, name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 100 {
		t.Errorf("only %d links were found", checked)
	}
}

// checkLink says why a file, or a heading in it, cannot be followed.
func checkLink(target string) error {
	path, anchor, inside := strings.Cut(target, "#")
	if _, err := os.Stat(path); err != nil || !inside {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		if heading := strings.TrimLeft(line, "#"); heading != line && slug(heading) == anchor {
			return nil
		}
	}
	return errors.New("there is no such heading")
}

// slug is the anchor that a Markdown viewer gives a heading.
func slug(heading string) string {
	text := notSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
	return strings.ReplaceAll(text, " ", "-")
}
