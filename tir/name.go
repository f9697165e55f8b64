package tir

import (
	"fmt"
	"hash/fnv"
)

// maxName is the length of identifiers in emitted code: LLVM cuts names of values at 1,024 bytes, and emitters append
// to them.
const maxName = 200

// ShortName returns an identifier as it is if it has at most maxName bytes, else its beginning and a hash of all of
// name, the text that it was made from. Emitters use it for the names of tensors and variables, which may have any
// length.
func ShortName(identifier, name string) string {
	if len(identifier) <= maxName {
		return identifier
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("%s_%016x", identifier[:maxName-17], h.Sum64())
}
