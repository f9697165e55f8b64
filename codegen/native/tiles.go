package native

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// PermitTiles asks Linux for the tile registers of x86 (AMX), without which their instructions end the process, and
// reports whether all threads of the process may use them now. It is false on processors without.
func PermitTiles() bool {
	const archPrctl, requestPermission, tileData = 158, 0x1023, 18 // of x86-64
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		return false
	}
	_, _, err := unix.RawSyscall(archPrctl, requestPermission, tileData, 0)
	return err == 0
}
