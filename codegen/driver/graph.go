package driver

import (
	"runtime"
	"unsafe"
)

// A Graph is a sequence of launches that the GPU begins one after the other without
// asking the processor. A kernel that takes less than a launch (some 3 us) can be timed
// only so.
type Graph struct {
	c            *Context
	handle, exec uintptr
}

// kernelNode is CUDA_KERNEL_NODE_PARAMS_v1 (cuda.h), as cuGraphAddKernelNode takes it.
type kernelNode struct {
	function    uintptr
	grid, block Dim
	shared      uint32
	params      **uint64
	extra       uintptr
}

// Graph makes a graph of launches, n times in their order. It holds the arguments that
// they have now. It is nil if there is an error.
func (c *Context) Graph(launches []*Launch, n int) (*Graph, error) {
	g := &Graph{c: c}
	if err := c.call("cuGraphCreate", c.d.cu.GraphCreate, uintptr(unsafe.Pointer(&g.handle)), 0); err != nil {
		return nil, err
	}
	var last uintptr
	var err error
	for i := 0; i < n*len(launches) && err == nil; i++ {
		last, err = g.add(launches[i%len(launches)], last)
	}
	if err == nil {
		err = c.call("cuGraphInstantiateWithFlags", c.d.cu.GraphInstantiate, uintptr(unsafe.Pointer(&g.exec)),
			g.handle, 0)
	}
	if err != nil {
		_ = g.Close()
		return nil, err
	}
	return g, nil
}

// add adds a launch that waits for the one before, of which there may be none, and
// returns its handle.
func (g *Graph) add(l *Launch, before uintptr) (node uintptr, err error) {
	p := &kernelNode{function: l.f.handle, grid: l.grid, block: l.block, params: &l.params[0]}
	waits := uintptr(0)
	if before != 0 {
		waits = 1
	}
	err = g.c.call("cuGraphAddKernelNode", g.c.d.cu.GraphAddKernel, uintptr(unsafe.Pointer(&node)), g.handle,
		uintptr(unsafe.Pointer(&before)), waits, uintptr(unsafe.Pointer(p)))
	runtime.KeepAlive(l)
	return node, err
}

// Launch has the GPU run the graph after all that was launched before, and does not wait
// for it.
func (g *Graph) Launch() error { return g.c.call("cuGraphLaunch", g.c.d.cu.GraphLaunch, g.exec, 0) }

// Close ends a graph that does not run.
func (g *Graph) Close() error {
	if g.exec != 0 {
		if err := g.c.call("cuGraphExecDestroy", g.c.d.cu.GraphExecDestroy, g.exec); err != nil {
			return err
		}
	}
	return g.c.call("cuGraphDestroy", g.c.d.cu.GraphDestroy, g.handle)
}
