package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

const datasetArgs = "COMMAND [arguments]"

const datasetExamples = `  wmtune dataset import resnet-50-llvm.json
  wmtune help dataset COMMAND      explains one of them
`

// datasetVerbs is the table of what 'wmtune dataset' does, in the order of its help.
func datasetVerbs() []verb {
	return []verb{
		{"import", importArgs, -1, "convert logs of AutoScheduler, AutoTVM and MetaSchedule to tuning logs", importWhat,
			importExamples, declareImport, nil},
		{"export", exportArgs, -1, "convert tuning logs to AutoScheduler's logs", exportWhat, exportExamples,
			declareExport, nil},
		{"collect", collectArgs, 0, "measure candidates of every workload of a suite", collectWhat, collectExamples,
			declareCollect, nil},
		{"pack", packArgs, -1, "join tuning logs into one compressed log", packWhat, packExamples, declarePack, nil},
		{"build", datasetBuildArgs, -1, "build training data from tuning logs", datasetBuildWhat, datasetBuildExamples,
			declareDatasetBuild, nil},
		{"merge", datasetMergeArgs, -1, "join the shards of a dataset", datasetMergeWhat, datasetMergeExamples,
			declareDatasetMerge, nil},
		{"info", datasetInfoArgs, -1, "summarise a dataset or tuning logs", datasetInfoWhat, datasetInfoExamples,
			declareDatasetInfo, nil},
	}
}

func datasetWhat() string {
	what := "Dataset imports and exports tuning logs and builds training data from them.\n"
	for _, v := range datasetVerbs() {
		what += fmt.Sprintf("\n  %-8s %s", v.name, v.short)
	}
	return what
}

// declareDataset declares 'wmtune dataset' without a verb, which is a usage error.
func declareDataset(*pflag.FlagSet) action {
	return func(_ context.Context, args []string, _, _ io.Writer) error {
		return needsVerb("command", datasetVerbs(), args)
	}
}

// needsVerb returns the usage error of a verb that needs another verb after it.
func needsVerb(what string, verbs []verb, args []string) error {
	var known []string
	for _, v := range verbs {
		known = append(known, v.name)
	}
	if len(args) == 0 {
		return usagef("needs a %s: %s", what, strings.Join(known, ", "))
	}
	return usagef("unknown %s %q: known are %s", what, args[0], strings.Join(known, ", "))
}
