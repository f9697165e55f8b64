package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// warmEnding is the ending of the name of a scorer that learns from the logs of
// --warm before each search of a benchmark, such as gbt+warm.
const warmEnding = "+warm"

// checkScorer refuses a name that no scorer of a benchmark has.
func (c *benchFlags) checkScorer(name string) error {
	base, warm := strings.CutSuffix(name, warmEnding)
	switch {
	case warm && len(c.warm) == 0:
		return usagef("scorer %s needs logs to learn from: --warm LOG", name)
	case warm && base != "gbt":
		return usagef("scorer %s: %s does not learn", name, base)
	}
	_, err := openScorer(base, 0)
	return err
}

// scorerArgs returns the arguments of a search with the scorer of that name.
func (c *benchFlags) scorerArgs(name string) []string {
	base, warm := strings.CutSuffix(name, warmEnding)
	args := []string{"--scorer", base}
	if warm {
		for _, log := range c.warm {
			args = append(args, "--warm", log)
		}
	}
	return args
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
