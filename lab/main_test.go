package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/graph/rivals/rivalstest"
	"github.com/wmtune/wmtune/lab/pages"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/scorerservice"
)

// TestMain lets the test binary be the laboratory itself, its workers, a peer, or a scorer.
func TestMain(m *testing.M) {
	machine.WorkerMain()
	if rivalstest.Main() {
		return
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "randomscorer":
			serve(search.Random{})
			return
		case "dyingscorer":
			serve(dying{})
			return
		case "autotvm", "bench", "eval", "help", "ops", "survey", "tables":
			os.Exit(dispatch(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
		}
	}
	os.Exit(m.Run())
}

func serve(s search.Scorer) {
	scorerservice.Serve(context.Background(), os.Stdin, os.Stdout, scorerservice.Options{
		Open: func(target.Kind, func(string)) (search.Scorer, error) { return s, nil },
	})
}

type dying struct{ search.Random }

func (dying) Score(context.Context, *search.Task, []*schedule.State) ([]float64, error) {
	os.Exit(7)
	return nil, nil
}

// start begins a command of the laboratory in a process of its own, with no page in docs.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd = exec.Command(self, append(args, "--results", "none")...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, stdout, stderr
}

// lab runs a command of the laboratory.
func lab(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd, out, said := start(t, args...)
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}

func needXGBoost(t *testing.T) {
	t.Helper()
	_, err := xgboost.Load("")
	switch {
	case err == nil:
	case os.Getenv("CI") == "" && errors.Is(err, xgboost.ErrMissing):
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// TestHelp: each study is listed and explains its flags; no other word is one.
func TestHelp(t *testing.T) {
	var out, failed bytes.Buffer
	if code := dispatch(t.Context(), []string{"help"}, &out, &failed); code != 0 || failed.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &failed)
	}
	for _, s := range studies() {
		if !strings.Contains(out.String(), s.name+" "+s.args+"\n") {
			t.Errorf("%s is not in\n%s", s.name, &out)
		}
		var help bytes.Buffer
		code := dispatch(t.Context(), append(strings.Fields(s.name), "--help"), &help, &failed)
		if code != 0 || !strings.Contains(help.String(), "--results folder") {
			t.Errorf("%s: exit code %d\n%s", s.name, code, &help)
		}
	}
	if code := dispatch(t.Context(), []string{"bench", "noise"}, &out, &failed); code != 2 || failed.Len() == 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestCommandLine: a page names no folder of a machine.
func TestCommandLine(t *testing.T) {
	got := commandLine([]string{"eval", "/data/a.arrow", "--scorers=random,mine=/my/model", "--jobs", "2"})
	if want := "go run . eval a.arrow --scorers=model --jobs 2"; got != want {
		t.Errorf("%s", got)
	}
}

// TestFinish: the page has the day in its name, and says the command and what was found.
func TestFinish(t *testing.T) {
	var out, said bytes.Buffer
	dir := t.TempDir()
	c := &console{stdout: &out, stderr: &said, command: "go run . bench x", results: dir}
	if err := c.finish("x", 1, pages.Page{Title: "X", Pictures: []pages.Picture{{Name: "y", SVG: "<svg/>"}}}); err != nil {
		t.Fatal(err)
	}
	stem := "x-" + time.Now().UTC().Format(time.DateOnly)
	text, err := os.ReadFile(filepath.Join(dir, stem+".md"))
	if want := fmt.Sprintf("\n![X](%s-y.svg)\n", stem); err != nil || !strings.Contains(string(text), want) ||
		!strings.HasPrefix(string(text), "# X\n\n- ") || !strings.Contains(string(text), "\n- go run . bench x\n") {
		t.Errorf("%v\n%s", err, text)
	}
}
