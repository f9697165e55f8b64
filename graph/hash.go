package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Hash returns a hash of type, shape and bytes in hexadecimal: constants of one hash are one.
func (c *Const) Hash() string {
	h := sha256.New()
	fmt.Fprintln(h, c.Type, c.Shape)
	h.Write(c.Data)
	return hex.EncodeToString(h.Sum(nil))
}
