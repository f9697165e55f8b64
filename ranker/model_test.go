package ranker

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tasksFor returns tasks of random features: what counts is their first three columns.
func tasksFor(n, candidates int, seed uint64) []Candidates {
	rng := rand.New(rand.NewPCG(seed, 2))
	var list []Candidates
	for range n {
		var t Candidates
		for range candidates {
			row := make([]float32, Columns)
			for k := range row {
				row[k] = float32(rng.NormFloat64())
			}
			cost := 2.5 + math.Tanh(float64(row[0])) + 0.5*math.Tanh(float64(row[1])) + 0.3*math.Tanh(float64(row[2]))
			t.Features = append(t.Features, row)
			t.Values = append(t.Values, float32(-cost+rng.NormFloat64()))
			t.Quality = append(t.Quality, 1/cost)
		}
		best := slices.Max(t.Quality)
		for i := range t.Quality {
			t.Quality[i] /= best
		}
		t.Quality[3] = 0
		list = append(list, t)
	}
	return list
}

func smallOptions(t testing.TB) Options {
	trees := DefaultTrees(Steps)
	for i := range trees {
		trees[i].Trees, trees[i].Depth = 20, 4
	}
	return Options{
		Library: needLibrary(t), Seed: 17, Trees: trees, Networks: 2,
		Learning: Learning{Widths: []int{24, 16}, Steps: 60, Tasks: 4, Candidates: 32, Rate: 5e-3, Decay: 0.02, Clip: 1},
	}
}

// TestFixedValue: a fixed weight of values needs values.
func TestFixedValue(t *testing.T) {
	o := Options{Fixed: &Parts{Value: 1}, Trees: DefaultTrees(Steps)[:1], Library: needLibrary(t)}
	train, validation := tasksFor(2, 20, 1), tasksFor(2, 20, 2)
	validation[1].Name, validation[1].Values = "second", nil
	want := "values have a fixed weight, and second has none: train a transition first"
	_, _, err := Train(context.Background(), train, validation, o)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// TestNoValidation: without tasks to choose by there are no scales, whatever the weights are.
func TestNoValidation(t *testing.T) {
	for _, fixed := range []*Parts{nil, {Trees: 0.5, Network: 0.5}} {
		o := Options{Fixed: fixed, Trees: DefaultTrees(Steps)[:1], Library: needLibrary(t)}
		_, _, err := Train(context.Background(), tasksFor(2, 20, 1), nil, o)
		if err == nil || !strings.Contains(err.Error(), "2 tasks to learn from, 0 to choose by") {
			t.Errorf("fixed %v: %v", fixed, err)
		}
	}
}

func trained(t testing.TB) (*Model, map[string][]byte) {
	t.Helper()
	m, _, err := Train(context.Background(), tasksFor(6, 80, 1), tasksFor(3, 80, 2), smallOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	files, err := m.Files()
	if err != nil {
		t.Fatal(err)
	}
	return m, files
}

// A model learns, is the same after its files, and is trained to the same files
// again.
func TestTrain(t *testing.T) {
	m, files := trained(t)
	read, err := Steps.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	if read.Parts() != m.Parts() || m.Parts().Trees+m.Parts().Network+m.Parts().Value == 0 {
		t.Errorf("parts %+v, %+v after reading", m.Parts(), read.Parts())
	}
	test := tasksFor(3, 80, 3)
	if w := Worth(test, func(t *Candidates) []float64 { return read.Score(t.Features, t.Values) }); w < 0.85 {
		t.Errorf("worth %.3f on other tasks", w)
	}
	c := &test[0]
	all := m.Score(c.Features, c.Values)
	if !slices.Equal(all, read.Score(c.Features, c.Values)) {
		t.Error("other scores after reading")
	}
	for _, i := range []int{0, 40} { // a score does not depend on the others of the call
		one := m.Score(c.Features[i:i+1], c.Values[i:i+1])
		if math.Abs(one[0]-all[i]) > 1e-5 {
			t.Errorf("candidate %d scores %v alone, %v among others", i, one[0], all[i])
		}
	}
	if _, again := trained(t); !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("other files the second time")
	}
}

// Files that are damaged, missing, swapped or of another version are refused in a
// sentence.
func TestLoadRefuses(t *testing.T) {
	m, files := trained(t)
	meta := func(key, value string) func(map[string][]byte) {
		return func(c map[string][]byte) {
			var err error
			if c[NetworkFile], err = m.networkFile(map[string]string{key: value}); err != nil {
				t.Fatal(err)
			}
		}
	}
	change := func(f func(map[string][]byte)) map[string][]byte {
		c := maps.Clone(files)
		f(c)
		return c
	}
	replace := func(name, old, by string) func(map[string][]byte) {
		return func(c map[string][]byte) { c[name] = bytes.Replace(c[name], []byte(old), []byte(by), 1) }
	}
	for _, c := range []struct {
		name, want string
		change     func(map[string][]byte)
	}{
		{"no networks", "ranker.onnx is missing", func(c map[string][]byte) { delete(c, NetworkFile) }},
		{"no trees", "ranker.trees is missing", func(c map[string][]byte) { c[TreesFile] = nil }},
		{"swapped", "ranker.onnx: ", func(c map[string][]byte) {
			c[NetworkFile], c[TreesFile] = c[TreesFile],
				c[NetworkFile]
		}},
		{"trees of the record", "no file of trees", func(c map[string][]byte) { c[TreesFile] = c[RecordFile] }},
		{"trees cut", "ranker.trees: it is damaged",
			func(c map[string][]byte) { c[TreesFile] = c[TreesFile][:len(c[TreesFile])-9] }},
		{"networks cut", "ranker.onnx: ", func(c map[string][]byte) { c[NetworkFile] = c[NetworkFile][:2000] }},
		{"other features of trees", "ranker.trees: it was trained on other features",
			replace(TreesFile, Steps.Digest(), "0123456789abcdef")},
		{"other features", "ranker.onnx: it was trained on other features", meta(metaFeatures, "0123456789abcdef")},
		{"another version", "of version 2 of the form", meta(metaVersion, "2")},
		{"no networks inside", `it has "0" networks`, meta(metaNetworks, "0")},
		{"a network too many", "network 2: it reads 0 columns", meta(metaNetworks, "3")},
		{"trees over predicted states", "weights of its parts are damaged",
			meta(metaParts, `{"latent":9,"trees":1,"trees_scale":1}`)},
		{"weights of parts", "weights of its parts are damaged", meta(metaParts, `{"trees":-1,"trees_scale":1}`)},
	} {
		_, err := Steps.Load(change(c.change))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	m.networks[1].layers[0].weight[5] = float32(math.NaN())
	nan, err := m.Files()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Steps.Load(nan); err == nil || !strings.Contains(err.Error(), "no numbers") {
		t.Errorf("NaN weights: %v", err)
	}
}

// TestHostileTrees: trees that were changed and have a right checksum are an error that names the
// file, and nothing is allocated by the word of the file.
func TestHostileTrees(t *testing.T) {
	m, files := trained(t)
	booster := bytes.Index(m.trees.patched, []byte("gbtree")) + len("gbtree")
	tree := booster + 160
	const children, column = 148 + 4, 148 + 12 // of the root
	for _, c := range []struct {
		name  string
		at    int
		value uint32
	}{
		{"1e9 trees", booster, 1e9},
		{"-1 trees", booster, 1<<32 - 1},
		{"no trees", booster, 0},
		{"a name of 1 TB", 136 + 4, 256},
		{"another booster", booster - 4, 0},
		{"2 outputs", booster + 24, 2},
		{"2e9 nodes", tree + 4, 2e9},
		{"-1 nodes", tree + 4, 1<<32 - 1},
		{"a leaf vector", tree + 20, 1},
		{"a child that is not there", tree + children, 1e6},
		{"a right child that is not there", tree + children + 4, 1e6},
		{"a right child of -1", tree + children + 4, 1<<32 - 1},
		{"a root that is its own child", tree + children, 0},
		{"a column that is not there", tree + column, 1 << 20},
	} {
		hostile := *m.trees
		hostile.patched = bytes.Clone(hostile.patched)
		binary.LittleEndian.PutUint32(hostile.patched[c.at:], c.value)
		list := maps.Clone(files)
		list[TreesFile] = treesFile(&hostile, Steps)
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s: panic: %v", c.name, r)
				}
			}()
			if _, err := Steps.Load(list); err == nil || !strings.Contains(err.Error(), TreesFile) {
				t.Errorf("%s: %v", c.name, err)
			}
		}()
	}
}

// Weights are even where one task of a dozen speaks for others, follow tasks that
// agree, and leave out parts that there are not.
func TestWeights(t *testing.T) {
	quality, right, wrong := make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range quality {
		quality[i], right[i], wrong[i] = 0.98+1e-4*float64(i), float64(i), float64(i)
	}
	quality[39], wrong[39] = 1, -1 // the best of all is held for the worst
	for _, c := range []struct {
		name   string
		tasks  int
		wrong  int // tasks whose values are wrong
		values bool
		want   [3]float64
	}{
		{"all are right", 12, 0, true, [3]float64{0.5, 0, 0.5}},
		{"one task", 12, 1, true, [3]float64{0.5, 0, 0.5}},
		{"all tasks", 12, 12, true, [3]float64{1, 0, 0}},
		{"a fifth of many", 400, 80, true, [3]float64{0.7, 0, 0.3}},
		{"half of many", 400, 200, true, [3]float64{1, 0, 0}},
		{"no values", 12, 0, false, [3]float64{1, 0, 0}},
	} {
		var tasks []Candidates
		var parts [3][][]float64
		for i := range c.tasks {
			tasks, parts[0] = append(tasks, Candidates{Quality: quality}), append(parts[0], right)
			if c.values && i < c.wrong {
				parts[2] = append(parts[2], wrong)
			} else if c.values {
				parts[2] = append(parts[2], right)
			}
		}
		if got, _ := weights(tasks, parts, nil, &Report{Scores: map[string]float64{}}); got != c.want {
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
		r := &Report{Scores: map[string]float64{}}
		got, _ := weights(tasks, parts, &Parts{Trees: 1}, r)
		if got != [3]float64{1} || r.Scores["all"] != r.Scores["trees"] {
			t.Errorf("%s: fixed weights are %v, worth %v", c.name, got, r.Scores)
		}
	}
}
