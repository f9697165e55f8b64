package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// pressTab is a script that completes a line as bash does when Tab is pressed: it calls the function that was
// registered, with the words that bash would split the line into.
const pressTab = `
wmtune() { "$SELF" "$@"; }
source <(wmtune completion bash) || exit 1
spec=$(complete -p wmtune) || exit 1
function=${spec##*-F }; function=${function%% *}
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
read -r -a COMP_WORDS <<< "$1"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
$function
printf '%s\n' "${COMPREPLY[@]}"
`

// TestCompletionBash: the script that 'wmtune completion bash' prints completes verbs, flags and values in bash.
func TestCompletionBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: there is no bash here, so its completion is not tested")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"wmtune sea":                              "search",
		"wmtune dataset im":                       "import",
		"wmtune search --per":                     "--per-round",
		"wmtune search --scorer ":                 "world gbt mlp treegru random xgb-knob xgb-itervar xgb-curve xgb-relation",
		"wmtune search --target cu":               "cuda",
		"wmtune tune --layout ":                   "rewrite keep",
		"wmtune search --space auto":              "autoscheduler",
		"wmtune search --workload paper22/r50-t2": "paper22/r50-t21 paper22/r50-t26",
		"wmtune search --workload matm":           "matmul:",
		"wmtune show x.arrow --as fea":            "features",
		"wmtune workloads pap":                    "paper22",
		"wmtune train ref":                        "refiner",
		"wmtune eval --scorers random,wor":        `random\,world`,
		"wmtune completion ":                      "bash zsh fish",
		"wmtune replay --check in":                "interp",
		"wmtune dataset collect --suite mob":      "mobilenet_v2",
		"wmtune search --wa":                      "",
	} {
		cmd := exec.Command(bash, "--norc", "-c", pressTab, "bash", line)
		cmd.Env = append(os.Environ(), "SELF="+self)
		out, err := cmd.CombinedOutput()
		var got []string
		for field := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(field), " ") // what follows describes it
			got = append(got, word)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v\n%swant %s", line, err, out, want)
		}
	}
}

// TestCompletionScripts: there is a script for each shell, and others are bad usage.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if code, stdout, stderr := command("completion", shell); code != exitOK || len(stdout) < 1000 || stderr != "" {
			t.Errorf("%s: exit code %d, %d bytes, %s", shell, code, len(stdout), stderr)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "csh"}} {
		if code, _, stderr := command(args...); code != exitUsage || !strings.Contains(stderr, "bash") {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
}
