package model_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
)

// chain is a program of n calls of a small kernel, one after the other.
func chain(n int, kind tir.ForKind, threads int) *model.Program {
	fn := zip("add", tir.Add, 2, 16)
	if kind != tir.Parallel {
		fn.Body.(*tir.For).Kind = kind
	}
	port := model.Port{Name: "x", Type: tir.F32, Shape: []int64{2, 16}}
	out := port
	out.Name = "y"
	p := &model.Program{Name: "chain", Inputs: []model.Port{port}, Outputs: []model.Port{out}, Arena: 128,
		Kernels: []*tir.Func{fn}}
	in, y := model.Place{Space: model.Input}, model.Place{Space: model.Output}
	for i := range n {
		from := y
		if i == 0 {
			from = in
		}
		args := []model.Place{from, in, y}
		p.Steps = append(p.Steps, model.Call{Args: args, Label: fmt.Sprint("step ", i), Threads: threads})
	}
	return p
}

// BenchmarkBuild is the time to compile programs of many steps: it must grow linearly.
func BenchmarkBuild(b *testing.B) {
	builder := buildtest.NeedLLVM(b, build.Config{Workers: 2})
	for _, n := range []int{500, 5000, 50000} {
		p := chain(n, tir.Serial, 1)
		cache := model.NewMemoryCache()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				bundle, err := model.Build(b.Context(), builder, p, host(builder), model.Options{Cache: cache})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(bundle.Shared)), "B.so")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/step")
		})
	}
}

// BenchmarkStep is the time of one step that does next to nothing: serial, on one thread,
// and with the barrier of a parallel loop.
func BenchmarkStep(b *testing.B) {
	builder := buildtest.NeedLLVM(b, build.Config{Workers: 2})
	const n = 1000
	for _, c := range []struct {
		name    string
		kind    tir.ForKind
		threads int
	}{{"serial", tir.Serial, 0}, {"alone", tir.Parallel, 1}, {"barrier", tir.Parallel, 0}} {
		b.Run(c.name, func(b *testing.B) {
			bundle, err := model.Build(b.Context(), builder, chain(n, c.kind, c.threads), host(builder), model.Options{})
			if err != nil {
				b.Fatal(err)
			}
			l, err := load(b, bundle, "", nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				times, err := l.Time(b.Context(), model.Repeat{Warm: 10, Calls: 200})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(slices.Min(times).Nanoseconds())/n, "ns/step")
			}
		})
	}
}
