package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Launch is what one kernel of a state asks of a GPU. A kernel is a root stage
// that has loops bound to blocks or threads, and all that is attached in it.
type Launch struct {
	Stage       string // of the root
	Blocks      int64  // in all three dimensions
	Threads     int64  // of a block, in all three dimensions
	Vthreads    int64  // the longest virtual thread loop; 0 if there is none
	SharedBytes int64  // of a block
	LocalBytes  int64  // of a thread, for all of its virtual threads
	VectorBytes int64  // of the longest vector loop's elements; 0 if there is none
}

// Launches returns the launches of a concrete state, in order of their stages. It
// is much cheaper than lowering, and the buffers are those that the lowered program
// allocates. Stages without bound loops have no launch. It is an error if the
// bounds cannot be inferred, or if a tile cannot be tensorized though its steps say so.
func Launches(s *schedule.State) ([]Launch, error) {
	nests, err := s.Nests()
	if err != nil {
		return nil, err
	}
	b := &builder{s: s, nests: nests, storage: map[*tir.Buffer]placed{}}
	b.findKernels()
	if b.kernels == nil {
		return nil, nil
	}
	if b.findTiles(); len(b.untiled) > 0 {
		return nil, b.untiled[0]
	}
	for _, p := range s.DAG.Tensors {
		b.storage[p] = placed{buffer: p}
	}
	for _, n := range nests {
		if n != nil {
			b.place(n)
		}
	}
	var list []Launch
	for root, k := range b.kernels {
		if k != nil {
			list = append(list, b.launch(root, k))
		}
	}
	return list, nil
}

// launch sums up what the stages of one kernel ask for.
func (b *builder) launch(root int, k *kernel) Launch {
	l := Launch{Stage: b.s.Stages[root].Op.Name, Blocks: 1, Threads: 1}
	for _, d := range k.dims {
		l.Threads *= d.extent
	}
	for _, loop := range b.nests[root].Loops {
		if loop.Iter.Ann.IsBlock() {
			l.Blocks *= loop.Extent
		}
	}
	for i, n := range b.nests {
		if n == nil || b.rootOf(i) != root {
			continue
		}
		op := b.s.Stages[i].Op
		for _, loop := range n.Loops {
			switch loop.Iter.Ann {
			case schedule.VThread:
				l.Vthreads = max(l.Vthreads, loop.Extent)
			case schedule.Vectorize:
				for _, r := range op.Results {
					l.VectorBytes = max(l.VectorBytes, loop.Extent*int64(r.Type.Bytes()))
				}
			}
		}
		if i != root {
			for _, r := range op.Results {
				b.addBytes(&l, b.storage[r].buffer, i)
			}
			b.addBuffering(&l, i)
		}
		nb := &nestBuilder{builder: b, n: n, op: op, reduce: len(n.Loops), k: k}
		if nb.reduce = slices.IndexFunc(n.Loops, reduces); nb.reduce >= 0 && nb.crossesThreads() {
			nb.partials()
			for _, p := range nb.parts {
				b.addBytes(&l, p, i)
			}
		}
	}
	return l
}

// addBuffering adds what it takes to double-buffer a stage: a second buffer, and
// registers unless stores are asynchronous.
func (b *builder) addBuffering(l *Launch, stage int) {
	how := b.buffering(stage)
	if how == schedule.OneBuffer {
		return
	}
	one := b.storage[b.s.Stages[stage].Op.Results[0]].buffer
	l.SharedBytes += twice(one).Bytes() - one.Bytes()
	if how != schedule.TwoBuffers {
		return
	}
	bytes := int64(one.Type.Bytes())
	for _, loop := range b.nests[stage].Loops {
		if !isThread(loop.Iter.Ann) || !b.bound(b.nests[stage], loop) {
			bytes *= loop.Extent
		}
	}
	l.LocalBytes += bytes
}

// addBytes adds a buffer of a stage to a launch. What a thread has for itself it has
// once for each virtual thread around the stage.
func (b *builder) addBytes(l *Launch, buffer *tir.Buffer, stage int) {
	switch buffer.Scope {
	case tir.Shared:
		l.SharedBytes += buffer.Bytes()
	case tir.Local:
		copies := int64(1)
		for {
			at, ok := b.s.Attach.At(stage)
			if !ok {
				break
			}
			for _, loop := range b.nests[at.Stage].Loops[:at.Iter+1] {
				if loop.Iter.Ann == schedule.VThread {
					copies *= loop.Extent
				}
			}
			stage = at.Stage
		}
		l.LocalBytes += copies * buffer.Bytes()
	}
}

// SomeBlocks returns f, a program of a GPU, with at most so many of its blocks: the
// first, the last, and others at even distances. What it returns writes a part of
// the outputs only, and is for checking programs that take long. With most = 4,
//
//	bind b in 100 blockIdx.x:        bind b.some in 4 blockIdx.x:
//	  C[b] = A[b] + 1           =>     C[floordiv((b.some*99), 3)] = A[floordiv((b.some*99), 3)] + 1
//
// It returns f itself, and false, if f has no more blocks, or if it is not one loop
// nest with a loop over blocks outermost: of several nests, one needs all that
// another one computes.
func SomeBlocks(f *tir.Func, most int64) (some *tir.Func, ok bool) {
	l, ok := f.Body.(*tir.For)
	if !ok || l.Kind != tir.ThreadBound || isThreadLoop(l) {
		return f, false
	}
	n, inner := l.Extent.(*tir.IntImm).Value, int64(1)
	for m, ok := l.Body.(*tir.For); ok && m.Kind == tir.ThreadBound && !isThreadLoop(m); m, ok = m.Body.(*tir.For) {
		inner *= m.Extent.(*tir.IntImm).Value
	}
	k := max(2, most/inner)
	if n <= k {
		return f, false
	}
	v := tir.NewVar(l.Var.Name + ".some")
	block := tir.Bin(tir.FloorDiv, tir.Bin(tir.Mul, v, tir.Int(n-1)), tir.Int(k-1))
	c := *l
	c.Var, c.Extent = v, tir.Int(k)
	c.Body = tir.SubstituteStmt(l.Body, map[*tir.Var]tir.Expr{l.Var: block})
	g := *f
	g.Body = &c
	return &g, true
}
