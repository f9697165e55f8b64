package run

// faultHandler returns the address of the signal handler.
func faultHandler() uintptr
