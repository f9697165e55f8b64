package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/graph/compile"
)

const profileArgs = "BUNDLE [flags]"

const profileWhat = `Profile runs a bundle with random inputs and prints how long each kernel takes, the
slowest first. Calls of one kernel are summed. The last columns name the limit that a
kernel is nearest to, and its share: this machine's arithmetic, or the bandwidth of
memory or of caches. Profile measures these first, in some seconds. It says so if
other programs keep the machine busy meanwhile.

--html writes one page that needs no network: the kernels as bars, their programs on
a click, and the memory of values over time.`

const profileExamples = `  wmtune profile wmtune-out/resnet18
  wmtune profile wmtune-out/resnet18 --html profile.html
  wmtune profile wmtune-out/resnet18 --threads 1 --json
`

func declareProfile(fs *pflag.FlagSet) action {
	var load compile.LoadOptions
	declareLoad(fs, &load)
	page := fs.String("html", "", "`file` for one self-contained page")
	asJSON := fs.Bool("json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		b, err := openBundle(ctx, args, load)
		if err != nil {
			return err
		}
		defer b.Close()
		b.SetRandom(0)
		p, err := b.Profile(ctx, peaksHere(ctx, stderr))
		if err != nil {
			return err
		}
		return printPage(stdout, *asJSON, p, report.ProfilePage(p), *page)
	}
}

// peaksHere measures this machine. Without a compiler its limits are not known.
func peaksHere(ctx context.Context, stderr io.Writer) run.Facts {
	m, err := machine.OpenCPU(ctx, machineOptions(1))
	if err == nil {
		defer m.Close()
		facts, e := m.Peaks(ctx)
		if e == nil {
			return facts
		}
		err = e
	}
	fmt.Fprintf(stderr, "warning: the limits of this machine are not known: %v\n", err)
	return run.Facts{}
}
