package cuda

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
)

// A Dim is how many blocks a grid, or threads a block, has along x, y and z.
type Dim struct{ X, Y, Z int64 }

// Count returns the number of all blocks or threads.
func (d Dim) Count() int64 { return d.X * d.Y * d.Z }

// A Kernel is one launch of a program.
type Kernel struct {
	Name        string
	Grid, Block Dim

	// SharedBytes is the static shared memory of a block: that of its arrays, each
	// rounded up to a multiple of Alignment. No dynamic shared memory is to be given at the launch.
	SharedBytes int64

	// Args are the buffers that the kernel takes, in order: parameters of the
	// function, then workspaces. Each argument is a device pointer aligned to
	// Alignment bytes.
	Args  []*tir.Buffer
	Names []string // of the arguments; a buffer has one name in all kernels

	body    tir.Stmt
	written map[*tir.Buffer]bool
}

// Alignment is that of all pointers given to kernels, and of their own arrays in
// shared memory, in bytes. What the driver allocates is aligned to more.
const Alignment = 16

// Kernels returns the launches of f, which are to run one after the other. Each
// root stage is one: on the blocks and threads that its loops are bound to, or
// on one thread of one block if there are none.
//
// It is an error if f has packed inputs or warp memory, or what threads of a
// kernel cannot carry out; see checkThreads.
func Kernels(f *tir.Func) ([]Kernel, error) {
	if f.Packs != nil {
		return nil, fmt.Errorf("cuda: %s packs inputs: lower it with its inputs' layouts kept", f.Name)
	}
	d := &divider{order: map[*tir.Buffer]int{}, names: newNames()}
	for _, p := range f.Params {
		d.register(p)
	}
	if err := d.divide(f.Body); err != nil {
		return nil, fmt.Errorf("cuda: %s: %w", f.Name, err)
	}
	return d.kernels, nil
}

// Workspaces returns the arguments of kernels that are no parameters of f. They
// need not be initialised, and hold what one kernel leaves to the next.
func Workspaces(f *tir.Func, kernels []Kernel) []*tir.Buffer {
	var list []*tir.Buffer
	for _, k := range kernels {
		for _, b := range k.Args {
			if !slices.Contains(f.Params, b) && !slices.Contains(list, b) {
				list = append(list, b)
			}
		}
	}
	return list
}

// A divider takes a program apart into kernels.
type divider struct {
	kernels []Kernel
	order   map[*tir.Buffer]int // of parameters and workspaces
	called  []string            // by order
	names   *names
}

// register makes a buffer one that kernels may take.
func (d *divider) register(b *tir.Buffer) {
	d.order[b] = len(d.order)
	d.called = append(d.called, d.names.fresh(b.Name))
}

// divide adds the kernels of s, which is outside of all loops.
func (d *divider) divide(s tir.Stmt) error {
	switch s := s.(type) {
	case *tir.Seq:
		for _, t := range s.Stmts {
			if err := d.divide(t); err != nil {
				return err
			}
		}
		return nil
	case *tir.Pragma:
		return d.divide(s.Body)
	case *tir.Alloc:
		if s.Buffer.InGlobal() {
			d.register(s.Buffer)
			return d.divide(s.Body)
		}
	}
	return d.add(s)
}

// add makes a kernel of s.
func (d *divider) add(s tir.Stmt) error {
	k := Kernel{Grid: Dim{1, 1, 1}, Block: Dim{1, 1, 1}, body: s, written: map[*tir.Buffer]bool{}}
	used := map[*tir.Buffer]bool{}
	name := "kernel"
	bound := false
	var err error
	tir.Visit(s, func(t tir.Stmt) bool {
		switch t := t.(type) {
		case *tir.For:
			if t.Kind == tir.ThreadBound {
				bound = true
				err = firstError(err, k.widen(t))
			}
		case *tir.Alloc:
			switch {
			case t.Buffer.InGlobal():
				d.register(t.Buffer)
			case t.Buffer.Scope == tir.Shared:
				k.SharedBytes += (t.Buffer.Bytes() + Alignment - 1) / Alignment * Alignment
			case t.Buffer.Scope != tir.Local:
				err = firstError(err, fmt.Errorf("buffer %s has scope %s: use shared or local", t.Buffer.Name, t.Buffer.Scope))
			}
		case *tir.Store:
			used[t.Buffer], k.written[t.Buffer] = true, true
		case *tir.Block:
			if writesGlobal(t) {
				name = t.Name + "_kernel"
			}
		}
		return true
	})
	tir.VisitAllExprs(s, func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok {
			used[l.Buffer] = true
		}
		return true
	})
	if err != nil {
		return err
	}
	if err := checkThreads(&k, bound); err != nil {
		return err
	}
	for b := range used {
		if _, ok := d.order[b]; ok {
			k.Args = append(k.Args, b)
		}
	}
	slices.SortFunc(k.Args, func(a, b *tir.Buffer) int { return d.order[a] - d.order[b] })
	for _, b := range k.Args {
		k.Names = append(k.Names, d.called[d.order[b]])
	}
	k.Name = d.names.fresh(name)
	d.kernels = append(d.kernels, k)
	return nil
}

// writesGlobal reports whether s stores what is left when the kernel ends.
func writesGlobal(s tir.Stmt) bool {
	return tir.Has(s, func(t tir.Stmt) bool {
		st, ok := t.(*tir.Store)
		return ok && st.Buffer.InGlobal()
	})
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// widen makes room for the threads or blocks of a bound loop.
func (k *Kernel) widen(l *tir.For) error {
	n, ok := l.Extent.(*tir.IntImm)
	if !ok || n.Value < 1 {
		return fmt.Errorf("loop %s over %s has extent %s: it must be a positive constant", l.Var.Name, l.Thread, l.Extent)
	}
	size := k.size(l.Thread)
	if size == nil {
		return fmt.Errorf("loop %s is bound to %q: a GPU has blockIdx and threadIdx, each .x, .y and .z", l.Var.Name,
			l.Thread)
	}
	*size = max(*size, n.Value)
	return nil
}

// size returns the extent of a launch dimension, nil if there is none of the
// name.
func (k *Kernel) size(thread string) *int64 {
	switch thread {
	case "blockIdx.x":
		return &k.Grid.X
	case "blockIdx.y":
		return &k.Grid.Y
	case "blockIdx.z":
		return &k.Grid.Z
	case "threadIdx.x":
		return &k.Block.X
	case "threadIdx.y":
		return &k.Block.Y
	case "threadIdx.z":
		return &k.Block.Z
	}
	return nil
}

// launchDims are the names of the launch dimensions.
var launchDims = []string{"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z"}

// Launches says how the kernels of a program are launched, and the sizes of the
// workspaces that they take.
func Launches(f *tir.Func, kernels []Kernel) (launches []measure.Launch, workspaces []int64) {
	spare := Workspaces(f, kernels)
	for _, ws := range spare {
		workspaces = append(workspaces, ws.Bytes())
	}
	for _, k := range kernels {
		l := measure.Launch{
			Kernel: k.Name, Grid: [3]int64{k.Grid.X, k.Grid.Y, k.Grid.Z}, Block: [3]int64{k.Block.X, k.Block.Y, k.Block.Z},
		}
		for _, b := range k.Args {
			at := slices.Index(f.Params, b)
			if at < 0 {
				at = len(f.Params) + slices.Index(spare, b)
			}
			l.Args = append(l.Args, at)
		}
		launches = append(launches, l)
	}
	return launches, workspaces
}
