package sketch

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// outputToo returns the state without steps of the DAG of s with the result of another op as
// an output, too.
func outputToo(s *schedule.State, op int) *schedule.State {
	d := s.DAG
	return schedule.New(&compute.DAG{
		Tensors: append(slices.Clone(d.Tensors), d.Ops[op].Results[0]), Outputs: d.Outputs + 1, Ops: d.Ops,
	})
}

// A product that is an output, and whose only reader walks its elements in the same
// order, is tiled inside a copy of its own, as one that nobody reads.
func TestProductThatIsReadAndAnOutput(t *testing.T) {
	read := state(epilogue(matmul(512, 512, 512), "D", relu)...)
	output := outputToo(read, 2)
	if r, ok := ElementwiseReader(read, 2); !ok || r != 3 {
		t.Errorf("the reader is %d, %v", r, ok)
	}
	if r, ok := ElementwiseReader(output, 2); ok {
		t.Errorf("an output may be inside stage %d", r)
	}
	for _, g := range []*Generator{cpu(4), gpu()} {
		cached, err := cacheWrite(g, output, 2)
		if err != nil {
			t.Fatal(err)
		}
		copied := cached[0].State
		if r, ok := ElementwiseReader(copied, 2); !ok || r != 3 {
			t.Errorf("the reader of the cache is %d, %v", r, ok)
		}
		for _, stage := range []int{2, 3} {
			if v := whenTiledAndFused(g, copied, stage); (v != Skip) != (stage == 2) {
				t.Errorf("tiling stage %d with fusion: verdict %d", stage, v)
			}
		}
	}
	checkWhen(t, cpu(4), whenCached, []whenCase{{"a processor", output, 2, Apply}})
	checkWhen(t, gpu(), whenCached, []whenCase{{"a GPU", output, 2, ApplyAndSkipRest}})
	checkWhen(t, cpu(4), whenTiledAndFused, []whenCase{{"a processor", output, 2, Skip}})
	checkWhen(t, gpu(), whenTiledAndFused, []whenCase{{"a GPU", output, 2, Skip}})
}

// A sum that one stage reads is computed inside it, by as many threads; one that is an output,
// too, is not.
func TestCrossThreadOfAnOutput(t *testing.T) {
	i, j := axis("i", 64), axis("j", 256)
	ops := rowSum(64, 256)
	centred := state(append(ops, compute1("D", tir.Bin(tir.Sub, load(ops[0], i, j), load(ops[1], i)), i, j))...)
	for _, c := range []struct {
		name string
		s    *schedule.State
		want string
	}{
		{"a sum", centred, `[["SP", 2, 1, 256, [32], 1], ["AN", 2, 2, 6], ["FSP", 1, 1, 0, 1], ["AN", 1, 2, 6], ["CA", 1, 2, 0]]`},
		{"an output", outputToo(centred, 1), `[["SP", 1, 1, 256, [32], 1], ["AN", 1, 2, 6]]`},
	} {
		got, err := crossThread(gpu(), c.s, 1)
		if err != nil || len(got) != 1 || got[0].Stage != 0 {
			t.Errorf("%s: %v, %v", c.name, got, err)
			continue
		}
		if text := string(schedule.FormatSteps(got[0].State.Steps)); text != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, text, c.want)
		}
	}
}

// All random DAGs have sketches, also those of which a stage reads an output, in which every
// output is computed at the root. Warps are small, so that sums go across threads.
func TestOutputsStayAtTheRoot(t *testing.T) {
	small := gpu().Target
	small.Hardware.WarpSize = 2
	tensor, err := target.GPU("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		policy Policy
		on     target.Target
		rules  []string // that must have decided on an output that is read
	}{
		{"processor", CPU, cpu(2).Target, []string{"add rfactor", "add cache write", "multi-level tiling", "skip stage"}},
		{"GPU", CUDA, small, []string{"add cache read", "cross thread reduction", "add cache write", "skip stage"}},
		{"GPU with tensor cores", GPU, tensor, []string{"add cache read", "add cache write", "skip stage"}},
	} {
		decided := map[string]int{}
		for seed := range uint64(400) {
			kind, d := tirtest.RandomDAG(rand.New(rand.NewPCG(seed, 1)))
			list, err := Generate(t.Context(), watched(c.policy, decided), d, c.on)
			if err != nil {
				t.Errorf("%s: seed %d, %s: %v", c.name, seed, kind, err)
				continue
			}
			for _, s := range list {
				for stage, st := range s.Stages {
					if s.IsOutput(stage) && st.At != schedule.AtRoot {
						t.Errorf("%s: seed %d, %s: output %s is not at the root", c.name, seed, kind, st.Op.Name)
					}
				}
			}
		}
		for _, r := range c.rules {
			if decided[r] == 0 {
				t.Errorf("%s: no rule %q for an output that is read: %v", c.name, r, decided)
			}
		}
		for _, r := range c.policy.Rules {
			if strings.Contains(r.Name, "inline") && decided[r.Name] > 0 {
				t.Errorf("%s: rule %q for an output", c.name, r.Name)
			}
		}
	}
}

// watched returns a policy whose rules count what they do to outputs that are read.
func watched(p Policy, decided map[string]int) Policy {
	rules := append([]Rule{}, p.Rules...)
	for i, r := range p.Rules {
		rules[i].Apply = func(g *Generator, s *schedule.State, stage int) ([]Next, error) {
			if s.IsOutput(stage) && len(s.Readers(stage)) > 0 {
				decided[r.Name]++
			}
			return r.Apply(g, s, stage)
		}
	}
	p.Rules = rules
	return p
}
