package bench

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
	"github.com/wmtune/wmtune/tune/scorerservice"
)

// What the name of a scorer of a benchmark may end with: one of these, and the last behind it.
const (
	WarmEnding   = "+warm"          // it learns from Scorers.Logs before each search, such as gbt+warm
	frozenEnding = "+frozen"        // the same, and it learns nothing during a search
	planEnding   = "+planned"       // it plans partial schedules, such as world+planned
	greedyEnding = "+greedy"        // its order alone says what is measured, such as world+greedy
	firstEnding  = "+first"         // candidates are not looked at closer, such as world+first
	spaceEnding  = "+autoscheduler" // candidates are drawn as AutoScheduler does, whatever the scorer
)

// Scorers say what the names of scorers mean: those of package costmodel, with an ending
// or without, and those with a model of their own.
type Scorers struct {
	Logs    []string          // tuning logs that a scorer +warm learns from before a search
	Models  map[string]string // by name, the folders of world models
	Execs   map[string]string // by name, scorers that are commands, as costmodel has them
	XGBoost string            // path of libxgboost; "" means to look for it
}

// split returns the name of package costmodel that a scorer's name begins with, and its
// search space. A scorer with a model of its own is a world scorer; one that is a command has the name that
// costmodel.Open takes.
func (s *Scorers) split(name string) (base, spaceName string) {
	spaceName = space.Names(target.LLVM)[0]
	if rest, ok := strings.CutSuffix(name, spaceEnding); ok {
		name, spaceName = rest, strings.TrimPrefix(spaceEnding, "+")
	}
	if s.Models[name] != "" {
		return "world", spaceName
	}
	if s.Execs[name] != "" {
		return s.Execs[name], spaceName
	}
	for _, ending := range []string{WarmEnding, frozenEnding, planEnding, greedyEnding, firstEnding} {
		if rest, ok := strings.CutSuffix(name, ending); ok {
			return rest, spaceName
		}
	}
	return name, spaceName
}

// has reports whether a scorer's name has an ending.
func has(name, ending string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, spaceEnding), ending)
}

// pretrained reports whether a scorer learns from logs before a search.
func pretrained(name string) bool { return has(name, WarmEnding) || has(name, frozenEnding) }

// options are those of a scorer's name.
func (s *Scorers) options(name string) costmodel.Options {
	return costmodel.Options{
		Kind: target.LLVM, Model: s.Models[strings.TrimSuffix(name, spaceEnding)],
		XGBoost: s.XGBoost,
	}
}

// Add takes the text of a scorer, NAME, NAME=FOLDER for a model of its own, or NAME=exec:COMMAND for a program of its
// own, and returns its name, which Check has still to look at.
func (s *Scorers) Add(text string) (name string, err error) {
	name, what, own := strings.Cut(text, "=")
	switch {
	case strings.HasPrefix(text, costmodel.Exec):
		return "", tune.Optionf("scorer %q: a command needs a name for the tables: NAME=%sCOMMAND", text,
			costmodel.Exec)
	case !own:
		return name, nil
	case name == "" || what == "" || strings.ContainsAny(name, `/\+@`) || slices.Contains(costmodel.Names(), name):
		return "", tune.Optionf("scorer %q: it is NAME=FOLDER, the folder that of a model, or NAME=%sCOMMAND; NAME is "+
			"not another scorer's, and has none of / \\ + @ in it", text, costmodel.Exec)
	case strings.HasPrefix(what, costmodel.Exec):
		if s.Execs == nil {
			s.Execs = map[string]string{}
		}
		s.Execs[name] = what
	default:
		if s.Models == nil {
			s.Models = map[string]string{}
		}
		s.Models[name] = what
	}
	return name, nil
}

// Check reports what is wrong with the name of a scorer. costmodel.Unavailable tells the
// error of one that is not installed. A command is not started for that.
func (s *Scorers) Check(name string) error {
	base, _ := s.split(name)
	warm := pretrained(name)
	isExec := s.Execs[strings.TrimSuffix(name, spaceEnding)] != ""
	switch {
	case strings.HasPrefix(name, costmodel.Exec):
		return tune.Optionf("scorer %q: only 'wmtune bench scorers --scorers' takes a command, as NAME=%sCOMMAND", name,
			costmodel.Exec)
	case isExec && !costmodel.Known(base):
		return tune.Optionf("scorer %s: there is no command behind %q", name, base)
	case isExec: // a search starts it, and says what is wrong
		return nil
	case strings.Contains(base, "+"):
		return tune.Optionf("scorer %s: a name has one ending, and %s behind it", name, spaceEnding)
	case warm && len(s.Logs) == 0:
		return tune.Optionf("scorer %s needs logs to learn from: --pretrain LOG", name)
	case warm && base != "gbt":
		return tune.Optionf("scorer %s: %s does not learn", name, base)
	case has(name, planEnding) && base != "world":
		return tune.Optionf("scorer %s: only world scorers plan", name)
	case !costmodel.IsModel(base):
		return tune.Optionf("scorer %q: known: %s", name, strings.Join(costmodel.Names(), ", "))
	case has(name, firstEnding) && base != "world":
		return tune.Optionf("scorer %s: only world scorers look closer", name)
	case has(name, greedyEnding) && base != "world":
		return tune.Optionf("scorer %s: %s learns, and explores as it does", name, base)
	}
	_, err := costmodel.Open(context.Background(), base, s.options(name))
	return err
}

// closeScorer ends a scorer that is a command, and says what it did not do.
func (b *Bench) closeScorer(name string, s search.Scorer) {
	c, ok := s.(*scorerservice.Command)
	if !ok {
		return
	}
	if text := c.Report().Sentence(); text != "" {
		b.Say(name + ": " + text)
	}
	c.Close()
}

// knowledge identifies what a scorer knows before a search: a search is not continued
// with other knowledge. It is "" for a scorer that knows nothing.
func (b *Bench) knowledge(name string) (string, error) {
	base, _ := b.Scorers.split(name)
	folder := b.Scorers.options(name).Model
	switch {
	case pretrained(name):
		return b.logsHash[:8], nil
	case folder != "":
		hash, err := hashFiles([]string{filepath.Join(folder, models.ManifestName)})
		if err != nil {
			return "", err
		}
		return hash[:8], nil
	case strings.HasPrefix(base, costmodel.Exec):
		return HashOf(base)[:8], nil
	case base == "world":
		data, err := models.DefaultManifest(target.LLVM)
		return HashOf(string(data))[:8], err
	}
	return "", nil
}

// openScorer opens a scorer for one search. One that learns from logs beforehand does
// so once, and each search has its copy.
func (b *Bench) openScorer(ctx context.Context, name string, seed uint64) (search.Scorer, error) {
	base, _ := b.Scorers.split(name)
	options := b.Scorers.options(name)
	options.Seed, options.Tell = seed, func(text string) { b.Say(name + ": " + text) }
	s, err := costmodel.Open(ctx, base, options)
	if err != nil {
		return nil, err
	}
	switch s := s.(type) {
	case *costmodel.World:
		if has(name, planEnding) {
			return changed{s, func(t *search.Traits) { t.Promise = s.Promise }}, nil
		}
		if has(name, greedyEnding) {
			return changed{s, func(t *search.Traits) { t.Frozen = false }}, nil
		}
		if has(name, firstEnding) {
			return changed{s, func(t *search.Traits) { t.Refine = nil }}, nil
		}
	case *costmodel.GBT:
		if !pretrained(name) {
			return s, nil
		}
		if b.tuned == nil {
			b.Show(name + ": learning from logs")
			g, err := costmodel.OpenGBT(options)
			if err == nil {
				err = g.Pretrain(ctx, b.Scorers.Logs, b.Say)
			}
			if err != nil {
				return nil, err
			}
			b.tuned = g
		}
		s.CopyFrom(b.tuned)
		if has(name, frozenEnding) {
			return s.Freeze(), nil
		}
	}
	return s, nil
}

// OnlyScorers reports whether no search but those of Bench.Scorers can have the scorer.
func OnlyScorers(name string) bool {
	return has(name, frozenEnding) || has(name, planEnding) || has(name, greedyEnding) || has(name, firstEnding)
}
