package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/models/judge"
	"github.com/wmtune/wmtune/models/train"
	"github.com/wmtune/wmtune/ranker/eval"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
	"github.com/wmtune/wmtune/tune/replay"
)

const completionArgs = "bash | zsh | fish"

const completionWhat = `Completion prints a script for a shell. With the script the Tab key completes commands,
flags, and values such as workloads, scorers and targets.`

const completionExamples = `  source <(wmtune completion bash)           for this shell; put it into ~/.bashrc for all
  wmtune completion zsh > "${fpath[1]}/_wmtune"
  wmtune completion fish > ~/.config/fish/completions/wmtune.fish
`

// bashWords stands before cobra's script for bash. That script needs a function of the package bash-completion, which
// not every machine has: this one splits the line at spaces only, so that the colons of a workload stay in its word.
const bashWords = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref()
    {
        read -r -a words <<< "${COMP_LINE:0:COMP_POINT}"
        [[ ${COMP_LINE:COMP_POINT-1:1} == ' ' ]] && words+=('')
        cword=$((${#words[@]} - 1)); cur=${words[cword]}; prev=${words[cword - 1]}
    }
fi
`

func declareCompletion(*pflag.FlagSet) action {
	return func(_ context.Context, args []string, stdout, _ io.Writer) error {
		if len(args) == 0 {
			return usagef("name a shell: bash, zsh or fish")
		}
		root := newRoot()
		switch args[0] {
		case "bash":
			if _, err := io.WriteString(stdout, bashWords); err != nil {
				return err
			}
			return root.GenBashCompletionV2(stdout, true)
		case "zsh":
			return root.GenZshCompletion(stdout)
		case "fish":
			return root.GenFishCompletion(stdout, true)
		}
		return usagef("unknown shell %q: known are bash, zsh and fish", args[0])
	}
}

// flagValues are the values of flags that completion offers. Other flags take a file, a folder or a number.
var flagValues = map[string]func() []string{
	"workload":  workloadSpecs,
	"suite":     suiteNames,
	"target":    func() []string { return []string{string(target.LLVM), string(target.CUDA), string(target.VDLA)} },
	"layout":    func() []string { return []string{target.Rewrite.String(), target.Keep.String()} },
	"space":     func() []string { return space.Names(target.LLVM) },
	"policy":    tune.Policies,
	"propose":   tune.Proposers,
	"scorer":    costmodel.Names,
	"scorers":   costmodel.Names,
	"as":        showForms,
	"after":     func() []string { return append(lower.PassNames(), pass.Names()...) },
	"skip-pass": func() []string { return append(lower.PassNames(), pass.Names()...) },
	"check":     replay.Checks,
	"split":     eval.SplitNames,
}

// argValues are the first arguments of verbs that completion offers.
var argValues = map[string]func() []string{
	"workloads":  suiteNames,
	"train":      func() []string { return append(train.Stages(), trainAll) },
	"completion": func() []string { return []string{"bash", "zsh", "fish"} },
}

func suiteNames() []string {
	var names []string
	for _, s := range op.Suites() {
		names = append(names, s.Name)
	}
	return names
}

// workloadSpecs are the names of all workloads, and the beginnings of specs.
func workloadSpecs() []string {
	var specs []string
	for _, o := range op.Operators() {
		specs = append(specs, o.Name+":")
	}
	for _, s := range op.Suites() {
		for _, e := range s.List {
			specs = append(specs, s.Name+"/"+e.Name)
		}
	}
	return specs
}

// completeValues has the shell complete the values of cmd's flags and its first argument.
func completeValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		values := flagValues[f.Name]
		if cmd.Name() == "eval" && f.Name == "scorers" {
			values = func() []string { return strings.Split(judge.Names(), ",") }
		}
		if values == nil {
			return
		}
		list := f.Annotations[kindOfValue][0] == "NAMES"
		complete := func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			return completed(values(), word, list)
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic("BUG: " + err.Error())
		}
	})
	if values := argValues[cmd.Name()]; values != nil {
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault // files
			}
			return completed(values(), word, false)
		}
	}
}

// completed returns the values that begin with word; if it is a list, with its last item. After one that goes on, such
// as matmul:, there is no space.
func completed(values []string, word string, list bool) ([]string, cobra.ShellCompDirective) {
	before, directive := "", cobra.ShellCompDirectiveNoFileComp
	if i := strings.LastIndex(word, ","); list && i >= 0 {
		before = word[:i+1]
	}
	var found []string
	for _, v := range values {
		if strings.HasPrefix(before+v, word) {
			found = append(found, before+v)
		}
	}
	if list || slices.ContainsFunc(found, func(v string) bool { return strings.HasSuffix(v, ":") }) {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return found, directive
}
