package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestHelp compares the help of every verb with testdata/help.txt, so that a change of words, defaults or flags shows
// as a diff there.
func TestHelp(t *testing.T) {
	names := []string{""}
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	for _, v := range verbs() {
		for _, below := range v.verbs {
			names = append(names, v.name+" "+below.name)
		}
	}
	var got bytes.Buffer
	for _, name := range names {
		var stdout, stderr bytes.Buffer
		code := dispatch(t.Context(), append(strings.Fields(name), "--help"), &stdout, &stderr)
		if code != exitOK || stderr.Len() > 0 {
			t.Errorf("%q --help: exit code %d, %s", name, code, stderr.String())
		}
		fmt.Fprintf(&got, "$ wmtune %s\n%s\n", strings.TrimSpace(name+" --help"), stdout.String())
	}
	path := filepath.Join("testdata", "help.txt")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the help differs from %s; 'go test ./cmd/wmtune -run TestHelp -update' rewrites it", path)
	}
}

// TestFlagTexts: what the help says of a flag has at most 12 words, and what a list of values after a colon adds.
func TestFlagTexts(t *testing.T) {
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			text, _, _ := strings.Cut(f.Usage, ": ")
			if strings.Contains(text, "(default") && f.DefValue != "" {
				t.Errorf("%s --%s: the default stands there twice", cmd.CommandPath(), f.Name)
			}
			text, _, _ = strings.Cut(text, " (default")
			if n := len(strings.Fields(text)); n > 12 || n == 0 {
				t.Errorf("%s --%s: %d words, want 1 to 12: %s", cmd.CommandPath(), f.Name, n, f.Usage)
			}
		})
		for _, below := range cmd.Commands() {
			look(below)
		}
	}
	look(newRoot())
}
