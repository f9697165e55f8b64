package main

import (
	"context"
	"fmt"
	"io"
	"strings"
)

const datasetArgs = "COMMAND [arguments]"

const datasetExamples = `  wmtune dataset import resnet-50-llvm.json
  wmtune help dataset COMMAND      explains one of them
`

// datasetVerbs is the table of what 'wmtune dataset' does, in the order of its
// help. Names are whole: "dataset import".
func datasetVerbs() []verb {
	return []verb{
		{"dataset import", importArgs, "AutoScheduler's logs to tuning logs", runDatasetImport},
		{"dataset export", exportArgs, "tuning logs to AutoScheduler's", runDatasetExport},
		{"dataset collect", collectArgs, "measure candidates of every workload of a suite", runCollect},
		{"dataset pack", packArgs, "tuning logs to a compressed one, to be kept", runDatasetPack},
		{"dataset build", datasetBuildArgs, "make training data of tuning logs", runDatasetBuild},
		{"dataset merge", datasetMergeArgs, "join the shards of a dataset", runDatasetMerge},
		{"dataset info", datasetInfoArgs, "say what is in a dataset or in logs", runDatasetInfo},
	}
}

// runDataset answers for 'wmtune dataset' without the name of one of its verbs,
// which findVerb would have found.
func runDataset(_ context.Context, args []string, stdout, _ io.Writer) error {
	what := "Dataset brings tuning logs in and out and makes training data of them.\n"
	var known []string
	for _, v := range datasetVerbs() {
		name := strings.TrimPrefix(v.name, "dataset ")
		known = append(known, name)
		what += fmt.Sprintf("\n  %-8s %s", name, v.short)
	}
	rest, err := parseFlags(newFlags("dataset", datasetArgs, what, datasetExamples, stdout), args, -1)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return usagef("needs a command: %s", strings.Join(known, ", "))
	}
	return usagef("unknown command %q: known are %s", rest[0], strings.Join(known, ", "))
}
