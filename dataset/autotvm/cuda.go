package autotvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir/schedule"
)

// bindTiles splits a result of n, f, y, x in blocks, virtual threads, threads and the rest, binds the pieces, and
// returns the loops of blocks and of threads of columns.
func bindTiles(st *stage, fs, ys, xs []int64) (block, thread *loop) {
	v := st.loops
	f, y, x := v[1].split(fs), v[2].split(ys), v[3].split(xs)
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
func convCUDA(a *arguments) *script {
	c := a.convolution()
	n, ci, co := c.data[0], c.data[1], c.kernel[0]
	if c.kernel[1] != ci {
		a.fail(unmapped("%s in groups", a.Template))
	}
	fs, ys, xs := a.split("tile_f", 4, co), a.split("tile_y", 4, c.h), a.split("tile_x", 4, c.w)
	rc, ry := a.split("tile_rc", 2, ci), a.split("tile_ry", 2, c.kernel[2])
	rx := a.split("tile_rx", 2, c.kernel[3])
	steps := a.option("auto_unroll_max_step")
	pad, name := c.padded([]int64{n, ci}, nil)
	s := a.parse("input data: float32[%d, %d, %d, %d]\ninput kernel: float32[%d, %d, %d, %d]\n%s"+
		"conv(nn: %d, ff: %d, yy: %d, xx: %d) = sum(rc: %d, ry: %d, rx: %d) %s[nn, rc, %s, %s]*kernel[ff, rc, ry, rx]\n"+
		"output conv\n", n, ci, c.data[2], c.data[3], co, ci, c.kernel[2], c.kernel[3], pad,
		n, co, c.h, c.w, ci, c.kernel[2], c.kernel[3], name,
		at("yy", c.stride[0], "ry", c.dilation[0]), at("xx", c.stride[1], "rx", c.dilation[1]))
	if a.err != nil {
		return nil
	}
	acc, data, kernel := operands(s, name)
	if a.err != nil {
		return nil
	}
	if name == "pad" {
		s.named["pad"].inline()
	}
	_, thread := bindTiles(s.named["conv"], fs, ys, xs)
	acc.computeAt(thread)
	v := acc.loops // n, f, y, x, rc, ry, rx
	rcs, rys, rxs := v[4].split(rc), v[5].split(ry), v[6].split(rx)
	acc.reorder(rcs[0], rys[0], rxs[0], rcs[1], rys[1], rxs[1], v[0], v[1], v[2], v[3])
	for _, load := range []*stage{data, kernel} {
		load.computeAt(rxs[0])
		z := load.fuse(load.loops...).parts(fs[2])
		y := z[1].parts(ys[2])
		x := y[1].parts(xs[2])
		bind([]*loop{z[0], y[0], x[0]}, schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
	}
	acc.unroll(steps)
	return s
}

// depthwiseConvCUDA is a convolution of each channel for itself: what a block reads lies in shared memory, what a
// thread reads in registers.
func depthwiseConvCUDA(a *arguments) *script {
	c := a.convolution()
	n, ch, m := c.data[0], c.data[1], c.kernel[1]
	if c.kernel[0] != ch {
		a.fail(fmt.Errorf("%d kernels for %d channels", c.kernel[0], ch))
	}
	fs, ys, xs := a.split("tile_f", 4, ch*m), a.split("tile_y", 4, c.h), a.split("tile_x", 4, c.w)
	steps := a.option("auto_unroll_max_step")
	pad, name := c.padded([]int64{n, ch}, nil)
	channel, multiple := over("c", m)
	s := a.parse("input data: float32[%d, %d, %d, %d]\ninput kernel: float32[%d, %d, %d, %d]\n%s"+
		"conv(b: %d, c: %d, i: %d, j: %d) = sum(di: %d, dj: %d) %s[b, %s, %s, %s]*kernel[%s, %s, di, dj]\noutput conv\n",
		n, ch, c.data[2], c.data[3], ch, m, c.kernel[2], c.kernel[3], pad, n, ch*m, c.h, c.w, c.kernel[2], c.kernel[3], name,
		channel, at("i", c.stride[0], "di", c.dilation[0]), at("j", c.stride[1], "dj", c.dilation[1]), channel, multiple)
	if a.err != nil {
		return nil
	}
	acc, data, kernel := operands(s, name)
	own := []*stage{data.cacheRead("local", acc), kernel.cacheRead("local", acc)}
	if a.err != nil {
		return nil
	}
	if name == "pad" {
		s.named["pad"].inline()
	}
	block, thread := bindTiles(s.named["conv"], fs, ys, xs)
	acc.computeAt(thread)
	for _, o := range own { // before what they read
		o.computeAt(thread)
	}
	data.computeAt(block)
	kernel.computeAt(block)
	for _, load := range []*stage{data, kernel} {
		x := load.fuse(load.loops...).factor(xs[2])
		y := x[0].factor(ys[2])
		z := y[0].factor(fs[2])
		bind([]*loop{z[1], y[1], x[1]}, schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
	}
	acc.unroll(steps)
	return s
}

// batchMatmulCUDA is products of matrices, the second ones transposed.
func batchMatmulCUDA(a *arguments) *script {
	p, q := a.tensor(0, 3), a.tensor(1, 3)
	for _, more := range a.Args[min(2, len(a.Args)):] {
		if text := string(more); text != "null" && text != `"float32"` && text != "false" && text != "true" {
			a.fail(unmapped("%s with further arguments", a.Template))
		}
	}
	batch := max(p[0], q[0])
	if p[2] != q[2] || p[0] != q[0] && p[0] != 1 && q[0] != 1 {
		a.fail(fmt.Errorf("the shapes %d and %d do not fit each other", p, q))
	}
	of := func(t []int64) string {
		if t[0] == 1 {
			return "0"
		}
		return "b"
	}
	ys, xs, ks := a.split("tile_y", 3, p[1]), a.split("tile_x", 3, q[1]), a.split("tile_k", 2, p[2])
	steps := a.option("auto_unroll_max_step")
	s := a.parse("input p: float32[%d, %d, %d]\ninput q: float32[%d, %d, %d]\n"+
		"matmul(b: %d, i: %d, j: %d) = sum(k: %d) p[%s, i, k]*q[%s, j, k]\noutput matmul\n",
		p[0], p[1], p[2], q[0], q[1], q[2], batch, p[1], q[1], p[2], of(p), of(q))
	if a.err != nil {
		return nil
	}
	c := s.named["matmul"]
	acc := c.cacheWrite("local")
	shared := []*stage{s.named["p"].cacheRead("shared", acc), s.named["q"].cacheRead("shared", acc)}
	own := []*stage{shared[0].cacheRead("local", acc), shared[1].cacheRead("local", acc)}
	if a.err != nil {
		return nil
	}
	v := c.loops
	y, x := v[1].split(ys), v[2].split(xs)
	c.reorder(v[0], y[0], x[0], y[1], x[1], y[2], x[2])
	bind([]*loop{v[0], y[0], x[0], y[1], x[1]},
		schedule.BlockZ, schedule.BlockY, schedule.BlockX, schedule.ThreadY, schedule.ThreadX)
	acc.computeAt(x[1])
	sums := acc.loops // b, i, j, k
	k := sums[3].split(ks)
	acc.reorder(k[0], k[1], sums[1], sums[2])
	for i, load := range shared {
		own[i].computeAt(k[1])
		load.computeAt(k[0])
		v := load.loops // of batches, rows, and what is summed
		rows, depth := v[1].parts(ys[1]), v[2].parts(xs[1])
		load.reorder(rows[0], depth[0], rows[1], depth[1])
		bind([]*loop{rows[0], depth[0]}, schedule.ThreadY, schedule.ThreadX)
	}
	acc.unroll(steps)
	return s
}
