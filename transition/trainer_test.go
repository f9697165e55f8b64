package transition

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"
)

// madeUp is tasks whose candidates are the faster the larger slot 7 of their actions
// is when it comes after an action with slot 3: order matters.
func madeUp(tasks, candidates int) *Data {
	rng := rand.New(rand.NewPCG(9, 9))
	d := &Data{}
	for range 40 {
		v := make([]float32, Size)
		v[rng.IntN(6)] = 1
		v[7] = rng.Float32()
		d.Actions = append(d.Actions, v...)
	}
	for range tasks {
		g := Group{Start: uniform(rng, StartSize)}
		normalise(g.Start[:EncodedSize])
		for range candidates {
			s := Sample{}
			armed, sum := false, 0.0
			for range 3 + rng.IntN(5) {
				a := int32(rng.IntN(40))
				s.Actions = append(s.Actions, a)
				if armed {
					sum += float64(d.action(a)[7])
				}
				armed = d.action(a)[3] == 1
			}
			s.Quality, s.Last = 1-math.Exp(-sum), []float32{float32(sum), float32(len(s.Actions))}
			g.Samples = append(g.Samples, s)
		}
		d.Groups = append(d.Groups, g)
	}
	return d
}

// quick is a recipe for tests.
func quick() Recipe {
	r := Default()
	r.Embed, r.Latent, r.Hidden, r.Head = 16, 16, 32, []int{16}
	r.Tasks, r.PerTask, r.Steps, r.Rate, r.Drop, r.Blind = 4, 16, 250, 1e-2, 0.02, 0
	return r
}

func pointers(list []Sample) []*Sample {
	var out []*Sample
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// ordered is the share of pairs in order.
func ordered(s []float64, list []Sample) float64 {
	right, all := 0, 0
	for i := range list {
		for k := range list {
			if list[i].Quality > list[k].Quality+MinGap {
				if all++; s[i] > s[k] {
					right++
				}
			}
		}
	}
	return float64(right) / float64(all)
}

// trained trains a network.
func trained(t *testing.T, d *Data, r Recipe, seed uint64) *Model {
	t.Helper()
	m, err := (&Training{}).Run(context.Background(), d, r, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A network learns an order that depends on the order of actions, in a task that
// it has not seen. The same training gives the same bytes.
func TestTrain(t *testing.T) {
	d := madeUp(7, 80)
	test := &Data{Actions: d.Actions, Groups: d.Groups[6:]}
	d.Groups = d.Groups[:6]
	one, two := trained(t, d, quick(), 17), trained(t, d, quick(), 17)
	if !slices.Equal(written(t, one), written(t, two)) {
		t.Error("two trainings are different models")
	}
	list := test.Groups[0].Samples
	if right := ordered(one.Score(test, 0, pointers(list)), list); right < 0.85 {
		t.Errorf("pairs in order: %.3f", right)
	}
}

// A training that is killed and goes on from its last checkpoint ends with the same
// bytes.
func TestResume(t *testing.T) {
	d := madeUp(5, 30)
	r := quick()
	r.Steps = 20
	want := written(t, trained(t, d, r, 3))
	var saved [][]byte
	o := Training{Every: 6, Save: func(c []byte) error { saved = append(saved, c); return nil }}
	if _, err := o.Run(context.Background(), d, r, 3); err != nil {
		t.Fatal(err)
	}
	if len(saved) != 3 {
		t.Fatalf("%d checkpoints", len(saved))
	}
	for i, c := range saved {
		m, err := (&Training{From: c}).Run(context.Background(), d, r, 3)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(written(t, m), want) {
			t.Errorf("from checkpoint %d other bytes come", i)
		}
	}
	for name, o := range map[string]Training{"damaged": {From: saved[0][:len(saved[0])-9]},
		"another recipe": {From: saved[0]}} {
		if name != "damaged" {
			r.Rate = 1
		}
		if _, err := o.Run(context.Background(), d, r, 3); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
		r.Rate = quick().Rate
	}
}

// The network of a training that was stopped is collected, and the data that it is trained on.
func TestStoppedFrees(t *testing.T) {
	data := func() weak.Pointer[Data] {
		d := madeUp(2, 10)
		ctx, cancel := context.WithCancel(context.Background())
		o := &Training{Progress: func(int, int, float64) { cancel() }}
		if _, err := o.Run(ctx, d, quick(), 1); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return weak.Make(d)
	}()
	for range 10 { // pools keep what they hold for a cycle or two
		if runtime.GC(); data.Value() == nil {
			return
		}
	}
	t.Error("the network of a stopped training is still reachable")
}

// Most of what the encoder says is left out, its mean stays, and what else a task
// begins with is never touched.
func TestBlind(t *testing.T) {
	tr := &trainer{recipe: Recipe{Blind: 0.8}, rng: rand.New(rand.NewPCG(1, 1)),
		roll: &rollout{sizes: sizes{start: StartSize}}}
	starts := slices.Repeat([]float32{1}, 50*StartSize)
	tr.blind(starts)
	sum, zeros := 0.0, 0
	for i, v := range starts {
		if i%StartSize >= EncodedSize {
			if v != 1 {
				t.Fatalf("number %d is %g", i%StartSize, v)
			}
			continue
		}
		if sum += float64(v); v == 0 {
			zeros++
		}
	}
	if n := 50 * EncodedSize; zeros < n*7/10 || zeros > n*9/10 || math.Abs(sum/float64(n)-1) > 0.1 {
		t.Errorf("%d of %d left out, the mean is %.3f", zeros, n, sum/float64(n))
	}
}
