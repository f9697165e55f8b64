//go:build !amd64

package kernel

func tile(c []float32, ldc int, a, b []float32) { tileGo(c, ldc, a, b) }
