package tune

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/target"
)

// TestDeployed: a session that times candidates as deployed says so in its records, which a session of repeated times
// does not continue; a machine that has no such timing is an error of the options.
func TestDeployed(t *testing.T) {
	buildtest.NeedLLVM(t, build.Config{})
	m, err := machine.OpenCPU(t.Context(), machine.Options{Libraries: machine.Libraries{LLVM: os.Getenv("WMTUNE_LLVM")}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	w, err := workload.Find("dense:m=4,n=64,k=64,epilogue=bias")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log.arrow")
	o := Options{Trials: 4, ScorerName: "random", Timing: measure.Deployed, Log: log}
	if _, err := Run(t.Context(), m, w, o); err != nil {
		t.Fatal(err)
	}
	list, _, err := dataset.ReadLog(log)
	if err != nil || len(list) != 4 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	for _, r := range list {
		if r.Timing != measure.Deployed || !r.Timed() {
			t.Errorf("a record that is %s, %s: %s", r.Timing, r.Status, r.Message)
		}
	}
	o.Timing = measure.Repeated
	if _, err := Run(t.Context(), m, w, o); err == nil {
		t.Error("a session of repeated times continued the log")
	}
	o.Timing, o.Log = measure.Deployed, ""
	var wrong *OptionError
	if _, err := Run(t.Context(), gpu{}, w, o); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "no timing") {
		t.Errorf("a machine without that timing: %v", err)
	}
}

type gpu struct{ Machine }

func (gpu) Target() target.Target { return target.Target{Kind: target.CUDA} }
