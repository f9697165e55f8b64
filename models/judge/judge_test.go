package judge

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/ranker/eval"
)

func TestRows(t *testing.T) {
	rows, err := Rows("random,world,mine=../cpu")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	if got := strings.Join(names, " "); got != "random world mine" {
		t.Errorf("rows %s", got)
	}
	for _, c := range []struct {
		list, want string
		syntax     bool
	}{
		{"oracle", `unknown scorer "oracle": known are random,`, true},
		{"random,", `unknown scorer ""`, true},
		{"mine=", "write NAME=FOLDER", true},
		{"=../cpu", "write NAME=FOLDER", true},
		{"world=../cpu", "that no other scorer has", true},
		{"random=../cpu", "that no other scorer has", true},
		{"mine=../cpu,mine=../gpu", "that no other scorer has", true},
		{"mine=nobody", "models: nobody:", false},
	} {
		_, err := Rows(c.list)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrSyntax) != c.syntax {
			t.Errorf("%q: %v, want %s", c.list, err, c.want)
		}
	}
}

// A model for one kind of target is left out for the records of another, with a word.
func TestOtherKind(t *testing.T) {
	var said []string
	study := eval.Study{Paths: []string{"../../lab/models/eval/h200-paper22.arrow.zst"}, Seeds: []uint64{17}, MinTimed: 400,
		Split: eval.Splits()[0], Say: func(text string) { said = append(said, text) }}
	for list, want := range map[string]int{"random,mine=../cpu": 1, "mine=../cpu": 0} {
		rows, err := Rows(list)
		if err != nil {
			t.Fatal(err)
		}
		said, study.Rows = nil, rows
		judged, err := study.Run(t.Context())
		if len(judged) != want || (err == nil) != (want == 1) || want == 1 && len(judged[0].Scorers) != 1 ||
			!slices.Contains(said, "the scorer mine has no model for target cuda: it is left out there") {
			t.Errorf("%s: %d kinds of targets, %v, said %q", list, len(judged), err, said)
		}
	}
}

// The built-in models order the records of a log far better than luck, and learn nothing from them.
func TestBuiltInModels(t *testing.T) {
	rows, err := Rows("random,world")
	if err != nil {
		t.Fatal(err)
	}
	study := eval.Study{Paths: []string{"../../lab/models/eval/h200-paper22.arrow.zst"}, Rows: rows, Seeds: []uint64{17},
		MinTimed: 400}
	study.Split = eval.Splits()[slices.IndexFunc(eval.Splits(), func(s eval.Split) bool { return s.Name == "task" })]
	list, err := study.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pairs := map[string]float64{}
	for _, s := range list[0].Scorers {
		for _, m := range s.Metrics {
			if m.Name == "pairwise" {
				pairs[s.Name] = m.Mean
			}
		}
	}
	if len(list) != 1 || pairs["world"] < pairs["random"]+0.1 {
		t.Errorf("%d kinds of targets; shares of pairs in order: %v", len(list), pairs)
	}
}
