package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/tune"
)

const doctorWhat = `Doctor reports what matters for tuning on this machine: the processor and its
features, the usable cores, GPUs, and the libraries that are present or missing. It
measures peak arithmetic, bandwidth of memory and between cores, and timing noise in a
few seconds; --quick skips the measurements.`

const doctorExamples = `  wmtune doctor
  wmtune doctor --quick --json
`

func declareDoctor(fs *pflag.FlagSet) action {
	quick := fs.Bool("quick", false, "only what needs no measurement")
	asJSON := fs.Bool("json", false, "one JSON object")
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		measure := func() {
			newProgress(stderr).say("measuring the machine for a few seconds; keep it idle")
		}
		if *quick {
			measure = nil
		}
		d, err := machine.Diagnose(ctx, machineOptions(1), os.Getenv("LD_LIBRARY_PATH"), measure)
		if err != nil {
			return err
		}
		d.Version = tune.Version()
		if *asJSON {
			err = json.NewEncoder(stdout).Encode(d)
		} else {
			report.Diagnosis(stdout, d)
		}
		if err == nil && d.LLVM == "" {
			return fmt.Errorf("searching needs libLLVM: %s", d.LLVMError)
		}
		return err
	}
}
