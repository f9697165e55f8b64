// Command lab runs the studies of the laboratory. Each prints tables, and writes a dated page into docs/results:
//
//	go run . bench kernels --trials 64
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/lab/pages"
	"github.com/wmtune/wmtune/tune"
)

// A study is one thing that the laboratory does.
type study struct {
	name    string // as it is called
	args    string // behind the name in the usage line
	what    string
	declare func(fs *pflag.FlagSet) action
}

// An action carries out a study. The arguments are those that are not flags.
type action func(ctx context.Context, args []string, c *console) error

// studies is the table of what the laboratory does.
func studies() []study {
	return []study{
		{"bench kernels", "[flags]", kernelsWhat, declareKernels},
		{"survey", "[flags]", surveyWhat, declareSurvey},
		{"ops", "[flags]", opsWhat, declareOps},
		{"bench models", "MODEL.onnx... [flags]", modelsWhat, declareModels},
		{"bench scorers", "[flags]", scorersWhat, declareScorers},
		{"eval", "LOG|DATASET... [flags]", evalWhat, declareEval},
		{"accelerator", "[flags]", acceleratorWhat, declareAccelerator},
		{"tables", "LOG... [flags]", tablesWhat, declareTables},
		{"autotvm", "ORACLE [flags]", autotvmWhat, declareAutoTVM},
	}
}

func main() {
	machine.WorkerMain()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(dispatch(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// dispatch carries out a command line. It returns the exit code: 0 done, 1 failed, 2 bad usage.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	line := strings.Join(args, " ")
	for _, s := range studies() {
		if line != s.name && !strings.HasPrefix(line, s.name+" ") {
			continue
		}
		fs := pflag.NewFlagSet(s.name, pflag.ContinueOnError)
		fs.SetOutput(io.Discard)
		c := &console{stdout: stdout, stderr: stderr, command: commandLine(args)}
		fs.StringVar(&c.results, "results", "../docs/results", "`folder` for a dated page; none: no page")
		fs.BoolVar(&c.json, "json", false, "one JSON object on standard output in place of tables")
		do := s.declare(fs)
		err := fs.Parse(args[len(strings.Fields(s.name)):])
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprintf(stdout, "Usage: go run . %s %s\n\n%s\n\nFlags:\n%s", s.name, s.args, s.what, fs.FlagUsages())
			return 0
		}
		if err != nil {
			err = usageError{err}
		} else {
			err = do(ctx, fs.Args(), c)
		}
		return c.exitCode(s.name, err)
	}
	to, code := stderr, 2
	if line == "help" || line == "--help" || line == "bench" {
		to, code = stdout, 0
	}
	fmt.Fprint(to, "Usage, in the folder lab of the repository: go run . STUDY [flags]\n\n")
	for _, s := range studies() {
		fmt.Fprintf(to, "  %s %s\n", s.name, s.args)
	}
	fmt.Fprint(to, "\n'go run . STUDY --help' explains a study.\n")
	return code
}

// commandLine is a command as a page shows it: without the folders of files.
func commandLine(args []string) string {
	line := "go run ."
	for _, word := range args {
		flag, path, ok := strings.Cut(word, "=")
		if !ok {
			flag, path = "", word
		}
		if strings.Contains(path, "/") {
			word = strings.TrimPrefix(flag+"="+filepath.Base(path), "=")
		}
		line += " " + word
	}
	return line
}

// A usageError is bad usage of the command.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// A console is where a study tells how it goes on and prints what it found.
type console struct {
	stdout, stderr io.Writer
	command        string // the command line
	results        string // folder of dated pages; "none": there is none
	json           bool
	shown          time.Time // when a line was written last
}

// exitCode says what went wrong, if anything, and returns the code for it.
func (c *console) exitCode(study string, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(c.stderr, "lab %s: %v\n", study, err)
	var usage usageError
	var option *tune.OptionError
	if errors.As(err, &usage) || errors.As(err, &option) {
		return 2
	}
	return 1
}

// say writes a line.
func (c *console) say(text string) {
	fmt.Fprintln(c.stderr, text)
	c.shown = time.Now()
}

// show writes a line about what is going on, unless another was written a moment ago.
func (c *console) show(text string) {
	if time.Since(c.shown) > 10*time.Second {
		c.say(text)
	}
}

// finish prints a value as JSON or the tables of its page, and writes the page.
func (c *console) finish(name string, value any, p pages.Page) error {
	p.Facts = append([]string{time.Now().UTC().Format("2006-01-02 15:04 MST") + ", wmtune " + tune.Version(), c.command},
		p.Facts...)
	if c.json {
		if err := json.NewEncoder(c.stdout).Encode(value); err != nil {
			return err
		}
	} else {
		p.Print(c.stdout)
	}
	if c.results == "none" || c.results == "" {
		return nil
	}
	path, err := p.Write(c.results, name, time.Now())
	if err == nil {
		c.say("page: " + path)
	}
	return err
}

// machineOptions are those of a machine whose libraries environment variables name, as those of wmtune do.
func machineOptions() machine.Options {
	return machine.Options{Libraries: machine.Libraries{
		LLVM: os.Getenv("WMTUNE_LLVM"), NVRTC: os.Getenv("WMTUNE_NVRTC"), CUDA: os.Getenv("WMTUNE_CUDA"),
		XGBoost: os.Getenv("WMTUNE_XGBOOST"),
	}}
}
