package compile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/target"
)

// interpretCases runs ONNX's node cases through passes, partition and plan, and the programs that come out by the
// interpreter.
func interpretCases(t *testing.T, dir string) {
	cases, err := graphtest.Cases(dir)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, c := range cases {
		if !strings.HasPrefix(c.Name, os.Getenv("WMTUNE_NODE_CASE")) {
			continue
		}
		err := interpretCase(t, c)
		var open *op.OpenError
		switch {
		case graphtest.Deviations[c.Name] != "":
			count["deviates"]++
			if err == nil {
				t.Errorf("%s deviates no longer: take it out of graphtest.Deviations", c.Name)
			}
		case err == nil:
			count["ok"]++
		case errors.Is(err, graph.ErrUnsupported) || errors.As(err, &open):
			count["not supported"]++
			t.Logf("%s: %v", c.Name, err)
		default:
			count["WRONG"]++
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	t.Log(count)
}

func interpretCase(t *testing.T, c *graphtest.Case) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("PANIC: %v", r)
		}
	}()
	if err := c.Load(); err != nil {
		return err
	}
	m, err := New(t.Context(), c.Graph, pass.Options{Check: true})
	if err != nil {
		return err
	}
	if err := lowerPlain(m); err != nil {
		return err
	}
	p, w, err := m.program("m", target.Generic(32, 2))
	if err != nil {
		return err
	}
	var args [][]byte
	for _, x := range c.In {
		args = append(args, x.Const().Data)
	}
	out, shapes, err := interpret(m, p, w, args)
	if err != nil && referenceRejects(t.Context(), c) {
		return errors.Join(err, graph.ErrUnsupported)
	}
	if err != nil {
		return err
	}
	var got []*graph.Tensor
	for i, o := range p.Outputs {
		shape := append([]int64{}, o.Shape...)
		if o.Bounded {
			for d := range shape {
				shape[d] = int64(binary.LittleEndian.Uint64(shapes[i][8*d:]))
			}
		}
		data := out[i][:graph.Elems(shape)*int64(o.Type.Bytes())]
		got = append(got, (&graph.Const{Type: o.Type, Shape: shape, Data: data}).Tensor())
	}
	return c.Compare(got)
}
