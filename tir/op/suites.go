package op

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Suite is a named list of workloads.
type Suite struct {
	Name string
	What string
	List []Entry
}

// An Entry is a workload of a suite, not built yet.
type Entry struct {
	Name  string // within the suite
	Spec  string
	Count int // how often it stands in the model that the suite is of
}

// suites is the table of all suites.
var suites = []Suite{
	{"paper22", "the 22 representative subgraphs of the world-model paper", paper22},
	{"resnet50", "ResNet-50 v1.5", resnet50},
	{"resnet18", "ResNet-18", resnet18},
	{"mobilenet_v2", "MobileNet-v2", mobilenetV2},
	{"bert", "BERT-base, sequence of 128", bert},
	{"train", "other shapes of the same families, to learn from", train},
}

// Suites lists all suites.
func Suites() []Suite { return slices.Clone(suites) }

// Workload builds the DAG of an entry.
func (s Suite) Workload(e Entry) (*Workload, error) {
	w, err := Parse(e.Spec)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", s.Name, e.Name, err)
	}
	w.Name, w.Count = s.Name+"/"+e.Name, e.Count
	return w, nil
}

// FindSuite returns the suite with the given name.
func FindSuite(name string) (Suite, error) {
	var known []string
	for _, s := range suites {
		if s.Name == name {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return Suite{}, fmt.Errorf("unknown suite %q: known are %s", name, strings.Join(known, " "))
}

// Lookup builds the workload "suite/name".
func Lookup(name string) (*Workload, error) {
	suiteName, entry, ok := strings.Cut(name, "/")
	if !ok {
		return nil, errors.New("want suite/name, such as paper22/r50-t3")
	}
	s, err := FindSuite(suiteName)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, e := range s.List {
		if e.Name == entry {
			return s.Workload(e)
		}
		known = append(known, e.Name)
	}
	return nil, fmt.Errorf("unknown workload %q of suite %s: known are %s", entry, suiteName, strings.Join(known, " "))
}
