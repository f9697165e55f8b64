package autotvm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/script"
)

// templates are those that have a counterpart (upstream: python/tvm/topi of TVM 0.7 to 0.18). Names end with the kind
// of target. A template that fails says so to its arguments.
var templates = map[string]func(*arguments) *program{
	"conv2d_NCHWc.x86":           convNCHWc,          // x86/conv2d_avx_common.py, conv2d_avx_1x1.py
	"depthwise_conv2d_NCHWc.x86": depthwiseConvNCHWc, // x86/depthwise_conv2d.py
	"dense_pack.x86":             densePack,          // x86/dense.py
	"dense_nopack.x86":           denseNoPack,        // x86/dense.py
	"batch_matmul.x86":           batchMatmulX86,     // x86/batch_matmul.py
	"conv2d_nchw.cuda":           convCUDA,           // cuda/conv2d_direct.py
	"depthwise_conv2d_nchw.cuda": depthwiseConvCUDA,  // cuda/depthwise_conv2d.py
	"batch_matmul.cuda":          batchMatmulCUDA,    // cuda/batch_matmul.py
}

// State returns the state of a line, with bounds. The error is a *metaschedule.UnmappedError if there is no such state.
func (l *Line) State() (*schedule.State, error) {
	f, ok := templates[l.Template]
	if !ok {
		return nil, unmapped("the template %s", l.Template)
	}
	a := &arguments{Line: l}
	s := f(a)
	if a.err != nil {
		return nil, a.err
	}
	state, err := s.State()
	var step *script.StepError
	switch {
	case errors.As(err, &step):
		return nil, unmapped("a schedule with %v", step)
	case err != nil:
		return nil, unmapped("a state without bounds (%v)", err)
	}
	return state, nil
}

// A convolution is what templates of convolutions have as arguments.
type convolution struct {
	data, kernel          []int64 // NCHW; OIHW, or CMHW of a depthwise one
	stride, dilation, pad []int64 // of rows and columns; top, left, bottom, right
	h, w                  int64   // of the result
}

func (a *arguments) convolution() (c convolution) {
	c.data, c.kernel, c.stride = a.tensor(0, 4), a.tensor(1, 4), a.numbers(2, 2)
	if c.pad = a.numbers(3, 2, 4); len(c.pad) == 2 {
		c.pad = append(c.pad, c.pad...)
	}
	c.dilation = a.numbers(4, 2)
	if c.stride[0] < 1 || c.stride[1] < 1 {
		a.fail(fmt.Errorf("a stride of %d", c.stride))
		return c
	}
	c.h = (c.data[2]+c.pad[0]+c.pad[2]-(c.kernel[2]-1)*c.dilation[0]-1)/c.stride[0] + 1
	c.w = (c.data[3]+c.pad[1]+c.pad[3]-(c.kernel[3]-1)*c.dilation[1]-1)/c.stride[1] + 1
	if c.h < 1 || c.w < 1 {
		a.fail(fmt.Errorf("a convolution without a result"))
	}
	return c
}

// padded returns a line that pads rows and columns of the tensor "data", with dimensions before and behind them, and
// the name of what it computes: the tensor itself if there is nothing to pad.
func (c *convolution) padded(before, behind []int64) (text, name string) {
	if c.pad[0]|c.pad[1]|c.pad[2]|c.pad[3] == 0 {
		return "", "data"
	}
	var axes, index []string
	add := func(n int64, shift int64) {
		v := fmt.Sprintf("i%d", len(axes))
		axes = append(axes, fmt.Sprintf("%s: %d", v, n))
		if shift > 0 {
			v += fmt.Sprintf(" - %d", shift)
		}
		index = append(index, v)
	}
	for _, n := range before {
		add(n, 0)
	}
	y := len(axes)
	add(c.data[2]+c.pad[0]+c.pad[2], c.pad[0])
	add(c.data[3]+c.pad[1]+c.pad[3], c.pad[1])
	for _, n := range behind {
		add(n, 0)
	}
	text = fmt.Sprintf("pad(%s) = if_then_else(%d <= i%d && i%d < %d && %d <= i%d && i%d < %d, data[%s], 0)\n",
		strings.Join(axes, ", "), c.pad[0], y, y, c.data[2]+c.pad[0], c.pad[1], y+1, y+1, c.data[3]+c.pad[1],
		strings.Join(index, ", "))
	return text, "pad"
}

// A program is what a template makes of its arguments.
type program struct {
	*arguments
	*script.Script
}

// at returns the index of a row or column: stride*out + dilation*k.
func at(out string, stride int64, k string, dilation int64) string {
	return times(out, stride) + " + " + times(k, dilation)
}

func times(v string, n int64) string {
	if n == 1 {
		return v
	}
	return fmt.Sprintf("%s*%d", v, n)
}

// over returns the quotient and the rest of a variable.
func over(v string, n int64) (div, mod string) {
	if n == 1 {
		return v, "0"
	}
	return fmt.Sprintf("floordiv(%s, %d)", v, n), fmt.Sprintf("floormod(%s, %d)", v, n)
}

// parse reads a DAG that a template has written, unless its arguments could not be read. Without a DAG there is no
// stage.
func (a *arguments) parse(format string, args ...any) *program {
	if a.err != nil {
		return nil
	}
	d, err := compute.Parse(fmt.Sprintf(format, args...))
	if err != nil {
		a.fail(unmapped("a program that is none here (%v)", err))
		return nil
	}
	return &program{a, script.New(d)}
}
