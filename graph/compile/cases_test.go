package compile

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
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
	p, w, err := plainProgram(m)
	if err != nil {
		return err
	}
	got, err := interpreted(m, p, w, c.In)
	if err != nil && referenceRejects(t.Context(), c) {
		return errors.Join(err, graph.ErrUnsupported)
	}
	if err != nil {
		return err
	}
	return c.Compare(got)
}
