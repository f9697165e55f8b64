// Command wmtune tunes tensor programs: it takes an operator, searches its
// schedules, measures and checks the best ones on this machine, and leaves the
// winner as LLVM IR, an object, a shared library and a header.
//
// This package is the only one that wires the others together, reads flags and
// the environment, and writes to the terminal. It must not hold anything that
// another program would want to call.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"

	"golang.org/x/sys/unix"
)

// A verb is one thing that the command does.
type verb struct {
	name  string
	args  string // after the name in the usage line
	short string // one line
	run   func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

// verbs is the table of what the command does, in the order of its help.
func verbs() []verb {
	return []verb{
		{"search", searchArgs, "tune a workload on this machine", runSearch},
		{"workloads", workloadsArgs, "list what can be tuned, with FLOPs", runWorkloads},
		{"show", showArgs, "show the records of a tuning log", runShow},
		{"replay", replayArgs, "replay, lower and check the records of tuning logs", runReplay},
		{"dataset", datasetArgs, "bring tuning logs in and out, and make training data of them", runDataset},
		{"train", trainArgs, "make models of training data", runTrain},
		{"eval", evalArgs, "judge scorers offline, on what tuning logs hold", runEval},
		{"bench", benchArgs, "measure kernels beside libraries, scorers, and trials a second", runBench},
		{"doctor", "[--quick] [--json]", "say what this machine has, lacks and how noisy it is", runDoctor},
		{"version", "", "print the version", runVersion},
	}
}

// aliases are other names of verbs.
var aliases = map[string]string{"tune": "search"}

// The exit codes, as printUsage lists them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNothing     = 3 // nothing correct was found
	exitInterrupted = 130
)

// A usageError is bad usage of the command: exit code 2.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errNothing means that no correct candidate was found: exit code 3.
var errNothing = errors.New("nothing correct was found")

// errInterrupted means that the user stopped the work and that what was done
// is kept: exit code 130.
var errInterrupted = errors.New("interrupted")

// gcPercent trades memory for time: a search makes tens of thousands of states a
// round, most of which die at once, and a collector that runs less often takes a
// third off its time.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	var info unix.Sysinfo_t
	if os.Getenv("GOMEMLIMIT") == "" && unix.Sysinfo(&info) == nil {
		debug.SetMemoryLimit(int64(info.Totalram * uint64(info.Unit) / 2)) // from there on time is traded for memory
	}
	os.Exit(dispatch(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// A watchedWriter keeps the first error of a writer to which is printed without looking.
type watchedWriter struct {
	io.Writer
	err error
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// dispatch carries out one command line and returns its exit code. That what was asked for could not
// be printed, as on a full disk, is a failure.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &watchedWriter{Writer: &printer{w: stdout}}
	stderr = &printer{w: stderr}
	code := dispatchTo(ctx, args, out, stderr)
	if out.err != nil && code == exitOK {
		fmt.Fprintf(stderr, "wmtune: printing: %v\n", out.err)
		return exitFailed
	}
	return code
}

func dispatchTo(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "worker" {
		return runWorker(args[1:], os.Stdin, os.Stdout, stderr)
	}
	if len(args) == 0 {
		printUsage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		if len(args) > 1 {
			args = append(slices.Clone(args[1:]), "--help")
			break
		}
		printUsage(stdout)
		return exitOK
	case "-version", "--version":
		args = []string{"version"}
	}
	v, rest, ok := findVerb(args)
	if !ok {
		fmt.Fprintf(stderr, "wmtune: unknown command %q; 'wmtune help' lists them\n", args[0])
		return exitUsage
	}
	return exitCode(v, v.run(ctx, rest, stdout, stderr), stderr)
}

// findVerb returns the verb that args begin with, and the arguments after its
// name, which is one word, or two for the verbs of dataset.
func findVerb(args []string) (verb, []string, bool) {
	name := args[0]
	if to, ok := aliases[name]; ok {
		name = to
	}
	if name == "dataset" && len(args) > 1 {
		for _, v := range datasetVerbs() {
			if v.name == "dataset "+args[1] {
				return v, args[2:], true
			}
		}
	}
	for _, v := range verbs() {
		if v.name == name {
			return v, args[1:], true
		}
	}
	return verb{}, nil, false
}

// exitCode says what went wrong, if anything, and returns the code for it.
func exitCode(v verb, err error, stderr io.Writer) int {
	var usage usageError
	switch {
	case err == nil, errors.Is(err, errHelp):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "wmtune %s: %v\nusage: wmtune %s %s ('wmtune %s --help' for more)\n", v.name, err, v.name, v.args, v.name)
		return exitUsage
	case errors.Is(err, errInterrupted):
		fmt.Fprintf(stderr, "wmtune %s: %v\n", v.name, err)
		return exitInterrupted
	case errors.Is(err, errNothing):
		fmt.Fprintf(stderr, "wmtune %s: %v\n", v.name, err)
		return exitNothing
	}
	fmt.Fprintf(stderr, "wmtune %s: %v\n", v.name, err)
	return exitFailed
}

func printUsage(w io.Writer) {
	fmt.Fprint(w, "wmtune tunes tensor programs.\n\nUsage: wmtune COMMAND [arguments]\n\nCommands:\n")
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %-11s %s\n", v.name, v.short)
	}
	fmt.Fprint(w, `
'wmtune COMMAND --help' explains a command and gives examples. Start with:

  wmtune doctor
  wmtune search --workload matmul:m=512,n=512,k=512 --trials 64

Exit codes: 0 done, 1 failed, 2 bad usage, 3 nothing correct found, 130 interrupted (the log is intact).
`)
}

func runVersion(_ context.Context, args []string, stdout, _ io.Writer) error {
	fs := newFlags("version", "", "Version prints the version of wmtune, or the commit that it was built from.", "", stdout)
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "wmtune", version())
	return nil
}

// version returns the module's version, or the commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				v += "-" + s.Value[:12]
			}
		}
	}
	return v
}
