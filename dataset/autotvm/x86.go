package autotvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir/schedule"
)

// convNCHWc is a convolution over blocks of channels. Its operands come in blocks already, as they are while AutoTVM
// measures.
func convNCHWc(a *arguments) *program {
	c := a.convolution()
	n, ci, co := c.data[0], c.data[1], c.kernel[0]
	if c.kernel[1] != ci {
		a.fail(unmapped("%s in groups", a.Template))
	}
	in, out, width := a.split("tile_ic", 2, ci), a.split("tile_oc", 2, co), a.split("tile_ow", 2, c.w)
	if in[0]*in[1] != ci || out[0]*out[1] != co {
		a.fail(unmapped("%s with blocks that do not divide the channels", a.Template))
	}
	pad, name := c.padded([]int64{n, in[0]}, []int64{in[1]})
	chunk, block := over("ic", in[1])
	s := a.parse("input data: float32[%d, %d, %d, %d, %d]\n"+
		"input kernel: float32[%d, %d, %d, %d, %d, %d]\n%s"+
		"conv(n: %d, oc_chunk: %d, oh: %d, ow: %d, oc_block: %d) = sum(ic: %d, kh: %d, kw: %d) "+
		"%s[n, %s, %s, %s, %s]*kernel[oc_chunk, %s, kh, kw, %s, oc_block]\noutput conv\n",
		n, in[0], c.data[2], c.data[3], in[1], out[0], in[0], c.kernel[2], c.kernel[3], in[1], out[1], pad,
		n, out[0], c.h, c.w, out[1], ci, c.kernel[2], c.kernel[3],
		name, chunk, at("oh", c.stride[0], "kh", c.dilation[0]), at("ow", c.stride[1], "kw", c.dilation[1]), block,
		chunk, block)
	if a.err != nil {
		return nil
	}
	if p := s.Named("pad"); p != nil {
		p.Loops[4].Annotate(schedule.Vectorize)
		p.Fuse(p.Loops[0], p.Loops[1], p.Loops[2]).Annotate(schedule.Parallel)
	}
	if c.kernel[2] == 1 && c.kernel[3] == 1 {
		return convNCHWcOne(s, in[1], width[1])
	}
	unroll := a.option("unroll_kw")
	conv := s.Named("conv")
	acc := conv.CacheWrite("global")
	v := conv.Loops // n, oc_chunk, oh, ow, oc_block
	ow := v[3].Factor(width[1])
	conv.Reorder(v[1], v[2], ow[0], ow[1], v[4])
	conv.Fuse(v[0], v[1], v[2]).Annotate(schedule.Parallel)
	v[4].Annotate(schedule.Vectorize)
	acc.ComputeAt(ow[0])

	v = acc.Loops // n, oc_chunk, oh, ow, oc_block, ic, kh, kw
	aw := v[3].Factor(width[1])
	ic := v[5].Factor(in[1])
	if unroll != 0 {
		acc.Reorder(v[1], v[2], aw[0], ic[0], v[6], ic[1], v[7], aw[1], v[4])
		v[7].Annotate(schedule.Unroll)
	} else {
		acc.Reorder(v[1], v[2], aw[0], ic[0], v[6], v[7], ic[1], aw[1], v[4])
	}
	v[4].Annotate(schedule.Vectorize)
	aw[1].Annotate(schedule.Unroll)
	return s
}

// convNCHWcOne is the schedule of a 1x1 convolution.
func convNCHWcOne(s *program, block, width int64) *program {
	height := s.option("tile_oh")
	if height < 1 {
		s.fail(fmt.Errorf("knob tile_oh is %d", height))
	}
	conv := s.Named("conv")
	acc := conv.CacheWrite("global")
	v := conv.Loops
	oh, ow := v[2].Factor(height), v[3].Factor(width)
	conv.Reorder(v[1], oh[0], ow[0], oh[1], ow[1], v[4])
	v[4].Annotate(schedule.Vectorize)
	rows := conv.Fuse(v[0], v[1], oh[0])
	acc.ComputeAt(rows)
	rows.Annotate(schedule.Parallel)

	a := acc.Loops
	ic := a[5].Factor(block)
	ah, aw := a[2].Factor(height), a[3].Factor(width)
	acc.Reorder(a[1], ah[0], aw[0], ic[0], ic[1], ah[1], aw[1], a[4])
	acc.Fuse(a[1], ah[0])
	a[4].Annotate(schedule.Vectorize)
	aw[1].Annotate(schedule.Unroll)
	ah[1].Annotate(schedule.Unroll)
	return s
}

// dense reads the arguments of a product with a transposed matrix: rows, columns, and what is summed.
func (a *arguments) dense() (m, n, k int64) {
	x, w := a.tensor(0, 2), a.tensor(1, 2)
	if len(a.Args) > 2 && string(a.Args[2]) != "null" {
		a.fail(unmapped("%s with a bias", a.Template))
	}
	if w[1] != x[1] {
		a.fail(fmt.Errorf("the shapes %d and %d do not fit each other", x, w))
	}
	return x[0], w[0], x[1]
}

// densePack is a product whose matrix comes in blocks of columns.
func densePack(a *arguments) *program {
	m, n, k := a.dense()
	rows, columns := a.split("tile_y", 3, m), a.split("tile_x", 3, n)
	depth, inner := a.split("tile_k", 2, k), a.split("tile_inner", 2, m)
	block := columns[2]
	if n%block != 0 {
		a.fail(unmapped("%s with blocks that do not divide the columns", a.Template))
	}
	chunk, in := over("x", block)
	s := a.parse("input data: float32[%d, %d]\ninput packed_weight: float32[%d, %d, %d]\n"+
		"dense(y: %d, x: %d) = sum(k: %d) data[y, k]*packed_weight[%s, k, %s]\noutput dense\n",
		m, k, n/block, k, block, m, n, k, chunk, in)
	if a.err != nil {
		return nil
	}
	dense := s.Named("dense")
	acc := dense.CacheWrite("global")
	v := dense.Loops
	y, x := v[0].Split(rows), v[1].Split(columns)
	dense.Reorder(x[0], y[0], y[1], x[1], y[2], x[2])
	dense.Fuse(x[0], y[0]).Annotate(schedule.Parallel)
	tile := dense.Fuse(y[1], x[1])
	y[2].Annotate(schedule.Unroll)
	x[2].Annotate(schedule.Vectorize)
	acc.ComputeAt(tile)

	v = acc.Loops // y, x, k
	ks := v[2].Split(depth)
	acc.Reorder(ks[0], ks[1], v[0], v[1])
	v[1].Annotate(schedule.Vectorize)
	if inner[1] > 1 {
		ys := v[0].Factor(inner[1])
		acc.Reorder(ks[0], ys[0], ks[1], ys[1], v[1])
		ys[0].Annotate(schedule.Unroll)
		ks[1].Annotate(schedule.Unroll)
		ys[1].Annotate(schedule.Unroll)
	} else {
		ks[1].Annotate(schedule.Unroll)
		v[0].Annotate(schedule.Unroll)
	}
	return s
}

// denseNoPack sums in the lanes of vectors, and then the lanes.
func denseNoPack(a *arguments) *program {
	m, n, k := a.dense()
	rows, columns, depth := a.split("tile_y", 2, m), a.split("tile_x", 2, n), a.split("tile_k", 2, k)
	lanes := depth[1]
	if k%lanes != 0 {
		a.fail(unmapped("%s with lanes that do not divide what is summed", a.Template))
	}
	along := times("k", lanes) + " + x"
	s := a.parse("input data: float32[%d, %d]\ninput weight: float32[%d, %d]\n"+
		"lanes(z: %d, y: %d, x: %d) = sum(k: %d) data[z, %s]*weight[y, %s]\n"+
		"dense(y: %d, x: %d) = sum(kk: %d) lanes[y, x, kk]\noutput dense\n",
		m, k, n, k, m, n, lanes, k/lanes, along, along, m, n, lanes)
	if a.err != nil {
		return nil
	}
	dense, acc := s.Named("dense"), s.Named("lanes")
	d := dense.Loops
	y, x := d[0].Split(rows), d[1].Split(columns)
	dense.Reorder(y[0], x[0], y[1], x[1])
	tile := dense.Fuse(y[0], x[0])
	tile.Annotate(schedule.Parallel)
	d[2].Annotate(schedule.Unroll)
	acc.ComputeAt(tile)
	v := acc.Loops // z, y, x, k
	rest := acc.Fuse(v[0], v[1])
	acc.Reorder(v[3], rest, v[2])
	rest.Annotate(schedule.Unroll)
	v[2].Annotate(schedule.Vectorize)
	return s
}

// depthwiseConvNCHWc is a convolution of each channel for itself, over blocks of channels.
func depthwiseConvNCHWc(a *arguments) *program {
	c := a.convolution()
	n, ch, m := c.data[0], c.data[1], c.kernel[1]
	if c.kernel[0] != ch {
		a.fail(fmt.Errorf("%d kernels for %d channels", c.kernel[0], ch))
	}
	in, out, width := a.split("tile_ic", 2, ch), a.split("tile_oc", 2, ch*m), a.split("tile_ow", 2, c.w)
	if in[0]*in[1] != ch || out[0]*out[1] != ch*m {
		a.fail(unmapped("%s with blocks that do not divide the channels", a.Template))
	}
	pad, name := c.padded([]int64{n, in[0]}, []int64{in[1]})
	channel, _ := over("("+times("oco", out[1])+" + oci)", m)
	chunk, block := over(channel, in[1])
	s := a.parse("input data: float32[%d, %d, %d, %d, %d]\ninput kernel: float32[%d, 1, %d, %d, 1, %d]\n%s"+
		"conv(b: %d, oco: %d, oh: %d, ow: %d, oci: %d) = sum(kh: %d, kw: %d) "+
		"%s[b, %s, %s, %s, %s]*kernel[oco, 0, kh, kw, 0, oci]\noutput conv\n",
		n, in[0], c.data[2], c.data[3], in[1], out[0], c.kernel[2], c.kernel[3], out[1], pad,
		n, out[0], c.h, c.w, out[1], c.kernel[2], c.kernel[3],
		name, chunk, at("oh", c.stride[0], "kh", c.dilation[0]), at("ow", c.stride[1], "kw", c.dilation[1]), block)
	if a.err != nil {
		return nil
	}
	unroll := a.option("unroll_kw")
	if p := s.Named("pad"); p != nil {
		p.Loops[4].Annotate(schedule.Vectorize)
		p.Fuse(p.Loops[0], p.Loops[1], p.Loops[2]).Annotate(schedule.Parallel)
	}
	conv := s.Named("conv")
	acc := conv.CacheWrite("global")
	v := conv.Loops // b, oco, oh, ow, oci
	ow := v[3].Factor(width[1])
	conv.Reorder(v[1], v[2], ow[0], ow[1], v[4])
	v[4].Annotate(schedule.Vectorize)
	conv.Fuse(v[1], v[2]).Annotate(schedule.Parallel)
	acc.ComputeAt(ow[0])
	v = acc.Loops // b, oco, oh, ow, oci, kh, kw
	acc.Reorder(v[1], v[2], v[5], v[6], v[3], v[4])
	if unroll != 0 {
		v[6].Annotate(schedule.Unroll)
	}
	v[4].Annotate(schedule.Vectorize)
	v[3].Annotate(schedule.Unroll)
	return s
}

// batchMatmulX86 is products of matrices, the second ones transposed: lanes of what is summed are summed apart first.
func batchMatmulX86(a *arguments) *program {
	p, q := a.batchMatmul()
	ys, xs, ks := a.split("tile_y", 2, p[1]), a.split("tile_x", 2, q[1]), a.split("tile_k", 2, p[2])
	s := a.product(p, q)
	if a.err != nil {
		return nil
	}
	c := s.Named("matmul")
	acc := c.CacheWrite("global")
	v := c.Loops
	b, y, x := v[0], v[1].Split(ys), v[2].Split(xs)
	c.Reorder(b, y[0], x[0], y[1], x[1])
	tile := c.Fuse(b, y[0], x[0])
	tile.Annotate(schedule.Parallel)
	acc.ComputeAt(tile)
	lanes := acc.Rfactor(acc.Loops[3].Split(ks)[1], 0)
	lanes.ComputeAt(acc.Loops[0])
	v = lanes.Loops // lane, b, i, j, k
	lanes.Fuse(v[2], v[3])
	v[0].Annotate(schedule.Vectorize)
	c.Unroll(16)
	return s
}
