package compile

import (
	"testing"

	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tune"
)

// TestPolicyOf: a task without a template keeps the default's way; other policies search the space of models.
func TestPolicyOf(t *testing.T) {
	for _, c := range []struct{ policy, spec, name, space, propose string }{
		{"felix", "softmax:m=64,n=64", "felix", untiled, "descend"},
		{"ansor", "softmax:m=64,n=64", "ansor", untiled, "evolve"},
		{"template", "matmul:m=64,n=64,k=64", "template", "template", "anneal"},
		{"template", "softmax:m=64,n=64", "ansor", untiled, "evolve"},
	} {
		w, err := op.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		p, err := tune.FindPolicy(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		got := (&scheduler{policy: p}).policyOf(&Task{DAG: w.DAG})
		if got.Name != c.name || got.Space != c.space || got.Propose != c.propose {
			t.Errorf("%s of %s: %+v", c.policy, c.spec, got)
		}
	}
}
