package models

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Embeddings are vectors of an encoder, each of length 1. The manifest has them as base64 of zstd: the length of a
// vector, then the high bytes of all numbers, then the low bytes. A number is a 16-bit integer in units of
// embeddingUnit. Older manifests have a list of vectors.
type Embeddings []Embedding

// An Embedding is one vector. Older manifests have it as base64 of little-endian 16-bit integers, or as a list of
// numbers.
type Embedding []float32

// embeddingUnit is how finely embeddings are kept: with 128 numbers, the distance of a vector from a kept one changes
// by at most 0.0006.
const embeddingUnit = 1e-4

// maxEmbeddings is how many bytes the vectors of a manifest may have, many times what a model has.
const maxEmbeddings = 64 << 20

// MarshalJSON writes the vectors for the manifest. All have the same length. Numbers beyond ±3.2767 are cut.
func (list Embeddings) MarshalJSON() ([]byte, error) {
	if len(list) == 0 {
		return []byte(`""`), nil
	}
	size := len(list[0])
	head := binary.AppendUvarint(nil, uint64(size))
	high, low := make([]byte, 0, size*len(list)), make([]byte, 0, size*len(list))
	for i, e := range list {
		if len(e) != size || size == 0 {
			return nil, fmt.Errorf("embedding %d has %d numbers, the first has %d", i, len(e), size)
		}
		for _, x := range e {
			n := int16(max(math.MinInt16, min(math.Round(float64(x)/embeddingUnit), math.MaxInt16)))
			high, low = append(high, byte(uint16(n)>>8)), append(low, byte(n))
		}
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return json.Marshal(w.EncodeAll(bytes.Join([][]byte{head, high, low}, nil), nil))
}

// UnmarshalJSON reads what MarshalJSON wrote, or a list of vectors.
func (list *Embeddings) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(text, []byte(`"`)) {
		return json.Unmarshal(text, (*[]Embedding)(list))
	}
	var packed []byte
	if err := json.Unmarshal(text, &packed); err != nil || len(packed) == 0 {
		*list = nil
		return err
	}
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxEmbeddings))
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := r.DecodeAll(packed, nil)
	if err != nil {
		return fmt.Errorf("embeddings: %w", err)
	}
	size, n := binary.Uvarint(data)
	planes := data[max(n, 0):]
	if n <= 0 || size == 0 || size > uint64(len(planes)) || uint64(len(planes))%(2*size) != 0 {
		return fmt.Errorf("embeddings: %d bytes hold no vectors of %d numbers of two bytes", len(planes), size)
	}
	high, low := planes[:len(planes)/2], planes[len(planes)/2:]
	*list = make(Embeddings, len(high)/int(size))
	for i := range *list {
		e := make(Embedding, size)
		for k := range e {
			at := i*int(size) + k
			e[k] = float32(int16(uint16(high[at])<<8|uint16(low[at]))) * embeddingUnit
		}
		(*list)[i] = e
	}
	return nil
}

// UnmarshalJSON reads a vector of an older manifest.
func (e *Embedding) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(text, []byte(`"`)) {
		return json.Unmarshal(text, (*[]float32)(e))
	}
	var data []byte
	if err := json.Unmarshal(text, &data); err != nil {
		return err
	}
	if len(data)%2 != 0 {
		return fmt.Errorf("an embedding of %d bytes: want two a number", len(data))
	}
	*e = make(Embedding, len(data)/2)
	for i := range *e {
		(*e)[i] = float32(int16(binary.LittleEndian.Uint16(data[2*i:]))) * embeddingUnit
	}
	return nil
}
