package nn

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// training is a network of so many rows that learns to add up its inputs.
type training struct {
	net  *Network
	data []float32
	rng  *rand.Rand
}

func newTraining(t *testing.T, p *Parameters, rows int) *training {
	t.Helper()
	tr := &training{net: With(p), rng: rand.New(rand.NewPCG(2, uint64(rows)))}
	x, data := tr.net.Input(rows, 3)
	tr.data = data
	h := tr.net.ReLU(tr.net.Named("first").Linear(x, 8))
	out := tr.net.Named("last").Linear(h, 1)
	loss := tr.net.Loss(out, func(v, derivative []float32) float64 {
		sum := 0.0
		for i := range v {
			d := v[i] - data[3*i] - data[3*i+1] - data[3*i+2]
			derivative[i] = 2 * d
			sum += float64(d * d)
		}
		return sum
	})
	if err := tr.net.Finish(out, loss); err != nil {
		t.Fatal(err)
	}
	return tr
}

func (tr *training) step(t *testing.T, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range tr.data {
		tr.data[i] = rng.Float32()
	}
	if _, err := tr.net.Run(); err != nil {
		t.Fatal(err)
	}
	tr.net.Step(Adam{Rate: 0.01, Decay: 1e-3, Clip: 1})
}

// A training that is restored from a snapshot ends with the same bytes as one that
// goes on, with two graphs of different sizes that share their parameters.
func TestRestored(t *testing.T) {
	run := func(p *Parameters, from, to uint64) {
		nets := []*training{newTraining(t, p, 4), newTraining(t, p, 7)}
		for i := from; i < to; i++ {
			nets[i%2].step(t, i)
		}
	}
	whole := NewParameters(9)
	run(whole, 0, 20)

	half := NewParameters(9)
	run(half, 0, 11)
	snapshot := half.Snapshot()
	if bytes.Equal(snapshot, whole.Snapshot()) {
		t.Fatal("nothing was learned after step 11")
	}
	again := NewParameters(1) // other weights at first
	newTraining(t, again, 4)
	if err := again.Restore(snapshot); err != nil {
		t.Fatal(err)
	}
	run(again, 11, 20)
	if again.Steps() != 20 || !bytes.Equal(again.Snapshot(), whole.Snapshot()) {
		t.Error("a restored training ends otherwise than one that was not interrupted")
	}
	if len(again.List()) != 4 || again.Find("first.weight").Rows != 3 || again.Find("last.bias").Cols != 1 ||
		again.Find("other") != nil {
		t.Errorf("parameters: %v", again.names)
	}
}

// Snapshots that are damaged or of another network change nothing.
func TestRestoreRefuses(t *testing.T) {
	p := NewParameters(9)
	newTraining(t, p, 4)
	good := p.Snapshot()
	other := NewParameters(9)
	n := With(other)
	x, _ := n.Input(4, 3)
	n.Named("last").Linear(n.Named("first").Linear(x, 9), 1)
	flipped := bytes.Clone(good)
	flipped[200] ^= 1
	for want, b := range map[string][]byte{
		"no snapshot": []byte("hello"),
		"checksum":    flipped,
		"is damaged":  good[:len(good)-9],
		"3 x 9":       other.Snapshot(),
		"has 0":       NewParameters(9).Snapshot(),
	} {
		if err := p.Restore(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if !bytes.Equal(p.Snapshot(), good) {
		t.Error("a refused snapshot changed parameters")
	}
	wide, _ := n.Input(4, 5)
	if n.Named("first").Linear(wide, 9); n.err == nil {
		t.Error("one parameter of two shapes is taken")
	}
}
