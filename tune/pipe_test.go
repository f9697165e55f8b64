package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// servesPipe makes the test binary a machine behind a pipe.
const servesPipe = "WMTUNE_TEST_PIPE"

// TestMain lets the test binary be a worker, and the far end of a pipe.
func TestMain(m *testing.M) {
	machine.WorkerMain()
	if os.Getenv(servesPipe) != "" {
		if err := servePipe(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A pipeRequest is all that crosses the pipe in one direction, a pipeAnswer in the other.
type pipeRequest struct {
	Task   string // text of a compute DAG: set the task
	Seed   uint64
	Inputs []measure.Input // build them
	Built  []measure.BuildResult
}

type pipeAnswer struct {
	Target  target.Target
	Built   []measure.BuildResult
	Results []measure.Result
	Error   string
}

// servePipe answers requests with a machine of its own.
func servePipe(in io.Reader, out io.Writer) error {
	ctx := context.Background()
	m, err := machine.OpenCPU(ctx, machine.Options{Libraries: machine.Libraries{LLVM: os.Getenv("WMTUNE_LLVM")}})
	if err != nil {
		return err
	}
	defer m.Close()
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q pipeRequest
		if err := requests.Decode(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		a := pipeAnswer{Target: m.Target()}
		switch {
		case q.Task != "":
			var d *compute.DAG
			if d, err = compute.Parse(q.Task); err == nil {
				err = m.SetTask(ctx, d, q.Seed, measure.Repeated)
			}
		case q.Built != nil:
			a.Results, err = m.Runner().Run(ctx, nil, q.Built)
		case q.Inputs != nil:
			a.Built, err = m.Builder().Build(ctx, q.Inputs)
		}
		if err != nil {
			a.Error = err.Error()
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}

// A pipeMachine is a machine in another process. Builder and runner have a process each.
type pipeMachine struct {
	Machine // exports kernels here
	builds  pipe
	runs    pipe
}

// A pipe is the near end of one.
type pipe struct {
	in  *json.Encoder
	out *json.Decoder
}

func newPipe(t *testing.T) pipe {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(cmd.Environ(), servesPipe+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return pipe{json.NewEncoder(in), json.NewDecoder(out)}
}

func (p pipe) ask(q pipeRequest) (a pipeAnswer, err error) {
	if err = p.in.Encode(q); err == nil {
		err = p.out.Decode(&a)
	}
	if err == nil && a.Error != "" {
		err = fmt.Errorf("behind the pipe: %s", a.Error)
	}
	return a, err
}

func (m *pipeMachine) Builder() machine.Builder { return m }
func (m *pipeMachine) Runner() machine.Runner   { return m }

func (m *pipeMachine) SetTask(_ context.Context, d *compute.DAG, seed uint64, _ measure.Timing) error {
	_, err := m.runs.ask(pipeRequest{Task: d.Text(), Seed: seed})
	return err
}

func (m *pipeMachine) Baseline(context.Context, measure.Input) (measure.Result, error) {
	return measure.Result{Status: measure.Unmeasured}, nil
}

func (m *pipeMachine) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	a, err := m.builds.ask(pipeRequest{Inputs: inputs})
	return a.Built, err
}

func (*pipeMachine) Modes() measure.Modes { return measure.Modes{} }

func (m *pipeMachine) Run(_ context.Context, _ []measure.Input, built []measure.BuildResult) ([]measure.Result, error) {
	a, err := m.runs.ask(pipeRequest{Built: built})
	return a.Results, err
}

// A formulaMachine takes the place of times, which differ from run to run, by a formula
// of the steps.
type formulaMachine struct{ Machine }

func (m formulaMachine) Runner() machine.Runner { return formulaRunner{m.Machine.Runner()} }

type formulaRunner struct{ machine.Runner }

func (formulaRunner) Modes() measure.Modes { return measure.Modes{} }

func (r formulaRunner) Run(ctx context.Context, in []measure.Input, built []measure.BuildResult) ([]measure.Result, error) {
	results, err := r.Runner.Run(ctx, in, built)
	for i := range results {
		if results[i].Status == measure.OK {
			h := fnv.New32a()
			io.WriteString(h, in[i].Steps)
			results[i].Costs = []float64{1e-3 * (1 + float64(h.Sum32()%1024)/1024)}
		}
	}
	return results, err
}

// TestPipe: a builder and a runner in processes of their own, which get nothing but bytes, give
// the records that those in this process give: 64 trials, packed weights included.
func TestPipe(t *testing.T) {
	buildtest.NeedLLVM(t, build.Config{})
	w, err := workload.Find("dense:m=16,n=64,k=32,epilogue=bias+relu")
	if err != nil {
		t.Fatal(err)
	}
	here, err := machine.OpenCPU(t.Context(), machine.Options{Libraries: machine.Libraries{LLVM: os.Getenv("WMTUNE_LLVM")}})
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	var lines [2][]string
	for i, m := range []Machine{here, &pipeMachine{Machine: here, builds: newPipe(t), runs: newPipe(t)}} {
		var records []dataset.Record
		log := t.TempDir() + "/tuning.arrow"
		r, err := Run(t.Context(), formulaMachine{m}, w, Options{
			Trials: 64, ScorerName: "random", Seed: 5, Layout: target.Rewrite, Log: log, Finalists: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		if records, _, err = dataset.ReadLog(log); err != nil || len(records) != 64 || r.Status["ok"] < 60 {
			t.Fatalf("%d records, %v, %v", len(records), r.Status, err)
		}
		for _, rec := range records {
			lines[i] = append(lines[i], fmt.Sprint(rec.Status, rec.Costs, rec.Packed, rec.Layout, string(schedule.FormatSteps(rec.Steps))))
		}
	}
	for i := range lines[0] {
		if lines[0][i] != lines[1][i] {
			t.Fatalf("record %d is\n%s\nin this process, and over the pipe\n%s", i, lines[0][i], lines[1][i])
		}
	}
}
