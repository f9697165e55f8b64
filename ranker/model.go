package ranker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/ranker/trees"
)

// The files of a model.
const (
	NetworkFile = "ranker.onnx"  // the networks, the weights of the parts
	RecordFile  = "ranker.json"  // the trees as XGBoost writes them: the record, not read
	TreesFile   = "ranker.trees" // the trees as they are read
)

// A Model scores candidates: a weighted sum of boosted trees, networks, and the
// value that the rolled-out latent was given. It may be used by several goroutines
// at once.
type Model struct {
	parts    Parts
	trees    *Boosted
	networks []*network
}

// Parts says how a score is put together.
type Parts struct {
	// Latent is the size of the latent that the trees' rows have after the
	// features; 0 means that they have none.
	Latent int `json:"latent"`

	// Weights of the parts; those of parts that do not take part are 0.
	Trees   float64 `json:"trees"`
	Network float64 `json:"network"`
	Value   float64 `json:"value"`

	// Scales are the deviations of the parts' scores inside a task, the mean over
	// the tasks that the weights were chosen on: a part counts by its weight over its
	// scale. They do not depend on the candidates of a call, so that the score of a
	// candidate is the same in every call.
	TreesScale   float64 `json:"trees_scale"`
	NetworkScale float64 `json:"network_scale"`
	ValueScale   float64 `json:"value_scale"`
}

// ok reports whether all numbers are numbers, and whether something has a weight.
func (p Parts) ok() bool {
	weights := []float64{p.Trees, p.Network, p.Value}
	scales := []float64{p.TreesScale, p.NetworkScale, p.ValueScale}
	sum := 0.0
	for i, w := range weights {
		if !(w >= 0 && w <= 1e3) || w > 0 && !(scales[i] > 0 && scales[i] < 1e6) {
			return false
		}
		sum += w
	}
	return sum > 0 && p.Latent >= 0 && p.Latent <= 1<<12
}

// Parts returns how the model's score is put together.
func (m *Model) Parts() Parts { return m.parts }

// TreesAlone returns a ranker of the trees of m and nothing else: on operators that
// were never seen, networks and predicted states do worse than chance, and trees do
// not (docs/evaluation.md).
func (m *Model) TreesAlone() *Model {
	scale := m.parts.TreesScale
	if !(scale > 0) {
		scale = 1
	}
	return &Model{parts: Parts{Latent: m.parts.Latent, Trees: 1, TreesScale: scale}, trees: m.trees}
}

// Score returns one score for each candidate; higher is faster, comparable within
// the task. Features are those of Features. Latents and values are those of the
// rolled-out states; they may be nil if the model has no use for them (Parts).
func (m *Model) Score(features, latents [][]float32, values []float32) []float64 {
	scores := make([]float64, len(features))
	if len(features) == 0 {
		return scores
	}
	part := make([]float64, len(features))
	if w := m.parts.Trees; w > 0 {
		m.trees.model.Predict(rowsOf(features, latents, m.parts.Latent), part)
		addTimes(scores, w/m.parts.TreesScale, part)
	}
	if w := m.parts.Network; w > 0 {
		for _, n := range m.networks {
			n.score(features, part)
			addTimes(scores, w/m.parts.NetworkScale/float64(len(m.networks)), part)
		}
	}
	if w := m.parts.Value; w > 0 {
		if len(values) != len(features) {
			panic(fmt.Sprintf("BUG: ranker: %d values for %d candidates", len(values), len(features)))
		}
		for i, v := range values {
			scores[i] += w / m.parts.ValueScale * float64(v)
		}
	}
	for i, s := range scores {
		if math.IsNaN(s) { // of a latent or a value that is no number
			scores[i] = math.Inf(-1)
		}
	}
	return scores
}

func addTimes(to []float64, w float64, part []float64) {
	for i, v := range part {
		to[i] += w * v
	}
}

// rowsOf returns the trees' rows.
func rowsOf(features, latents [][]float32, latent int) [][]float32 {
	if latent == 0 {
		return features
	}
	if len(latents) != len(features) {
		panic(fmt.Sprintf("BUG: ranker: %d latents for %d candidates", len(latents), len(features)))
	}
	rows := make([][]float32, len(features))
	all := make([]float32, 0, len(features)*(Columns+latent))
	for i, f := range features {
		if len(latents[i]) != latent {
			panic(fmt.Sprintf("BUG: ranker: a latent of %d numbers, not %d", len(latents[i]), latent))
		}
		from := len(all)
		all = append(append(all, f...), latents[i]...)
		rows[i] = all[from:len(all):len(all)]
	}
	return rows
}

// treesMagic begins TreesFile; its last digit is the version of the form. A line of
// JSON follows, and then the trees.
const treesMagic = "wmtune trees 1\n"

// treesHead is the line.
type treesHead struct {
	Columns int    `json:"columns"`
	Digest  string `json:"features"` // Digest
	SHA256  string `json:"sha256"`   // of what follows
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// treesFile writes TreesFile.
func treesFile(b *Boosted) []byte {
	head, err := json.Marshal(treesHead{b.columns, Digest(), sumOf(b.patched)})
	if err != nil {
		panic("BUG: ranker: " + err.Error())
	}
	return bytes.Join([][]byte{[]byte(treesMagic), head, []byte("\n"), b.patched}, nil)
}

// readTrees reads TreesFile.
func readTrees(file []byte, columns int) (*Boosted, error) {
	rest, ok := bytes.CutPrefix(file, []byte(treesMagic))
	line, body, found := bytes.Cut(rest, []byte("\n"))
	if !ok || !found {
		return nil, fmt.Errorf("it is no file of trees of this version of wmtune")
	}
	var head treesHead
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("its head is damaged: %w", err)
	}
	if head.Digest != Digest() {
		return nil, fmt.Errorf("it was trained on other features (%s) than this version of wmtune computes (%s): train it again", head.Digest, Digest())
	}
	if head.Columns != columns {
		return nil, fmt.Errorf("its rows have %d columns, those of %s have %d: the files are not of one model", head.Columns, NetworkFile, columns)
	}
	if sumOf(body) != head.SHA256 {
		return nil, fmt.Errorf("it is damaged: its checksum is wrong")
	}
	m, err := trees.ReadPatched(body)
	if err != nil {
		return nil, err
	}
	if m.Columns() > columns {
		return nil, fmt.Errorf("its trees look at column %d of %d", m.Columns(), columns)
	}
	return &Boosted{model: m, columns: columns, patched: body}, nil
}
