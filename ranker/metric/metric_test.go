package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A made-up task of five candidates. By score they come in the order 2 0 3 1 4;
// 0 and 3 have equal scores. By quality: 1 2 0 4, and 3 failed.
var (
	scores  = []float64{0.5, 0.2, 0.9, 0.5, math.Inf(-1)}
	quality = []float64{0.50, 1.00, 0.80, 0, 0.49}
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestOrder(t *testing.T) {
	if got := Order(scores); !slices.Equal(got, []int{2, 0, 3, 1, 4}) {
		t.Errorf("order %v", got)
	}
}

func TestTop(t *testing.T) {
	for _, c := range []struct {
		k                   int
		top, regret, recall float64
	}{
		{1, 0.8, 0.2, 0},       // picks 2; the best is 1
		{2, 0.8, 0.2, 0.5},     // 2 0 against 1 2
		{3, 0.8, 0.2, 2.0 / 3}, // 2 0 3 against 1 2 0
		{4, 1, 0, 0.75},        // 2 0 3 1 against 1 2 0 4
		{5, 1, 0, 1},
		{9, 1, 0, 1},
	} {
		if got := TopK(scores, quality, c.k); !near(got, c.top) {
			t.Errorf("top-%d: %v, want %v", c.k, got, c.top)
		}
		if got := Regret(scores, quality, c.k); !near(got, c.regret) {
			t.Errorf("regret@%d: %v, want %v", c.k, got, c.regret)
		}
		if got := Recall(scores, quality, c.k); !near(got, c.recall) {
			t.Errorf("recall@%d: %v, want %v", c.k, got, c.recall)
		}
	}
}

// Of the 10 pairs of candidates, ordered by quality 1 > 2 > 0 > 4 > 3:
// 1-2 wrong, 1-0 wrong, 1-4 right, 1-3 wrong, 2-0 right, 2-4 right, 2-3 right,
// 0-4 right, 0-3 tied in score, 4-3 wrong.
func TestPairs(t *testing.T) {
	p := Count(scores, quality, 0.02) // 0-4 is 0.01 apart
	want := Pairs{Concordant: 5, Discordant: 4, TiedScore: 1, Clear: 9, ClearRight: 4}
	if p != want {
		t.Fatalf("%+v, want %+v", p, want)
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"accuracy", p.Accuracy(), 4.0 / 9},
		{"accuracy of all", p.AccuracyOfAll(), 0.5},
		{"tau-b", p.TauB(), 1 / math.Sqrt(9*10)},
		// Ranks by score 2.5 4 1 2.5 5, by quality 3 1 2 5 4, mean 3: the products of
		// the differences are 0 -2 2 -1 2, the squares sum to 9.5 and 10.
		{"tau-b of equal scores", Count(make([]float64, 5), quality, 0).TauB(), 0},
		{"accuracy of equal scores", Count(make([]float64, 5), quality, 0).Accuracy(), 0},
		{"accuracy without pairs", Count([]float64{1}, []float64{1}, 0).Accuracy(), 0},
	} {
		if !near(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	tied := Count([]float64{1, 1, 2, 3}, []float64{0, 0, 0.5, 0.5}, 0)
	// 0-1 tied in both, 2-3 tied in quality, the four others right.
	if want := (Pairs{Concordant: 4, TiedQuality: 1, Tied: 1, Clear: 4, ClearRight: 4}); tied != want {
		t.Errorf("%+v, want %+v", tied, want)
	}
	if got := tied.TauB(); !near(got, 4/math.Sqrt(4*5)) {
		t.Errorf("tau-b with ties %v", got)
	}
	if got := tied.AccuracyOfAll(); !near(got, 5.0/6) {
		t.Errorf("accuracy of all with ties %v", got)
	}
}

func TestBand(t *testing.T) {
	if Band(0) != 0.02 || Band(0.01) != 0.02 || Band(0.05) != 0.1 {
		t.Errorf("bands %v %v %v", Band(0), Band(0.01), Band(0.05))
	}
}

// Costs 1, 1.015, 1.021 and 2: the first two are a level, the third is more than
// 2 % above the first of the level.
func TestLevels(t *testing.T) {
	y := []float64{1 / 1.021, 0, 1, 0.5, 1 / 1.015}
	// Three levels: 31, 31*2/3 = 20.67, 31/3 = 10.33.
	if got := Levels(y); !slices.Equal(got, []int{20, 0, 31, 10, 31}) {
		t.Errorf("levels %v", got)
	}
	if got := Levels([]float64{0, 0}); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("levels of failures %v", got)
	}
}

func TestNDCG(t *testing.T) {
	y := []float64{1, 0.5, 0} // levels 31, 15, 0
	second := math.Exp2(15.0/31) - 1
	// By score 1, 2, 0.
	s := []float64{0, 2, 1}
	for _, c := range []struct {
		k    int
		want float64
	}{
		{1, second},
		{2, second / (1 + second/math.Log2(3))},
		{3, (second + 0.5) / (1 + second/math.Log2(3))},
	} {
		if got := NDCG(s, y, c.k); !near(got, c.want) {
			t.Errorf("NDCG@%d: %v, want %v", c.k, got, c.want)
		}
	}
	if got := NDCG(y, y, 2); !near(got, 1) {
		t.Errorf("NDCG of the ideal order: %v", got)
	}
	if got := NDCG(s, make([]float64, 3), 2); got != 0 {
		t.Errorf("NDCG of failures: %v", got)
	}
}

// The mean over all orders, by hand for two of three, and against many shuffles.
func TestRandomTop(t *testing.T) {
	// Pairs of {1, 0.5, 0}: best 1, 1, 0.5.
	if got := RandomTop([]float64{0.5, 1, 0}, 2); !near(got, 2.5/3) {
		t.Errorf("two of three: %v", got)
	}
	if got := RandomTop(quality, 1); !near(got, 2.79/5) {
		t.Errorf("one of five: %v", got)
	}
	if got := RandomTop(quality, 9); !near(got, 1) {
		t.Errorf("all: %v", got)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	y := make([]float64, 40)
	for i := range y {
		y[i] = rng.Float64()
	}
	sum, n := 0.0, 20000
	for range n {
		best := 0.0
		for _, i := range rng.Perm(len(y))[:4] {
			best = max(best, y[i])
		}
		sum += best
	}
	if got := RandomTop(y, 4); math.Abs(got-sum/float64(n)) > 0.005 {
		t.Errorf("four of forty: %v, shuffles give %v", got, sum/float64(n))
	}
}

// TestAverageRecall: AutoTVM's program says the same of two orders of 48.
func TestAverageRecall(t *testing.T) {
	s, y := make([]float64, 48), make([]float64, 48)
	for i := range s {
		s[i], y[i] = float64(i*29%48), float64(i*31%48)
	}
	for n, want := range map[int]float64{4: 0, 16: 0.14150077353202353, 64: 0.3685212942158969} {
		if got := AverageRecall(s, y, n); math.Abs(got-want) > 1e-12 {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
}
