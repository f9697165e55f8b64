package sketch

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// doubling returns the state of a chain of stages each of which reads the one before twice.
func doubling(t *testing.T, stages int) *schedule.State {
	t.Helper()
	text, last := "input x: float32[64]\n", "x"
	for i := range stages {
		text += fmt.Sprintf("t%d(i: 64) = %s[i]*%s[i] + 1\n", i, last, last)
		last = fmt.Sprintf("t%d", i)
	}
	return parsed(t, text+"output "+last+"\n")
}

// A stage stays where inlining it would make what reads it too large: bodies would double with every stage.
func TestInlinedSizeIsBounded(t *testing.T) {
	d := doubling(t, 18).DAG
	for _, c := range []struct {
		policy Policy
		g      *Generator
	}{{CPU, cpu(4)}, {GPU, gpu()}} {
		list, err := Generate(t.Context(), c.policy, d, c.g.Target)
		if err != nil || len(list) == 0 {
			t.Fatalf("%d sketches: %v", len(list), err)
		}
		inlined := 0
		for i, st := range list[0].Stages {
			if st.At == schedule.Inlined {
				inlined++
			}
			for _, body := range list[0].InlinedBody(i) {
				n := 0
				tir.VisitExpr(body, func(tir.Expr) bool {
					n++
					return true
				})
				if n > schedule.MostInlined {
					t.Errorf("stage %s has a body of %d nodes", st.Op.Name, n)
				}
			}
		}
		if inlined < 12 {
			t.Errorf("%d stages are inlined", inlined)
		}
	}
}

func TestGenerateEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Generate(ctx, CPU, doubling(t, 4).DAG, cpu(4).Target); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
