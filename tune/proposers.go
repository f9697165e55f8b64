package tune

import (
	"cmp"
	"strings"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/anneal"
	"github.com/wmtune/wmtune/search/counted"
	"github.com/wmtune/wmtune/search/descend"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/spell"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
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
	{"descend", "", func(*Options) search.Proposer { return &descend.Descender{} }},
	{search.SampledName, "", func(*Options) search.Proposer { return search.Sample{} }},
	{counted.GeneticName, TemplateSpace, func(*Options) search.Proposer { return counted.Genetic{} }},
	{counted.GridName, TemplateSpace, func(*Options) search.Proposer { return &counted.Grid{} }},
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

// fits reports a proposer that is not known, or does nothing with the scorer or the space.
func (o *Options) fits(kind target.Kind) error {
	proposer, err := o.proposer()
	if _, descends := proposer.(*descend.Descender); err != nil || !descends {
		return err
	}
	slopes := costmodel.HasSlopes(o.ScorerName)
	if o.Scorer != nil {
		slopes = o.Scorer.Traits().Relax != nil
	}
	if !slopes {
		return Optionf("--propose descend follows the slopes of the scorer, and %s has none: use --scorer %s, "+
			"or --propose evolve or anneal", o.ScorerName, strings.Join(costmodel.Sloped(), " or "))
	}
	if !space.HasTiles(kind, o.Space) {
		return Optionf("--propose descend changes tile lengths, and --space %s has none to change: use --space %s, "+
			"or --propose anneal", o.Space, space.Names(kind)[0])
	}
	return nil
}

// A Policy is a named pairing of a space, a proposer and a scorer; "" is the default scorer. The user may choose
// another of each.
type Policy struct {
	Name, Space, Propose, Scorer string
}

// policies is the table of policies, the default first: AutoScheduler's search, AutoTVM's, and Felix's.
var policies = []Policy{
	{"ansor", "wmtune", "evolve", ""},
	{"template", TemplateSpace, "anneal", ""},
	{"felix", "wmtune", "descend", "mlp"},
}

// TemplateSpace is the space that only some workloads have.
const TemplateSpace = "template"

// Check reports a policy of parts that do not fit each other, as an *OptionError; scorer is that of a policy without
// one of its own.
func (p Policy) Check(kind target.Kind, scorer string) error {
	o := Options{Propose: p.Propose, Space: p.Space, ScorerName: cmp.Or(p.Scorer, scorer, costmodel.DefaultFor(kind))}
	return o.fits(kind)
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
