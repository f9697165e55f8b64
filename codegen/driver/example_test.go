package driver_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"os"
	"testing"

	"github.com/wmtune/wmtune/codegen/driver"
	"github.com/wmtune/wmtune/codegen/driver/drivertest"
)

var (
	// library is the driver of the example: the system's.
	library = ""

	// cubin stands for kernel.cubin, which wmtune search --target cuda writes. Here it
	// is the text of the kernel, which the driver of the test compiles.
	cubin = []byte(`// Launch: y_kernel<<<dim3(2, 1, 1), dim3(32, 1, 1)>>>(x, y)
extern "C" __global__ void __launch_bounds__(32)
y_kernel(const float* __restrict__ x, float* __restrict__ y) {
  y[blockIdx.x * 32 + threadIdx.x] = 2.0f * x[blockIdx.x * 32 + threadIdx.x];
}
`)
)

// Kernels that a search hands over are launched from Go without cgo. The head of kernel.cu
// says how: which kernels, in which order, on how many blocks and threads, with which
// arguments.
func Example() {
	d, err := driver.Load(library)
	if err != nil {
		log.Fatal(err) // driver.ErrNone where there is no GPU
	}
	gpu, err := d.Open(0)
	if err != nil {
		log.Fatal(err)
	}
	defer gpu.Close()
	module, err := gpu.Load(cubin)
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := module.Function("y_kernel")
	if err != nil {
		log.Fatal(err)
	}
	values := make([]float32, 64)
	for i := range values {
		values[i] = float32(i)
	}
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		log.Fatal(err)
	}
	x, err := gpu.Alloc(int64(len(data)))
	if err != nil {
		log.Fatal(err)
	}
	y, err := gpu.Alloc(int64(len(data)))
	if err != nil {
		log.Fatal(err)
	}
	if err := x.Put(0, data); err != nil {
		log.Fatal(err)
	}
	launch := kernel.Bind(driver.Dim{X: 2, Y: 1, Z: 1}, driver.Dim{X: 32, Y: 1, Z: 1}, x.Address(), y.Address())
	if err := launch.Launch(); err != nil {
		log.Fatal(err)
	}
	if err := y.Get(0, data); err != nil { // waits for the kernel, and has its error
		log.Fatal(err)
	}
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, values); err != nil {
		log.Fatal(err)
	}
	fmt.Println(values[0], values[1], values[63])
}

// TestExample runs the example with a driver that needs no GPU.
func TestExample(t *testing.T) {
	library = drivertest.Driver(t)
	defer func(out *os.File) { library, os.Stdout = "", out }(os.Stdout)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = w
	Example()
	w.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "0 2 126\n" {
		t.Errorf("got %q, %v", text, err)
	}
}
