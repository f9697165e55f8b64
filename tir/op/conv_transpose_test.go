package op

import (
	"fmt"
	"testing"
)

// TestConvTranspose scatters each element of the image, as the operator is
// defined, instead of gathering it.
func TestConvTranspose(t *testing.T) {
	for _, c := range []struct{ h, w, ci, co, kh, kw, s, sw, p, extra, n int }{
		{4, 5, 3, 2, 3, 3, 1, 1, 0, 0, 1},
		{4, 5, 3, 2, 3, 3, 1, 1, 1, 0, 2},
		{3, 4, 2, 3, 4, 4, 2, 2, 1, 0, 1},
		{3, 4, 2, 3, 3, 2, 2, 3, 1, 1, 1},
		{3, 2, 1, 2, 2, 2, 3, 3, 0, 2, 1},
		{3, 3, 2, 2, 3, 3, 2, 1, 0, 0, 1},
	} {
		for _, first := range []bool{false, true} {
			spec := fmt.Sprintf("conv2d_transpose:h=%d,w=%d,ci=%d,co=%d,k=%dx%d,s=%dx%d,p=%d,out_pad=%d,batch=%d", c.h, c.w, c.ci, c.co, c.kh, c.kw, c.s, c.sw, c.p, c.extra, c.n)
			if first {
				spec += ",layout=NCHW"
			}
			compare(t, spec, allTypes, func(in []array) array {
				size := []int{(c.h-1)*c.s - 2*c.p + c.kh + c.extra, (c.w-1)*c.sw - 2*c.p + c.kw + c.extra}
				out := each(imageShape(first, c.n, size, c.co), func([]int) float64 { return 0 })
				each([]int{c.n, c.h, c.w, c.ci, c.co, c.kh, c.kw}, func(at []int) float64 {
					n, y, x, ci, co, ky, kx := at[0], at[1], at[2], at[3], at[4], at[5], at[6]
					oy, ox := y*c.s+ky-c.p, x*c.sw+kx-c.p
					if oy < 0 || oy >= size[0] || ox < 0 || ox >= size[1] {
						return 0
					}
					to, weight := []int{n, oy, ox, co}, []int{ky, kx, ci, co}
					if first {
						to, weight = []int{n, co, oy, ox}, []int{ci, co, ky, kx}
					}
					out.data[out.offset(to)] += imageAt(in[0], first, n, []int{y, x}, ci, 0) * in[1].at(weight...)
					return 0
				})
				return out
			})
		}
	}
}

func TestConvTransposeRefuses(t *testing.T) {
	refused(t, "conv2d_transpose:h=4,w=4,ci=2,co=2,k=2,s=2,p=2", "a padding of 2 with a kernel of 2")
	refused(t, "conv2d_transpose:h=4,w=4,ci=2,co=2,k=3,s=2,out_pad=2", "out_pad=2 with a stride of 2")
	refused(t, "conv2d_transpose:h=1,w=1,ci=2,co=2,k=3,p=2", "the input is too small, every size")
}
