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
	in := model.Place{Space: model.Input}
	places := []model.Place{{Space: model.Output}, {Space: model.Arena}}
	from := in
	for i := range n {
		to := places[(n-1-i)%2] // the last is the output
		args := []model.Place{from, in, to}
		p.Steps = append(p.Steps, model.Call{Args: args, Label: fmt.Sprint("step ", i), Threads: threads})
		from = to
	}
	return p
}

// BenchmarkBuild is the time to compile programs of many steps: it must grow linearly.
func BenchmarkBuild(b *testing.B) {
	builder := buildtest.NeedLLVM(b, build.Config{Workers: 2})
	for _, n := range []int{500, 5000, 50000} {
		p := chain(n, tir.Serial, 1)
		cache := &memoryCache{}
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

// BenchmarkParallel is the time of a loop of some length on one thread and on two.
func BenchmarkParallel(b *testing.B) {
	builder := buildtest.NeedLLVM(b, build.Config{Workers: 2})
	const n = 100
	for _, columns := range []int64{32, 128, 512, 2048, 8192} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%d/%d", columns, threads), func(b *testing.B) {
				p := chain(n, tir.Parallel, threads)
				p.Kernels = []*tir.Func{exponentials(columns)}
				p.Inputs[0].Shape, p.Outputs[0].Shape = []int64{8, columns}, []int64{8, columns}
				p.Arena = p.Outputs[0].Bytes()
				for i := range p.Steps {
					c := p.Steps[i].(model.Call)
					p.Steps[i] = model.Call{Args: c.Args[1:], Threads: threads}
				}
				bundle, err := model.Build(b.Context(), builder, p, host(builder), model.Options{})
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
}

// exponentials is a kernel that takes a while.
func exponentials(columns int64) *tir.Func {
	a := &tir.Buffer{Name: "A", Type: tir.F32, Shape: []int64{8, columns}}
	c := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{8, columns}}
	i, j := tir.NewVar("i"), tir.NewVar("j")
	at := []tir.Expr{i, j}
	value := &tir.Call{Fn: tir.Exp, Args: []tir.Expr{&tir.Load{Buffer: a, Index: at}}}
	store := &tir.Store{Buffer: c, Index: at, Value: value}
	row := &tir.For{Var: j, Extent: tir.Int(columns), Kind: tir.Vectorized, Body: store}
	return &tir.Func{Name: "exp", Params: []*tir.Buffer{a, c}, Outputs: 1,
		Body: &tir.For{Var: i, Extent: tir.Int(8), Kind: tir.Parallel, Body: row}}
}
