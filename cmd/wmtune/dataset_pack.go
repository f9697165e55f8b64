package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/dataset"
)

const packArgs = "LOG... --out FILE [--memory SIZE] [--json]"

const packWhat = `Dataset pack joins tuning logs, in order, into one log that is compressed as a whole.
Every command that reads logs reads a packed log. No search can continue one. The
same logs give the same bytes.`

const packExamples = `  wmtune dataset pack train.arrow --out train.arrow.zst
`

func declarePack(fs *pflag.FlagSet) action {
	out := fs.String("out", "", "`file` to write; it must not exist")
	memory := declareMemory(fs)
	declareQuiet(fs)
	asJSON := fs.Bool("json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, logs []string, stdout, stderr io.Writer) error {
		switch {
		case len(logs) == 0:
			return usagef("name at least one tuning log: wmtune dataset pack LOG... --out FILE")
		case *out == "":
			return usagef("--out is missing: name the file to write")
		}
		p := newProgress(stderr)
		records, size, err := dataset.PackFile(ctx, logs, *out, memory.limit(),
			func(w dataset.Warning) { p.say("warning: %s", w) })
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(stdout).Encode(map[string]any{"out": *out, "logs": len(logs), "records": records,
				"bytes": size})
		}
		_, err = fmt.Fprintf(stdout, "%s in %s, %.1f MB\n", count(records, "record"), *out, float64(size)/1e6)
		return err
	}
}
