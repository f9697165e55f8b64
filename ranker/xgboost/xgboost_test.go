package xgboost

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// needLibrary returns the library. Without it the test is skipped, or fails
// where CI is set, as continuous integration services do.
func needLibrary(t testing.TB) *Library {
	t.Helper()
	l, err := Load("")
	switch {
	case err == nil:
		return l
	case os.Getenv("CI") == "" && errors.Is(err, ErrMissing):
		t.Skip(err)
	}
	t.Fatal(err)
	return nil
}

// sample returns rows, and labels that depend on the first two columns.
func sample(rows, columns int) (Data, []float32) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := Data{Values: make([]float32, rows*columns), Columns: columns}
	for i := range d.Values {
		d.Values[i] = float32(rng.IntN(16))
	}
	y := make([]float32, rows)
	for i := range y {
		y[i] = d.Values[i*columns]/16 + d.Values[i*columns+1]/64
	}
	return d, y
}

// squared is the objective of least squares. The errors of each round are
// added to errs.
func squared(y []float32, errs *[]float64) Objective {
	return func(_ int, pred, grad, hess []float32) bool {
		sum := 0.0
		for i := range y {
			grad[i], hess[i] = pred[i]-y[i], 1
			sum += float64(grad[i] * grad[i])
		}
		*errs = append(*errs, math.Sqrt(sum/float64(len(y))))
		return true
	}
}

var params = []Param{{"max_depth", "4"}, {"eta", "0.3"}, {"seed", "7"}, {"nthread", "1"}}

func TestTrain(t *testing.T) {
	l := needLibrary(t)
	d, y := sample(500, 10)
	var errs []float64
	model, err := l.Train(d, params, 30, squared(y, &errs), JSON)
	if err != nil {
		t.Fatal(err)
	}
	if len(errs) != 30 || errs[29] > 0.02 || errs[0] < 0.2 {
		t.Errorf("errors by round: %v", errs)
	}
	pred, err := l.Predict(model, d)
	if err != nil || len(pred) != 500 {
		t.Fatalf("%d predictions, %v", len(pred), err)
	}
	for i, p := range pred {
		if math.Abs(float64(p-y[i])) > 0.1 {
			t.Errorf("row %d: predicted %v, want %v", i, p, y[i])
		}
	}
}

// XGBoost's own objectives: least squares finds the values, a ranking the order
// inside groups, whatever the values of other groups.
func TestFit(t *testing.T) {
	l := needLibrary(t)
	d, y := sample(500, 10)
	for _, objective := range []string{"reg:squarederror", "rank:pairwise"} {
		labels := Labels{Values: append([]float32(nil), y...)}
		if objective == "rank:pairwise" {
			labels.Groups = []uint32{250, 250}
			for i := range labels.Values[250:] {
				labels.Values[250+i] += 5
			}
		}
		model, err := l.Fit(d, labels, append([]Param{{"objective", objective}}, params...), 60, Binary)
		if err != nil {
			t.Fatal(err)
		}
		pred, err := l.Predict(model, d)
		if err != nil {
			t.Fatal(err)
		}
		right, pairs, worst := 0, 0, 0.0
		for i := range y {
			worst = max(worst, math.Abs(float64(pred[i]-y[i])))
			for k := range i {
				if math.Abs(float64(y[i]-y[k])) > 0.05 {
					pairs++
					if (y[i] > y[k]) == (pred[i] > pred[k]) {
						right++
					}
				}
			}
		}
		if right < pairs*97/100 || objective == "reg:squarederror" && worst > 0.05 {
			t.Errorf("%s: %d of %d pairs in order, largest error %v", objective, right, pairs, worst)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	l := needLibrary(t)
	d, y := sample(10, 4)
	for _, c := range []struct {
		name   string
		d      Data
		y      Labels
		params []Param
		want   string
	}{
		{"no rows", Data{Columns: 4}, Labels{}, nil, "0 values are no rows of 4 columns"},
		{"few labels", d, Labels{Values: y[:9]}, nil, "9 labels for 10 rows"},
		{"large groups", d, Labels{Values: y, Groups: []uint32{9, 2}}, nil, "groups of 11 rows together, and 10 rows"},
		{"an unknown objective", d, Labels{Values: y}, []Param{{"objective", "rank:luck"}}, "xgboost: "},
	} {
		if _, err := l.Fit(c.d, c.y, c.params, 2, Binary); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The same arguments give the same bytes.
func TestDeterministic(t *testing.T) {
	l := needLibrary(t)
	d, y := sample(300, 10)
	var models [2][]byte
	for i := range models {
		var err error
		if models[i], err = l.Train(d, params, 20, squared(y, new([]float64)), Binary); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("two trainings gave two models")
	}
}

// The objective ends the training.
func TestStop(t *testing.T) {
	l := needLibrary(t)
	d, y := sample(100, 4)
	calls := 0
	each := squared(y, new([]float64))
	model, err := l.Train(d, params, 1000, func(round int, pred, grad, hess []float32) bool {
		if round != calls {
			t.Errorf("round %d, want %d", round, calls)
		}
		calls++
		return round < 3 && each(round, pred, grad, hess)
	}, JSON)
	if err != nil {
		t.Fatal(err)
	}
	if calls != 4 || !bytes.Contains(model, []byte(`"num_trees":"3"`)) {
		t.Errorf("%d calls, model %.300s", calls, model)
	}
}

func TestRefusals(t *testing.T) {
	l := needLibrary(t)
	d, y := sample(10, 4)
	each := squared(y, new([]float64))
	for _, c := range []struct {
		name   string
		d      Data
		params []Param
		want   string
	}{
		{"no rows", Data{Columns: 4}, nil, "0 values are no rows of 4 columns"},
		{"half a row", Data{Values: d.Values[:6], Columns: 4}, nil, "6 values are no rows of 4 columns"},
		{"no columns", Data{Values: d.Values}, nil, "no rows of 0 columns"},
		{"a wrong parameter", d, []Param{{"max_depth", "deep"}}, "xgboost: "},
	} {
		_, err := l.Train(c.d, c.params, 2, each, JSON)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Trainings at the same time do not disturb each other. Each stays on its thread,
// for XGBoost keeps what it has predicted by thread: on another one it may even
// have forgotten how many columns there are.
func TestConcurrent(t *testing.T) {
	l := needLibrary(t)
	d, y := sample(200, 10)
	want, err := l.Train(d, params, 40, squared(y, new([]float64)), Binary)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			each := squared(y, new([]float64))
			thread := 0
			got, err := l.Train(d, params, 40, func(round int, pred, grad, hess []float32) bool {
				now := unix.Gettid()
				if round > 0 && now != thread {
					t.Errorf("round %d runs on another thread", round)
				}
				thread = now
				time.Sleep(time.Millisecond) // lets go of the thread, if it can
				return each(round, pred, grad, hess)
			}, Binary)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("another model, or %v", err)
			}
		})
	}
	wg.Wait()
}

func TestMissing(t *testing.T) {
	_, err := Load("libno-such-library.so.0")
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install libxgboost0") {
		t.Errorf("error %v", err)
	}
	if _, err := Load("libc.so.6"); err == nil || !strings.Contains(err.Error(), "libc.so.6 is too old or too new") {
		t.Errorf("error %v", err)
	}
}
