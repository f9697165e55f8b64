package link

import (
	"sync"

	"github.com/ebitengine/purego"
)

// libraries are where kernels may find functions: the C library, the
// mathematical one, and the compiler's (conversions of half precision).
var libraries = []string{"libc.so.6", "libm.so.6", "libgcc_s.so.1"}

// Process returns a resolver that looks symbols up in the C library, the
// mathematical one and the compiler's, as far as this machine has them. Opening
// them puts C code into this process.
var Process = sync.OnceValue(func() Resolver {
	var mu sync.Mutex
	known := map[string]uintptr{}
	handles := make([]uintptr, len(libraries))
	opened := 0
	return func(name string) uintptr {
		mu.Lock()
		defer mu.Unlock()
		if addr, ok := known[name]; ok {
			return addr
		}
		for i, lib := range libraries {
			if i >= opened {
				handles[i], _ = purego.Dlopen(lib, purego.RTLD_NOW|purego.RTLD_GLOBAL)
				opened = i + 1
			}
			if handles[i] == 0 {
				continue
			}
			if addr, err := purego.Dlsym(handles[i], name); err == nil && addr != 0 {
				known[name] = addr
				return addr
			}
		}
		return 0
	}
})
