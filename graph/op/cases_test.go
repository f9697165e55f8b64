package op_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/onnx"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

var update = flag.Bool("update", false, "rewrite testdata/cases.txt, from the folder that WMTUNE_NODE_CASES names")

// A nodeCase is one of ONNX's own test cases: a small model, inputs, and what it must compute.
type nodeCase struct {
	name       string
	ops        []string // names of operators, each once
	rtol, atol float64
	g          *graph.Graph
	in, want   []*graph.Tensor
}

// row is the line of the table to which the case belongs.
func (c *nodeCase) row() string {
	if len(c.ops) == 1 {
		return c.ops[0]
	}
	return "(several)"
}

// checks are what is tried with each case. The first two take the model as it is; the last two once so, and once with
// every input but the first as an initializer.
var checks = []struct {
	name string
	do   func(t *testing.T, c *nodeCase) error
}{
	{"eval", checkEval},
	{"infer", func(t *testing.T, c *nodeCase) error { return checkInfer(t, c.g.Clone, c.in, c) }},
	{"program", func(t *testing.T, c *nodeCase) error { return checkProgram(t, c.g.Clone, c.in, c) }},
	{"infer const", func(t *testing.T, c *nodeCase) error { return checkInfer(t, c.constants, c.in[:1], c) }},
	{"program const", func(t *testing.T, c *nodeCase) error { return checkProgram(t, c.constants, c.in[:1], c) }},
}

// A tally counts what came of the cases of an operator.
type tally struct {
	cases       int
	ok          []int // by check
	unsupported []int
	wrong       []int
}

// TestCases runs ONNX's node cases, which lie in the folder that WMTUNE_NODE_CASES names (with cases.tsv, as
// onnx_node_cases.py writes them), through the reference (eval), types and shapes (infer) and the interpreter of
// programs (program). What is not supported is counted; what is wrong fails. WMTUNE_NODE_OP=Resize takes the cases that
// have that operator, WMTUNE_NODE_CASE=test_resize those whose names begin so. -v shows the table and all reasons.
func TestCases(t *testing.T) {
	dir := os.Getenv("WMTUNE_NODE_CASES")
	if dir == "" {
		t.Skip("WMTUNE_NODE_CASES does not name the folder of ONNX's node cases: nothing was checked")
	}
	table := map[string]*tally{}
	for _, c := range readCases(t, dir, os.Getenv("WMTUNE_NODE_OP"), os.Getenv("WMTUNE_NODE_CASE")) {
		r := table[c.row()]
		if r == nil {
			n := len(checks)
			r = &tally{ok: make([]int, n), unsupported: make([]int, n), wrong: make([]int, n)}
			table[c.row()] = r
		}
		r.cases++
		err := c.load(filepath.Join(dir, c.name))
		if unsupported(err) {
			t.Logf("%s: %v", c.name, err)
			r.unsupported[0]++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			r.wrong[0]++
			continue
		}
		rejects := false // whether the reference does not support it; a program finds that out when it runs
		for i, check := range checks {
			if strings.HasSuffix(check.name, "const") && len(c.in) < 2 {
				continue
			}
			err := guard(func() error { return check.do(t, c) })
			rejects = rejects || i == 0 && unsupported(err)
			switch {
			case err == nil:
				r.ok[i]++
			case unsupported(err) || rejects && errors.Is(err, op.ErrRunTime):
				r.unsupported[i]++
				t.Logf("%s: %s: %v", c.name, check.name, err)
			default:
				r.wrong[i]++
				t.Errorf("%s: %s: %v", c.name, check.name, err)
			}
		}
	}
	text := tableText(table)
	t.Log(text)
	if os.Getenv("WMTUNE_NODE_OP")+os.Getenv("WMTUNE_NODE_CASE") == "" {
		checkFloor(t, text)
	}
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
func tableText(table map[string]*tally) string {
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
	names := make([]string, 0, len(table))
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r := table[name]
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

// readCases reads cases.tsv: name, operators, types, rtol and atol in columns, with a head.
func readCases(t *testing.T, dir, operator, prefix string) []*nodeCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "cases.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list []*nodeCase
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 {
			continue
		}
		if len(f) != 5 {
			t.Fatalf("cases.tsv:%d: %d columns", i+1, len(f))
		}
		c := &nodeCase{name: f[0], ops: strings.Split(f[1], ",")}
		var err1, err2 error
		c.rtol, err1 = strconv.ParseFloat(f[3], 64)
		c.atol, err2 = strconv.ParseFloat(f[4], 64)
		if err := cmp.Or(err1, err2); err != nil {
			t.Fatal(err)
		}
		if (operator == "" || slices.Contains(c.ops, operator)) && strings.HasPrefix(c.name, prefix) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		t.Fatalf("no cases of operator %q with names %q...", operator, prefix)
	}
	return list
}

func (c *nodeCase) load(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, "model.onnx"))
	if err != nil {
		return err
	}
	if c.g, err = onnx.Decode(b, onnx.Options{}); err != nil {
		return err
	}
	if c.in, err = readTensors(filepath.Join(dir, "test_data_set_0", "input_"), len(c.g.Inputs)); err != nil {
		return err
	}
	c.want, err = readTensors(filepath.Join(dir, "test_data_set_0", "output_"), len(c.g.Outputs))
	return err
}

func readTensors(prefix string, n int) ([]*graph.Tensor, error) {
	var list []*graph.Tensor
	for i := range n {
		b, err := os.ReadFile(fmt.Sprintf("%s%d.pb", prefix, i))
		if err != nil {
			return nil, err
		}
		t, err := onnx.DecodeTensor(b)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// constants returns the graph with every input but the first as an initializer.
func (c *nodeCase) constants() (*graph.Graph, map[*graph.Value]*graph.Value) {
	g, m := c.g.Clone()
	for i, v := range g.Inputs[1:] {
		t := c.in[i+1]
		v.Type, v.Shape, v.Ranked, v.DimNames, v.Const = t.Type, t.Shape, true, nil, t.Const()
	}
	g.Inputs = g.Inputs[:1]
	return g, m
}

// compare returns the first difference between results and what is expected, or nil. Results are rounded to their types
// first.
func (c *nodeCase) compare(got []*graph.Tensor) error {
	for i, want := range c.want {
		if err := c.compareOne(got[i], want); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

func (c *nodeCase) compareOne(got, want *graph.Tensor) error {
	if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("%s%v, want %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	got = got.Const().Tensor()
	for i := range want.Len() {
		if !want.Type.IsFloat() {
			if got.I[i] != want.I[i] {
				return fmt.Errorf("element %d is %d, want %d", i, got.I[i], want.I[i])
			}
			continue
		}
		x, y := got.F[i], want.F[i]
		same := x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= c.atol+c.rtol*math.Abs(y) && !math.IsInf(y, 0)
		if !same {
			return fmt.Errorf("element %d is %g, want %g", i, x, y)
		}
	}
	return nil
}

// checkEval compares what the reference evaluator computes.
func checkEval(t *testing.T, c *nodeCase) error {
	out, err := op.Evaluator().Run(t.Context(), c.g, c.in)
	if err != nil {
		return err
	}
	return c.compare(out)
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
	c *nodeCase) error {
	g, err := inferred(t, clone, in)
	if err != nil {
		return err
	}
	for i, v := range g.Outputs {
		want := c.want[i]
		fits := v.Known() && v.Type == want.Type && len(v.Shape) == len(want.Shape)
		for d := range want.Shape {
			fits = fits && (v.Shape[d] == want.Shape[d] || v.Extents != nil && v.Shape[d] > want.Shape[d])
		}
		if !fits {
			return fmt.Errorf("output %d is inferred as %s, and is %s%v", i, v, want.Type, want.Shape)
		}
		if v.Const != nil {
			if err := c.compareOne(v.Const.Tensor(), want); err != nil {
				return fmt.Errorf("output %d, folded: %w", i, err)
			}
		}
	}
	return nil
}

// checkProgram compares what the programs of all nodes compute.
func checkProgram(t *testing.T, clone func() (*graph.Graph, map[*graph.Value]*graph.Value), in []*graph.Tensor,
	c *nodeCase) error {
	g, err := inferred(t, clone, in)
	if err != nil {
		return err
	}
	p := &op.Programs{Memory: map[*graph.Value]*graph.Const{}}
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
	return c.compare(got)
}
