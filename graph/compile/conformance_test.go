package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
)

// An outcome is what became of a case.
type outcome int

const (
	passed outcome = iota
	notSupported
	wrong
	crashed
	outcomes
)

func (o outcome) String() string {
	return [...]string{"passed", "not supported", "WRONG", "CRASHED"}[o]
}

// TestConformance compiles ONNX's node cases into bundles, runs them in worker processes, and prints a table of the
// outcomes by operator. Inputs of a case are inputs of its bundle. None may be wrong or crash, and what is not supported
// must say so. WMTUNE_NODE_CASES names the folder of the cases (make conformance writes it), WMTUNE_NODE_CASE the
// beginning of the names to take.
func TestConformance(t *testing.T) {
	dir := os.Getenv("WMTUNE_NODE_CASES")
	if dir == "" {
		t.Skip("WMTUNE_NODE_CASES does not name the folder of ONNX's node cases: nothing was checked; make conformance writes it")
	}
	cases, err := graphtest.Cases(dir)
	if err != nil {
		t.Fatal(err)
	}
	cases = slices.DeleteFunc(cases, func(c *graphtest.Case) bool {
		return !strings.HasPrefix(c.Name, os.Getenv("WMTUNE_NODE_CASE"))
	})
	table := conform(t, needBundles(t), cases)
	t.Log("\n" + table.String())
	if n := table.total()[passed]; os.Getenv("WMTUNE_NODE_CASE") == "" && n < leastPassed {
		t.Errorf("%d cases passed: it was %d", n, leastPassed)
	}
}

// TestConformanceSample does the same with some of the cases, which a Python that has the onnx package writes.
func TestConformanceSample(t *testing.T) {
	python := os.Getenv("WMTUNE_PYTHON")
	if python == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("WMTUNE_PYTHON must name a Python that has onnx (.ci/run makes one)")
		}
		t.Skip("SKIPPED: nobody checks ONNX's own node cases: set WMTUNE_PYTHON to a Python that has onnx (pip install onnx)")
	}
	b := needBundles(t)
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), python, "../graphtest/testdata/node_cases.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all, err := graphtest.Cases(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 1500 {
		t.Errorf("the onnx package has %d cases: there were 1532", len(all))
	}
	const size, least = 200, 180
	table := conform(t, b, graphtest.Sample(all, size))
	sum := table.total()
	t.Logf("%d passed, %d not supported, %d wrong, %d crashed", sum[passed], sum[notSupported], sum[wrong], sum[crashed])
	if sum[passed] < least {
		t.Errorf("%d of %d cases passed: at least %d did before", sum[passed], size, least)
	}
}

// leastPassed is how many of all cases pass.
const leastPassed = 1500

// A conformance counts outcomes by operator.
type conformance map[string]*[outcomes]int

// conform runs cases, two at once.
func conform(t *testing.T, b *bundles, cases []*graphtest.Case) conformance {
	t.Helper()
	table := conformance{}
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(2)
	for _, c := range cases {
		g.Go(func() error {
			o, err := b.conforms(t.Context(), c)
			mu.Lock()
			defer mu.Unlock()
			row := c.Row()
			if table[row] == nil {
				table[row] = new([outcomes]int)
			}
			table[row][o]++
			switch {
			case o == notSupported:
				t.Logf("%s: %v", c.Name, err)
			case o != passed:
				t.Errorf("%s: %s: %v", c.Name, o, err)
			}
			return nil
		})
	}
	_ = g.Wait() // the functions return nil
	return table
}

// conforms runs a case. Every error but that of an unsupported operator is a wrong answer.
func (b *bundles) conforms(ctx context.Context, c *graphtest.Case) (outcome, error) {
	if err := c.Load(); err != nil {
		if errors.Is(err, graph.ErrUnsupported) {
			return notSupported, err
		}
		return wrong, err
	}
	got, err := b.run(ctx, c.Graph, c.In)
	ran := err == nil
	if ran {
		err = c.Compare(got)
	}
	c.Graph, c.In, c.Want = nil, nil, nil
	var open *op.OpenError
	var crash *model.CrashError
	var panicked *panicError
	switch {
	case err == nil:
		return passed, nil
	case errors.As(err, &crash) || errors.As(err, &panicked):
		return crashed, err
	case ran:
		return wrong, err
	case errors.Is(err, graph.ErrUnsupported) || errors.As(err, &open):
		return notSupported, err
	case strings.Contains(err.Error(), "is not supported"): // a check of the bundle: it depends on inputs
		return notSupported, err
	}
	return wrong, err
}

func (c conformance) total() [outcomes]int {
	var sum [outcomes]int
	for _, row := range c {
		for o, n := range row {
			sum[o] += n
		}
	}
	return sum
}

// String returns a row for each operator and the sum.
func (c conformance) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "operator\tpassed\tnot supported\tWRONG\tCRASHED\t\n")
	line := func(name string, row [outcomes]int) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", name, row[passed], row[notSupported], row[wrong], row[crashed])
	}
	var names []string
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		line(name, *c[name])
	}
	line("total", c.total())
	w.Flush()
	return b.String()
}
