package compile_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
)

// A model becomes a folder with a verified library, which is then called with slices. The model is y = relu(x + [0.5
// 1]), for a batch that is open in the file. The program calls machine.WorkerMain first in main.
func ExampleBundle_Run() {
	ctx := context.Background()
	model, err := compile.Read(ctx, "testdata/add_relu.onnx", map[string]int64{"batch": 2}, pass.Options{})
	if err != nil {
		log.Fatal(err)
	}
	cpu, err := machine.OpenCPU(ctx, machine.Options{Libraries: machine.Libraries{LLVM: os.Getenv("WMTUNE_LLVM")}})
	if err != nil {
		log.Fatal(err)
	}
	defer cpu.Close()
	dir, err := os.MkdirTemp("", "wmtune-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "bundle")
	_, err = compile.Run(ctx, compile.Machine{CPU: cpu}, model, compile.Options{Name: "add_relu", Out: folder})
	if err != nil {
		log.Fatal(err)
	}

	b, err := compile.OpenBundle(ctx, folder, compile.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	out, err := b.Run(ctx, map[string]any{"x": []float32{-1, -2, 3, 4}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out["y"].([]float32), b.Shape("y"))
	_, err = b.Run(ctx, map[string]any{"X": []float64{1, 2}})
	fmt.Println(err)
	// Output:
	// [0 0 3.5 5] [2 2]
	// inputs of add_relu: input x is missing: want []float32, float32[2 2]; there is no input called X; did you mean "x"?
}
