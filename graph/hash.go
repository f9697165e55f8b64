package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unsafe"

	"github.com/wmtune/wmtune/tir"
)

// A ConstID tells constants apart by type, shape and where their bytes are, without a look at the bytes. Constants of
// one file may begin at the same byte and differ in length.
type ConstID struct {
	at    *byte
	typ   tir.DType
	shape string
}

// ID returns the ConstID of c.
func (c *Const) ID() ConstID {
	return ConstID{at: unsafe.SliceData(c.Data), typ: c.Type, shape: fmt.Sprint(c.Shape)}
}

// Hash returns a hash of type, shape and bytes in hexadecimal: constants of one hash are one.
func (c *Const) Hash() string {
	h := sha256.New()
	fmt.Fprintln(h, c.Type, c.Shape)
	h.Write(c.Data)
	return hex.EncodeToString(h.Sum(nil))
}
