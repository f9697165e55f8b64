package main

import (
	"cmp"
	"slices"
	"strings"
)

// inLab lists, for each verb, the kinds and flags that moved to the laboratory in lab/ of the repository; gone lists
// those that no longer exist.
var inLab = map[string]struct{ kinds, flags, gone string }{
	"bench": {
		kinds: "kernels models scorers",
		flags: "--again --baseline --bundles --finalists --html --metaschedule --only --plan --pretrain --report --scorer " +
			"--scorers --seed --seeds --suite --svg --time --times --trials --warm",
		gone: "build noise choice --generations --model --population --repeats --update",
	},
	"eval": {flags: "--learn"},
}

// movedWord returns the error of the first word that moved or is gone; nil if there is none.
func movedWord(verb string, words []string) error {
	for _, word := range words {
		if err := cmp.Or(labError(verb, word), goneError(verb, word)); err != nil {
			return err
		}
	}
	return nil
}

// labError tells where a kind or flag of a verb moved; nil if the verb never had it.
func labError(verb, word string) error {
	in := inLab[verb]
	has := func(list string) bool { return slices.Contains(strings.Fields(list), word) }
	switch {
	case has(in.kinds):
		return usagef("%s %s is part of the laboratory: run `go run . %[1]s %[2]s` in lab/ of the repository", verb, word)
	case has(in.flags):
		return usagef("%s %s is part of the laboratory: `go run . %[1]s` in lab/ of the repository lists its flags", verb,
			word)
	case has(in.gone):
		return usagef("%s %s is gone: `go run . %[1]s` in lab/ of the repository lists what the laboratory has", verb, word)
	}
	return nil
}

// goneFlags are flags that no longer exist, each with the reason.
var goneFlags = map[string]map[string]string{
	"search":       {"--online": slowCorrection, "--local": slowCorrection},
	"serve-scorer": {"--online": slowCorrection, "--local": slowCorrection},
	"train": {
		"--masked":  "the pretraining made no encoder better",
		"--variant": "ablations choose worse than the whole model",
	},
}

const slowCorrection = "the correction made no search faster"

// goneError tells why a verb no longer has a flag; nil if it never had it.
func goneError(verb, flag string) error {
	why, ok := goneFlags[verb][flag]
	if !ok {
		return nil
	}
	return usagef("%s is gone: %s; leave it out", flag, why)
}
