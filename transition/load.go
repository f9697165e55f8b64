package transition

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/wmtune/wmtune/nn/onnx"
)

// Load reads the model of an ONNX file that Bytes wrote. Whatever the bytes are, it
// returns an error or a model whose numbers are usable.
func Load(data []byte) (*Model, error) {
	f, err := onnx.Load(data)
	if err != nil {
		return nil, fmt.Errorf("transition: %w", err)
	}
	meta := f.Meta()
	if v := meta["wmtune.transition"]; v != fileVersion {
		return nil, fmt.Errorf("transition: the file has a network of version %q, this program reads %s", v, fileVersion)
	}
	if v := meta["wmtune.actions"]; v != VectorName {
		return nil, fmt.Errorf("transition: the network was trained on action vectors %q, this program has %s: train it again", v, VectorName)
	}
	form := slices.Index(formNames[:], meta["wmtune.form"])
	members, err1 := strconv.Atoi(meta["wmtune.members"])
	layers, err2 := strconv.Atoi(meta["wmtune.layers"])
	if form < 0 || err1 != nil || err2 != nil || members < 1 || members > 16 || layers < 1 || layers > 16 {
		return nil, fmt.Errorf("transition: the file says form %q, %q networks of %q layers", meta["wmtune.form"], meta["wmtune.members"], meta["wmtune.layers"])
	}
	m := &Model{Form: Form(form)}
	for k := range members {
		r := &memberReader{file: f, suffix: fmt.Sprintf("_%d", k)}
		member := r.member(Form(form), layers)
		if r.err != nil {
			return nil, r.err
		}
		if k > 0 && member.start != m.Members[0].start {
			return nil, fmt.Errorf("transition: networks 0 and %d begin with %d and %d numbers", k, m.Members[0].start, member.start)
		}
		m.Members = append(m.Members, member)
	}
	return m, nil
}

// A memberReader reads one network. The first mistake is kept.
type memberReader struct {
	file   *onnx.Program
	suffix string
	err    error
}

// matrix returns a weight of rows x cols; 0 means any.
func (r *memberReader) matrix(name string, rows, cols int) (data []float32, gotRows, gotCols int) {
	name += r.suffix
	shape, data, ok := r.file.Weight(name)
	switch {
	case r.err != nil:
		return nil, 1, 1
	case !ok:
		r.err = fmt.Errorf("transition: the file has no weight %s", name)
		return nil, 1, 1
	}
	if len(shape) == 1 {
		shape = []int{1, shape[0]}
	}
	if len(shape) != 2 || shape[0] < 1 || shape[1] < 1 || rows > 0 && shape[0] != rows || cols > 0 && shape[1] != cols || len(data) != shape[0]*shape[1] {
		r.err = fmt.Errorf("transition: weight %s has shape %v of %d values, which does not fit the others", name, shape, len(data))
		return nil, 1, 1
	}
	for i, v := range data {
		if v != v || v > 1e6 || v < -1e6 {
			r.err = fmt.Errorf("transition: weight %s is %v at %d: the file is damaged or its training failed", name, v, i)
			return nil, 1, 1
		}
	}
	return data, shape[0], shape[1]
}

func (r *memberReader) member(form Form, layers int) *Member {
	m := &Member{form: form}
	_, m.start, m.latent = r.matrix("start.weight", StartSize, 0)
	_, _, m.embed = r.matrix("embed.weight", Size, 0)
	_, _, m.hidden = r.matrix("hidden.action", m.embed, 0)
	for i, s := range rolloutShapes(m.sizes) {
		m.rollout[i], _, _ = r.matrix(s.layer+"."+s.part, s.rows, s.cols)
	}
	width := m.latent
	for i := range layers {
		name, cols := fmt.Sprintf("value%d", i), 0
		if i == layers-1 {
			cols = 1
		}
		var l layer
		next := 0
		l.weight, _, next = r.matrix(name+".weight", width, cols)
		l.bias, _, _ = r.matrix(name+".bias", 1, next)
		m.head, width = append(m.head, l), next
	}
	if _, _, ok := r.file.Weight("match.weight" + r.suffix); ok {
		var cols int
		m.match.weight, _, cols = r.matrix("match.weight", m.latent, 0)
		m.match.bias, _, _ = r.matrix("match.bias", 1, cols)
	}
	return m
}
