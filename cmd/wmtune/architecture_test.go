package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestArchitecture: the folders and files that ARCHITECTURE.md names exist, and the tables that its rows
// name stand in the files that it says.
func TestArchitecture(t *testing.T) {
	data, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := 0
	for _, m := range regexp.MustCompile("`([a-z0-9]+(?:/[A-Za-z0-9_.]+)+)`").FindAllStringSubmatch(string(data), -1) {
		if strings.Contains(m[1], "NAME") {
			continue
		}
		paths++
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	rows := regexp.MustCompile("`([A-Za-z]+)` in `([a-z0-9/_.]+)`").FindAllStringSubmatch(string(data), -1)
	for _, m := range rows {
		if !strings.Contains(m[2], "/") {
			continue // beside the file named before it
		}
		text, err := os.ReadFile(filepath.Join("../..", m[2]))
		if err != nil || !regexp.MustCompile(`\b`+m[1]+`\b`).Match(text) {
			t.Errorf("%s is not in %s: %v", m[1], m[2], err)
		}
	}
	if paths < 40 || len(rows) < 10 {
		t.Errorf("only %d paths and %d rows were looked at", paths, len(rows))
	}
}

// TestArchitectureWalk: the DAG, the state and the program of the matmul are what its workload and steps lead to. A
// "..." on the page stands for any text of a line.
func TestArchitectureWalk(t *testing.T) {
	page, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(begins string) string {
		_, rest, found := strings.Cut(string(page), "\n\n    "+begins)
		if !found {
			t.Fatalf("no block begins with %q", begins)
		}
		text, _, _ := strings.Cut(rest, "\n\n")
		return strings.ReplaceAll(begins+text, "\n    ", "\n") + "\n"
	}
	spec, _, _ := strings.Cut(block("wmtune search --workload "), " --trials")
	w, err := workload.Find(strings.TrimPrefix(spec, "wmtune search --workload "))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schedule.ParseSteps([]byte(block(`[["SP"`)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(w.DAG, steps)
	if err == nil {
		s, err = s.InferBound()
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(s, lower.Config{Target: target.Generic(64, 2), Until: "synchronize"})
	if err != nil {
		t.Fatal(err)
	}
	for begins, got := range map[string]string{
		"x = PLACEHOLDER": w.DAG.String(), "Placeholder: ": s.String(), "func main(": f.String(),
	} {
		want := strings.ReplaceAll(regexp.QuoteMeta(block(begins)), `\.\.\.`, ".*")
		if !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("ARCHITECTURE.md, %q: now\n%s", begins, got)
		}
	}
}
