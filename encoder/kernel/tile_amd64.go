package kernel

import "golang.org/x/sys/cpu"

var haveAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// tile adds the product of a strip of tileRows rows and a strip of tileColumns
// columns to the tile at the beginning of c, whose rows are ldc apart.
func tile(c []float32, ldc int, a, b []float32) {
	if !haveAVX2 {
		tileGo(c, ldc, a, b)
		return
	}
	_ = c[(tileRows-1)*ldc+tileColumns-1]
	depth := len(b) / tileColumns
	_ = a[depth*tileRows-1]
	tileAVX2(depth, &a[0], &b[0], &c[0], ldc)
}

//go:noescape
func tileAVX2(depth int, a, b, c *float32, ldc int)
