package op

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestSuites builds every workload of every suite, and checks that the notation
// is canonical and names are unique.
func TestSuites(t *testing.T) {
	for _, s := range Suites() {
		names, specs := map[string]bool{}, map[string]string{}
		for _, e := range s.List {
			w, err := Lookup(s.Name + "/" + e.Name)
			if err != nil {
				t.Errorf("%s/%s: %v", s.Name, e.Name, err)
				continue
			}
			if w.Spec != e.Spec {
				t.Errorf("%s is written %s, canonical is %s", w.Name, e.Spec, w.Spec)
			}
			if w.Name != s.Name+"/"+e.Name || w.Count != e.Count || w.Count < 1 {
				t.Errorf("%s/%s has name %s and count %d", s.Name, e.Name, w.Name, w.Count)
			}
			if names[e.Name] {
				t.Errorf("%s/%s is there twice", s.Name, e.Name)
			}
			if other := specs[w.Spec]; other != "" {
				t.Errorf("%s/%s is the same as %s", s.Name, e.Name, other)
			}
			names[e.Name], specs[w.Spec] = true, e.Name
		}
	}
}

// TestModels compares sums over models with what is published of them: layers,
// and multiply-adds of convolutions and dense layers.
func TestModels(t *testing.T) {
	for _, c := range []struct {
		suite  string
		layers int     // convolutions and dense layers, by count
		gmacs  float64 // ResNet-50 v1.5, ResNet-18 and MobileNet-v2 as torchvision has them
	}{
		{"resnet50", 54, 4.09}, {"resnet18", 21, 1.81}, {"mobilenet_v2", 53, 0.30}, {"bert", 73, 10.87},
	} {
		s, err := FindSuite(c.suite)
		if err != nil {
			t.Fatal(err)
		}
		layers, macs := 0, 0.0
		for _, e := range s.List {
			kind, _, _ := strings.Cut(e.Spec, ":")
			w, err := s.Workload(Entry{e.Name, withoutEpilogue(e.Spec), 1})
			if err != nil {
				t.Fatal(err)
			}
			switch kind {
			case "conv2d", "depthwise", "dense":
				layers += e.Count
				macs += w.DAG.FLOPs() / 2 * float64(e.Count)
			}
		}
		if layers != c.layers || math.Abs(macs/1e9-c.gmacs) > 0.005*c.gmacs+0.005 {
			t.Errorf("%s: %d layers and %.3f GMAC, want %d and %.3f", c.suite, layers, macs/1e9, c.layers, c.gmacs)
		}
	}
}

func withoutEpilogue(spec string) string {
	before, _, _ := strings.Cut(spec, ",epilogue=")
	return before
}

// TestTrainIsDisjoint holds that no workload of train has the shapes of one in
// another suite, whatever its epilogue.
func TestTrainIsDisjoint(t *testing.T) {
	shapes := func(s Suite, e Entry) string {
		w, err := s.Workload(Entry{e.Name, withoutEpilogue(e.Spec), 1})
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, b := range w.DAG.Tensors {
			list = append(list, fmt.Sprint(b.Shape))
		}
		return strings.Join(list, " ")
	}
	others := map[string]string{}
	trained := 0
	for _, s := range Suites() {
		for _, e := range s.List {
			if s.Name != "train" {
				others[shapes(s, e)] = s.Name + "/" + e.Name
			}
		}
	}
	for _, e := range train {
		trained++
		if other := others[shapes(Suite{Name: "train"}, e)]; other != "" {
			t.Errorf("train/%s has the shapes of %s", e.Name, other)
		}
	}
	if trained < 100 {
		t.Errorf("%d workloads to train with", trained)
	}
}
