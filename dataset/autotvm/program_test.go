package autotvm

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestPrograms: the programs of lines for processors compute what their DAGs say.
func TestPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, text := range dense {
		l, err := ParseLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.State()
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(s, lower.Config{Target: target.Generic(32, 2), Check: lower.CheckEach})
		if err != nil {
			t.Errorf("%s: %v", l.Template, err)
			continue
		}
		args := tirtest.Args(rng, s.DAG)
		var want, got []*interp.Tensor
		for _, a := range args {
			want, got = append(want, a.Clone()), append(got, a.Clone())
		}
		if err := interp.RunDAG(s.DAG, want); err != nil {
			t.Fatal(err)
		}
		opt := interp.Options{Shuffle: true, Seed: 1, Races: true}
		packed, err := interp.Pack(f, got, opt)
		if err == nil {
			err = interp.Run(f, packed, opt)
		}
		if err != nil {
			t.Errorf("%s: %v", l.Template, err)
			continue
		}
		for k := len(s.DAG.Inputs()); k < len(got); k++ {
			if err := tirtest.Compare(got[k], want[k], args...); err != nil {
				t.Errorf("%s: %v", l.Template, err)
			}
		}
	}
}
