package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// errHelp means that help was asked for and printed.
var errHelp = errors.New("help")

// newFlags returns a flag set for a verb. Its help is one sentence, the flags
// and examples.
func newFlags(name, args, what, examples string, stdout io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {
		fmt.Fprintf(stdout, "Usage: wmtune %s %s\n\n%s\n", name, args, what)
		head := "\nFlags:\n"
		fs.VisitAll(func(f *flag.Flag) {
			kind, usage := flag.UnquoteUsage(f)
			left := "--" + f.Name
			if kind != "" {
				left += " " + strings.ToUpper(kind)
			}
			def := ""
			if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "0s" {
				def = " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(stdout, "%s  %-22s %s%s\n", head, left, usage, def)
			head = ""
		})
		if examples != "" {
			fmt.Fprintf(stdout, "\nExamples:\n%s", examples)
		}
	}
	return fs
}

// parseFlags parses args, which may hold flags after arguments, and returns
// the arguments. At most max of them are allowed; -1 means any number.
func parseFlags(fs *flag.FlagSet, args []string, max int) ([]string, error) {
	help := fs.Usage
	fs.Usage = func() {} // the package would print it for every mistake
	var rest []string
	for {
		err := fs.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			help()
			return nil, errHelp
		}
		if err != nil {
			return nil, usageError{strings.Replace(err.Error(), "flag provided but not defined: -", "unknown flag --", 1)}
		}
		if fs.NArg() == 0 {
			break
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
	if max >= 0 && len(rest) > max {
		return nil, usagef("unexpected argument %q", rest[max])
	}
	return rest, nil
}
