package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir/spell"
)

// An action carries out a verb. The arguments are those that are not flags.
type action func(ctx context.Context, args []string, stdout, stderr io.Writer) error

// A verb is one thing that the command does: a row of the table of verbs.
type verb struct {
	name     string // one word
	args     string // after the name in the usage line
	most     int    // number of arguments that are not flags; -1 means any
	short    string // one line for the list of verbs
	long     string // for the verb's help
	examples string
	declare  func(fs *pflag.FlagSet) action // declares the flags, whose values the action reads
	verbs    []verb                         // verbs below this one, such as those of dataset
}

// oldNames are flags' former names, which are still accepted.
var oldNames = map[string]string{"warm": "pretrain"}

// shorts are the names of flags that have one letter and one dash.
var shorts = map[string]string{"h": "help", "o": "out", "q": "quiet"}

// declareQuiet declares --quiet of a verb that says how far it is. RunE in command obeys it.
func declareQuiet(fs *pflag.FlagSet) {
	fs.Bool("quiet", false, "no progress and no notes on standard error, only errors")
}

// command returns v as a cobra command. Nothing is shared between commands: each has flags of its own.
func (v verb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: strings.TrimSpace(v.name + " " + v.args), Short: v.short, Long: v.long, Example: v.examples,
		Aliases:               aliases[v.name],
		DisableFlagsInUseLine: true, SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	fs := cmd.Flags()
	fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if to, ok := oldNames[name]; ok {
			name = to
		}
		return pflag.NormalizedName(name)
	})
	do := v.declare(fs)
	fs.VisitAll(func(f *pflag.Flag) { // completion prints the usage as it stands
		kind, usage := pflag.UnquoteUsage(f)
		f.Usage = usage
		f.Annotations = map[string][]string{kindOfValue: {strings.ToUpper(kind)}}
	})
	completeValues(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := movedWord(v.name, args); err != nil {
			return err
		}
		if v.most >= 0 && len(args) > v.most {
			return usagef("unexpected argument %q", args[v.most])
		}
		if err := checkFlags(fs); err != nil {
			return err
		}
		stderr := cmd.ErrOrStderr()
		if quiet, _ := fs.GetBool("quiet"); quiet {
			stderr = io.Discard
		}
		return do(cmd.Context(), args, cmd.OutOrStdout(), stderr)
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		words := fs.Args()
		if errors.As(err, &unknown) {
			words = append(words, "--"+unknown.GetSpecifiedName())
		}
		return cmp.Or(movedWord(v.name, words), flagError(fs, err))
	})
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(cmd) })
	for _, below := range v.verbs {
		cmd.AddCommand(below.command())
	}
	return cmd
}

// checkFlags rejects values that no verb accepts: negative numbers, and files that cannot be written at the end.
func checkFlags(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		text, kind := f.Value.String(), f.Value.Type()
		threads, _ := fs.GetInt(f.Name)
		switch f.Name {
		case "html":
			err = cmp.Or(err, checkFile(f.Name, text))
		}
		if (kind == "int" || kind == "duration") && strings.HasPrefix(text, "-") && f.Name != "why" {
			err = usagef("--%s %s: must not be negative", f.Name, text)
		} else if f.Name == "threads" && threads > model.MaxThreads {
			err = usagef("--threads %d: must be from 0 to %d", threads, model.MaxThreads)
		}
	})
	return err
}

// checkFile returns an error if the name or the folder of a flag's file shows that it cannot be written.
func checkFile(flag, path string) error {
	err := unix.Access(filepath.Dir(path)+"/.", unix.W_OK|unix.X_OK)
	if info, e := os.Stat(path); e == nil && info.IsDir() {
		err = unix.EISDIR
	}
	if err != nil {
		return fmt.Errorf("--%s: %s cannot be written: %w", flag, path, err)
	}
	return nil
}

// longFlags returns args with two dashes before each flag, which may have one. A flag of one letter gets its long name,
// or stays if it has none. The value of a flag stays as it is.
func longFlags(fs *pflag.FlagSet, args []string) []string {
	list := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return append(list, args[i:]...)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-")
		if len(name) == len(word) || name == "" {
			list = append(list, word)
			continue
		}
		letter, value, given := strings.Cut(name, "=")
		if long := shorts[letter]; long == "help" || long != "" && fs.Lookup(long) != nil {
			if name = long; given {
				name += "=" + value
			}
		} else if len(letter) == 1 && len(name) == len(word)-1 {
			list = append(list, word)
			continue
		}
		list = append(list, "--"+name)
		f := fs.Lookup(name)
		if f != nil && f.NoOptDefVal == "" && i+1 < len(args) {
			i++
			list = append(list, args[i])
		}
	}
	return list
}

// kindOfValue is the annotation of a flag with the word for its value in the help.
const kindOfValue = "kind"

// printHelp prints the help of a verb: the usage line, what it does, the flags and examples.
func printHelp(cmd *cobra.Command) {
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", cmd.UseLine(), cmd.Long)
	head := "\nFlags:\n"
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden {
			return
		}
		left := "--" + f.Name
		for letter, long := range shorts {
			if long == f.Name {
				left = "-" + letter + ", " + left
			}
		}
		if kind := f.Annotations[kindOfValue][0]; kind != "" {
			left += " " + kind
		}
		def := ""
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "0s" && f.DefValue != "[]" {
			def = " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(w, "%s  %-22s %s%s\n", head, left, f.Usage, def)
		head = ""
	})
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s", cmd.Example)
	}
}

// meantFlag returns the end of an error about a flag that is not there: the one that was meant, if one is near.
func meantFlag(fs *pflag.FlagSet, name string) string {
	var known []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if meant := spell.Meant(name, known); meant != "" {
		return "; did you mean --" + meant + "?"
	}
	return ""
}

// valueTexts say what values flags of a type have.
var valueTexts = map[string]string{
	"bool": "true or false", "int": "a whole number", "uint64": "a whole number that is not negative",
	"float64": "a number", "duration": "a duration, such as 90s, 10m or 1h30m",
}

// flagError returns the usage error for a wrong flag of fs.
func flagError(fs *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if len(name) == 1 {
			return usagef("unknown flag -%s", name)
		}
		return usagef("unknown flag --%s%s", name, meantFlag(fs, name))
	case errors.As(err, &missing):
		return usagef("--%s needs a value", missing.GetSpecifiedName())
	case errors.As(err, &value):
		f := value.GetFlag()
		text, ok := valueTexts[f.Value.Type()]
		switch {
		case errors.Is(value.Unwrap(), strconv.ErrRange):
			return usagef("--%s %q: the number is too large", f.Name, value.GetValue())
		case ok:
			return usagef("--%s %q: must be %s", f.Name, value.GetValue(), text)
		}
	}
	return usageError{err.Error()}
}
