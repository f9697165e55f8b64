package link

import (
	"sync"

	"github.com/wmtune/wmtune/codegen/native"
)

// libraries are where kernels may find functions: the C library, the
// mathematical one, and the compiler's (conversions of half precision).
var libraries = []string{"libc.so.6", "libm.so.6", "libgcc_s.so.1"}

// Process returns a resolver that looks symbols up in the C library, the
// mathematical one and the compiler's, as far as this machine has them. Opening
// them puts C code into this process.
var Process = sync.OnceValue(func() Resolver {
	var opened []*native.Library
	for _, name := range libraries {
		if l, err := native.Open(name); err == nil {
			opened = append(opened, l)
		}
	}
	return func(name string) uintptr {
		for _, l := range opened {
			if addr, err := l.Lookup(name); err == nil && addr != 0 {
				return addr
			}
		}
		return 0
	}
})
