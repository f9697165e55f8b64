package ranker

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/wmtune/wmtune/nn/onnx"
)

// Keys of the metadata of NetworkFile.
const (
	metaVersion  = "wmtune ranker"
	metaFeatures = "features"
	metaColumns  = "columns"
	metaNetworks = "networks"
	metaParts    = "parts"
	fileVersion  = "1"
)

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
	return map[string][]byte{NetworkFile: network, RecordFile: m.trees.json, TreesFile: treesFile(m.trees)}, nil
}

// networkFile writes the networks, which read the features as they are: their
// scaling is in the file. The output has a column for each. Other replaces metadata;
// it is for tests.
func (m *Model) networkFile(other map[string]string) ([]byte, error) {
	columns := strconv.Itoa(Columns)
	b := onnx.New("ranker")
	in := b.Input("features", onnx.Float32, "batch", columns)
	var outs []string
	for k, n := range m.networks {
		name := func(part string) string { return fmt.Sprintf("network%d.%s", k, part) }
		x := b.Node("Sub", []string{in, b.Weight(name("shift"), []int{Columns}, n.shift)})
		x = b.Node("Mul", []string{x, b.Weight(name("factor"), []int{Columns}, n.factor)})
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
		metaVersion: fileVersion, metaFeatures: Digest(), metaColumns: columns,
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

// Load reads the files of a model: NetworkFile and TreesFile. It is an error, that
// says which file and why, if one is missing, damaged, or of other features than
// this version of wmtune computes.
func Load(files map[string][]byte) (*Model, error) {
	for _, name := range []string{NetworkFile, TreesFile} {
		if len(files[name]) == 0 {
			return nil, fmt.Errorf("ranker: %s is missing or empty", name)
		}
	}
	m := &Model{}
	if err := m.readNetworks(files[NetworkFile]); err != nil {
		return nil, fmt.Errorf("ranker: %s: %w", NetworkFile, err)
	}
	var err error
	if m.trees, err = readTrees(files[TreesFile], Columns+m.parts.Latent); err != nil {
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
	if meta[metaFeatures] != Digest() {
		return fmt.Errorf("it was trained on other features (%s, %s columns) than this version of wmtune computes (%s, %d): train it again",
			meta[metaFeatures], meta[metaColumns], Digest(), Columns)
	}
	if err := json.Unmarshal([]byte(meta[metaParts]), &m.parts); err != nil || !m.parts.ok() {
		return fmt.Errorf("the weights of its parts are damaged: %q", meta[metaParts])
	}
	count, err := strconv.Atoi(meta[metaNetworks])
	if err != nil || count < 1 || count > maxNetworks {
		return fmt.Errorf("it has %q networks", meta[metaNetworks])
	}
	for k := range count {
		n, err := readNetwork(p, k)
		if err != nil {
			return fmt.Errorf("network %d: %w", k, err)
		}
		m.networks = append(m.networks, n)
	}
	return nil
}

func readNetwork(p *onnx.Program, k int) (*network, error) {
	weight := func(part string) ([]int, []float32) {
		shape, data, _ := p.Weight(fmt.Sprintf("network%d.%s", k, part))
		return shape, data
	}
	n := &network{}
	_, n.shift = weight("shift")
	_, n.factor = weight("factor")
	if len(n.shift) != Columns {
		return nil, fmt.Errorf("it reads %d columns, not %d", len(n.shift), Columns)
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
