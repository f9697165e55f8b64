package template

import (
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/script"
)

// around returns the stage that is tiled, the last map over the sum or the sum itself, and the stage that adds up.
// Maps in between are computed where they are read.
func (c *config) around() (out, acc *script.Stage) {
	acc = c.Named(c.op.Name)
	if len(c.after) == 0 {
		return acc, acc.CacheWrite("local")
	}
	for _, op := range c.after[:len(c.after)-1] {
		c.Named(op.Name).Inline()
	}
	return c.Named(c.after[len(c.after)-1].Name), acc
}

// pads has the map before a convolution computed on its own: rows in parallel, channels in vectors.
func (c *config) pads() {
	for i, op := range c.before {
		p := c.Named(op.Name)
		if i < len(c.before)-1 || len(op.Axes) != 4 {
			p.Inline()
			continue
		}
		v := p.Loops
		in := c.split(v[3], "tile_ic")
		p.Fuse(v[0], v[1]).Annotate(schedule.Parallel)
		in[1].Annotate(schedule.Vectorize)
	}
}

// columns tiles the result of a convolution by blocks of channels and of columns, rows in parallel, and returns the
// stage that adds up, which is computed for each tile.
func (c *config) columns() *script.Stage {
	out, acc := c.around()
	v := out.Loops
	n, y, x, ch := v[c.batch[0]], v[c.rows[0]], v[c.rows[1]], v[c.channel]
	oc, ow := c.split(ch, "tile_oc"), c.split(x, "tile_ow")
	out.Reorder(n, oc[0], y, ow[0], ow[1], oc[1])
	out.Fuse(n, oc[0], y).Annotate(schedule.Parallel)
	oc[1].Annotate(schedule.Vectorize)
	acc.ComputeAt(ow[0])
	return acc
}

// convolve is conv2d_NCHWc.x86 on images whose channels are last: blocks of channels are pieces of their loops.
func convolve(c *config) {
	c.pads()
	if c.op.ReduceAxes[c.windows[0]].Extent == 1 && c.op.ReduceAxes[c.windows[1]].Extent == 1 {
		convolveOne(c)
		return
	}
	acc := c.columns()
	v, k := acc.Loops, len(c.op.Axes)
	n, y, x, ch := v[c.batch[0]], v[c.rows[0]], v[c.rows[1]], v[c.channel]
	kh, kw, rc := v[k+c.windows[0]], v[k+c.windows[1]], v[k+c.depth]
	ac, aw, ic := ch.Factor(c.inner("tile_oc")), x.Factor(c.inner("tile_ow")), c.split(rc, "tile_ic")
	if c.option("unroll_kw") != 0 {
		acc.Reorder(n, ac[0], y, aw[0], ic[0], kh, ic[1], kw, aw[1], ac[1])
		kw.Annotate(schedule.Unroll)
	} else {
		acc.Reorder(n, ac[0], y, aw[0], ic[0], kh, kw, ic[1], aw[1], ac[1])
	}
	ac[1].Annotate(schedule.Vectorize)
	aw[1].Annotate(schedule.Unroll)
}

// convolveOne is the schedule of 1x1 convolutions: tiles have rows of one or two lines of the image.
func convolveOne(c *config) {
	height := int64(c.option("tile_oh"))
	out, acc := c.around()
	v := out.Loops
	n, y, x, ch := v[c.batch[0]], v[c.rows[0]], v[c.rows[1]], v[c.channel]
	oc, ow, oh := c.split(ch, "tile_oc"), c.split(x, "tile_ow"), y.Factor(height)
	out.Reorder(n, oc[0], oh[0], ow[0], oh[1], ow[1], oc[1])
	oc[1].Annotate(schedule.Vectorize)
	rows := out.Fuse(n, oc[0], oh[0])
	acc.ComputeAt(rows)
	rows.Annotate(schedule.Parallel)

	v = acc.Loops
	k := len(c.op.Axes)
	n, y, x, ch = v[c.batch[0]], v[c.rows[0]], v[c.rows[1]], v[c.channel]
	kh, kw, rc := v[k+c.windows[0]], v[k+c.windows[1]], v[k+c.depth]
	ac, aw, ah := ch.Factor(c.inner("tile_oc")), x.Factor(c.inner("tile_ow")), y.Factor(height)
	ic := c.split(rc, "tile_ic")
	acc.Reorder(n, ac[0], ah[0], aw[0], ic[0], kh, kw, ic[1], ah[1], aw[1], ac[1])
	ac[1].Annotate(schedule.Vectorize)
	aw[1].Annotate(schedule.Unroll)
	ah[1].Annotate(schedule.Unroll)
}

// convolveDepthwise is depthwise_conv2d_NCHWc.x86. Its two knobs of channels are of one loop here: tile_oc cuts that of
// the result, tile_ic the vectors of the padding.
func convolveDepthwise(c *config) {
	c.pads()
	acc := c.columns()
	v, k := acc.Loops, len(c.op.Axes)
	n, y, x, ch := v[c.batch[0]], v[c.rows[0]], v[c.rows[1]], v[c.channel]
	kh, kw := v[k+c.windows[0]], v[k+c.windows[1]]
	ac, aw := ch.Factor(c.inner("tile_oc")), x.Factor(c.inner("tile_ow"))
	acc.Reorder(n, ac[0], y, aw[0], kh, kw, aw[1], ac[1])
	if c.option("unroll_kw") != 0 {
		kw.Annotate(schedule.Unroll)
	}
	ac[1].Annotate(schedule.Vectorize)
	aw[1].Annotate(schedule.Unroll)
}

// multiply is dense_pack.x86.
func multiply(c *config) {
	for _, op := range c.before {
		c.Named(op.Name).Inline()
	}
	out, acc := c.around()
	v := out.Loops
	y, x := c.split(v[c.rows[0]], "tile_y"), c.split(v[c.channel], "tile_x")
	out.Reorder(x[0], y[0], y[1], x[1], y[2], x[2])
	out.Fuse(x[0], y[0]).Annotate(schedule.Parallel)
	tile := out.Fuse(y[1], x[1])
	y[2].Annotate(schedule.Unroll)
	x[2].Annotate(schedule.Vectorize)
	acc.ComputeAt(tile)

	v = acc.Loops
	rows, columns, ks := v[c.rows[0]], v[c.channel], c.split(v[len(c.op.Axes)+c.depth], "tile_k")
	acc.Reorder(ks[0], ks[1], rows, columns)
	columns.Annotate(schedule.Vectorize)
	if inner := c.inner("tile_inner"); inner > 1 {
		ys := c.split(rows, "tile_inner")
		acc.Reorder(ks[0], ys[0], ks[1], ys[1], columns)
		ys[0].Annotate(schedule.Unroll)
		ks[1].Annotate(schedule.Unroll)
		ys[1].Annotate(schedule.Unroll)
	} else {
		ks[1].Annotate(schedule.Unroll)
		rows.Annotate(schedule.Unroll)
	}
}

// multiplyBatch is batch_matmul.x86: the pieces of tile_k are summed apart, and then their sums. These lie next to each
// other here, so that they are vectors; in TVM they are the outermost dimension.
func multiplyBatch(c *config) {
	for _, op := range c.before {
		c.Named(op.Name).Inline()
	}
	out, acc := c.around()
	k := c.split(acc.Loops[len(c.op.Axes)+c.depth], "tile_k")
	parts := acc.Rfactor(k[1], len(c.op.Axes))
	v := out.Loops
	b, y, x := v[c.batch[0]], c.split(v[c.rows[0]], "tile_y"), c.split(v[c.channel], "tile_x")
	out.Reorder(b, y[0], x[0], y[1], x[1])
	tile := out.Fuse(b, y[0], x[0])
	tile.Annotate(schedule.Parallel)
	acc.ComputeAt(tile)
	parts.ComputeAt(acc.Loops[c.batch[0]])
	v = parts.Loops
	v[len(c.op.Axes)].Annotate(schedule.Vectorize)
	parts.Reorder(v[c.batch[0]], v[len(v)-1], v[c.rows[0]], v[c.channel], v[len(c.op.Axes)])
	out.Unroll(16)
}
