package transition

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// moving is made-up tasks whose states move on a sphere as actions say: each kind
// turns them in a way of its own, by as much as slot 7.
func moving(tasks, candidates int) *Data {
	d := madeUp(tasks, candidates)
	d.Vectors = nil
	rng := rand.New(rand.NewPCG(2, 2))
	const width = 8 // of EncodedSize; the others stay 0
	for g := range d.Groups {
		first := append(uniform(rng, width), make([]float32, EncodedSize-width)...)
		normalise(first)
		clear(d.Groups[g].Start)
		copy(d.Groups[g].Start, first)
		for i := range d.Groups[g].Samples {
			s := &d.Groups[g].Samples[i]
			s.States = []int32{int32(len(d.Vectors))}
			z := first
			d.Vectors = append(d.Vectors, z)
			for _, a := range s.Actions {
				next := append([]float32(nil), z...)
				k := kindOf(d.action(a))
				next[k] = next[(k+3)%width] - 0.2 - d.action(a)[7] // turns on what it finds
				normalise(next)
				s.States = append(s.States, int32(len(d.Vectors)))
				d.Vectors, z = append(d.Vectors, next), next
			}
		}
	}
	return d
}

// A network that is trained to match states knows what steps do better than the
// simple rules, and its values depend on the order of steps.
func TestDiagnose(t *testing.T) {
	d := moving(24, 40)
	test := *d
	test.Groups, d.Groups = d.Groups[20:], d.Groups[:20]
	r := quick()
	r.Embed, r.Latent, r.Hidden = 48, 48, 64
	r.Match, r.Margin, r.Windows, r.Probes, r.Steps = 1, 0.2, 0.5, 2, 300
	m, err := Train(context.Background(), d, r, 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Diagnose(d, &test, 1)
	if err != nil {
		t.Fatal(err)
	}
	if g.Steps < 1000 || !(g.Model < g.Identity/2 && g.Model < g.Delta && g.Model < g.Linear) {
		t.Errorf("after one step of %d: error %.3f, of no change %.3f, of the mean change %.3f, linear %.3f", g.Steps,
			g.Model, g.Identity, g.Delta, g.Linear)
	}
	if g.Hits < 0.45 || g.MRR < g.Hits || len(g.ByKind) == 0 || g.Among <= 2 || g.Among > 64 {
		t.Errorf("hits %.3f among %.1f, mean reciprocal rank %.3f, by kind %v", g.Hits, g.Among, g.MRR, g.ByKind)
	}
	if len(g.Free) != len(g.Forced) || math.Abs(g.Free[0]-g.Forced[0]) > 1e-5 {
		t.Errorf("errors by step %v and %v: the first is the same", g.Free, g.Forced)
	}
	if g.Pairs < g.Shuffled+0.03 || math.Abs(g.Permuted-0.5) > 0.1 {
		t.Errorf("pairs in order %.3f, with steps shuffled %.3f, exchanged %.3f", g.Pairs, g.Shuffled, g.Permuted)
	}
	again, err := m.Diagnose(d, &test, 1)
	if err != nil || again.Hits != g.Hits || again.Linear != g.Linear {
		t.Errorf("a second look sees %+v (%v)", again, err)
	}
	m.Members[0].match = layer{}
	if _, err := m.Diagnose(d, &test, 1); err == nil || !strings.Contains(err.Error(), "was not trained to match") {
		t.Errorf("error %v", err)
	}
}

// Before training a network that is to match the encoder's vectors says of a task's
// first program what the encoder says.
func TestAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	d := &Data{Actions: make([]float32, Size)}
	for range 3 {
		z := make([]float32, EncodedSize)
		for k := range z {
			z[k] = float32(rng.NormFloat64())
		}
		normalise(z)
		start := slices.Concat(z, make([]float32, StartSize-EncodedSize))
		for k := EncodedSize; k < StartSize; k++ {
			start[k] = rng.Float32()
		}
		row := int32(len(d.Vectors))
		d.Vectors = append(d.Vectors, z)
		d.Groups = append(d.Groups, Group{Start: start, Samples: []Sample{{Actions: []int32{0}, States: []int32{row, row}}}})
	}
	r := quick()
	r.Match, r.Latent, r.Steps = 1, EncodedSize, 0
	m, err := Train(context.Background(), d, r, 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range d.Groups {
		said := m.Members[0].match.apply(m.Members[0].First(g.Start))
		normalise(said)
		if e := distance(said, d.Vectors[i]); e > 1e-5 {
			t.Errorf("task %d: error %v", i, e)
		}
	}
}

// Ridge finds a linear map.
func TestRidge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	var x, y [][]float32
	for range 60 {
		v := uniform(rng, 3)
		x, y = append(x, v), append(y, []float32{2*v[0] - v[2] + 0.5, v[1]})
	}
	want := [][]float64{{2, 0}, {0, 1}, {-1, 0}, {0.5, 0}}
	w, err := ridge(x, y, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		for j, v := range w.RawRowView(i) {
			if math.Abs(v-want[i][j]) > 1e-3 {
				t.Errorf("weight %d of %d is %v, want %v", i, j, v, want[i][j])
			}
		}
	}
	x[7][1] = float32(math.NaN())
	if _, err := ridge(x, y, 1e-6); err == nil {
		t.Error("a map of what is no number")
	}
}

// What is found among a few states does not meet what is wanted among 64.
func TestDiagnosisVerdict(t *testing.T) {
	for among, want := range map[float64]string{8: "NOT MET", 64: "ok"} {
		d := Diagnosis{Hits: 0.8, Among: among}
		for line := range strings.Lines(d.String()) {
			if strings.Contains(line, "true state found") && !strings.Contains(line, want) {
				t.Errorf("among %.0f: %s, want %s", among, line, want)
			}
		}
	}
}
