package compile

import (
	"fmt"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
)

// A blob is a constant in the weights file: as the model has it, or packed for a kernel.
type blob struct {
	konst  *graph.Const
	pack   *tir.Func // nil: as it is
	offset int64
	bytes  int64
}

// Weights are the constants that kernels read, and where they lie in the weights file.
type weights struct {
	blobs  []*blob
	byKey  map[string]*blob
	hashes map[graph.ConstID]string
	size   int64

	byLayout bool // packed constants are one if they have the same bytes, whatever packs them
}

// add returns the place of a constant, packed by a function or as it is.
func (w *weights) add(c *graph.Const, pack *tir.Func) model.Place {
	if w.byKey == nil {
		w.byKey, w.hashes = map[string]*blob{}, map[graph.ConstID]string{}
	}
	key := ""
	if len(c.Data) > 0 {
		id := c.ID()
		if w.hashes[id] == "" {
			w.hashes[id] = c.Hash()
		}
		key = w.hashes[id]
	}
	b := &blob{konst: c, pack: pack, bytes: int64(len(c.Data))}
	if pack != nil {
		layout := ""
		if w.byLayout {
			layout = lower.LayoutOf(pack)
		}
		if layout == "" {
			layout = fmt.Sprintf("%x", pack.Hash())
		}
		key += layout
		b.bytes = pack.Params[1].Bytes()
	}
	if old := w.byKey[key]; old != nil {
		return model.Place{Space: model.Weights, Offset: old.offset}
	}
	b.offset = w.size
	w.size = align(w.size + b.bytes)
	w.byKey[key] = b
	w.blobs = append(w.blobs, b)
	return model.Place{Space: model.Weights, Offset: b.offset}
}
