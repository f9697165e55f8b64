package driver

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/driver/drivertest"
)

// open returns the context of a fake GPU.
func open(t *testing.T) *Context {
	t.Helper()
	d, err := Load(drivertest.Driver(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestMemory: what is put is got, a part of it too, and memory that is not there is
// refused.
func TestMemory(t *testing.T) {
	c := open(t)
	before, all, err := c.Available()
	if err != nil || all != 1<<30 {
		t.Fatalf("%d bytes, %v", all, err)
	}
	m, err := c.Alloc(1000)
	if err != nil || m.Address()%256 != 0 {
		t.Fatal(m, err)
	}
	if left, _, err := c.Available(); left != before-1000 {
		t.Errorf("%d bytes are left of %d, %v", left, before, err)
	}
	data := []byte("0123456789")
	if err := errors.Join(m.Set(0, 1000, 'x'), m.Put(990, data), m.Set(992, 2, '-'), m.Get(988, data)); err != nil || string(data) != "xx01--4567" {
		t.Errorf("got %s, %v", data, err)
	}
	if err := errors.Join(m.Put(1000, nil), m.Get(0, nil), m.Set(5, 0, 1), m.Free()); err != nil {
		t.Error(err)
	}
	if left, _, err := c.Available(); left != before {
		t.Errorf("%d bytes are left of %d, %v", left, before, err)
	}
	var e *Error
	if _, err := c.Alloc(2 << 30); !errors.As(err, &e) || e.Code != OutOfMemory || e.Call != "cuMemAlloc" || e.Poisons() {
		t.Errorf("too much memory: %v", err)
	}
	func() {
		defer func() {
			if text, _ := recover().(string); !strings.HasPrefix(text, "BUG: driver: bytes 999 to 1001 of memory of 1000") {
				t.Errorf("past the end: %v", text)
			}
		}()
		m.Put(999, data[:2])
	}()
}

// TestPoison: the error of a kernel is that of the next call, and of all after it.
func TestPoison(t *testing.T) {
	c := open(t)
	load := func(text string) *Launch {
		t.Helper()
		m, err := c.Load([]byte(text + "extern \"C\" __global__ void __launch_bounds__(1)\nk(float* __restrict__ x) { *x = 1; }\n"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Function("k")
		if err != nil {
			t.Fatal(err)
		}
		return f.Bind(Dim{1, 1, 1}, Dim{1, 1, 1}, 16)
	}
	var e *Error
	if err := load("// fake: launch 701\n").Launch(); !errors.As(err, &e) || e.Code != LaunchOutOfResources || e.Poisons() {
		t.Errorf("a launch that is refused: %v", err)
	}
	start, err := c.Event()
	if err == nil {
		err = start.Record()
	}
	if err == nil {
		err = load("").Launch()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []func() error{c.Synchronize, start.Record, start.Wait, func() error { _, err := c.Alloc(1); return err }} {
		err := call()
		if !errors.As(err, &e) || e.Name != "CUDA_ERROR_ILLEGAL_ADDRESS" || e.Text != "an illegal memory access was encountered" || !e.Poisons() {
			t.Errorf("got %v", err)
		}
	}
}

// TestEvents: a later event is later.
func TestEvents(t *testing.T) {
	c := open(t)
	a, err := c.Event()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Event()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Record(), b.Record(), b.Wait()); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Since(a); err != nil || s < 0 || s > 60 {
		t.Errorf("%g s, %v", s, err)
	}
	if err := errors.Join(a.Close(), b.Close(), c.Close()); err != nil {
		t.Error(err)
	}
}

const twiceAndMore = `extern "C" __global__ void __launch_bounds__(1)
twice(float* __restrict__ x) { x[0] = 2 * x[0]; }
extern "C" __global__ void __launch_bounds__(1)
more(float* __restrict__ x) { x[0] += 1; }
`

// launchesOf returns launches of all kernels of twiceAndMore, and what they work on.
func launchesOf(t *testing.T, c *Context) (*Module, *Memory, []*Launch) {
	m, err := c.Load([]byte(twiceAndMore))
	if err != nil {
		t.Fatal(err)
	}
	x, err := c.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	var launches []*Launch
	for _, name := range []string{"twice", "more"} {
		f, err := m.Function(name)
		if err != nil {
			t.Fatal(err)
		}
		launches = append(launches, f.Bind(Dim{1, 1, 1}, Dim{1, 1, 1}, x.Address()))
	}
	return m, x, launches
}

// TestGraph: a graph runs its launches in their order, as often as was asked, each time that it is launched.
func TestGraph(t *testing.T) {
	c := open(t)
	m, x, launches := launchesOf(t, c)
	g, err := c.Graph(launches, 3)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 4)
	if err := errors.Join(x.Put(0, data), g.Launch(), g.Launch(), x.Get(0, data)); err != nil {
		t.Fatal(err)
	}
	if got := math.Float32frombits(binary.LittleEndian.Uint32(data)); got != 63 {
		t.Errorf("six times twice and one more: %g, want 63", got)
	}
	if err := errors.Join(g.Close(), m.Unload(), x.Free(), c.Close()); err != nil {
		t.Error(err)
	}
}

// TestNoGraph: a graph that cannot be made is none, and the error is the driver's.
func TestNoGraph(t *testing.T) {
	c := open(t)
	_, _, launches := launchesOf(t, c)
	for _, call := range []string{"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiateWithFlags"} {
		t.Setenv("FAKE_GPU", "fail="+call+":2")
		var e *Error
		if g, err := c.Graph(launches, 1); !errors.As(err, &e) || e.Code != OutOfMemory || e.Call != call || g != nil {
			t.Errorf("%s: %v, %v", call, g, err)
		}
	}
}

// TestRefusals: an image that is none, and a kernel that it has not.
func TestRefusals(t *testing.T) {
	c := open(t)
	var e *Error
	if _, err := c.Load([]byte("no program")); !errors.As(err, &e) || e.Code != InvalidImage {
		t.Errorf("got %v", err)
	}
	m, err := c.Load([]byte("extern \"C\" __global__ void __launch_bounds__(1)\nk(float* __restrict__ x) {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Function("other"); !errors.As(err, &e) || e.Code != NotFound {
		t.Errorf("got %v", err)
	}
	if err := m.Unload(); err != nil {
		t.Error(err)
	}
}
