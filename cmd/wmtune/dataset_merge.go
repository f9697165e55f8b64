package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/dataset/trajectory"
)

const datasetMergeArgs = "SHARD... --out DIR [--json]"

const datasetMergeWhat = `Merge joins the shards that 'wmtune dataset build --shard' made into one dataset. The
bytes are those of one build without shards. All shards must be named, in any order.`

const datasetMergeExamples = `  wmtune dataset merge part0 part1 part2 --out data
`

func declareDatasetMerge(fs *pflag.FlagSet) action {
	dir := fs.String("out", "", "`folder` of the new dataset")
	asJSON := fs.Bool("json", false, "one JSON object at the end")
	return func(_ context.Context, shards []string, stdout, _ io.Writer) error {
		switch {
		case len(shards) == 0:
			return usagef("name the shards to merge: wmtune dataset merge SHARD... --out DIR")
		case *dir == "":
			return usagef("--out is missing: the folder to make")
		}
		start := time.Now()
		m, err := trajectory.Merge(shards, *dir)
		if err != nil {
			return err
		}
		return printBuilt(stdout, *dir, m, time.Since(start), *asJSON)
	}
}
