package compile

import (
	"flag"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

var (
	evenModel = flag.String("even-model", "", "ONNX model on which TestEvenOnModel compares ways to divide a budget")
	evenTime  = flag.Duration("even-time", time.Minute, "for tuning, each way")
)

// TestEvenOnModel tunes a model with the gradient and in turns, each from no records, and prints the sum of the tasks'
// best times by their weights. It asserts nothing: it is a measurement, and needs a quiet machine.
//
//	go test ./graph/compile -run TestEvenOnModel -v -timeout 1h -even-model mobilenet_v2.onnx -even-time 200s
func TestEvenOnModel(t *testing.T) {
	if *evenModel == "" {
		t.Skip("it measures: name a model with -even-model")
	}
	for _, even := range []bool{false, true, true, false} {
		m, err := Read(t.Context(), *evenModel, nil, pass.Options{})
		if err != nil {
			t.Fatal(err)
		}
		host, err := machine.OpenCPU(t.Context(), machine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		scorer, err := costmodel.Open(t.Context(), "world", costmodel.Options{Kind: target.LLVM})
		if err != nil {
			t.Fatal(err)
		}
		s := &scheduler{machine: host, scorer: scorer, name: "world", db: openTestDatabase(t), tell: silent{},
			time: *evenTime, started: time.Now(), even: even}
		if cache := machine.LastLevelCache(); cache > 0 {
			s.evicts = m.weights() > cache
		}
		r, err := s.schedule(t.Context(), m.Tasks)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("in turns %-5v: %d trials of %d tasks in %.0f s, the scorer's choices %.1f us, the best %.1f us", even, r.New,
			len(r.Tasks), r.Seconds, r.FromUS, r.ToUS)
		host.Close()
	}
}
