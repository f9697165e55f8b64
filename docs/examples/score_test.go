package examples

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
)

// A model tells how good candidates are without building them: it needs neither
// libLLVM nor the machine that they are for.
func Example_score() {
	w, err := op.Parse("matmul:m=512,n=512,k=512")
	if err != nil {
		log.Fatal(err)
	}
	on := target.Generic(32, 2) // vectors of 32 bytes, two cores
	sketches, err := sketch.Generate(context.Background(), sketch.CPU, w.DAG, on)
	if err != nil {
		log.Fatal(err)
	}
	states, err := annotate.New(annotate.CPU, on).Population(context.Background(), sketches, 200, 1, 0, 0)
	if err != nil {
		log.Fatal(err)
	}

	model, err := models.Default(target.LLVM) // or models.Open("my-model")
	if err != nil {
		log.Fatal(err)
	}
	scores, err := model.Score(context.Background(), workload.Task{DAG: w.DAG, Target: on}, states)
	if err != nil {
		log.Fatal(err)
	}
	best := slices.Index(scores, slices.Max(scores))
	fmt.Println(len(scores) == len(states), scores[best] > scores[0], len(states[best].Steps) > 10)
	// Output: true true true
}
