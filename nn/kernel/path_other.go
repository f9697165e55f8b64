//go:build !amd64

package kernel

func paths() []*path { return []*path{pathGo} }
