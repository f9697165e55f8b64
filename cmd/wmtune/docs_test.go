package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inDocs finds a command of wmtune in a line of a page: a line of code, or code within a text.
var inDocs = regexp.MustCompile("(?:^ {4}(?:\\$ )?|`)(?:\\./bin/)?wmtune ([a-z][^`]*)")

// conflict finds the lines that git writes where a merge needs a person.
var conflict = regexp.MustCompile("^(<<<<<<<|>>>>>>>)( |$)")

// TestDocsCommands: each command in the pages for users is one, and has the flags that the page gives it. No page has lines that
// a merge left.
func TestDocsCommands(t *testing.T) {
	pages := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"}
	found, err := filepath.Glob("../../docs/[dm]*/*.md") // design and manual; docs/results has commands of its dates
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		found = append(found, filepath.Join("../..", page))
	}
	commands, flags := 0, 0
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// A command may go on in the next line of a text.
		text := regexp.MustCompile("(`[^`\n]*)\n *([^`\n]*`)").ReplaceAllString(string(data), "$1 $2")
		for number, line := range strings.Split(text, "\n") {
			if conflict.MatchString(line) {
				t.Errorf("%s, about line %d: a merge was not finished: %s", path, number+1, line)
			}
			for _, m := range inDocs.FindAllStringSubmatch(line, -1) {
				command, _, _ := strings.Cut(m[1], " #")
				args := strings.Fields(strings.NewReplacer("|", " ", ";", " ", "[", "", "]", "", "...", "").Replace(command))
				n, err := checkCommand(args)
				if err != "" {
					t.Errorf("%s, about line %d: wmtune %s: %s", path, number+1, command, err)
				}
				commands++
				flags += n
			}
		}
	}
	if commands < 100 || flags < 100 {
		t.Errorf("only %d commands with %d flags were found", commands, flags)
	}
}

// checkCommand says what is wrong with a command, and counts its flags.
func checkCommand(args []string) (flags int, wrong string) {
	root := newRoot()
	if args[0] == "worker" { // hidden
		return 0, ""
	}
	cmd, _, err := root.Find(args)
	if err != nil || cmd == root {
		return 0, "there is no such command"
	}
	for _, word := range args {
		name, ok := strings.CutPrefix(word, "--")
		if name, _, _ = strings.Cut(name, "="); !ok || name == "" || name == "help" {
			continue
		}
		name = strings.TrimRight(name, ",.:)")
		if flags++; cmd.Flags().Lookup(name) == nil && oldNames[name] == "" {
			return flags, "there is no flag --" + name
		}
	}
	return flags, ""
}
