package op

import (
	"fmt"
	"strings"
	"testing"
)

// imageAt reads an image of either layout; outside of it there is nothing.
func imageAt(a array, first bool, n int, at []int, c int, outside float64) float64 {
	sizes := a.shape[1 : len(a.shape)-1]
	index := append(append([]int{n}, at...), c)
	if first {
		sizes = a.shape[2:]
		index = append([]int{n, c}, at...)
	}
	for d, i := range at {
		if i < 0 || i >= sizes[d] {
			return outside
		}
	}
	return a.at(index...)
}

// kernelAt reads HWIO or OIHW weights.
func kernelAt(a array, first bool, at []int, ci, co int) float64 {
	if first {
		return a.at(append([]int{co, ci}, at...)...)
	}
	return a.at(append(append([]int(nil), at...), ci, co)...)
}

// imageIndex takes an index into an image apart.
func imageIndex(at []int, first bool) (n int, pos []int, c int) {
	if first {
		return at[0], at[2:], at[1]
	}
	return at[0], at[1 : len(at)-1], at[len(at)-1]
}

func imageShape(first bool, n int, size []int, c int) []int {
	if first {
		return append([]int{n, c}, size...)
	}
	return append(append([]int{n}, size...), c)
}

// A convCase is a convolution in words of the test.
type convCase struct {
	op                    string
	in, k, s, p, dilation []int
	n, ci, co, groups     int
	first                 bool
}

func (c convCase) spec() string {
	var b strings.Builder
	b.WriteString(c.op + ":")
	for i, d := range c.in {
		fmt.Fprintf(&b, "%c=%d,", "dhw"[3-len(c.in)+i], d)
	}
	fmt.Fprintf(&b, "ci=%d,co=%d,k=%s,s=%s,p=%s,groups=%d,dilation=%s,batch=%d", c.ci, c.co, by(c.k), by(c.s), by(c.p), c.groups, by(c.dilation), c.n)
	if c.first {
		b.WriteString(",layout=NCHW")
	}
	return b.String()
}

// by joins numbers with x.
func by(list []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), "x")
}

func (c convCase) outSize() []int {
	var out []int
	for d := range c.in {
		out = append(out, (c.in[d]+2*c.p[d]-(c.k[d]-1)*c.dilation[d]-1)/c.s[d]+1)
	}
	return out
}

func (c convCase) want(in []array) array {
	perGroup, outPerGroup := c.ci/c.groups, c.co/c.groups
	return each(imageShape(c.first, c.n, c.outSize(), c.co), func(at []int) float64 {
		n, pos, co := imageIndex(at, c.first)
		total := 0.0
		each(c.k, func(tap []int) float64 {
			read := make([]int, len(pos))
			for d := range pos {
				read[d] = pos[d]*c.s[d] + tap[d]*c.dilation[d] - c.p[d]
			}
			for ci := range perGroup {
				channel := co/outPerGroup*perGroup + ci
				total += imageAt(in[0], c.first, n, read, channel, 0) * kernelAt(in[1], c.first, tap, ci, co)
			}
			return 0
		})
		return total
	})
}

func TestConv(t *testing.T) {
	one, two, zero := []int{1, 1, 1}, []int{2, 2, 2}, []int{0, 0, 0}
	cases := []convCase{
		{op: "conv1d", in: []int{9}, k: []int{3}, s: one[:1], p: []int{1}, dilation: one[:1], n: 2, ci: 3, co: 4, groups: 1},
		{op: "conv1d", in: []int{11}, k: []int{3}, s: two[:1], p: zero[:1], dilation: []int{3}, n: 1, ci: 4, co: 6, groups: 2},
		{op: "conv2d", in: []int{5, 6}, k: []int{3, 3}, s: one[:2], p: []int{1, 1}, dilation: one[:2], n: 1, ci: 3, co: 2, groups: 1},
		{op: "conv2d", in: []int{7, 5}, k: []int{1, 1}, s: two[:2], p: zero[:2], dilation: one[:2], n: 2, ci: 3, co: 5, groups: 1},
		{op: "conv2d", in: []int{8, 9}, k: []int{3, 2}, s: []int{2, 3}, p: []int{2, 0}, dilation: []int{1, 2}, n: 1, ci: 4, co: 6, groups: 2},
		{op: "conv2d", in: []int{4, 4}, k: []int{3, 3}, s: one[:2], p: two[:2], dilation: two[:2], n: 1, ci: 4, co: 4, groups: 4},
		{op: "conv3d", in: []int{3, 4, 5}, k: []int{3, 3, 3}, s: one, p: one, dilation: one, n: 1, ci: 2, co: 3, groups: 1},
		{op: "conv3d", in: []int{4, 5, 4}, k: []int{1, 3, 2}, s: []int{2, 2, 1}, p: []int{0, 1, 2}, dilation: []int{1, 2, 1}, n: 2, ci: 2, co: 4, groups: 2},
	}
	for _, c := range cases {
		for _, first := range []bool{false, true} {
			c.first = first
			compare(t, c.spec(), allTypes, c.want)
		}
	}
}

func TestConvRefuses(t *testing.T) {
	refused(t, "conv2d:h=5,w=5,ci=4,co=6,k=3,groups=3", "3 groups do not divide 4 input and 6 output channels")
	refused(t, "conv2d:h=5,w=5,ci=6,co=4,k=3,groups=3", "3 groups do not divide 6 input and 4 output channels")
	refused(t, "conv2d:h=5,w=2,ci=4,co=6,k=3", "a window of 3 with dilation 1 does not fit into 2 elements with padding 0: the output would be empty")
	refused(t, "conv1d:w=5,ci=4,co=6,k=3,dilation=3", "a window of 3 with dilation 3 does not fit into 5 elements")
	refused(t, "depthwise:h=5,w=5,c=4,k=9,p=1", "a window of 9")
}

// TestSmallestImage: windows that fit exactly are no error.
func TestSmallestImage(t *testing.T) {
	for _, spec := range []string{"conv2d:h=3,w=3,ci=1,co=1,k=3", "conv2d:h=1,w=1,ci=1,co=1,k=3,p=1,s=5", "maxpool2d:h=2,w=2,c=1,k=2"} {
		w, err := Parse(spec)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := w.DAG.Results()[0].Elems(); got != 1 {
			t.Errorf("%s has %d results", spec, got)
		}
	}
}

func TestDepthwise(t *testing.T) {
	for _, c := range []convCase{
		{in: []int{5, 6}, k: []int{3, 3}, s: []int{1, 1}, p: []int{1, 1}, dilation: []int{1, 1}, n: 2, ci: 3},
		{in: []int{8, 7}, k: []int{5, 2}, s: []int{2, 3}, p: []int{0, 1}, dilation: []int{1, 2}, n: 1, ci: 4},
	} {
		for _, first := range []bool{false, true} {
			c.first = first
			spec := fmt.Sprintf("depthwise:h=%d,w=%d,c=%d,k=%s,s=%s,p=%s,dilation=%s,batch=%d", c.in[0], c.in[1], c.ci, by(c.k), by(c.s), by(c.p), by(c.dilation), c.n)
			if first {
				spec += ",layout=NCHW"
			}
			compare(t, spec, allTypes, func(in []array) array {
				return each(imageShape(c.first, c.n, c.outSize(), c.ci), func(at []int) float64 {
					n, pos, ch := imageIndex(at, c.first)
					return sumOver(c.k[0], func(y int) float64 {
						return sumOver(c.k[1], func(x int) float64 {
							read := []int{pos[0]*c.s[0] + y*c.dilation[0] - c.p[0], pos[1]*c.s[1] + x*c.dilation[1] - c.p[1]}
							weight := in[1].at
							if c.first {
								return imageAt(in[0], true, n, read, ch, 0) * weight(ch, 0, y, x)
							}
							return imageAt(in[0], false, n, read, ch, 0) * weight(y, x, ch, 0)
						})
					})
				})
			})
		}
	}
}

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
