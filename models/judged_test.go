package models

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/ranker/eval"
)

func TestJudged(t *testing.T) {
	rows, err := Judged("random,world,mine=cpu")
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
	for list, want := range map[string]string{
		"oracle":      `unknown scorer "oracle": known are random,`,
		"random,":     `unknown scorer ""`,
		"mine=":       "it is NAME=FOLDER",
		"=cpu":        "it is NAME=FOLDER",
		"world=cpu":   "not another scorer's",
		"random=cpu":  "not another scorer's",
		"mine=nobody": "models: nobody:",
	} {
		if _, err := Judged(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", list, err, want)
		}
	}
}

// The built-in models order the records of a log far better than luck, and learn nothing from them.
func TestJudgedByDefault(t *testing.T) {
	rows, err := Judged("random,world")
	if err != nil {
		t.Fatal(err)
	}
	study := eval.Study{Paths: []string{"eval/h200-paper22.arrow.zst"}, Rows: rows, Seeds: []uint64{17}, MinTimed: 400}
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
