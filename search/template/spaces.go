package template

import (
	"fmt"
	"strings"
)

// A Problem is the extents that a template's knobs follow from.
type Problem struct {
	Batch                int64 // images; of a batch product, products
	Rows, Columns, Depth int64 // of a product: the result's, and of what is summed
	In, Out              int64 // channels
	Height, Width        int64 // of a convolution's result
	KernelH, KernelW     int64
}

// templates is the table of templates, with the knobs of each (upstream: python/tvm/topi/x86 and cuda). Names end with
// the kind of target.
var templates = []struct {
	name  string
	knobs func(p Problem) Space
}{
	{"conv2d_NCHWc.x86", func(p Problem) Space { // conv2d.py: _get_default, conv2d_avx_common.py, conv2d_avx_1x1.py
		last := option("unroll_kw", "true", "false")
		switch {
		case p.KernelH == 1 && p.KernelW == 1 && p.Height == 1:
			last = option("tile_oh", "1")
		case p.KernelH == 1 && p.KernelW == 1:
			last = option("tile_oh", "1", "2")
		}
		return Space{
			factors("tile_ic", p.In, 2), factors("tile_oc", p.Out, 2),
			split("tile_ow", Split{Policy: Verbose, Extent: p.Width, Pieces: 2, Inner: 64}), last,
		}
	}},
	{"depthwise_conv2d_NCHWc.x86", func(p Problem) Space { // depthwise_conv2d.py
		return Space{
			factors("tile_ic", p.In, 2), factors("tile_oc", p.Out, 2),
			split("tile_ow", Split{Policy: Factors, Extent: p.Width, Pieces: 2, Inner: 64}),
			option("unroll_kw", "true", "false"),
		}
	}},
	{"dense_pack.x86", func(p Problem) Space { // dense.py
		return Space{
			factors("tile_y", p.Rows, 3), factors("tile_x", p.Columns, 3), factors("tile_k", p.Depth, 2),
			split("tile_inner", Split{Policy: Factors, Extent: p.Rows, Pieces: 2, Inner: 16}),
		}
	}},
	{"dense_nopack.x86", product}, // dense.py
	{"batch_matmul.x86", product}, // batch_matmul.py
	{"conv2d_nchw.cuda", func(p Problem) Space { // conv2d_direct.py
		return Space{
			factors("tile_f", p.Out, 4), factors("tile_y", p.Height, 4), factors("tile_x", p.Width, 4),
			factors("tile_rc", p.In, 2), factors("tile_ry", p.KernelH, 2), factors("tile_rx", p.KernelW, 2),
			option("auto_unroll_max_step", "0", "512", "1500"), option("unroll_explicit", "0", "1"),
		}
	}},
	{"depthwise_conv2d_nchw.cuda", func(p Problem) Space { // depthwise_conv2d.py
		return Space{
			factors("tile_f", p.Out, 4), factors("tile_y", p.Height, 4), factors("tile_x", p.Width, 4),
			option("auto_unroll_max_step", "0", "256", "1500"), option("unroll_explicit", "0", "1"),
		}
	}},
	{"batch_matmul.cuda", func(p Problem) Space { // batch_matmul.py
		return Space{
			factors("tile_y", p.Rows, 3), factors("tile_x", p.Columns, 3), factors("tile_k", p.Depth, 2),
			option("auto_unroll_max_step", "8", "16", "32", "64"), option("unroll_explicit", "0", "1"),
		}
	}},
}

func product(p Problem) Space {
	return Space{factors("tile_y", p.Rows, 2), factors("tile_x", p.Columns, 2), factors("tile_k", p.Depth, 2)}
}

func factors(name string, extent int64, pieces int) Knob {
	return split(name, Split{Policy: Factors, Extent: extent, Pieces: pieces})
}

// Names lists the templates.
func Names() []string {
	var names []string
	for _, t := range templates {
		names = append(names, t.name)
	}
	return names
}

// Of returns the space of a template for a problem. The error lists the known templates.
func Of(name string, p Problem) (Space, error) {
	for _, t := range templates {
		if t.name == name {
			return t.knobs(p), nil
		}
	}
	return nil, fmt.Errorf("template %q: known are %s", name, strings.Join(Names(), ", "))
}
