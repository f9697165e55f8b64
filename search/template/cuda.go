package template

import (
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/script"
)

// operands makes the stages in shared memory that the sum reads. What is computed before, such as a padding, is part
// of the copy.
func (c *config) operands(acc *script.Stage) []*script.Stage {
	var list []*script.Stage
	for _, buffer := range c.op.Reads() {
		list = append(list, c.Computing(buffer).CacheRead("shared", acc))
	}
	for _, op := range c.before {
		c.Named(op.Name).Inline()
	}
	return list
}

// convolveGPU is conv2d_nchw.cuda on images whose channels are last: blocks, virtual threads and threads have pieces of
// channels, rows and columns, and both operands lie in shared memory.
func convolveGPU(c *config) {
	out, acc := c.around()
	loads := c.operands(acc)
	v := out.Loops
	n := v[c.batch[0]]
	y, x, f := c.split(v[c.rows[0]], "tile_y"), c.split(v[c.rows[1]], "tile_x"), c.split(v[c.channel], "tile_f")
	out.Reorder(n, f[0], y[0], x[0], f[1], y[1], x[1], f[2], y[2], x[2], f[3], y[3], x[3])
	z := out.Fuse(n, f[0])
	script.Bind([]*script.Loop{z, y[0], x[0], f[1], y[1], x[1], f[2], y[2], x[2]},
		schedule.BlockZ, schedule.BlockY, schedule.BlockX, schedule.VThread, schedule.VThread, schedule.VThread,
		schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
	acc.ComputeAt(x[2])

	v = acc.Loops
	k := len(c.op.Axes)
	spaces := []*script.Loop{v[c.batch[0]], v[c.channel], v[c.rows[0]], v[c.rows[1]]}
	rc, ry := c.split(v[k+c.depth], "tile_rc"), c.split(v[k+c.windows[0]], "tile_ry")
	rx := c.split(v[k+c.windows[1]], "tile_rx")
	acc.Reorder(append([]*script.Loop{rc[0], ry[0], rx[0], rc[1], ry[1], rx[1]}, spaces...)...)
	threads := [3]int64{c.piece("tile_f", 2), c.piece("tile_y", 2), c.piece("tile_x", 2)}
	for _, load := range loads {
		load.ComputeAt(rx[0])
		fetch(load, threads)
	}
	acc.Unroll(int64(c.option("auto_unroll_max_step")))
}

// fetch has all threads of a block copy together.
func fetch(load *script.Stage, threads [3]int64) {
	z := load.Fuse(load.Loops...).Parts(threads[0])
	y := z[1].Parts(threads[1])
	x := y[1].Parts(threads[2])
	script.Bind([]*script.Loop{z[0], y[0], x[0]}, schedule.ThreadZ, schedule.ThreadY, schedule.ThreadX)
}

// multiplyBatchGPU is batch_matmul.cuda.
func multiplyBatchGPU(c *config) {
	out, acc := c.around()
	shared := c.operands(acc)
	var own []*script.Stage
	for _, s := range shared {
		own = append(own, s.CacheRead("local", acc))
	}
	v := out.Loops
	y, x := c.split(v[c.rows[0]], "tile_y"), c.split(v[c.channel], "tile_x")
	b := v[c.batch[0]]
	out.Reorder(b, y[0], x[0], y[1], x[1], y[2], x[2])
	script.Bind([]*script.Loop{b, y[0], x[0], y[1], x[1]},
		schedule.BlockZ, schedule.BlockY, schedule.BlockX, schedule.ThreadY, schedule.ThreadX)
	acc.ComputeAt(x[1])
	v = acc.Loops
	k := c.split(v[len(c.op.Axes)+c.depth], "tile_k")
	acc.Reorder(k[0], k[1], v[c.rows[0]], v[c.channel])
	for i, load := range shared {
		own[i].ComputeAt(k[1])
		load.ComputeAt(k[0])
		v := load.Loops
		rows, depth := v[len(v)-2].Parts(c.piece("tile_y", 1)), v[len(v)-1].Parts(c.piece("tile_x", 1))
		load.Reorder(rows[0], depth[0], rows[1], depth[1])
		script.Bind([]*script.Loop{rows[0], depth[0]}, schedule.ThreadY, schedule.ThreadX)
	}
	acc.Unroll(int64(c.option("auto_unroll_max_step")))
}
