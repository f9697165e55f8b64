package table_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/table"
	"github.com/wmtune/wmtune/tir"
)

var update = flag.Bool("update", false, "rewrite testdata/cases.txt, from the folder that WMTUNE_NODE_CASES names")

// checks are what is tried with each case. The first two take the model as it is; the last two once so, and once with
// every input but the first as an initializer.
var checks = []struct {
	name string
	do   func(t *testing.T, c *graphtest.Case) error
}{
	{"eval", checkEval},
	{"infer", func(t *testing.T, c *graphtest.Case) error { return checkInfer(t, c.Graph.Clone, c.In, c) }},
	{"program", func(t *testing.T, c *graphtest.Case) error { return checkProgram(t, c.Graph.Clone, c.In, c) }},
	{"infer const", func(t *testing.T, c *graphtest.Case) error {
		return checkInfer(t, func() (*graph.Graph, map[*graph.Value]*graph.Value) { return constants(c) }, c.In[:1], c)
	}},
	{"program const", func(t *testing.T, c *graphtest.Case) error {
		return checkProgram(t, func() (*graph.Graph, map[*graph.Value]*graph.Value) { return constants(c) }, c.In[:1], c)
	}},
}

// A tally counts what came of the cases of an operator.
type tally struct {
	cases       int
	ok          []int // by check
	unsupported []int
	wrong       []int
}

// TestCases runs ONNX's node cases (graphtest.Folder) through the reference (eval), types and shapes (infer) and the
// interpreter of programs (program). What is not supported is counted; what is wrong fails. WMTUNE_NODE_OP=Resize
// takes the cases that have that operator, WMTUNE_NODE_CASE=test_resize those whose names begin so. -v shows the
// table and all reasons.
func TestCases(t *testing.T) {
	text := tryCases(t, graphtest.Folder(t))
	if os.Getenv("WMTUNE_NODE_OP")+os.Getenv("WMTUNE_NODE_CASE") == "" {
		checkFloor(t, text)
	}
}

// TestMicrosoftCases is TestCases of random instances of ONNX Runtime's own operators (graphtest.Microsoft). Nothing
// may be unsupported.
func TestMicrosoftCases(t *testing.T) {
	for line := range strings.Lines(tryCases(t, graphtest.Microsoft(t, 3))) {
		if f := strings.Fields(line); slices.ContainsFunc(f, func(s string) bool {
			p := strings.Split(s, "/")
			return len(p) == 3 && p[1] != "0" && p[1] != "not supported"
		}) {
			t.Errorf("not supported: %s", line)
		}
	}
}

// tryCases tries the cases of a folder that the environment chooses, and returns the table.
func tryCases(t *testing.T, dir string) string {
	tallies := map[string]*tally{}
	for _, c := range chosen(t, dir, os.Getenv("WMTUNE_NODE_OP"), os.Getenv("WMTUNE_NODE_CASE")) {
		r := tallies[c.Row()]
		if r == nil {
			n := len(checks)
			r = &tally{ok: make([]int, n), unsupported: make([]int, n), wrong: make([]int, n)}
			tallies[c.Row()] = r
		}
		r.cases++
		err := c.Load()
		if unsupported(err) {
			t.Logf("%s: %v", c.Name, err)
			r.unsupported[0]++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			r.wrong[0]++
			continue
		}
		rejects := false // whether the reference does not support it; a program finds that out when it runs
		for i, check := range checks {
			if strings.HasSuffix(check.name, "const") && len(c.In) < 2 {
				continue
			}
			err := guard(func() error { return check.do(t, c) })
			rejects = rejects || i == 0 && unsupported(err)
			switch {
			case err == nil:
				r.ok[i]++
			case unsupported(err) || rejects && errors.Is(err, table.ErrRunTime):
				r.unsupported[i]++
				t.Logf("%s: %s: %v", c.Name, check.name, err)
			case graphtest.Deviations[c.Name] != "":
				r.wrong[i]++
				t.Logf("%s: %s: %v: %s", c.Name, check.name, err, graphtest.Deviations[c.Name])
			default:
				r.wrong[i]++
				t.Errorf("%s: %s: %v", c.Name, check.name, err)
			}
		}
	}
	text := tableText(tallies)
	t.Log(text)
	return text
}

// floorFile has the table as it was when somebody last wrote it, with -update.
const floorFile = "testdata/cases.txt"

// checkFloor fails if fewer cases of an operator are right than in floorFile.
func checkFloor(t *testing.T, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(floorFile, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(floorFile)
	if err != nil {
		t.Fatal(err)
	}
	now := map[string][]string{} // columns by operator
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2+len(checks) {
			now[f[0]] = f
		}
	}
	rows := 0
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 2+len(checks) || f[0] == "operator" {
			continue
		}
		rows++
		for i, check := range checks {
			var was, is int
			fmt.Sscan(f[2+i], &was)
			if r := now[f[0]]; r != nil {
				fmt.Sscan(r[2+i], &is)
			}
			if is < was {
				t.Errorf("%s: %s: %d cases are right, and were %d; -update writes %s", f[0], check.name, is, was, floorFile)
			}
		}
	}
	if rows < 100 {
		t.Errorf("only %d rows in %s", rows, floorFile)
	}
}

// unsupported reports whether an error says that wmtune does not support something, or that a shape depends on data.
func unsupported(err error) bool {
	var open *op.OpenError
	return errors.Is(err, graph.ErrUnsupported) || errors.As(err, &open)
}

// guard makes an error of a panic, so that the other cases are still tried.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("PANIC: %v", r)
		}
	}()
	return f()
}

// tableText prints a line an operator: ok/unsupported/wrong for each check.
func tableText(tallies map[string]*tally) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	head := "operator\tcases"
	for _, c := range checks {
		head += "\t" + c.name
	}
	fmt.Fprintln(w, "ok/not supported/WRONG\n"+head)
	n := len(checks)
	sum := tally{ok: make([]int, n), unsupported: make([]int, n), wrong: make([]int, n)}
	line := func(name string, r *tally) {
		fmt.Fprintf(w, "%s\t%d", name, r.cases)
		for i := range r.ok {
			fmt.Fprintf(w, "\t%d/%d/%d", r.ok[i], r.unsupported[i], r.wrong[i])
		}
		fmt.Fprintln(w)
	}
	names := make([]string, 0, len(tallies))
	for name := range tallies {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r := tallies[name]
		line(name, r)
		sum.cases += r.cases
		for i := range r.ok {
			sum.ok[i] += r.ok[i]
			sum.unsupported[i] += r.unsupported[i]
			sum.wrong[i] += r.wrong[i]
		}
	}
	line("all", &sum)
	w.Flush()
	return b.String()
}

// chosen lists the cases of a folder that have an operator and whose names begin with a prefix; "" is any.
func chosen(t *testing.T, dir, operator, prefix string) []*graphtest.Case {
	t.Helper()
	all, err := graphtest.Cases(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := slices.DeleteFunc(all, func(c *graphtest.Case) bool {
		return operator != "" && !slices.Contains(c.Ops, operator) || !strings.HasPrefix(c.Name, prefix)
	})
	if len(list) == 0 {
		t.Fatalf("no cases of operator %q with names %q...", operator, prefix)
	}
	return list
}

// constants returns the graph with every input but the first as an initializer.
func constants(c *graphtest.Case) (*graph.Graph, map[*graph.Value]*graph.Value) {
	g, m := c.Graph.Clone()
	for i, v := range g.Inputs[1:] {
		t := c.In[i+1]
		v.Type, v.Shape, v.Ranked, v.DimNames, v.Const = t.Type, t.Shape, true, nil, t.Const()
	}
	g.Inputs = g.Inputs[:1]
	return g, m
}

// checkEval compares what the reference evaluator computes.
func checkEval(t *testing.T, c *graphtest.Case) error {
	out, err := op.Evaluator().Run(t.Context(), c.Graph, c.In)
	if err != nil {
		return err
	}
	return c.Compare(out)
}

// inferred returns a copy of the graph, whose inputs are known, after op.Infer.
func inferred(t *testing.T, clone func() (*graph.Graph, map[*graph.Value]*graph.Value), in []*graph.Tensor) (
	*graph.Graph, error) {
	g, _ := clone()
	for i, v := range g.Inputs {
		v.Type, v.Shape, v.Ranked, v.DimNames = in[i].Type, in[i].Shape, true, nil
	}
	if err := op.Infer(t.Context(), g); err != nil {
		return nil, err
	}
	return g, graph.Check(g)
}

// checkInfer compares types and shapes. Bounds must be large enough.
func checkInfer(t *testing.T, clone func() (*graph.Graph, map[*graph.Value]*graph.Value), in []*graph.Tensor,
	c *graphtest.Case) error {
	g, err := inferred(t, clone, in)
	if err != nil {
		return err
	}
	for i, v := range g.Outputs {
		want := c.Want[i]
		fits := v.Known() && v.Type == want.Type && len(v.Shape) == len(want.Shape)
		for d := range want.Shape {
			fits = fits && (v.Shape[d] == want.Shape[d] || v.Extents != nil && v.Shape[d] > want.Shape[d])
		}
		if !fits {
			return fmt.Errorf("output %d is inferred as %s, and is %s%v", i, v, want.Type, want.Shape)
		}
		if v.Const != nil {
			if err := c.CompareOne(v.Const.Tensor(), want); err != nil {
				return fmt.Errorf("output %d, folded: %w", i, err)
			}
		}
	}
	return nil
}

// checkProgram compares what the programs of all nodes compute.
func checkProgram(t *testing.T, clone func() (*graph.Graph, map[*graph.Value]*graph.Value), in []*graph.Tensor,
	c *graphtest.Case) error {
	g, err := inferred(t, clone, in)
	if err != nil {
		return err
	}
	p := &table.Programs{Memory: map[*graph.Value]*graph.Const{}}
	for i, v := range g.Inputs {
		p.Memory[v] = in[i].Const()
	}
	for _, n := range g.Nodes {
		if err := p.Run(n); err != nil {
			return fmt.Errorf("%s: %w", n.Label(), err)
		}
	}
	got := make([]*graph.Tensor, len(g.Outputs))
	for i, v := range g.Outputs {
		if v.Type == tir.Invalid {
			return fmt.Errorf("BUG: output %s has no type", v.Name)
		}
		c, err := p.Contents(v)
		if err != nil {
			return err
		}
		got[i] = c.Tensor()
	}
	return c.Compare(got)
}
