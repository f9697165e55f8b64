//go:build !amd64

package run

// faultHandler returns 0: there is no handler for this processor, so that a
// crash is known by its signal only.
func faultHandler() uintptr { return 0 }
