package examples

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// A model becomes a folder with a verified library, which is then run. Models come from files with compile.Read; this
// one is made here: y = relu(x + w).
func Example_model() {
	ctx := context.Background()
	w := &graph.Const{Type: tir.F32, Shape: []int64{4}, Data: graph.NewTensor(tir.F32, 4).Const().Data}
	value := func(name string, c *graph.Const) *graph.Value {
		return &graph.Value{Name: name, Type: tir.F32, Shape: []int64{4}, Ranked: true, Const: c}
	}
	x, sum, y := value("x", nil), value("sum", nil), value("y", nil)
	model, err := compile.New(ctx, &graph.Graph{
		Name: "g", Inputs: []*graph.Value{x}, Outputs: []*graph.Value{y}, Nodes: []*graph.Node{
			{Op: "Add", Version: 18, Inputs: []*graph.Value{x, value("w", w)}, Outputs: []*graph.Value{sum}},
			{Op: "Relu", Version: 18, Inputs: []*graph.Value{sum}, Outputs: []*graph.Value{y}},
		},
	}, pass.Options{})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "wmtune-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	cpu, err := machine.OpenCPU(ctx, machine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer cpu.Close()
	out := filepath.Join(dir, "bundle")
	r, err := compile.Run(ctx, compile.Machine{CPU: cpu}, model, compile.Options{Name: "sum_relu", Out: out})
	if err != nil {
		log.Fatal(err)
	}
	bundle, err := compile.OpenBundle(ctx, out, compile.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer bundle.Close()
	result, err := bundle.Run(ctx, map[string]any{"x": []float32{-1, 0, 1, 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Groups, "kernel, equal to the reference:", r.MaxError == 0, result["y"])
	// Output: 1 kernel, equal to the reference: true [0 0 1 2]
}
