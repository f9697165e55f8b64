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
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/tir/spell"
	"github.com/wmtune/wmtune/tune"
)

// verbs is the table of what the command does, in the order of its help.
func verbs() []verb {
	return []verb{
		{"compile", compileArgs, 1, "make a verified library of a whole ONNX model", compileWhat, compileExamples,
			declareCompile, nil},
		{"run", runArgs, 1, "run a bundle of compile, and time it", runWhat, runExamples, declareRun, nil},
		{"profile", profileArgs, 1, "time each kernel of a bundle", profileWhat, profileExamples, declareProfile, nil},
		{"search", searchArgs, -1, "search for a fast kernel of a workload on this machine", searchWhat, searchExamples,
			declareSearch, nil},
		{"workloads", workloadsArgs, 1, "list the workloads that can be tuned, with FLOPs", workloadsWhat, workloadsExamples,
			declareWorkloads, nil},
		{"show", showArgs, -1, "show the records of tuning logs", showWhat, showExamples, declareShow, nil},
		{"replay", replayArgs, -1, "replay, lower and check the records of tuning logs", replayWhat, replayExamples,
			declareReplay, nil},
		{"dataset", datasetArgs, -1, "import and export tuning logs, and build training data from them", datasetWhat(),
			datasetExamples, declareDataset, datasetVerbs()},
		{"train", trainArgs, -1, "train models on datasets", trainWhat, trainExamples, declareTrain, nil},
		{"eval", evalArgs, -1, "evaluate scorers offline, on the records of tuning logs", evalWhat, evalExamples,
			declareEval, nil},
		{"bench", benchArgs, -1, "time whole models beside other libraries", benchWhat, benchExamples, declareBench, nil},
		{"database", databaseArgs, -1, "show, verify and clean the record database of compile", databaseWhat,
			databaseExamples, declareDatabase, databaseVerbs()},
		{"serve-scorer", serveScorerArgs, 0, "rank the candidates of another program's tuner", serveScorerWhat,
			serveScorerExamples, declareServeScorer, nil},
		{"doctor", "[--quick] [--json]", 0, "report this machine's hardware, libraries and timing noise", doctorWhat,
			doctorExamples, declareDoctor, nil},
		{"completion", completionArgs, 1, "print a completion script for a shell", completionWhat, completionExamples,
			declareCompletion, nil},
		{"version", "[--json]", 0, "print the version", versionWhat, "", declareVersion, nil},
	}
}

// aliases are other names of verbs.
var aliases = map[string][]string{"search": {"tune"}}

// The exit codes, as printUsage lists them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNothing     = 3 // nothing correct was found, or a tuned result is missing
	exitInterrupted = 130
)

// A usageError is bad usage of the command: exit code 2.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errNothing means that no correct candidate was found: exit code 3.
var errNothing = errors.New("nothing correct was found")

// errInterrupted means that the user stopped the work; finished work is kept: exit
// code 130.
var errInterrupted = errors.New("interrupted")

// gcPercent trades memory for time: a search makes tens of thousands of states a
// round, most of which die at once, and a collector that runs less often takes a
// third off its time.
const gcPercent = 400

// manyStages is the number of stages above which GOGC falls: states grow with the stages, and four times as much
// garbage as states would fill the memory.
const manyStages = 50

// spareGarbage lowers the share of garbage for a workload of many stages.
func spareGarbage(stages int) {
	if stages > manyStages {
		setGOGC(max(gcPercent*manyStages/stages, 60))
	}
}

// setGOGC sets GOGC to percent unless the user set it.
func setGOGC(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

func main() {
	setGOGC(gcPercent)
	var info unix.Sysinfo_t
	if os.Getenv("GOMEMLIMIT") == "" && unix.Sysinfo(&info) == nil {
		debug.SetMemoryLimit(int64(info.Totalram * uint64(info.Unit) / 2)) // from there on time is traded for memory
	}
	os.Exit(dispatch(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// A watchedWriter keeps the first error of a writer whose callers ignore errors.
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

// dispatch runs one command line and returns its exit code. A failed write to standard output, as on a full disk, is an
// error.
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
	keepFromChildren()
	if len(args) == 0 {
		printUsage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		args = append(slices.Clone(args[1:]), "--help")
	case "-v", "-version", "--version":
		args = []string{"version"}
	}
	cmd, err := execute(ctx, newRoot(), args, stdout, stderr)
	return exitCode(cmd, err, stderr)
}

// keepFromChildren closes what the caller has open when a scorer or a worker starts: it is none of theirs.
func keepFromChildren() {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// newRoot returns the command with all its verbs.
func newRoot() *cobra.Command {
	root := verb{name: "wmtune", most: -1, verbs: verbs(), declare: func(*pflag.FlagSet) action {
		return func(context.Context, []string, io.Writer, io.Writer) error {
			return usagef("name a command")
		}
	}}.command()
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printUsage(cmd.OutOrStdout()) })
	return root
}

// execute carries out the verb that args begin with. It returns the verb's command, too.
func execute(
	ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer,
) (*cobra.Command, error) {
	// The shell calls that command when Tab is pressed.
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		cmd, rest, err := root.Find(args)
		if err != nil {
			return root, unknownCommand(root, args[0])
		}
		args = append(strings.Fields(cmd.CommandPath())[1:], longFlags(cmd.Flags(), rest)...)
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContextC(ctx)
}

// unknownCommand returns the error for an unknown verb, with similar names.
func unknownCommand(root *cobra.Command, name string) error {
	var known []string
	for _, c := range root.Commands() {
		known = append(append(known, c.Name()), c.Aliases...)
	}
	return usagef("unknown command %q%s", name, spell.Hint(name, known))
}

// exitCode prints an error, if there is one, and returns its code.
func exitCode(cmd *cobra.Command, err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	more := ""
	if !cmd.HasParent() {
		more = "; 'wmtune help' lists the commands"
	}
	fmt.Fprintf(stderr, "%s: %v%s\n", cmd.CommandPath(), err, more)
	var usage usageError
	var option *tune.OptionError
	switch {
	case errors.As(err, &usage), errors.As(err, &option):
		if cmd.HasParent() {
			fmt.Fprintf(stderr, "usage: %s ('%s --help' for more)\n", cmd.UseLine(), cmd.CommandPath())
		}
		return exitUsage
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, errNothing), errors.Is(err, compile.ErrNotTuned):
		return exitNothing
	}
	return exitFailed
}

func printUsage(w io.Writer) {
	fmt.Fprint(w, "wmtune tunes tensor programs.\n\nUsage: wmtune COMMAND [arguments]\n\nCommands:\n")
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %-12s %s\n", v.name, v.short)
	}
	fmt.Fprint(w, `
'wmtune COMMAND --help' explains a command with examples. Start with:

  wmtune doctor
  wmtune search --workload matmul:m=512,n=512,k=512 --trials 64

Exit codes: 0 done, 1 failed, 2 bad usage, 3 nothing correct found, 130 interrupted (the log is intact).
`)
}

const versionWhat = "Version prints the version of wmtune, and the commit of a build in a checkout."

func declareVersion(fs *pflag.FlagSet) action {
	asJSON := fs.Bool("json", false, "one JSON object: version, commit, go, system")
	return func(_ context.Context, _ []string, stdout, _ io.Writer) error {
		if !*asJSON {
			_, err := fmt.Fprintln(stdout, "wmtune", tune.Version())
			return err
		}
		version, commit, _ := strings.Cut(strings.TrimSuffix(tune.Version(), ")"), " (")
		return json.NewEncoder(stdout).Encode(map[string]string{"version": version, "commit": commit,
			"go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH})
	}
}
