package autotvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/script"
)

// bindTiles splits a result of n, f, y, x in blocks, virtual threads, threads and the rest, binds the pieces, and
// returns the loops of blocks and of threads of columns.
func bindTiles(st *script.Stage, fs, ys, xs []int64) (block, thread *script.Loop) {
	v := st.Loops
	n := v[0].Parts(1)
	f, y, x := v[1].Split(fs), v[2].Split(ys), v[3].Split(xs)
	z := st.Fuse(n[1], f[0])
	st.Reorder(z, y[0], x[0], f[1], y[1], x[1], f[2], y[2], x[2], f[3], y[3], x[3])
	script.Bind([]*script.Loop{z, y[0], x[0], f[1], y[1], x[1], f[2], y[2], x[2]},
		schedule.BlockZ, schedule.BlockY, schedule.BlockX, schedule.VThread, schedule.VThread, schedule.VThread,
		schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
	return x[0], x[2]
}

// operands makes the stages of a convolution in shared memory: what is added up, and both operands. A padding is part
// of the copy.
func operands(s *program, of string) (acc, data, kernel *script.Stage) {
	acc = s.Named("conv").CacheWrite("local")
	data = s.Named(of).CacheRead("shared", acc)
	kernel = s.Named("kernel").CacheRead("shared", acc)
	return acc, data, kernel
}

// convCUDA is a convolution with tiles of both operands in shared memory.
func convCUDA(a *arguments) *program {
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
	if s.Err() != nil {
		return s
	}
	if name == "pad" {
		s.Named("pad").Inline()
	}
	_, thread := bindTiles(s.Named("conv"), fs, ys, xs)
	acc.ComputeAt(thread)
	v := acc.Loops // n, f, y, x, rc, ry, rx
	rcs, rys, rxs := v[4].Split(rc), v[5].Split(ry), v[6].Split(rx)
	acc.Reorder(rcs[0], rys[0], rxs[0], rcs[1], rys[1], rxs[1], v[0], v[1], v[2], v[3])
	for _, load := range []*script.Stage{data, kernel} {
		load.ComputeAt(rxs[0])
		z := load.Fuse(load.Loops...).Parts(fs[2])
		y := z[1].Parts(ys[2])
		x := y[1].Parts(xs[2])
		script.Bind([]*script.Loop{z[0], y[0], x[0]}, schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
	}
	acc.Unroll(steps)
	return s
}

// depthwiseConvCUDA is a convolution of each channel for itself: what a block reads lies in shared memory, what a
// thread reads in registers.
func depthwiseConvCUDA(a *arguments) *program {
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
	own := []*script.Stage{data.CacheRead("local", acc), kernel.CacheRead("local", acc)}
	if s.Err() != nil {
		return s
	}
	if name == "pad" {
		s.Named("pad").Inline()
	}
	block, thread := bindTiles(s.Named("conv"), fs, ys, xs)
	acc.ComputeAt(thread)
	for _, o := range own { // before what they read
		o.ComputeAt(thread)
	}
	data.ComputeAt(block)
	kernel.ComputeAt(block)
	for _, load := range []*script.Stage{data, kernel} {
		x := load.Fuse(load.Loops...).Factor(xs[2])
		y := x[0].Factor(ys[2])
		z := y[0].Factor(fs[2])
		script.Bind([]*script.Loop{z[1], y[1], x[1]}, schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
	}
	acc.Unroll(steps)
	return s
}

// batchMatmulCUDA is products of matrices, the second ones transposed.
func batchMatmulCUDA(a *arguments) *program {
	p, q := a.batchMatmul()
	ys, xs, ks := a.split("tile_y", 3, p[1]), a.split("tile_x", 3, q[1]), a.split("tile_k", 2, p[2])
	steps := a.option("auto_unroll_max_step")
	s := a.product(p, q)
	if a.err != nil {
		return nil
	}
	c := s.Named("matmul")
	acc := c.CacheWrite("local")
	shared := []*script.Stage{s.Named("p").CacheRead("shared", acc), s.Named("q").CacheRead("shared", acc)}
	own := []*script.Stage{shared[0].CacheRead("local", acc), shared[1].CacheRead("local", acc)}
	if s.Err() != nil {
		return s
	}
	v := c.Loops
	y, x := v[1].Split(ys), v[2].Split(xs)
	c.Reorder(v[0], y[0], x[0], y[1], x[1], y[2], x[2])
	script.Bind([]*script.Loop{v[0], y[0], x[0], y[1], x[1]},
		schedule.BlockZ, schedule.BlockY, schedule.BlockX, schedule.ThreadY, schedule.ThreadX)
	acc.ComputeAt(x[1])
	sums := acc.Loops // b, i, j, k
	k := sums[3].Split(ks)
	acc.Reorder(k[0], k[1], sums[1], sums[2])
	for i, load := range shared {
		own[i].ComputeAt(k[1])
		load.ComputeAt(k[0])
		v := load.Loops // of batches, rows, and what is summed
		rows, depth := v[1].Parts(ys[1]), v[2].Parts(xs[1])
		load.Reorder(rows[0], depth[0], rows[1], depth[1])
		script.Bind([]*script.Loop{rows[0], depth[0]}, schedule.ThreadY, schedule.ThreadX)
	}
	acc.Unroll(steps)
	return s
}
