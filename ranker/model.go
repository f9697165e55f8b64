// Package ranker ranks candidates: a Model weighs boosted trees and networks over
// their features, and values that another model gave them.
//
// Features say what steps do (actions, tiling), where data is found (locality), and
// what the launches of a GPU program or the statements of a lowered one do. They are
// pure functions of a compute DAG, steps and the hardware; what was measured has no
// part in them. The package must not know how candidates come about or what becomes
// of their order.
package ranker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/wmtune/wmtune/nn/kernel"
	"github.com/wmtune/wmtune/nn/onnx"
	"github.com/wmtune/wmtune/ranker/trees"
)

// The files of a model.
const (
	NetworkFile = "ranker.onnx"  // the networks, the weights of the parts
	RecordFile  = "ranker.json"  // the trees as XGBoost writes them: the record, not read
	TreesFile   = "ranker.trees" // the trees as they are read
)

// A Model scores candidates: a weighted sum of boosted trees, networks, and the
// value that the predicted state was given. It may be used by several goroutines
// at once.
type Model struct {
	table    Table
	parts    Parts
	trees    *Boosted
	networks []*network
}

// Parts says how a score is put together.
type Parts struct {
	// Latent is 0. Former versions had rankers whose trees looked at predicted states, of so many numbers.
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
	return sum > 0 && p.Latent == 0
}

// Parts returns how the model's score is put together.
func (m *Model) Parts() Parts { return m.parts }

// TreesAlone returns a ranker of the trees of m and nothing else: on operators that
// were never seen, networks and predicted states do worse than chance, and trees do
// not (docs/design/world-model.md).
func (m *Model) TreesAlone() *Model {
	scale := m.parts.TreesScale
	if !(scale > 0) {
		scale = 1
	}
	parts := Parts{Trees: 1, TreesScale: scale}
	return &Model{table: m.table, parts: parts, trees: m.trees}
}

// Score returns one score for each candidate; higher is faster, comparable within
// the task. Features are those of the model's Table, values those of the predicted states; these
// may be nil if the model has no use for them (Parts).
func (m *Model) Score(features [][]float32, values []float32) []float64 {
	scores := make([]float64, len(features))
	if len(features) == 0 {
		return scores
	}
	part := make([]float64, len(features))
	if w := m.parts.Trees; w > 0 {
		m.trees.model.Predict(features, part)
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
		if math.IsNaN(s) { // of a value that is no number
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

// treesMagic begins TreesFile; its last digit is the version of the form. A line of
// JSON follows, and then the trees.
const treesMagic = "wmtune trees 1\n"

// treesHead is the line.
type treesHead struct {
	Columns int    `json:"columns"`
	Digest  string `json:"features"` // Table.Digest
	SHA256  string `json:"sha256"`   // of what follows
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// treesFile writes TreesFile.
func treesFile(b *Boosted, of Table) []byte {
	head, err := json.Marshal(treesHead{b.columns, of.Digest(), sumOf(b.patched)})
	if err != nil {
		panic("BUG: ranker: " + err.Error())
	}
	return bytes.Join([][]byte{[]byte(treesMagic), head, []byte("\n"), b.patched}, nil)
}

// readTrees reads TreesFile, whose rows are those of a table.
func readTrees(file []byte, of Table) (*Boosted, error) {
	rest, ok := bytes.CutPrefix(file, []byte(treesMagic))
	line, body, found := bytes.Cut(rest, []byte("\n"))
	if !ok || !found {
		return nil, fmt.Errorf("it is no file of trees of this version of wmtune")
	}
	var head treesHead
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("its head is damaged: %w", err)
	}
	if head.Digest != of.Digest() {
		return nil, fmt.Errorf("it was trained on other features (%s) than this version of wmtune computes (%s): train it "+
			"again", head.Digest, of.Digest())
	}
	columns := of.Columns()
	if head.Columns != columns {
		return nil, fmt.Errorf("its rows have %d columns, those of %s have %d: the files are not of one model", head.Columns,
			NetworkFile, columns)
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

// Keys of the metadata of NetworkFile.
const (
	metaVersion  = "wmtune ranker"
	metaFeatures = "features"
	metaColumns  = "columns"
	metaNetworks = "networks"
	metaParts    = "parts"
	fileVersion  = "1"
)

// FileVersion identifies the form of a ranker's files.
const FileVersion = fileVersion + " " + treesMagic

// Files returns the files of a model that was trained: the same bytes for the same
// model.
func (m *Model) Files() (map[string][]byte, error) {
	network, err := m.networkFile(nil)
	if err != nil {
		return nil, fmt.Errorf("ranker: %s: %w", NetworkFile, err)
	}
	if m.trees == nil || m.trees.json == nil {
		return nil, errors.New("ranker: a model without the record of its trees is not written: train it")
	}
	return map[string][]byte{NetworkFile: network, RecordFile: m.trees.json, TreesFile: treesFile(m.trees, m.table)}, nil
}

// networkFile writes the networks, which read the features as they are: their
// scaling is in the file. The output has a column for each. Other replaces metadata;
// it is for tests.
func (m *Model) networkFile(other map[string]string) ([]byte, error) {
	count := m.table.Columns()
	columns := strconv.Itoa(count)
	b := onnx.New("ranker")
	in := b.Input("features", onnx.Float32, "batch", columns)
	var outs []string
	for k, n := range m.networks {
		name := func(part string) string { return fmt.Sprintf("network%d.%s", k, part) }
		x := b.Node("Sub", []string{in, b.Weight(name("shift"), []int{count}, n.shift)})
		x = b.Node("Mul", []string{x, b.Weight(name("factor"), []int{count}, n.factor)})
		for i, l := range n.layers {
			part := fmt.Sprintf("layer%d", i)
			w := b.Weight(name(part+".weight"), []int{l.in, l.out}, l.weight)
			x = b.Node("Add", []string{b.Node("MatMul", []string{x, w}), b.Weight(name(part+".bias"), []int{l.out}, l.bias)})
			if i < len(n.layers)-1 {
				x = b.Node("Relu", []string{x})
			}
		}
		outs = append(outs, x)
	}
	b.Named("scores", "Concat", outs, onnx.Int("axis", 1))
	b.Output("scores", onnx.Float32, "batch", strconv.Itoa(len(outs)))
	parts, err := json.Marshal(m.parts)
	if err != nil {
		return nil, err
	}
	meta := map[string]string{
		metaVersion: fileVersion, metaFeatures: m.table.Digest(), metaColumns: columns,
		metaNetworks: strconv.Itoa(len(m.networks)), metaParts: string(parts),
	}
	maps.Copy(meta, other)
	return b.Bytes(meta)
}

// maxNetworks and maxLayers bound what is looked for in a file.
const (
	maxNetworks = 16
	maxLayers   = 16
)

// Load reads the files of a model of rows of this table: NetworkFile and TreesFile. It
// is an error, that says which file and why, if one is missing, damaged, or of other
// features than this version of wmtune computes.
func (t Table) Load(files map[string][]byte) (*Model, error) {
	for _, name := range []string{NetworkFile, TreesFile} {
		if len(files[name]) == 0 {
			return nil, fmt.Errorf("ranker: %s is missing or empty", name)
		}
	}
	m := &Model{table: t}
	if err := m.readNetworks(files[NetworkFile]); err != nil {
		return nil, fmt.Errorf("ranker: %s: %w", NetworkFile, err)
	}
	var err error
	if m.trees, err = readTrees(files[TreesFile], t); err != nil {
		return nil, fmt.Errorf("ranker: %s: %w", TreesFile, err)
	}
	return m, nil
}

func (m *Model) readNetworks(file []byte) error {
	p, err := onnx.Load(file)
	if err != nil {
		return err
	}
	meta := p.Meta()
	if v, ok := meta[metaVersion]; !ok {
		return errors.New("it is an ONNX file, but not of a ranker of wmtune")
	} else if v != fileVersion {
		return fmt.Errorf("it is of version %s of the form of rankers; this version of wmtune reads %s", v, fileVersion)
	}
	if meta[metaFeatures] != m.table.Digest() {
		return fmt.Errorf("it was trained on other features (%s, %s columns) than this version of wmtune computes (%s, "+
			"%d): train it again",
			meta[metaFeatures], meta[metaColumns], m.table.Digest(), m.table.Columns())
	}
	if err := json.Unmarshal([]byte(meta[metaParts]), &m.parts); err != nil || !m.parts.ok() {
		return fmt.Errorf("the weights of its parts are damaged: %q", meta[metaParts])
	}
	count, err := strconv.Atoi(meta[metaNetworks])
	if err != nil || count < 1 || count > maxNetworks {
		return fmt.Errorf("it has %q networks", meta[metaNetworks])
	}
	for k := range count {
		n, err := readNetwork(p, k, m.table.Columns())
		if err != nil {
			return fmt.Errorf("network %d: %w", k, err)
		}
		m.networks = append(m.networks, n)
	}
	return nil
}

func readNetwork(p *onnx.File, k, columns int) (*network, error) {
	weight := func(part string) ([]int, []float32) {
		shape, data, _ := p.Weight(fmt.Sprintf("network%d.%s", k, part))
		return shape, data
	}
	n := &network{}
	_, n.shift = weight("shift")
	_, n.factor = weight("factor")
	if len(n.shift) != columns {
		return nil, fmt.Errorf("it reads %d columns, not %d", len(n.shift), columns)
	}
	for i := range maxLayers {
		shape, w := weight(fmt.Sprintf("layer%d.weight", i))
		if len(shape) != 2 {
			break
		}
		_, b := weight(fmt.Sprintf("layer%d.bias", i))
		n.layers = append(n.layers, layer{in: shape[0], out: shape[1], weight: w, bias: b})
	}
	return n, n.ready()
}

// A network scores features: columns are brought to one scale, then layers follow
// with negative values set to 0 between them, the last of one value.
type network struct {
	shift, factor []float32
	layers        []layer
}

// A layer multiplies rows by a matrix and adds a row.
type layer struct {
	in, out      int
	weight, bias []float32
	packed       *kernel.Packed
}

// networkBlock is how many candidates go through a network at a time: what they
// become stays in a core's own cache.
const networkBlock = 64

// ready checks the numbers and packs the matrices.
func (n *network) ready() error {
	columns := len(n.shift)
	if len(n.factor) != columns || len(n.layers) == 0 {
		return fmt.Errorf("%d layers, scales of %d and %d columns", len(n.layers), len(n.shift), len(n.factor))
	}
	for k := range n.layers {
		l := &n.layers[k]
		if l.in != columns || len(l.weight) != l.in*l.out || len(l.bias) != l.out {
			return fmt.Errorf("layer %d has %d weights and %d biases, for %d columns", k, len(l.weight), len(l.bias), columns)
		}
		columns = l.out
	}
	if columns != 1 {
		return fmt.Errorf("the last layer has %d values, not 1", columns)
	}
	lists := [][]float32{n.shift, n.factor}
	for k := range n.layers {
		lists = append(lists, n.layers[k].weight, n.layers[k].bias)
	}
	for _, list := range lists {
		if slices.ContainsFunc(list, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }) {
			return errors.New("it has weights that are no numbers")
		}
	}
	for k := range n.layers {
		l := &n.layers[k]
		l.packed = kernel.Pack(kernel.M(l.weight, l.out))
	}
	return nil
}

// scratch has memory for what a block becomes.
var scratch = sync.Pool{New: func() any { return new([]float32) }}

// score sets out to the scores of rows.
func (n *network) score(rows [][]float32, out []float64) {
	most := len(n.shift)
	for _, l := range n.layers {
		most = max(most, l.out)
	}
	held := scratch.Get().(*[]float32)
	defer scratch.Put(held)
	*held = slices.Grow((*held)[:0], 2*networkBlock*most)[:2*networkBlock*most]
	x, y := (*held)[:networkBlock*most:networkBlock*most], (*held)[networkBlock*most:]
	for len(rows) > 0 {
		count := min(networkBlock, len(rows))
		at := x[:0]
		for _, row := range rows[:count] {
			for k, v := range row[:len(n.shift)] {
				at = append(at, (v-n.shift[k])*n.factor[k])
			}
		}
		from, to := x, y
		for k, l := range n.layers {
			values := to[:count*l.out]
			l.packed.Multiply(values, kernel.M(from[:count*l.in], l.in), false)
			for i := range count {
				row := values[i*l.out:][:l.out]
				for c, b := range l.bias {
					row[c] += b
					if k < len(n.layers)-1 {
						row[c] = max(row[c], 0)
					}
				}
			}
			from, to = to, from
		}
		for i := range count {
			out[i] = float64(from[i])
		}
		rows, out = rows[count:], out[count:]
	}
}
