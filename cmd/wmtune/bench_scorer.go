package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// What the name of a scorer of a benchmark may end with: one of these, and the last behind it.
const (
	warmEnding   = "+warm"          // it learns from the logs of --pretrain before each search, such as gbt+warm
	frozenEnding = "+frozen"        // the same, and it learns nothing during a search
	localEnding  = "+local"         // it learns a correction during each search, such as world+local
	planEnding   = "+planned"       // it plans partial schedules, such as world+planned
	greedyEnding = "+greedy"        // its order alone says what is measured, such as world+greedy
	spaceEnding  = "+autoscheduler" // candidates are drawn as AutoScheduler does, whatever the scorer
)

// withoutSpace returns the name of a scorer without the ending that names a space, and
// the space.
func withoutSpace(name string) (rest, spaceName string) {
	if rest, ok := strings.CutSuffix(name, spaceEnding); ok {
		return rest, strings.TrimPrefix(spaceEnding, "+")
	}
	return name, space.Names(target.LLVM)[0]
}

// baseScorer returns what --scorer is for the name of a scorer of a benchmark. One
// with a model of its own is a world scorer.
func (c *benchFlags) baseScorer(name string) string {
	name, _ = withoutSpace(name)
	if c.models[name] != "" {
		return "world"
	}
	for _, ending := range []string{warmEnding, frozenEnding, localEnding, planEnding, greedyEnding} {
		if rest, ok := strings.CutSuffix(name, ending); ok {
			return rest
		}
	}
	return name
}

// pretrained reports whether a scorer learns from the logs of --pretrain before a search.
func pretrained(name string) bool {
	return strings.HasSuffix(name, warmEnding) || strings.HasSuffix(name, frozenEnding)
}

// addScorer takes a scorer of --scorers, NAME or NAME=FOLDER for a model of its own,
// and returns its name.
func (c *benchFlags) addScorer(text string) (name string, err error) {
	name, folder, own := strings.Cut(text, "=")
	if own {
		if name == "" || folder == "" || strings.ContainsAny(name, `/\`) {
			return "", usagef("scorer %q: it is NAME=FOLDER, the folder that of a model", text)
		}
		if c.models == nil {
			c.models = map[string]string{}
		}
		c.models[name] = folder
	}
	return name, c.checkScorer(name)
}

// checkScorer refuses a name that no scorer of a benchmark has.
func (c *benchFlags) checkScorer(name string) error {
	name, _ = withoutSpace(name)
	base := c.baseScorer(name)
	warm, local := pretrained(name), strings.HasSuffix(name, localEnding)
	switch {
	case strings.Contains(base, "+"):
		return usagef("scorer %s: a name has one ending, and %s behind it", name, spaceEnding)
	case warm && len(c.warm) == 0:
		return usagef("scorer %s needs logs to learn from: --pretrain LOG", name)
	case warm && base != "gbt":
		return usagef("scorer %s: %s does not learn", name, base)
	case local && base != "world":
		return usagef("scorer %s: only world scorers learn a correction", name)
	case strings.HasSuffix(name, planEnding) && base != "world":
		return usagef("scorer %s: only world scorers plan", name)
	}
	if strings.HasSuffix(name, greedyEnding) && base != "world" {
		return usagef("scorer %s: %s learns, and explores as it does", name, base)
	}
	options := scorerOptions(0, target.LLVM, nil)
	options.Model = c.models[name]
	_, err := openScorer(base, options)
	return err
}

// scorerArgs returns the arguments of a search with the scorer of that name.
func (c *benchFlags) scorerArgs(name string) []string {
	name, space := withoutSpace(name)
	args := []string{"--scorer", c.baseScorer(name), "--space", space}
	if pretrained(name) {
		for _, log := range c.warm {
			args = append(args, "--pretrain", log)
		}
	}
	if strings.HasSuffix(name, localEnding) {
		args = append(args, "--online")
	}
	if folder := c.models[name]; folder != "" {
		args = append(args, "--model", folder)
	}
	return args
}

// knowledge identifies what a scorer knows before a search: a search is not continued
// with other knowledge. It is "" for a scorer that knows nothing.
func (b *benching) knowledge(name string) (string, error) {
	name, _ = withoutSpace(name)
	switch {
	case pretrained(name):
		return b.warmHash[:8], nil
	case b.models[name] != "":
		hash, err := hashFiles([]string{filepath.Join(b.models[name], models.ManifestName)})
		if err != nil {
			return "", err
		}
		return hash[:8], nil
	case b.baseScorer(name) == "world":
		data, err := models.DefaultManifest(target.LLVM)
		return hashOf(string(data))[:8], err
	}
	return "", nil
}

// hashFiles identifies files by what they hold, in order.
func hashFiles(paths []string) (string, error) {
	h := sha256.New()
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		fmt.Fprintf(h, " %d\n", n)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// identify notes what the scorers know before a search.
func (b *scorersBench) identify() (err error) {
	for _, side := range b.sides() {
		if b.identities[side.Scorer], err = b.knowledge(side.Scorer); err != nil {
			return fmt.Errorf("scorer %s: %w", side.Scorer, err)
		}
	}
	return nil
}

// openScorer opens a scorer for one search. One that learns from logs beforehand does
// so once, and each search has its copy.
func (b *scorersBench) openScorer(ctx context.Context, name string, seed uint64) (search.Scorer, error) {
	name, _ = withoutSpace(name)
	tell := func(text string) { b.progress.say("%s: %s", name, text) }
	options := scorerOptions(seed, target.LLVM, tell)
	options.Model, options.Online = b.models[name], strings.HasSuffix(name, localEnding)
	s, err := openScorer(b.baseScorer(name), options)
	if w, ok := s.(*costmodel.World); ok && strings.HasSuffix(name, planEnding) {
		return w.Planned(), nil
	}
	if w, ok := s.(*costmodel.World); ok && strings.HasSuffix(name, greedyEnding) {
		return w.Greedy(), nil
	}
	if err != nil || !pretrained(name) {
		return s, err
	}
	g := s.(*costmodel.GBT)
	if b.pretrained == nil {
		b.progress.showLine(name + ": learning from logs")
		if b.pretrained, err = costmodel.OpenGBT(options); err != nil {
			return nil, err
		}
		if err := b.pretrained.Pretrain(ctx, b.warm, func(text string) { b.progress.say("%s", text) }); err != nil {
			b.pretrained = nil
			return nil, err
		}
	}
	g.CopyFrom(b.pretrained)
	if strings.HasSuffix(name, frozenEnding) {
		return g.Freeze(), nil
	}
	return g, nil
}
