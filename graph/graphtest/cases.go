// Package graphtest helps tests of graphs: it reads ONNX's own test cases and compares results with what they expect,
// and it reads graphs as text. It is for tests only.
package graphtest

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/onnx"
)

// A Case is one of ONNX's node cases: a small model, inputs, and what it must compute.
type Case struct {
	Name       string
	Ops        []string // names of operators, each once
	RTol, ATol float64
	Dir        string // with model.onnx and test_data_set_0

	Graph    *graph.Graph // set by Load, as In and Want
	In, Want []*graph.Tensor
}

// Row is the line of a table by operator to which the case belongs.
func (c *Case) Row() string {
	if len(c.Ops) == 1 {
		return c.Ops[0]
	}
	return "(several)"
}

// Cases lists the cases in a folder, which holds cases.tsv, as testdata/node_cases.py writes it: name, operators,
// types, rtol and atol in columns, with a head.
func Cases(dir string) ([]*Case, error) {
	data, err := os.ReadFile(filepath.Join(dir, "cases.tsv"))
	if err != nil {
		return nil, err
	}
	var list []*Case
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("cases.tsv:%d: %d columns", i+2, len(f))
		}
		c := &Case{Name: f[0], Ops: strings.Split(f[1], ","), Dir: filepath.Join(dir, f[0])}
		if c.RTol, err = strconv.ParseFloat(f[3], 64); err != nil {
			return nil, err
		}
		if c.ATol, err = strconv.ParseFloat(f[4], 64); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// Sample returns at most n cases, always the same ones: the first of each row, then the second of each, and so on.
func Sample(cases []*Case, n int) []*Case {
	var rows []string
	byRow := map[string][]*Case{}
	for _, c := range cases {
		row := c.Row()
		if byRow[row] == nil {
			rows = append(rows, row)
		}
		byRow[row] = append(byRow[row], c)
	}
	var list []*Case
	for round := 0; len(list) < min(n, len(cases)); round++ {
		for _, row := range rows {
			if round < len(byRow[row]) && len(list) < n {
				list = append(list, byRow[row][round])
			}
		}
	}
	return list
}

// Load reads the model, the inputs and the outputs.
func (c *Case) Load() error {
	b, err := os.ReadFile(filepath.Join(c.Dir, "model.onnx"))
	if err != nil {
		return err
	}
	if c.Graph, err = onnx.Decode(b, onnx.Options{}); err != nil {
		return err
	}
	if c.In, err = readTensors(filepath.Join(c.Dir, "test_data_set_0", "input_"), len(c.Graph.Inputs)); err != nil {
		return err
	}
	for i, v := range c.Graph.Inputs {
		v.Type, v.Shape, v.Ranked, v.DimNames = c.In[i].Type, c.In[i].Shape, true, nil
	}
	c.Want, err = readTensors(filepath.Join(c.Dir, "test_data_set_0", "output_"), len(c.Graph.Outputs))
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

// Compare returns the first difference between results and what is expected, or nil. Results are rounded to their types
// first.
func (c *Case) Compare(got []*graph.Tensor) error {
	for i, want := range c.Want {
		if err := c.CompareOne(got[i], want); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// CompareOne is Compare of one output.
func (c *Case) CompareOne(got, want *graph.Tensor) error {
	if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("%s%v, want %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	got = got.Const().Tensor()
	for i := range want.Len() {
		if !want.Type.IsFloat() {
			if d := got.I[i] - want.I[i]; d != 0 && math.Abs(float64(d)) > c.ATol {
				return fmt.Errorf("element %d is %d, want %d", i, got.I[i], want.I[i])
			}
			continue
		}
		x, y := got.F[i], want.F[i]
		same := x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= c.ATol+c.RTol*math.Abs(y) && !math.IsInf(y, 0)
		if !same {
			return fmt.Errorf("element %d is %g, want %g", i, x, y)
		}
	}
	return nil
}
