package op

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// buildConvTranspose: conv2d_transpose is the gradient of a convolution: it spreads each element of
// the image by the constant weights, HWIO for channels last and IOHW for
// channels first. The image is dilated by the stride and then convolved with
// the mirrored weights:
//
//	dilate(i0, i1, i2, i3) = tir.if_then_else(..., data[i0, floordiv((i1 - 1), 2), ...], 0f)
//	conv2d_transpose(n, i, j, c) += (dilate[n, (i + rh), (j + rw), rc]*kernel[(2 - rh), (2 - rw), rc, c])
//
// An output has (h-1)*s - 2*p + k + out_pad rows. It refuses p >= k, out_pad >= s
// and dilated windows.
func buildConvTranspose(g *graph, p *params) result {
	l, in, ws := p.layout(), p.spatial(), p.windows(2)
	extra := p.int("out_pad")
	out, margins := make([]int64, 2), make([]margin, 2)
	for d, w := range ws {
		if w.pad >= w.size {
			g.refuse("a padding of %d with a kernel of %d: a transposed convolution cuts off the padding, "+
				"which must be below the kernel's size", w.pad, w.size)
		}
		if extra >= w.stride && extra > 0 {
			g.refuse("out_pad=%d with a stride of %d: it must be below the stride", extra, w.stride)
		}
		out[d] = (in[d]-1)*w.stride - 2*w.pad + w.size + extra
		margins[d] = margin{w.size - 1 - w.pad, w.size - 1 - w.pad + extra}
	}
	b, ci, co := p.int("batch"), p.int("ci"), p.int("co")
	data := g.input("data", g.store, image(l, b, in, ci)...)
	spread := g.dilate(l, data, ws, margins)
	kernel := g.input("kernel", g.store, transposeKernel(l, []int64{ws[0].size, ws[1].size}, ci, co)...)
	s := g.imageStage("conv2d_transpose", l, []int64{b, out[0], out[1], co}, []int64{ws[0].size, ws[1].size, ci})
	at, r := canonical(l, s.index()), canonicalReduce(l, compute.Vars(s.reduce))
	mirrored := []tir.Expr{sub(tir.Int(ws[0].size-1), r[0]), sub(tir.Int(ws[1].size-1), r[1])}
	body := mul(
		g.read(spread, image(l, at[0], []tir.Expr{add(at[1], r[0]), add(at[2], r[1])}, r[2])...),
		g.read(kernel, transposeKernel(l, mirrored, r[2], at[3])...))
	return result{g.sum(s, body, free(kernel)), l.channel(2)}
}

func transposeKernel[T any](l layout, spatial []T, in, out T) []T {
	if l == channelsFirst {
		return []T{in, out, spatial[0], spatial[1]}
	}
	return []T{spatial[0], spatial[1], in, out}
}

// dilate puts stride-1 zeros between the elements of an image, and margins
// around them.
func (g *graph) dilate(l layout, x compute.Tensor, ws []window, margins []margin) compute.Tensor {
	if ws[0].stride == 1 && ws[1].stride == 1 {
		return g.pad("pad", x, image(l, margin{}, margins, margin{}), 0)
	}
	in := canonical(l, x.Shape)
	shape := []int64{in[0], 0, 0, in[3]}
	for d, w := range ws {
		shape[d+1] = (in[d+1]-1)*w.stride + 1 + margins[d].before + margins[d].after
	}
	s := g.stage("dilate", image(l, shape[0], shape[1:3], shape[3]), nil)
	at := canonical(l, s.index())
	var inside []tir.Expr
	place := make([]tir.Expr, 2)
	for d, w := range ws {
		lo, n := margins[d].before, (in[d+1]-1)*w.stride+1
		from := at[d+1]
		if lo > 0 {
			inside = append(inside, tir.Bin(tir.GE, from, tir.Int(lo)))
			from = sub(from, tir.Int(lo))
		}
		inside = append(inside, tir.Bin(tir.LT, at[d+1], tir.Int(lo+n)))
		if w.stride > 1 {
			inside = append(inside, tir.Bin(tir.EQ, floormod(from, w.stride), tir.Int(0)))
			from = floordiv(from, w.stride)
		}
		place[d] = from
	}
	read := x.At(image(l, at[0], place, at[3])...)
	return g.pointwise(s, tir.IfThenElse(tir.AllOf(inside...), read, constant(x.Type, 0)))
}
