package tune

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// TestPretrain: logs to learn from are for a scorer gbt that the session opens; any other would ignore them.
func TestPretrain(t *testing.T) {
	for _, c := range []struct {
		name   string
		scorer search.Scorer
		good   bool
	}{
		{"gbt", nil, true}, {"", nil, false}, {"world", nil, false}, {"random", nil, false}, {"gbt", search.Random{}, false},
	} {
		_, err := Options{ScorerName: c.name, Scorer: c.scorer, Pretrain: []string{"a.arrow"}}.withDefaults(target.LLVM)
		var bad *OptionError
		if c.good && err != nil || !c.good && (!errors.As(err, &bad) || !strings.Contains(err.Error(), "Pretrain")) {
			t.Errorf("%q, %T: %v", c.name, c.scorer, err)
		}
	}
}

// TestName: a name that the exported function cannot have is bad usage, before anything is measured.
func TestName(t *testing.T) {
	for name, says := range map[string]string{
		"": "", "fast": "", "1a": "use letters", "float": "word of C", "main": "word of C", "exp": "C library",
	} {
		_, err := Options{Name: name}.withDefaults(target.LLVM)
		var bad *OptionError
		if says == "" && err != nil || says != "" && (!errors.As(err, &bad) || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q: %v, want %q", name, err, says)
		}
	}
}

// TestOptionErrors: whatever does not fit in options is an *OptionError, which says what is wrong.
func TestOptionErrors(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		says string
	}{
		{Options{Trials: -1}, "trials -1"}, {Options{Time: -1}, "time -1ns"}, {Options{Patience: -1}, "patience -1"},
		{Options{PerRound: -1}, "per round -1"}, {Options{Workers: -1}, "workers -1"},
		{Options{Scorer: search.Random{}}, "needs a ScorerName"},
		{Options{ScorerName: "wrold"}, `unknown scorer "wrold": known are `},
		{Options{ScorerName: "random", Propose: "aneal"}, `--propose aneal: known are evolve, anneal, descend, random, genetic, grid; did you mean "anneal"`},
		{Options{ScorerName: "random", Propose: "genetic"}, "--propose genetic needs configurations with numbers: use --space template"},
		{Options{ScorerName: "wrold"}, `did you mean "world"?`}, {Options{Space: "wmtun"}, `search space "wmtun"`},
		{Options{Layout: 7}, "--layout"},
	} {
		_, err := c.opt.withDefaults(target.LLVM)
		var bad *OptionError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	if _, err := (Options{Layout: target.Rewrite}).withDefaults(target.CUDA); err == nil {
		t.Error("the weights of a GPU's kernel may be packed")
	}
}

// TestPolicies: a policy is a known space of processors and a known proposer.
func TestPolicies(t *testing.T) {
	for _, name := range Policies() {
		p, err := FindPolicy(name)
		if err != nil || !slices.Contains(Proposers(), p.Propose) || !slices.Contains(space.Names(target.LLVM), p.Space) {
			t.Errorf("%+v, %v", p, err)
		}
	}
	if _, err := FindPolicy("felx"); err == nil || !strings.Contains(err.Error(), "--policy felx: known are ansor, template, felix") {
		t.Errorf("%v", err)
	}
}

// TestFits: a descent needs slopes, and tiles to change. What is wrong is bad usage that names what fits.
func TestFits(t *testing.T) {
	sloped, err := costmodel.Open(t.Context(), "mlp", costmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		opt  Options
		says string
	}{
		{Options{Propose: "descend", ScorerName: "mlp"}, ""},
		{Options{Propose: "evolve", ScorerName: "random"}, ""},
		{Options{Propose: "descend", ScorerName: "random"}, "use --scorer mlp or treegru"},
		{Options{Propose: "descend", ScorerName: "own", Scorer: sloped}, ""},
		{Options{Propose: "descend", ScorerName: "mlp", Scorer: search.Random{}}, "use --scorer mlp"},
		{Options{Propose: "descend", ScorerName: "mlp", Space: "template"}, "use --space wmtune"},
	} {
		err := c.opt.fits(target.LLVM)
		var bad *OptionError
		if (err != nil) != (c.says != "") || err != nil && (!errors.As(err, &bad) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
