package tune

import (
	"strings"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/anneal"
	"github.com/wmtune/wmtune/search/counted"
	"github.com/wmtune/wmtune/tir/spell"
)

// proposers is the table of what seeks candidates, the default first. The scorer guides those that have no name of
// their own.
var proposers = []struct {
	name  string
	space string // the only one whose candidates it can seek; "" means any
	make  func(o *Options) search.Proposer
}{
	{"evolve", "", func(o *Options) search.Proposer { return search.Evolve{Evolution: o.Evolution} }},
	{"anneal", "", func(*Options) search.Proposer { return anneal.New() }},
	{search.SampledName, "", func(*Options) search.Proposer { return search.Sample{} }},
	{counted.GeneticName, "template", func(*Options) search.Proposer { return counted.Genetic{} }},
	{counted.GridName, "template", func(*Options) search.Proposer { return &counted.Grid{} }},
}

// Proposers lists what Options.Propose may name, the default first.
func Proposers() []string {
	var names []string
	for _, p := range proposers {
		names = append(names, p.name)
	}
	return names
}

// Guided reports whether the scorer guides a proposer of the table.
func Guided(name string) bool {
	for _, p := range proposers {
		if p.name == name {
			return p.make(&Options{}).Name() == ""
		}
	}
	return false
}

// proposer returns a new proposer, for one search.
func (o *Options) proposer() (search.Proposer, error) {
	if o.Proposer != nil {
		return o.Proposer, nil
	}
	for _, p := range proposers {
		if p.name == o.Propose || o.Propose == "" {
			if p.space != "" && p.space != o.Space {
				return nil, Optionf("--propose %s needs configurations with numbers: use --space %s", p.name, p.space)
			}
			return p.make(o), nil
		}
	}
	return nil, Optionf("--propose %s: known are %s%s", o.Propose, strings.Join(Proposers(), ", "),
		spell.Hint(o.Propose, Proposers()))
}

// A Policy is a named pairing of a space and a proposer. The scorer is the user's choice.
type Policy struct {
	Name, Space, Propose string
}

// policies is the table of policies, the default first: AutoScheduler's search, and AutoTVM's.
var policies = []Policy{
	{"ansor", "wmtune", "evolve"},
	{"template", "template", "anneal"},
}

// Policies lists the policies, the default first.
func Policies() []string {
	var names []string
	for _, p := range policies {
		names = append(names, p.Name)
	}
	return names
}

// FindPolicy returns the policy of a name. The error lists the known names.
func FindPolicy(name string) (Policy, error) {
	for _, p := range policies {
		if p.Name == name {
			return p, nil
		}
	}
	return Policy{}, Optionf("--policy %s: known are %s%s", name, strings.Join(Policies(), ", "),
		spell.Hint(name, Policies()))
}
