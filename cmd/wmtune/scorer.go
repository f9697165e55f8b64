package main

import (
	"strings"

	"github.com/wmtune/wmtune/search"
)

// A scorer is a way to rank candidates before they are measured.
type scorer struct {
	name string
	open func(seed uint64) (search.Scorer, error)
}

// scorers is the table of what --scorer can be.
func scorers() []scorer {
	return []scorer{
		{"random", func(seed uint64) (search.Scorer, error) { return search.Random{Seed: seed}, nil }},
	}
}

// scorerNames lists the names of the scorers.
func scorerNames() string {
	var names []string
	for _, s := range scorers() {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// openScorer returns the scorer of that name.
func openScorer(name string, seed uint64) (search.Scorer, error) {
	for _, s := range scorers() {
		if s.name == name {
			return s.open(seed)
		}
	}
	return nil, usagef("--scorer %q: known: %s", name, scorerNames())
}
