package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
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

// TestConformance takes ONNX's node cases (graphtest.Folder) through programs: all by the interpreter, and as bundles,
// which run in worker processes, a sample, or all where WMTUNE_NODE_CASES names their folder (make conformance).
// WMTUNE_NODE_CASE is the beginning of the names to take.
func TestConformance(t *testing.T) {
	dir := graphtest.Folder(t)
	t.Run("interpreted", func(t *testing.T) { interpretCases(t, dir) })
	t.Run("bundles", func(t *testing.T) { conformBundles(t, dir) })
}

// TestMicrosoft is TestConformance of random instances of ONNX Runtime's own operators (graphtest.Microsoft).
func TestMicrosoft(t *testing.T) { conformAll(t, graphtest.Microsoft(t, 1), 44) }

// TestOptimized is TestConformance of models that ONNX Runtime's optimizer saved (graphtest.Optimized).
func TestOptimized(t *testing.T) { conformAll(t, graphtest.Optimized(t), 20) }

// conformAll takes all cases of a folder, of which there are so many or more, through programs. All must pass.
func conformAll(t *testing.T, dir string, least int) {
	t.Run("interpreted", func(t *testing.T) { interpretCases(t, dir) })
	t.Run("bundles", func(t *testing.T) {
		b := needBundles(t)
		cases, err := graphtest.Cases(dir)
		if err != nil {
			t.Fatal(err)
		}
		table := conform(t, b, cases)
		t.Log("\n" + table.String())
		if n := table.total()[passed]; n < len(cases) || n < least {
			t.Errorf("%d of %d cases passed: there were %d", n, len(cases), least)
		}
	})
}

// conformBundles prints a table of the outcomes by operator. Inputs of a case are inputs of its bundle. None may be
// wrong or crash, and what is not supported must say so.
func conformBundles(t *testing.T, dir string) {
	b := needBundles(t)
	cases, err := graphtest.Cases(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 1500 {
		t.Errorf("the onnx package has %d cases: there were 1532", len(cases))
	}
	least := leastPassed
	switch prefix := os.Getenv("WMTUNE_NODE_CASE"); {
	case prefix != "":
		cases = slices.DeleteFunc(cases, func(c *graphtest.Case) bool { return !strings.HasPrefix(c.Name, prefix) })
		least = 0
	case os.Getenv("WMTUNE_NODE_CASES") == "":
		cases, least = graphtest.Sample(cases, sampled), leastOfSample
	}
	table := conform(t, b, cases)
	t.Log("\n" + table.String())
	if n := table.total()[passed]; n < least {
		t.Errorf("%d of %d cases passed: at least %d did before", n, len(cases), least)
	}
}

// How many cases pass as bundles, of all and of a sample.
const (
	leastPassed   = 1500
	sampled       = 200
	leastOfSample = 190
)

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
			case graphtest.Deviations[c.Name] != "":
				t.Logf("%s: %s: %v: %s", c.Name, o, err, graphtest.Deviations[c.Name])
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
	rejected := !ran && referenceRejects(ctx, c)
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
	case rejected: // a check of the bundle: what is not supported depends on inputs
		return notSupported, err
	}
	return wrong, err
}

// referenceRejects reports whether the reference does not support what the inputs of a case ask for.
func referenceRejects(ctx context.Context, c *graphtest.Case) bool {
	_, err := op.Evaluator().Run(ctx, c.Graph, c.In)
	return errors.Is(err, graph.ErrUnsupported)
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
