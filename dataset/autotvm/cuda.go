package autotvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir/schedule"
)

// bindTiles splits a result of n, f, y, x in blocks, virtual threads, threads and the rest, binds the pieces, and returns
// the loops of blocks and of threads of columns.
func bindTiles(st *stage, cut map[string][]int64) (block, thread *loop) {
	v := st.loops
	f, y, x := v[1].split(cut["tile_f"]), v[2].split(cut["tile_y"]), v[3].split(cut["tile_x"])
	z := st.fuse(v[0], f[0])
	st.reorder(z, y[0], x[0], f[1], y[1], x[1], f[2], y[2], x[2], f[3], y[3], x[3])
	bind([]*loop{z, y[0], x[0], f[1], y[1], x[1], f[2], y[2], x[2]},
		schedule.BlockZ, schedule.BlockY, schedule.BlockX, schedule.VThread, schedule.VThread, schedule.VThread,
		schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
	return x[0], x[2]
}

// operands makes the stages of a convolution in shared memory: what is added up, and both operands. A padding is part
// of the copy.
func operands(s *script, of string) (acc, data, kernel *stage) {
	acc = s.named["conv"].cacheWrite("local")
	data = s.named[of].cacheRead("shared", acc)
	kernel = s.named["kernel"].cacheRead("shared", acc)
	return acc, data, kernel
}

// convCUDA is a convolution with tiles of both operands in shared memory.
func convCUDA(l *Line) (*schedule.State, error) {
	c, err := l.convolution()
	if err != nil {
		return nil, err
	}
	n, ci, co := c.data[0], c.data[1], c.kernel[0]
	if c.kernel[1] != ci {
		return nil, unmapped("%s in groups", l.Template)
	}
	cut, err := l.splits(tile{"tile_f", 4, co}, tile{"tile_y", 4, c.h}, tile{"tile_x", 4, c.w},
		tile{"tile_rc", 2, ci}, tile{"tile_ry", 2, c.kernel[2]}, tile{"tile_rx", 2, c.kernel[3]})
	if err != nil {
		return nil, err
	}
	steps, err := l.option("auto_unroll_max_step")
	if err != nil {
		return nil, err
	}
	pad, name := c.padded([]int64{n, ci}, nil)
	s, err := parse(fmt.Sprintf("input data: float32[%d, %d, %d, %d]\ninput kernel: float32[%d, %d, %d, %d]\n%s"+
		"conv(nn: %d, ff: %d, yy: %d, xx: %d) = sum(rc: %d, ry: %d, rx: %d) %s[nn, rc, %s, %s]*kernel[ff, rc, ry, rx]\n"+
		"output conv\n", n, ci, c.data[2], c.data[3], co, ci, c.kernel[2], c.kernel[3], pad,
		n, co, c.h, c.w, ci, c.kernel[2], c.kernel[3], name,
		at("yy", c.stride[0], "ry", c.dilation[0]), at("xx", c.stride[1], "rx", c.dilation[1])))
	if err != nil {
		return nil, err
	}
	acc, data, kernel := operands(s, name)
	if s.err != nil {
		return nil, s.err
	}
	if name == "pad" {
		s.named["pad"].inline()
	}
	_, thread := bindTiles(s.named["conv"], cut)
	acc.computeAt(thread)
	a := acc.loops // n, f, y, x, rc, ry, rx
	rcs, rys, rxs := a[4].split(cut["tile_rc"]), a[5].split(cut["tile_ry"]), a[6].split(cut["tile_rx"])
	acc.reorder(rcs[0], rys[0], rxs[0], rcs[1], rys[1], rxs[1], a[0], a[1], a[2], a[3])
	for _, load := range []*stage{data, kernel} {
		load.computeAt(rxs[0])
		z := load.fuse(load.loops...).parts(cut["tile_f"][2])
		y := z[1].parts(cut["tile_y"][2])
		x := y[1].parts(cut["tile_x"][2])
		bind([]*loop{z[0], y[0], x[0]}, schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
	}
	acc.unroll(steps)
	return s.state, s.err
}

// depthwiseConvCUDA is a convolution of each channel for itself: what a block reads lies in shared memory, what a
// thread reads in registers.
func depthwiseConvCUDA(l *Line) (*schedule.State, error) {
	c, err := l.convolution()
	if err != nil {
		return nil, err
	}
	n, ch, m := c.data[0], c.data[1], c.kernel[1]
	if c.kernel[0] != ch {
		return nil, fmt.Errorf("%d kernels for %d channels", c.kernel[0], ch)
	}
	cut, err := l.splits(tile{"tile_f", 4, ch * m}, tile{"tile_y", 4, c.h}, tile{"tile_x", 4, c.w})
	if err != nil {
		return nil, err
	}
	steps, err := l.option("auto_unroll_max_step")
	if err != nil {
		return nil, err
	}
	pad, name := c.padded([]int64{n, ch}, nil)
	channel, multiple := over("c", m)
	s, err := parse(fmt.Sprintf("input data: float32[%d, %d, %d, %d]\ninput kernel: float32[%d, %d, %d, %d]\n%s"+
		"conv(b: %d, c: %d, i: %d, j: %d) = sum(di: %d, dj: %d) %s[b, %s, %s, %s]*kernel[%s, %s, di, dj]\noutput conv\n",
		n, ch, c.data[2], c.data[3], ch, m, c.kernel[2], c.kernel[3], pad, n, ch*m, c.h, c.w, c.kernel[2], c.kernel[3], name,
		channel, at("i", c.stride[0], "di", c.dilation[0]), at("j", c.stride[1], "dj", c.dilation[1]), channel, multiple))
	if err != nil {
		return nil, err
	}
	acc, data, kernel := operands(s, name)
	own := []*stage{data.cacheRead("local", acc), kernel.cacheRead("local", acc)}
	if s.err != nil {
		return nil, s.err
	}
	if name == "pad" {
		s.named["pad"].inline()
	}
	block, thread := bindTiles(s.named["conv"], cut)
	acc.computeAt(thread)
	for _, o := range own { // before what they read
		o.computeAt(thread)
	}
	data.computeAt(block)
	kernel.computeAt(block)
	for _, load := range []*stage{data, kernel} {
		x := load.fuse(load.loops...).factor(cut["tile_x"][2])
		y := x[0].factor(cut["tile_y"][2])
		z := y[0].factor(cut["tile_f"][2])
		bind([]*loop{z[1], y[1], x[1]}, schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
	}
	acc.unroll(steps)
	return s.state, s.err
}

// batchMatmulCUDA is products of matrices, the second ones transposed.
func batchMatmulCUDA(l *Line) (*schedule.State, error) {
	p, err := l.tensor(0, 3)
	if err != nil {
		return nil, err
	}
	q, err := l.tensor(1, 3)
	if err != nil {
		return nil, err
	}
	for _, more := range l.Args[2:] {
		if text := string(more); text != "null" && text != `"float32"` && text != "false" && text != "true" {
			return nil, unmapped("%s with further arguments", l.Template)
		}
	}
	batch := max(p[0], q[0])
	if p[2] != q[2] || p[0] != q[0] && p[0] != 1 && q[0] != 1 {
		return nil, fmt.Errorf("the shapes %d and %d do not fit each other", p, q)
	}
	of := func(t []int64) string {
		if t[0] == 1 {
			return "0"
		}
		return "b"
	}
	cut, err := l.splits(tile{"tile_y", 3, p[1]}, tile{"tile_x", 3, q[1]}, tile{"tile_k", 2, p[2]})
	if err != nil {
		return nil, err
	}
	ys, xs, ks := cut["tile_y"], cut["tile_x"], cut["tile_k"]
	steps, err := l.option("auto_unroll_max_step")
	if err != nil {
		return nil, err
	}
	s, err := parse(fmt.Sprintf("input p: float32[%d, %d, %d]\ninput q: float32[%d, %d, %d]\n"+
		"matmul(b: %d, i: %d, j: %d) = sum(k: %d) p[%s, i, k]*q[%s, j, k]\noutput matmul\n",
		p[0], p[1], p[2], q[0], q[1], q[2], batch, p[1], q[1], p[2], of(p), of(q)))
	if err != nil {
		return nil, err
	}
	c := s.named["matmul"]
	acc := c.cacheWrite("local")
	shared := []*stage{s.named["p"].cacheRead("shared", acc), s.named["q"].cacheRead("shared", acc)}
	own := []*stage{shared[0].cacheRead("local", acc), shared[1].cacheRead("local", acc)}
	if s.err != nil {
		return nil, s.err
	}
	v := c.loops
	y, x := v[1].split(ys), v[2].split(xs)
	c.reorder(v[0], y[0], x[0], y[1], x[1], y[2], x[2])
	bind([]*loop{v[0], y[0], x[0], y[1], x[1]},
		schedule.BlockZ, schedule.BlockY, schedule.BlockX, schedule.ThreadY, schedule.ThreadX)
	acc.computeAt(x[1])
	a := acc.loops // b, i, j, k
	k := a[3].split(ks)
	acc.reorder(k[0], k[1], a[1], a[2])
	for i, load := range shared {
		own[i].computeAt(k[1])
		load.computeAt(k[0])
		v := load.loops // of batches, rows, and what is summed
		rows, depth := v[1].parts(ys[1]), v[2].parts(xs[1])
		load.reorder(rows[0], depth[0], rows[1], depth[1])
		bind([]*loop{rows[0], depth[0]}, schedule.ThreadY, schedule.ThreadX)
	}
	acc.unroll(steps)
	return s.state, s.err
}
