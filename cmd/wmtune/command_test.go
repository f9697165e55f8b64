package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
)

// TestLongFlags: a flag may have one dash. What looks like a flag and is the value of one stays as it is.
func TestLongFlags(t *testing.T) {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.Int("trials", 0, "")
	fs.String("out", "", "")
	fs.Bool("json", false, "")
	for given, want := range map[string]string{
		"-trials 64 -json x":       "--trials 64 --json x",
		"-trials=64 --json":        "--trials=64 --json",
		"--out -json -json":        "--out -json --json",
		"-out=-json a - -h":        "--out=-json a - --help",
		"--json -- -json":          "--json -- -json",
		"-nonsense 3 -- -trials":   "--nonsense 3 -- -trials",
		"-o dir -o=dir -q -v -x=3": "--out dir --out=dir -q -v -x=3",
		"--o dir --out -o -o":      "--out dir --out -o --out",
		"--trials -1 x --json=no":  "--trials -1 x --json=no",
	} {
		if got := longFlags(fs, strings.Fields(given)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", given, got, want)
		}
	}
}

// TestUsageErrors: bad usage names what is wrong, where help is, and has the exit code 2.
func TestUsageErrors(t *testing.T) {
	for args, want := range map[string]string{
		"serach":                             `wmtune: unknown command "serach"; did you mean "search"?; 'wmtune help' lists the commands` + "\n",
		"serach --trials 4":                  `unknown command "serach"; did you mean "search"?`,
		"help serach":                        `unknown command "serach"; did you mean "search"?`,
		"nonsense":                           `wmtune: unknown command "nonsense"; 'wmtune help' lists the commands` + "\n",
		"man":                                `wmtune: unknown command "man"; 'wmtune help' lists the commands` + "\n",
		"compil a.onnx":                      `unknown command "compil"; did you mean "compile"?`,
		"tun":                                `unknown command "tun"; did you mean "run"?`,
		"search -v":                          "wmtune search: unknown flag -v\n",
		"search -x=3":                        "wmtune search: unknown flag -x\n",
		"version -o a":                       "wmtune version: unknown flag -o\n",
		"version -q":                         "wmtune version: unknown flag -q\n",
		"compile a.onnx --flush-denormal":    "unknown flag --flush-denormal; did you mean --flush-denormals?\n",
		"run a --thread 2":                   "unknown flag --thread; did you mean --threads?\n",
		"search -o":                          "--out needs a value",
		"--nonsense":                         "wmtune: unknown flag --nonsense; 'wmtune help' lists the commands\n",
		"--":                                 "wmtune: name a command; 'wmtune help' lists the commands\n",
		"search --trails 4":                  "wmtune search: unknown flag --trails; did you mean --trials?\nusage: wmtune search [--workload",
		"tune -trails 4":                     "wmtune search: unknown flag --trails; did you mean --trials?\nusage: wmtune search [--workload",
		"search -trials many":                `--trials "many": must be a whole number` + "\n",
		"search --seed -1":                   `--seed "-1": must be a whole number that is not negative`,
		"search --time 10":                   `--time "10": must be a duration, such as 90s, 10m or 1h30m`,
		"search --trials 0 --html p.html":    "--html shows measured candidates: leave out --trials 0",
		"search --trials 1e3":                `--trials "1e3": must be a whole number`,
		"search --seed 99999999999999999999": `--seed "99999999999999999999": the number is too large`,
		"search --json=yes":                  `--json "yes": must be true or false`,
		"search extra --trials":              "--trials needs a value",
		"search --warm a.arrow b.arrow":      "--pretrain needs --scorer gbt", // by its former name
		"search -local --scorer world":       "wmtune search: --local is gone: the correction made no search faster; leave it out\n",
		"serve-scorer --online":              "--online is gone: ",
		"train all --masked 9":               "--masked is gone: ",
		"train ranker --variant z0":          "--variant is gone: ",
		"train diagnose":                     "diagnose is gone: ",
		"search extra":                       `unexpected argument "extra"`,
		"workloads a b --json":               `unexpected argument "b"`,
		"doctor now":                         `unexpected argument "now"`,
		"version --quick":                    "('wmtune version --help' for more)",
		"dataset imprt x":                    `unknown command "imprt": known are import, export`,
		"worker":                             "wmtune:",
		"search --jobs -1":                   "--jobs -1: must not be negative",
		"search --time -1s":                  "--time -1s: must not be negative",
		"run a --threads 257":                "--threads 257: must be from 0 to 256",
		"profile a --threads 300":            "--threads 300: must be from 0 to 256",
		"compile a.onnx --threads 300":       "--threads 300: must be from 0 to 256",
		"run a --repeat 1000001":             "--repeat 1000001: must be from 1 to 1000000",

		"compile a.onnx --scorer random --model m":  "--model needs --scorer world, not random",
		"search --scorer gbt --model m":             "--model needs --scorer world, not gbt",
		"serve-scorer --scorer gbt --model m":       "--model needs --scorer world, not gbt",
		"compile a.onnx --skip-pass infer,nosuch":   `--skip-pass: no pass is called "nosuch": there are `,
		"show a.onnx --as tasks --skip-pass nosuch": `--skip-pass: no pass is called "nosuch": there are `,
		"dataset merge x --json --out":              "--out needs a value",
	} {
		var stdout, stderr bytes.Buffer
		code := dispatch(t.Context(), strings.Fields(args), &stdout, &stderr)
		if code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d\n%s%swant in it: %s", args, code, stdout.String(), stderr.String(), want)
		}
	}
}

// TestFilesFirst: a file that could not be written when the work is done is found before the work, which needs more.
func TestFilesFirst(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain.md")
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(t.TempDir(), "no", "p.html")
	for args, want := range map[string]string{
		"eval absent.arrow --html " + nowhere:         "--html: " + nowhere + " cannot be written: no such file",
		"eval absent.arrow --html " + t.TempDir():     "cannot be written: is a directory",
		"eval absent.arrow --html " + plain + "/p":    "cannot be written: not a directory",
		"profile absent --html " + nowhere:            "--html: " + nowhere + " cannot be written",
		"dataset info absent.arrow --html " + nowhere: "--html: " + nowhere + " cannot be written",
	} {
		code, stdout, stderr := inProcess(t, strings.Fields(args)...)
		if code != exitFailed || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d\n%s%swant in it: %s", args, code, stdout, stderr, want)
		}
	}
}

// TestPrintPage: what was found is printed, even if the page cannot be written.
func TestPrintPage(t *testing.T) {
	page := report.Page{Tables: []report.Table{{Head: []string{"column"}}}}
	nowhere := filepath.Join(t.TempDir(), "no", "p.html")
	for asJSON, want := range map[bool]string{false: "column", true: `"value"`} {
		var out bytes.Buffer
		if err := printPage(&out, asJSON, "value", page, nowhere); err == nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: printed %q, want %s", err, out.String(), want)
		}
	}
}

// TestSpellings: flags may follow arguments and have one dash; verbs have other names.
func TestSpellings(t *testing.T) {
	for args, want := range map[string]string{
		"workloads paper22 -json":      `{"name":"paper22/r3d-t1"`,
		"workloads -json=true paper22": `{"name":"paper22/r3d-t1"`,
		"tune -h":                      "Usage: wmtune search ",
		"help tune":                    "Usage: wmtune search ",
		"help dataset import":          "Usage: wmtune dataset import ",
		"dataset help":                 "",
		"dataset import -help":         "Usage: wmtune dataset import ",
		"search x y --help":            "Usage: wmtune search ",
		"--help search":                "Usage: wmtune search ",
		"help":                         "Usage: wmtune COMMAND",
		"-h":                           "Usage: wmtune COMMAND",
		"-help":                        "Usage: wmtune COMMAND",
		"-version":                     "wmtune ",
		"-v":                           "wmtune ",
		"version --json":               `{"commit":"`,
		"--version":                    "wmtune ",
	} {
		var stdout, stderr bytes.Buffer
		code := dispatch(t.Context(), strings.Fields(args), &stdout, &stderr)
		if wantCode := map[bool]int{true: exitUsage}[want == ""]; code != wantCode || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: exit code %d\n%.300s\n%s\nwant in it: %s", args, code, stdout.String(), stderr.String(), want)
		}
	}
}
